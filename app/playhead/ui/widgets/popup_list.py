"""A field with a list of choices below it, over the window: as the palette and the picker are."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from playhead.ui.widgets.focus_memory import FocusMemory
from playhead.ui.widgets.theme import Theme

ROW_PX = 32
_CHOICE = Qt.ItemDataRole.UserRole


class PopupList(QFrame):
    """The keyboard stays in the field: arrows move, Enter chooses, Esc closes.

    It closes when something was chosen, and when the keyboard goes elsewhere in the window; the
    focus returns to where it was. A subclass says what is listed for a text, and where the list
    is placed.

    Signals: `chosen(choice)`, `closed()`.
    """

    chosen = Signal(object)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget, columns: int, page: int) -> None:
        super().__init__(parent)
        self._theme = theme
        self._page = page
        self._focus = FocusMemory()
        self.setProperty("kind", "palette")
        self.field = QLineEdit(self)
        self.field.setProperty("kind", "palette")
        self.field.installEventFilter(self)
        self.list = self._make_list(columns)
        self.foot = QLabel(self)
        self.foot.setProperty("kind", "mute")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setSpacing(4)
        for widget in (self.field, self.list, self.foot):
            layout.addWidget(widget)
        self.field.textChanged.connect(lambda: self.fill())
        self.list.itemClicked.connect(self.click)
        self.list.itemEntered.connect(self._on_entered)
        parent.installEventFilter(self)
        self.hide()

    def fill(self) -> None:
        """List what fits the text of the field."""
        raise NotImplementedError

    def place(self) -> None:
        """Move to where the list belongs in the window."""
        raise NotImplementedError

    @property
    def shown(self) -> list[Any]:
        """The choices that the search leaves, in order."""
        return [choice for item in self._items() if (choice := choice_of(item)) is not None]

    @property
    def current(self) -> Any:
        """The choice that Enter takes; None for none."""
        return choice_of(self.list.currentItem())

    def add(self, item: QTreeWidgetItem, choice: object) -> None:
        """List a choice."""
        item.setData(0, _CHOICE, choice)
        self.list.addTopLevelItem(item)

    def pop_up(self, reason: Qt.FocusReason) -> None:
        """Show the list over the window."""
        self._focus.keep(self)
        self.show()
        self.raise_()
        self.field.setFocus(reason)

    def close_popup(self) -> None:
        """Hide the list, and give the focus back."""
        if self.isHidden():
            return
        had_focus = self.field.hasFocus()
        self.hide()
        if had_focus:
            self._focus.give_back()
        self.closed.emit()

    def choose(self, choice: object) -> None:
        """Close with a choice; nothing happens for None."""
        if choice is not None:
            self.close_popup()
            self.chosen.emit(choice)

    def click(self, item: QTreeWidgetItem, _column: int) -> None:
        """Take the choice that was clicked."""
        self.choose(choice_of(item))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Use keys of the field for the list too, and follow the window's size."""
        if watched is self.field and isinstance(event, QKeyEvent):
            return event.type() == QEvent.Type.KeyPress and self.press(event)
        if watched is self.field and isinstance(event, QFocusEvent) and event.lostFocus():
            if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:  # else it comes back
                self.close_popup()
        elif watched is self.parent() and event.type() == QEvent.Type.Resize:
            self.place()
        return super().eventFilter(watched, event)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means in the list; False for a key of the field."""
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_popup()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.choose(self.current)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_PageUp:
                self._step(-self._page)
            case Qt.Key.Key_PageDown:
                self._step(self._page)
            case _:
                return False
        return True

    def _step(self, rows: int) -> None:
        """Go to another choice; headings are passed over, single steps go round."""
        items = [item for item in self._items() if choice_of(item) is not None]
        current = self.list.currentItem()
        if not items:
            return
        at = next((place for place, item in enumerate(items) if item is current), 0) + rows
        at = at % len(items) if abs(rows) == 1 else max(0, min(len(items) - 1, at))
        self.list.setCurrentItem(items[at])

    def _on_entered(self, item: QTreeWidgetItem) -> None:
        """Have the row under the mouse be the one that Enter takes: only one is marked."""
        if choice_of(item) is not None:
            self.list.setCurrentItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        items = (self.list.topLevelItem(place) for place in range(self.list.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _make_list(self, columns: int) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setProperty("kind", "palette")
        rows.setColumnCount(columns)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setMouseTracking(True)
        rows.viewport().setMouseTracking(True)
        rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.header().setStretchLastSection(False)
        rows.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return rows


def choice_of(item: QTreeWidgetItem | None) -> Any:
    """Return what an item offers; None for a heading."""
    return item.data(0, _CHOICE) if item is not None else None
