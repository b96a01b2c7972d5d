"""The field in which the sidebar is searched: its keys go on to the results."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from playhead.domain.conversation.search import LONGEST_QUERY
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_CLEARING = "_q_qlineeditclearaction"
"""What Qt calls the action of the clear button, of which it tells nothing."""


class SearchField(QLineEdit):
    """Up and Down choose among the results, Enter opens one, Escape clears and then leaves.

    Signals: `moved(int step)`, `entered()`, `left()` by Escape while it is empty.
    """

    moved = Signal(int)
    entered = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setPlaceholderText(tr("Search conversations"))
        self.setAccessibleName(tr("Search conversations"))
        self.setAccessibleDescription(tr("Titles and all messages. Down goes to the results."))
        self.setMaxLength(LONGEST_QUERY)
        self._icon = QAction(self)
        self.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        # Not before it has something to clear: making the button takes 10 ms of the first paint.
        self.textChanged.connect(self._offer_clearing)

    def dress(self) -> None:
        """Wear the theme's colours."""
        self._icon.setIcon(self._theme.icon("search", "mute"))
        self._dress_clearing()

    def _offer_clearing(self) -> None:
        if not self.isClearButtonEnabled():
            self.setClearButtonEnabled(True)
            self._dress_clearing()

    def _dress_clearing(self) -> None:
        """Qt's own sign is a black disc."""
        if action := self.findChild(QAction, _CLEARING):
            action.setIcon(self._theme.icon("x", "mute"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Typing is as in any field."""
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.entered.emit()
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)
