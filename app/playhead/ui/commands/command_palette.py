"""The command palette: every command by its name, and the latest conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QKeySequence
from PySide6.QtWidgets import QHeaderView, QMenu, QTreeWidgetItem, QWidget

from playhead.ui.widgets.popup_list import ROW_PX, PopupList
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import mark, tr

_WIDTH_PX = 560
_ROWS_SHOWN = 12
_TOP_PX = 84
_MARGIN_PX = 16
_NO_ROW = mark("No command or conversation has that name.")


class PaletteEntry(Struct, frozen=True, kw_only=True):
    """An entry of the palette; `keys` is its shortcut, `is_offered` is False while disabled."""

    text: str
    run: Callable[[], object]
    keys: str = ""
    group: str = ""
    is_offered: bool = True


def menu_entries(actions: Iterable[QAction], group: str) -> Iterator[PaletteEntry]:
    """Yield the entries of a menu, and of the menus in it."""
    for action in actions:
        text, _, keys = action.text().partition("\t")
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from menu_entries(inner.actions(), f"{group}: {text}")
        elif text:
            keys = keys or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            yield PaletteEntry(
                text=text.rstrip("…").replace("&", ""),
                run=action.trigger,
                keys=keys,
                group=group,
                is_offered=action.isEnabled(),
            )


def matching(entries: Sequence[PaletteEntry], query: str) -> list[PaletteEntry]:
    """Return the entries that contain all words of a query, those that begin with it first."""
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


class CommandPalette(PopupList):
    """Every command, and the latest conversations, over the window. Owner: the window."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent, columns=2, page=_ROWS_SHOWN)
        self._entries: Sequence[PaletteEntry] = ()
        self.setAccessibleName(tr("Commands"))
        self.field.setPlaceholderText(tr("Type a command or a conversation's name"))
        self.field.setAccessibleName(tr("Command"))
        self.list.setAccessibleName(tr("Matching commands"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.foot.setText(tr(_NO_ROW))
        self.foot.setContentsMargins(12, 8, 12, 10)

    def open(self, entries: Sequence[PaletteEntry]) -> None:
        """Show it over the window with these entries."""
        self._entries = entries
        self.field.clear()
        self.fill()
        self.pop_up(Qt.FocusReason.ShortcutFocusReason)

    def choose(self, choice: object) -> None:
        """Run an entry, unless it is not offered now."""
        if isinstance(choice, PaletteEntry) and choice.is_offered:
            super().choose(choice)
            choice.run()

    def fill(self) -> None:
        """List the entries that fit."""
        shown = matching(self._entries, self.field.text())
        self.list.clear()
        faint = QColor(self._theme.tokens.faint)
        for entry in shown:
            about = " · ".join(filter(None, (entry.group, entry.keys)))
            item = QTreeWidgetItem([entry.text, about])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(1, faint)
            if not entry.is_offered:
                item.setForeground(0, faint)
                item.setToolTip(0, tr("Not possible now"))
            text = ", ".join(filter(None, (entry.text, entry.group, entry.keys)))
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, text)
            self.add(item, entry)
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self.list.setVisible(bool(shown))
        self.foot.setVisible(not shown)
        self.place()

    def place(self) -> None:
        """Move below the top of the window, in its middle."""
        parent = self.parentWidget()
        if parent is None:
            return
        room = parent.height() - _TOP_PX - self.field.sizeHint().height() - 2 * _MARGIN_PX
        rows = max(1, min(self.list.topLevelItemCount(), _ROWS_SHOWN, room // ROW_PX))
        self.list.setFixedHeight(rows * ROW_PX)
        width = min(_WIDTH_PX, parent.width() - 2 * _MARGIN_PX)
        self.setFixedWidth(width)
        self.adjustSize()
        top = min(_TOP_PX, max(_MARGIN_PX, parent.height() - self.height() - _MARGIN_PX))
        self.move((parent.width() - width) // 2, top)
