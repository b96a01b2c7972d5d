"""The bar in which one types what is looked for: in the editor, and in the conversation."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QToolButton, QWidget

from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr


class FindBar(QFrame):
    """A field for the words, a count, and buttons; a subclass lays them out and searches.

    Enter steps, Shift+Enter steps back, Escape closes.
    """

    def __init__(self, theme: Theme, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self._theme = theme
        self.words = self.make_field(name)
        self.count = QLabel(self)
        self.count.setProperty("kind", "mute")
        self.case_button = self.make_toggle("Aa", tr("Match upper and lower case"))
        self.previous_button = self._make_step(tr("Previous (Shift+F3)"), lambda: self.step(-1))
        self.next_button = self._make_step(tr("Next (F3)"), lambda: self.step(1))
        self.close_button = self._make_step(tr("Close the search (Esc)"), lambda: self.close_bar())
        self.words.textChanged.connect(lambda: self.search())
        theme.changed.connect(self.apply_theme)
        self.apply_theme()
        self.hide()

    def search(self) -> None:
        """Look for what is in the field."""
        raise NotImplementedError

    def step(self, direction: int) -> None:
        """Go to the next place (1) or the one before (-1), round the end."""
        raise NotImplementedError

    def close_bar(self) -> None:
        """Hide the bar and its marks."""
        raise NotImplementedError

    def press(self, watched: QObject, event: QKeyEvent) -> bool:
        """Do what a key means in the bar; False for a key of the widget that got it."""
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_bar()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if watched is self.words:
                is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(-1 if is_back else 1)
            case _:
                return False
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Use keys of all fields and buttons for the bar."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        return self.press(watched, event)

    def apply_theme(self) -> None:
        """Take the icons of the theme."""
        for button, name in (
            (self.previous_button, "chevron-up"),
            (self.next_button, "chevron-down"),
            (self.close_button, "x"),
        ):
            button.setIcon(self._theme.icon(name, "mute"))

    def make_field(self, name: str) -> QLineEdit:
        """Make a field whose keys are the bar's too."""
        field = QLineEdit(self)
        field.setPlaceholderText(name)
        field.setAccessibleName(name)
        field.installEventFilter(self)
        return field

    def make_toggle(self, text: str, name: str) -> QToolButton:
        """Make a button that changes how is searched."""
        button = self._make_button(name)
        button.setText(text)
        button.setCheckable(True)
        button.toggled.connect(lambda: self.search())
        return button

    def _make_step(self, name: str, slot: Callable[[], object]) -> QToolButton:
        button = self._make_button(name)
        button.clicked.connect(lambda: slot())
        return button

    def _make_button(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setToolTip(name)
        button.setAccessibleName(name.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.installEventFilter(self)
        return button
