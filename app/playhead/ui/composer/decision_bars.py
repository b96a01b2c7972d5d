"""The bars above the composer that ask whether code runs and whether a turn continues."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.payloads import Failure, Proposal
from playhead.domain.text.python_syntax import syntax_fault
from playhead.domain.text.quantities import format_dollars
from playhead.session.stops import BUDGET_REACHED
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.timeline.scroll.accessibility import announce
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import short_folder, tr, tr_error, tr_n

ARMING_MS = 300
"""The bar ignores clicks and keys for this time, because they were not meant for it."""

_NARROW_PX = 520


class ApprovalBar(QFrame):
    """Asks about one proposal at a time; never takes the focus by itself.

    Signals: `approved(str proposal_id, object code_or_None, bool rest_of_turn)`, `rejected(str
    proposal_id, str reason)`, `edit_requested()`.
    """

    approved = Signal(str, object, bool)
    rejected = Signal(str, str)
    edit_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._proposal: Proposal | None = None
        self._edited_code: str | None = None
        self._is_narrow = False
        self.setProperty("kind", "ask")
        self._arming = QTimer(self)
        self._arming.setSingleShot(True)
        self._arming.setInterval(ARMING_MS)
        self._arming.timeout.connect(lambda: self._arm(True))
        self._make_actions()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(6)
        layout.addLayout(self._make_question())
        layout.addWidget(self._make_reason())
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._arm(False)
        self.hide()

    @property
    def proposal(self) -> Proposal | None:
        """Return the proposal that is shown; None if there is none."""
        return self._proposal

    @property
    def is_armed(self) -> bool:
        """Return whether clicks and shortcuts are accepted yet."""
        return self._proposal is not None and self.run_button.isEnabled()

    def ask(self, proposal: Proposal | None) -> None:
        """Ask about a proposal; None hides the bar."""
        is_same = proposal is not None and self._proposal == proposal
        if is_same:
            return
        self._proposal, self._edited_code = proposal, None
        self._reason_row.hide()
        self._reason.clear()
        self._arm(False)
        self._arming.stop()
        if proposal is not None:
            self._show_text()
            self._arming.start()
        self.setVisible(proposal is not None)
        if proposal is not None:
            words = f"{self._question.text()} {self._details.text()}"
            announce(self, tr("Code waits for your approval. {words}", words=words))

    def set_edit(self, code: str | None) -> None:
        """Set the code as the user changed it in the editor, which Run then sends."""
        if self._proposal is None:
            return
        self._edited_code = None if code == self._proposal.code else code
        self._show_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the question when both do not fit on one row."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_PX
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self._place_buttons()

    def _make_actions(self) -> None:
        self.run_action = self._action(tr("Run"), "Ctrl+Return", lambda: self._approve(False))
        self.run_rest_action = self._action(
            tr("Run, and don't ask again in this turn"),
            "Ctrl+Shift+Return",
            lambda: self._approve(True),
        )
        self.edit_action = self._action(tr("Edit"), "Ctrl+E", self._on_edit)
        self.skip_action = self._action(tr("Skip"), "Ctrl+.", lambda: self._skip(""))
        self.reason_action = self._action(
            tr("Skip with a reason…"), "Ctrl+Shift+.", self._on_reason_wanted
        )

    def _action(self, text: str, keys: str, slot: object) -> QAction:
        action = QAction(text, self)
        action.setShortcut(keys)
        action.setAutoRepeat(False)  # a held key is no decision
        action.triggered.connect(slot)
        self.addAction(action)
        return action

    def _make_question(self) -> QGridLayout:
        self._icon = QLabel(self)
        self._question = QLabel(tr("Run this code on your computer?"), self)
        self._question.setProperty("kind", "strong")
        self._details = QLabel(self)
        self._details.setProperty("kind", "warn")
        self._details.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(self._question)
        words.addWidget(self._details)
        self._buttons = self._make_buttons()
        self._grid = grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.addWidget(self._icon, 0, 0)
        grid.addLayout(words, 0, 1)
        grid.setColumnStretch(1, 1)
        self._place_buttons()
        return grid

    def _make_buttons(self) -> QWidget:
        box = QWidget(self)
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self.skip_button = self._button(self.skip_action, "quiet")
        self.edit_button = self._button(self.edit_action, "")
        self.run_button = self._button(self.run_action, "primary")
        self.more_button = QToolButton(box)
        self.more_button.setAccessibleName(tr("More answers"))
        self.more_button.setToolTip(tr("More answers"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.more_button)
        menu.addActions([self.run_rest_action, self.reason_action])
        self.more_button.setMenu(menu)
        for widget in (self.skip_button, self.edit_button, self.run_button, self.more_button):
            row.addWidget(widget)
        return box

    def _button(self, action: QAction, kind: str) -> QPushButton:
        button = QPushButton(action.text(), self)
        button.setProperty("kind", kind)
        button.setToolTip(f"{action.text()} ({action.shortcut().toString()})")
        button.setAutoDefault(False)
        button.clicked.connect(action.trigger)
        return button

    def _make_reason(self) -> QWidget:
        self._reason_row = QWidget(self)
        row = QHBoxLayout(self._reason_row)
        row.setContentsMargins(26, 0, 0, 0)
        row.setSpacing(6)
        self._reason = QLineEdit(self._reason_row)
        self._reason.setPlaceholderText(tr("Why not? The model sees your answer."))
        self._reason.setAccessibleName(tr("Reason for skipping"))
        confirm = QPushButton(tr("Skip"), self._reason_row)
        row.addWidget(self._reason, 1)
        row.addWidget(confirm)
        self._reason.returnPressed.connect(lambda: self._skip(self._reason.text()))
        confirm.clicked.connect(lambda: self._skip(self._reason.text()))
        self._reason_row.hide()
        return self._reason_row

    def _place_buttons(self) -> None:
        self._grid.removeWidget(self._buttons)
        if self._is_narrow:
            self._grid.addWidget(self._buttons, 1, 0, 1, 2)
        else:
            self._grid.addWidget(self._buttons, 0, 2)

    def _show_text(self) -> None:
        proposal = self._proposal
        if proposal is None:
            return
        code = self._edited_code if self._edited_code is not None else proposal.code
        count = len(code.splitlines())
        parts = [
            language_name(proposal.language),
            tr_n("%n lines", count, one="1 line"),
            tr("in {folder}", folder=short_folder(proposal.folder)),
        ]
        is_edited = self._edited_code is not None
        if is_edited:
            parts.append(tr("as you edited it"))
        is_python = proposal.language == "python"
        if is_python and (fault := syntax_fault(code)) is not None:
            parts.insert(0, fault.text)
        self._details.setText(" · ".join(parts))
        python = (
            "\n" + tr("Python: {interpreter}", interpreter=proposal.interpreter)
            if is_python
            else ""
        )
        self._details.setToolTip(tr("Folder: {folder}", folder=proposal.folder) + python)
        self._question.setText(
            tr("Run your edited code on your computer?")
            if is_edited
            else tr("Run this code on your computer?")
        )
        self.setAccessibleName(f"{self._question.text()} {self._details.text()}")

    def _arm(self, is_armed: bool) -> None:
        for button in (self.skip_button, self.edit_button, self.run_button, self.more_button):
            button.setEnabled(is_armed)
        for action in self.actions():
            action.setEnabled(is_armed)

    def _approve(self, is_for_rest: bool) -> None:
        if self.is_armed and self._proposal is not None:
            self._arm(False)
            self.approved.emit(self._proposal.id, self._edited_code, is_for_rest)

    def _skip(self, reason: str) -> None:
        if self.is_armed and self._proposal is not None:
            self._arm(False)
            self.rejected.emit(self._proposal.id, reason.strip())

    def _on_edit(self) -> None:
        if self.is_armed:
            self.edit_requested.emit()

    def _on_reason_wanted(self) -> None:
        if self.is_armed:
            self._reason_row.show()
            self._reason.setFocus()

    def _on_theme_changed(self) -> None:
        theme = self._theme
        self._icon.setPixmap(theme.icon("shield-alert", "warn").pixmap(16, 16))
        theme.label_icon(self.edit_button, "pencil")
        theme.label_icon(self.run_button, "play", "on_accent")
        self.more_button.setIcon(theme.icon("chevron-down", "warn"))


_NARROW_CONTINUATION_PX = 560


def raised_budget(budget: float, spent: float = 0.0) -> float:
    """Return the budget to offer when one is used up: the same amount again on top of `spent`."""
    return round(max(budget * 2, budget + math.ceil(spent * 100) / 100), 2)


class ContinuationBar(QFrame):
    """Asks one question at a time; never takes the focus by itself.

    Signals: `continued(object budget_or_None)` to continue, with a larger budget if the budget
    stopped the turn; `stopped()` to end the turn.
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
        """Ask a question; None hides the bar. `spent` is the used part of `budget`."""
        if question is not None:
            is_budget = question.code == BUDGET_REACHED and budget > 0
            self._budget = raised_budget(budget, spent) if is_budget else None
            error = tr_error(question)
            self.title_label.setText(error.title)
            self.detail_label.setText(error.detail)
            self.continue_button.setText(
                tr(
                    "Raise to {amount} and continue",
                    amount=format_dollars(raised_budget(budget, spent)),
                )
                if is_budget
                else tr("Continue")
            )
            self.setAccessibleName(f"{error.title} {error.detail} {error.remedy}")
        self.setVisible(question is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons under the words when both do not fit on one row."""
        super().resizeEvent(event)
        is_narrow = event.size().width() < _NARROW_CONTINUATION_PX
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
