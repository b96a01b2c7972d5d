"""The picker over the composer: a field, and below it models, profiles and what code may do."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QIcon, QKeyEvent, QPixmap
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

from playhead.ui.composer.picker_rows import PickerRow, matching_rows
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

_WIDTH_PX = 620
_ROW_PX = 32
_ROWS_SHOWN = 13
_MARGIN_PX = 12
_DETAIL_SHARE = 0.47
_STAR_PX = 40
_ICON_PX = 16
_ROW_ROLE = Qt.ItemDataRole.UserRole


class ModelPicker(QFrame):
    """Owner: the window, over which it lies.

    Signals: `chosen(PickerRow)`, `starred(PickerRow)` when its star is to change, `closed()`.
    The keyboard stays in the field: arrows move, Enter chooses, Ctrl+D stars, Esc closes.
    """

    chosen = Signal(object)
    starred = Signal(object)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: Sequence[PickerRow] = ()
        self._anchor: QWidget | None = None
        self._before: QWidget | None = None
        self.setProperty("kind", "palette")
        self.setAccessibleName(tr("Models"))
        self.field = QLineEdit(self)
        self.field.setProperty("kind", "palette")
        self.field.setPlaceholderText(tr("Search models and profiles"))
        self.field.setAccessibleName(tr("Search models and profiles"))
        self.field.installEventFilter(self)
        self.list = self._make_list()
        self._hint = QLabel(self)
        self._hint.setProperty("kind", "mute")
        self._hint.setContentsMargins(8, 2, 8, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setSpacing(4)
        for widget in (self.field, self.list, self._hint):
            layout.addWidget(widget)
        self.field.textChanged.connect(lambda: self._fill(None))
        self.list.itemClicked.connect(self._on_clicked)
        self.list.currentItemChanged.connect(self._show_hint)
        parent.installEventFilter(self)
        self.hide()

    @property
    def shown(self) -> list[PickerRow]:
        """The rows that the search leaves, in order."""
        items = (self.list.topLevelItem(place) for place in range(self.list.topLevelItemCount()))
        rows = (item.data(0, _ROW_ROLE) for item in items if item is not None)
        return [row for row in rows if isinstance(row, PickerRow)]

    @property
    def current(self) -> PickerRow | None:
        """The row that Enter chooses."""
        item = self.list.currentItem()
        return item.data(0, _ROW_ROLE) if item is not None else None

    def open(self, rows: Sequence[PickerRow], anchor: QWidget) -> None:
        """Show these rows above a button of the window."""
        self._rows = rows
        self._anchor = anchor
        self._before = self.window().focusWidget()
        self.field.clear()
        self._fill(next((row for row in rows if row.is_current), None))
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_rows(self, rows: Sequence[PickerRow]) -> None:
        """Exchange the rows while it is open; what was reached stays reached."""
        self._rows = rows
        self._fill(self.current)

    def close_picker(self) -> None:
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
            self.close_picker()
        elif watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_D and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self._star(self.current)
            return True
        match event.key():
            case Qt.Key.Key_Escape:
                self.close_picker()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(self.current)
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
        """To another row; headings are passed over, single steps go round."""
        items = [item for item in self._items() if item.data(0, _ROW_ROLE) is not None]
        current = self.list.currentItem()
        if not items:
            return
        at = next((place for place, item in enumerate(items) if item is current), 0) + rows
        at = at % len(items) if abs(rows) == 1 else max(0, min(len(items) - 1, at))
        self.list.setCurrentItem(items[at])

    def _items(self) -> list[QTreeWidgetItem]:
        items = (self.list.topLevelItem(place) for place in range(self.list.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _choose(self, row: PickerRow | None) -> None:
        if row is not None:
            self.close_picker()
            self.chosen.emit(row)

    def _star(self, row: PickerRow | None) -> None:
        if row is not None and row.can_be_starred:
            self.starred.emit(row)

    def _on_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        row = item.data(0, _ROW_ROLE)
        if row is None:
            return
        if column == self.list.columnCount() - 1 and row.can_be_starred:
            self._star(row)
        else:
            self._choose(row)

    def _fill(self, reached: PickerRow | None) -> None:
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
            self.list.addTopLevelItem(item)
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
        self._place()

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
        item.setData(0, _ROW_ROLE, row)
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
        said = [row.text, row.group, row.words, tr("in use") if row.is_current else ""]
        said.append(tr("favourite") if row.is_favourite else "")
        item.setData(0, Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, said)))
        return item

    def _show_hint(self) -> None:
        """What the reached row is, and what its keys do."""
        row = self.current
        if row is None:
            self._hint.setText(tr("No model has that name. Any can be typed in the settings."))
            return
        keys = tr("Enter: choose")
        if row.can_be_starred:
            verb = tr("no favourite any more") if row.is_favourite else tr("make it a favourite")
            keys += f" · Ctrl+D: {verb}"
        metrics = self._hint.fontMetrics()
        text = f"{keys} · {row.words}" if row.words else keys
        room = max(60, self.width() - 40)
        self._hint.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))
        self._hint.setToolTip(row.words)

    def _place(self) -> None:
        """Above its button where there is room, always inside the window."""
        parent, anchor = self.parentWidget(), self._anchor
        if parent is None or anchor is None:
            return
        width = min(_WIDTH_PX, parent.width() - 2 * _MARGIN_PX)
        self.list.setColumnWidth(1, int(width * _DETAIL_SHARE))
        corner = anchor.mapTo(parent, QPoint(0, 0))
        around = self.field.sizeHint().height() + self._hint.sizeHint().height() + 20
        room = corner.y() - 2 * _MARGIN_PX - around
        count = self.list.topLevelItemCount()
        rows = max(3, min(count, _ROWS_SHOWN, room // _ROW_PX))
        self.list.setFixedHeight(rows * _ROW_PX)
        self.list.setVisible(bool(count))
        self.setFixedWidth(width)
        self.adjustSize()
        left = max(_MARGIN_PX, min(corner.x(), parent.width() - width - _MARGIN_PX))
        top = corner.y() - self.height() - 6
        self.move(left, max(_MARGIN_PX, top))

    def _make_list(self) -> QTreeWidget:
        rows = QTreeWidget(self)
        rows.setProperty("kind", "palette")
        rows.setAccessibleName(tr("Matching models"))
        rows.setColumnCount(3)
        rows.setHeaderHidden(True)
        rows.setRootIsDecorated(False)
        rows.setUniformRowHeights(True)
        rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        rows.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = rows.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_STAR_PX)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(2, _STAR_PX)
        return rows


def _blank() -> QIcon:
    """An icon that shows nothing, so that all names begin at one place."""
    pixmap = QPixmap(_ICON_PX, _ICON_PX)
    pixmap.fill(Qt.GlobalColor.transparent)
    return QIcon(pixmap)
