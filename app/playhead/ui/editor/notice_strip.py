"""One quiet line above the code: what is unusual about it, and what can be done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from playhead.ui.theme import Theme
from playhead.ui.wording import tr

NoticeAction = tuple[str, Callable[[], object]]


class NoticeStrip(QFrame):
    """Shows one notice at a time. Owner: the pane. Signal: `dismissed()`."""

    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "find")
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setProperty("kind", "mute")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons: list[QPushButton] = []
        self.close_button = QToolButton(self)
        self.close_button.setAccessibleName(tr("Dismiss"))
        self.close_button.setToolTip(tr("Dismiss"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.clicked.connect(self._on_dismissed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 5, 8, 5)
        self._row.setSpacing(6)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.close_button)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def say(self, words: str, *actions: NoticeAction) -> None:
        """Show a notice in the place of the one before; '' shows none."""
        self.words.setText(words)
        self.setAccessibleName(words)
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._button(text, action) for text, action in actions]
        self.setVisible(bool(words))

    def _button(self, text: str, action: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("kind", "chip")
        button.clicked.connect(lambda: self._on_chosen(action))
        self._row.insertWidget(self._row.count() - 1, button)
        return button

    def _on_chosen(self, action: Callable[[], object]) -> None:
        self.say("")
        action()

    def _on_dismissed(self) -> None:
        self.say("")
        self.dismissed.emit()

    def _dress(self) -> None:
        self.close_button.setIcon(self._theme.icon("x", "mute"))
