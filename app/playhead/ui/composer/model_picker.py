"""The picker over the composer: a field, and below it models, profiles and what code may do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from playhead.ui.composer.picker_rows import PickerRow, matching_rows
from playhead.ui.widgets.popup_list import ROW_PX, PopupList, choice_of
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

_WIDTH_PX = 620
_ROWS_SHOWN = 13
_MARGIN_PX = 12
_DETAIL_SHARE = 0.47
_STAR_PX = 40
_ICON_PX = 16


class ModelPicker(PopupList):
    """Owner: the window, over which it is shown.

    Signals: `chosen(PickerRow)`, `starred(PickerRow)` when its star is to change, by Ctrl+D or
    a click, `closed()`.
    """

    starred = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent, columns=3, page=_ROWS_SHOWN)
        self._rows: Sequence[PickerRow] = ()
        self._anchor: QWidget | None = None
        self.setAccessibleName(tr("Models"))
        self.field.setPlaceholderText(tr("Search models and profiles"))
        self.field.setAccessibleName(tr("Search models and profiles"))
        self.list.setAccessibleName(tr("Matching models"))
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.list.header()
        header.setMinimumSectionSize(_STAR_PX)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(2, _STAR_PX)
        self.foot.setContentsMargins(8, 2, 8, 2)
        self.list.currentItemChanged.connect(self._show_hint)

    def open(self, rows: Sequence[PickerRow], anchor: QWidget) -> None:
        """Show these rows above a button of the window."""
        self._rows = rows
        self._anchor = anchor
        self.field.clear()
        self.fill(next((row for row in rows if row.is_current), None))
        self.pop_up(Qt.FocusReason.PopupFocusReason)

    def show_rows(self, rows: Sequence[PickerRow]) -> None:
        """Exchange the rows while it is open; what was reached stays reached."""
        self._rows = rows
        self.fill(self.current)

    def press(self, event: QKeyEvent) -> bool:
        """Change the star of a row too."""
        if event.key() == Qt.Key.Key_D and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self._star(self.current)
            return True
        return super().press(event)

    def _star(self, row: PickerRow | None) -> None:
        if row is not None and row.can_be_starred:
            self.starred.emit(row)

    def click(self, item: QTreeWidgetItem, column: int) -> None:
        """Take a row, or change its star."""
        row = choice_of(item)
        if row is not None and column == self.list.columnCount() - 1 and row.can_be_starred:
            self._star(row)
        else:
            self.choose(row)

    def fill(self, reached: PickerRow | None = None) -> None:
        """List what the search leaves, at the row that was reached before if it is still there."""
        rows = matching_rows(self._rows, self.field.text())
        self.list.clear()
        group = ""
        first = wanted = None
        for row in rows:
            if row.group != group:
                group = row.group
                self.list.addTopLevelItem(self._heading(group))
            item = self._item(row)
            self.add(item, row)
            item.setFirstColumnSpanned(not row.detail and not row.can_be_starred)
            first = first or item
            if reached is not None and (row.kind, row.place, row.name) == (
                reached.kind,
                reached.place,
                reached.name,
            ):
                wanted = wanted or item
        if (item := wanted or first) is not None:
            self.list.setCurrentItem(item)
        self._show_hint()
        self.place()

    def _heading(self, text: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([text])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        font = QFont(self.list.font())
        font.setPixelSize(11)
        font.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, font)
        item.setForeground(0, QColor(self._theme.tokens.mute))
        return item

    def _item(self, row: PickerRow) -> QTreeWidgetItem:
        star = "" if not row.can_be_starred else "★" if row.is_favourite else "☆"
        item = QTreeWidgetItem([row.text, row.detail, star])
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        item.setTextAlignment(1, align)
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignCenter)
        item.setForeground(1, QColor(self._theme.tokens.mute))
        colour = self._theme.tokens.accent if row.is_favourite else self._theme.tokens.faint
        item.setForeground(2, QColor(colour))
        item.setIcon(0, self._theme.icon("check", "accent") if row.is_current else _blank())
        if row.runs_unasked:
            item.setForeground(1 if row.detail else 0, QColor(self._theme.tokens.warn))
        item.setToolTip(0, row.place.text or row.text)
        item.setToolTip(1, row.words)
        parts = [row.text, row.group, row.words, tr("in use") if row.is_current else ""]
        parts.append(tr("favourite") if row.is_favourite else "")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, parts)))
        return item

    def _show_hint(self) -> None:
        """Show the current row's description and keys."""
        row: PickerRow | None = self.current
        if row is None:
            self.foot.setText(tr("No model has that name. Any can be typed in the settings."))
            return
        keys = tr("Enter: choose")
        if row.can_be_starred:
            verb = tr("no favourite any more") if row.is_favourite else tr("make it a favourite")
            keys += f" · Ctrl+D: {verb}"
        metrics = self.foot.fontMetrics()
        text = f"{keys} · {row.words}" if row.words else keys
        room = max(60, self.width() - 40)
        self.foot.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))
        self.foot.setToolTip(row.words)

    def place(self) -> None:
        """Move above its button where there is room, always inside the window."""
        parent, anchor = self.parentWidget(), self._anchor
        if parent is None or anchor is None:
            return
        width = min(_WIDTH_PX, parent.width() - 2 * _MARGIN_PX)
        self.list.setColumnWidth(1, int(width * _DETAIL_SHARE))
        corner = anchor.mapTo(parent, QPoint(0, 0))
        around = self.field.sizeHint().height() + self.foot.sizeHint().height() + 20
        room = corner.y() - 2 * _MARGIN_PX - around
        count = self.list.topLevelItemCount()
        rows = max(3, min(count, _ROWS_SHOWN, room // ROW_PX))
        self.list.setFixedHeight(rows * ROW_PX)
        self.list.setVisible(bool(count))
        self.setFixedWidth(width)
        self.adjustSize()
        left = max(_MARGIN_PX, min(corner.x(), parent.width() - width - _MARGIN_PX))
        top = corner.y() - self.height() - 6
        self.move(left, max(_MARGIN_PX, top))


def _blank() -> QIcon:
    """Return an icon that shows nothing, so that all names are aligned."""
    pixmap = QPixmap(_ICON_PX, _ICON_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    return QIcon(pixmap)
