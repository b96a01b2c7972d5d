"""A table of any length for a view: pages of rows come when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QBrush, QFont

from playhead.domain.conversation.payloads import Cell, Table
from playhead.ui.tables.cells import SORT_LIMIT, Column, columns_of, sorted_rows
from playhead.ui.theme import Theme

PAGE_ROWS = 200
MOST_ROWS = 1_000_000
"""A view cannot well scroll through more."""
_KEPT_PAGES = 64
_ASK_DELAY_MS = 40
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class PagedModel(QAbstractTableModel):
    """Signal: `page_wanted(first_row)`, for the page that was looked at last. Owner: the window."""

    page_wanted = Signal(int)

    def __init__(self, table: Table, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self._theme = theme
        self._columns: list[Column] = columns_of(table)
        self._rows = min(max(table.total_rows, len(table.rows)), MOST_ROWS)
        self._pages: dict[int, Sequence[Sequence[Cell]]] = {}
        self._order: list[int] | None = None
        self._wanted: int | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_ASK_DELAY_MS)
        self._timer.timeout.connect(self._ask)

    @property
    def is_whole(self) -> bool:
        """Whether all rows are here, so that they can be sorted."""
        return self._rows == len(self.table.rows) <= SORT_LIMIT

    def put(self, first: int, rows: Sequence[Sequence[Cell]]) -> None:
        """A page that was asked for."""
        self._pages[first // PAGE_ROWS] = rows
        while len(self._pages) > _KEPT_PAGES:
            del self._pages[next(iter(self._pages))]
        last = min(self._rows, first + PAGE_ROWS) - 1
        if self._columns and last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self._columns) - 1))

    def row(self, number: int) -> Sequence[Cell] | None:
        """The cells of a row as shown, None while they are not here."""
        if self._order is not None:
            return self.table.rows[self._order[number]]
        if number < len(self.table.rows):
            return self.table.rows[number]
        page = self._pages.get(number // PAGE_ROWS)
        at = number % PAGE_ROWS
        return page[at] if page is not None and at < len(page) else None

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """All rows, those that are not here too."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Those of the table."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell's text; asks for its page when it is not here."""
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column.is_number else _LEFT
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ForegroundRole,
            Qt.ItemDataRole.ToolTipRole,
        ):
            return None
        row = self.row(index.row())
        if row is None:
            self._want(index.row())
            return "…" if role == Qt.ItemDataRole.DisplayRole else None
        cell = row[index.column()] if index.column() < len(row) else None
        if role == Qt.ItemDataRole.ForegroundRole:
            return QBrush(self._theme.colour("faint" if column.is_missing(cell) else "text"))
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(cell) if isinstance(cell, str) and len(cell) > 24 else None
        return column.text(cell)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names above, numbers of rows beside."""
        if orientation == Qt.Orientation.Vertical:
            return f"{section + 1:,}" if role == Qt.ItemDataRole.DisplayRole else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.table.columns[section]
            case Qt.ItemDataRole.ToolTipRole:
                dtypes = self.table.dtypes
                return dtypes[section] if section < len(dtypes) else None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if self._columns[section].is_number else _LEFT
            case Qt.ItemDataRole.FontRole:
                return self._theme.font(12, QFont.Weight.Medium)
            case _:
                return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the rows in the order of a column; -1 gives the table's own back."""
        if column >= 0 and not self.is_whole:
            return
        self.layoutAboutToBeChanged.emit()
        is_falling = order == Qt.SortOrder.DescendingOrder
        self._order = sorted_rows(self.table, column, is_falling) if column >= 0 else None
        self.layoutChanged.emit()

    def _want(self, row: int) -> None:
        self._wanted = row // PAGE_ROWS * PAGE_ROWS
        if not self._timer.isActive():
            self._timer.start()

    def _ask(self) -> None:
        if self._wanted is not None:
            self.page_wanted.emit(self._wanted)
