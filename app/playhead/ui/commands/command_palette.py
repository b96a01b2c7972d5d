"""The command palette: every command by its name, and the latest conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent
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

from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import mark, tr

_WIDTH_PX = 560
_ROW_PX = 32
_ROWS_SHOWN = 12
_TOP_PX = 84
_MARGIN_PX = 16
_NO_ROW = mark("No command or conversation has that name.")


class PaletteEntry(Struct, frozen=True, kw_only=True):
    """What can be chosen; `keys` are its shortcut, `is_offered` False: not now."""

    text: str
    run: Callable[[], object]
    keys: str = ""
    group: str = ""
    is_offered: bool = True


def matching(entries: Sequence[PaletteEntry], query: str) -> list[PaletteEntry]:
    """Those with all the words of a query in them, the ones that begin with it first."""
    words = query.casefold().split()
    found: list[tuple[int, int, PaletteEntry]] = []
    for index, entry in enumerate(entries):
        text = f"{entry.text} {entry.group}".casefold()
        if all(word in text for word in words):
            found.append((_rank(text, words), index, entry))
    return [entry for _, _, entry in sorted(found, key=lambda row: row[:2])]


def _rank(text: str, words: Sequence[str]) -> int:
    if not words or text.startswith(words[0]):
        return 0
    starts = text.replace("-", " ").split()
    return 1 if all(any(start.startswith(word) for start in starts) for word in words) else 2


class CommandPalette(QFrame):
    """A field with a list below it, over the window. Signal: `closed()`.

    It goes when something was chosen, by Esc, and when the keyboard goes elsewhere; the focus
    returns to where it was.
    """

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entries: Sequence[PaletteEntry] = ()
        self._shown: list[PaletteEntry] = []
        self._before: QWidget | None = None
        self.setProperty("kind", "palette")
        self.setAccessibleName(tr("Commands"))
        self.field = QLineEdit(self)
        self.field.setProperty("kind", "palette")
        self.field.setPlaceholderText(tr("Type a command or a conversation's name"))
        self.field.setAccessibleName(tr("Command"))
        self.field.installEventFilter(self)
        self.list = self._make_list()
        self._nothing = QLabel(tr(_NO_ROW), self)
        self._nothing.setProperty("kind", "mute")
        self._nothing.setContentsMargins(12, 8, 12, 10)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setSpacing(4)
        for widget in (self.field, self.list, self._nothing):
            layout.addWidget(widget)
        self.field.textChanged.connect(self._fill)
        self.list.itemClicked.connect(lambda _item: self._choose())
        parent.installEventFilter(self)
        self.hide()

    def open(self, entries: Sequence[PaletteEntry]) -> None:
        """Show it over the window with these entries."""
        self._entries = entries
        self._before = self.window().focusWidget()
        self.field.clear()
        self._fill()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_palette(self) -> None:
        """Go away; the keyboard goes back."""
        if self.isHidden():
            return
        had_focus = self.field.hasFocus()
        self.hide()
        if had_focus and self._before is not None:
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._before = None
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys of the field are the list's too; the window's size is ours."""
        if watched is self.field and isinstance(event, QKeyEvent):
            return event.type() == QEvent.Type.KeyPress and self._on_key(event)
        if watched is self.field and isinstance(event, QFocusEvent) and event.lostFocus():
            self.close_palette()
        elif watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_palette()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose()
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_PageUp:
                self._step(-_ROWS_SHOWN)
            case Qt.Key.Key_PageDown:
                self._step(_ROWS_SHOWN)
            case _:
                return False
        return True

    def _step(self, rows: int) -> None:
        count = self.list.topLevelItemCount()
        if count:
            wanted = self._at() + rows
            is_step = abs(rows) == 1
            self._go_to(wanted % count if is_step else max(0, min(count - 1, wanted)))

    def _at(self) -> int:
        return self.list.currentIndex().row()

    def _go_to(self, row: int) -> None:
        self.list.setCurrentIndex(self.list.model().index(row, 0))

    def _choose(self) -> None:
        at = self._at()
        if not 0 <= at < len(self._shown) or not self._shown[at].is_offered:
            return
        self.close_palette()
        self._shown[at].run()

    def _fill(self) -> None:
        self._shown = matching(self._entries, self.field.text())
        self.list.clear()
        faint = QColor(self._theme.tokens.faint)
        for entry in self._shown:
            item = QTreeWidgetItem([entry.text, entry.keys or entry.group])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, faint)
            if not entry.is_offered:
                item.setForeground(0, faint)
                item.setToolTip(0, tr("Not possible now"))
            said = ", ".join(filter(None, (entry.text, entry.group, entry.keys)))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, said)
            self.list.addTopLevelItem(item)
        self._go_to(0)
        self.list.setVisible(bool(self._shown))
        self._nothing.setVisible(not self._shown)
        self._place()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        room = parent.height() - _TOP_PX - self.field.sizeHint().height() - 2 * _MARGIN_PX
        rows = max(1, min(len(self._shown), _ROWS_SHOWN, room // _ROW_PX))
        self.list.setFixedHeight(rows * _ROW_PX)
        width = min(_WIDTH_PX, parent.width() - 2 * _MARGIN_PX)
        self.setFixedWidth(width)
        self.adjustSize()
        top = min(_TOP_PX, max(_MARGIN_PX, parent.height() - self.height() - _MARGIN_PX))
        self.move((parent.width() - width) // 2, top)

    def _make_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setProperty("kind", "palette")
        rows.setAccessibleName(tr("Matching commands"))
        rows.setColumnCount(2)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setTextElideMode(Qt.TextElideMode.ElideRight)
        header = rows.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        return rows
