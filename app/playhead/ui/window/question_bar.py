"""Asks whether a turn that has stopped by itself goes on, pinned above the composer."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.payloads import Failure
from playhead.session.stops import BUDGET_REACHED
from playhead.ui.theme import Theme
from playhead.ui.timeline.model.turn_cost import format_dollars
from playhead.ui.wording import tr

_NARROW_PX = 560


def raised(budget: float, spent: float = 0.0) -> float:
    """What is offered where a budget is used up: as much again, from what was spent by then."""
    return round(max(budget * 2, budget + math.ceil(spent * 100) / 100), 2)


class QuestionBar(QFrame):
    """Asks one question at a time; takes no focus by itself.

    Signals: `continued(object budget_or_None)` to go on, with a larger budget where that was what
    stopped it; `stopped()` to leave it at that.
    """

    continued = Signal(object)
    stopped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._budget: float | None = None
        self.setProperty("kind", "notice")
        self._icon = QLabel(self)
        self.title_label = self._label("strong")
        self.detail_label = self._label("mute")
        self.continue_button = QPushButton(tr("Continue"), self)
        self.continue_button.setProperty("kind", "primary")
        self.stop_button = QPushButton(tr("Stop here"), self)
        self.continue_button.clicked.connect(lambda: self.continued.emit(self._budget))
        self.stop_button.clicked.connect(self.stopped)
        self._rows = self._lay_out()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    def ask(self, question: Failure | None, budget: float = 0.0, spent: float = 0.0) -> None:
        """Ask, or nothing any more; `budget` is the one in force, `spent` what of it is used."""
        if question is not None:
            is_budget = question.code == BUDGET_REACHED and budget > 0
            self._budget = raised(budget, spent) if is_budget else None
            self.title_label.setText(question.title)
            self.detail_label.setText(question.detail)
            self.continue_button.setText(
                tr("Raise to {amount} and continue", amount=format_dollars(raised(budget, spent)))
                if is_budget
                else tr("Continue")
            )
            self.setAccessibleName(f"{question.title} {question.detail} {question.remedy}")
        self.setVisible(question is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The buttons go under the words where both have no room side by side."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        direction = QBoxLayout.Direction
        self._rows.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)

    def _label(self, kind: str) -> QLabel:
        label = QLabel(self)
        label.setProperty("kind", kind)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return label

    def _lay_out(self) -> QBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title_label)
        words.addWidget(self.detail_label)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(words, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addStretch(1)
        buttons.addWidget(self.stop_button)
        buttons.addWidget(self.continue_button)
        rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        rows.setContentsMargins(12, 8, 8, 8)
        rows.setSpacing(10)
        rows.addLayout(head, 1)
        rows.addLayout(buttons)
        return rows

    def _on_theme_changed(self) -> None:
        self._icon.setPixmap(self._theme.icon("info", "accent").pixmap(16, 16))
