"""A table of any length in a window of its own.

Pages of rows are read when they are scrolled to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionRange,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QBrush, QFont, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.payloads import Cell, Table
from playhead.errors import AppError
from playhead.ui.timeline.cards.table_columns import (
    SORT_LIMIT,
    TableColumn,
    columns_of,
    size_text,
    sorted_rows,
    table_as_text,
)
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import BAR_HEIGHT, Theme
from playhead.ui.widgets.wording import tr, tr_error, tr_n

PAGE_ROWS = 200
MOST_ROWS = 1_000_000
"""A view cannot scroll through more rows usefully."""
_KEPT_PAGES = 64
_ASK_DELAY_MS = 40
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class PagedTableModel(QAbstractTableModel):
    """Holds the rows that were read. Owner: the window.

    Signal: `page_wanted(first_row)`, for the page that was needed last.
    """

    page_wanted = Signal(int)

    def __init__(self, table: Table, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self._theme = theme
        self._columns: list[TableColumn] = columns_of(table)
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
        """Return whether all rows are here, so that they can be sorted."""
        return self._rows == len(self.table.rows) <= SORT_LIMIT

    def put(self, first: int, rows: Sequence[Sequence[Cell]]) -> None:
        """Store a page that was asked for."""
        self._pages[first // PAGE_ROWS] = rows
        while len(self._pages) > _KEPT_PAGES:
            del self._pages[next(iter(self._pages))]
        last = min(self._rows, first + PAGE_ROWS) - 1
        if self._columns and last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self._columns) - 1))

    def row(self, number: int) -> Sequence[Cell] | None:
        """Return the cells of a row as shown; None while they are not here."""
        if self._order is not None:
            return self.table.rows[self._order[number]]
        if number < len(self.table.rows):
            return self.table.rows[number]
        page = self._pages.get(number // PAGE_ROWS)
        at = number % PAGE_ROWS
        return page[at] if page is not None and at < len(page) else None

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of all rows, including those that are not here."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text; ask for its page if it is not here."""
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
        """Return the names above and the row numbers at the side."""
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
        """Sort the rows by a column; -1 restores the original order."""
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


Fetch = Callable[[int, int], Awaitable[Table]]
_ROW_PX = 26
_NARROWEST, _WIDEST = 72, 320
_MEASURED_CELLS = 400
_COPIED_ROWS = 100_000


class TableWindow(QWidget):
    """Shows a table. Owner: the window's results.

    `fetch(first_row, rows)` reads rows that are not here yet.
    """

    def __init__(
        self,
        table: Table,
        theme: Theme,
        tasks: TaskOwner,
        fetch: Fetch | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._table = table
        self._tasks = tasks
        self._fetch = fetch
        self._is_fetching = False
        self.model = PagedTableModel(table, theme, self)
        self.model.page_wanted.connect(self._on_page_wanted)
        name = table.name or tr("Table")
        self.setWindowTitle(tr("{name} — Playhead", name=name))
        self.view = self._make_view()
        self.note = QLabel(self)
        self.note.setProperty("kind", "mute")
        self.note.setWordWrap(True)
        self.note.setContentsMargins(14, 6, 14, 8)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_bar(name))
        layout.addWidget(self.view, 1)
        layout.addWidget(self.note)
        self.setProperty("kind", "page")
        self.resize(860, 560)
        self._show_note(self._first_words())
        for sequence, slot in (("Copy", self.copy), ("Close", self.close)):
            key = QKeySequence(getattr(QKeySequence.StandardKey, sequence))
            QShortcut(key, self).activated.connect(slot)
        QShortcut(QKeySequence("Esc"), self).activated.connect(self.close)

    def copy(self) -> None:
        """Copy the selected cells, or all rows that are here, in the format of spreadsheets."""
        selected = self.view.selectionModel().selection()
        if count := selected.count():
            text = "".join(self._range_text(selected.at(number)) for number in range(count))
        else:
            text = table_as_text(self._table.columns, self._table.rows)
        QGuiApplication.clipboard().setText(text)

    def _first_words(self) -> str:
        if self._table.total_rows > MOST_ROWS:
            return tr_n("The first %n rows can be scrolled to here.", MOST_ROWS)
        is_cut = self._table.total_rows > len(self._table.rows)
        return tr("Only the rows that were shown are here.") if is_cut and not self._fetch else ""

    def _make_bar(self, name: str) -> QWidget:
        bar = QFrame(self)
        bar.setProperty("kind", "bar")
        bar.setFixedHeight(BAR_HEIGHT)
        title = QLabel(name, bar)
        title.setProperty("kind", "title")
        size = QLabel(size_text(self._table, is_whole=self._fetch is not None), bar)
        size.setProperty("kind", "mute")
        copy = QPushButton(tr("Copy"), bar)
        copy.setToolTip(tr("Copy the selected cells, or all that are here (Ctrl+C)"))
        copy.clicked.connect(self.copy)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(10)
        layout.addWidget(title)
        layout.addWidget(size)
        layout.addStretch(1)
        layout.addWidget(copy)
        return bar

    def _make_view(self) -> QTableView:
        view = QTableView(self)
        view.setProperty("kind", "cells")
        view.setAccessibleName(tr("Table {name}", name=self._table.name).strip())
        view.setModel(self.model)
        view.setWordWrap(False)
        view.setShowGrid(True)
        view.setCornerButtonEnabled(False)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows, columns = view.verticalHeader(), view.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(_ROW_PX)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        columns.setHighlightSections(False)
        columns.setSortIndicatorClearable(True)
        for column, width in enumerate(self._widths(view)):
            columns.resizeSection(column, width)
        if self.model.is_whole:
            columns.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            view.setSortingEnabled(True)
        return view

    def _widths(self, view: QTableView) -> list[int]:
        metrics = view.fontMetrics()
        names = [metrics.horizontalAdvance(f"{name[:60]}    ") for name in self._table.columns]
        cells = self._cell_widths(view, 0, len(self._table.rows))
        return [max(_NARROWEST, width + 28) for width in map(max, names, cells)]

    def _cell_widths(self, view: QTableView, first: int, count: int) -> list[int]:
        """Return the widths of the cells of a few rows; fewer with many columns, to stay fast."""
        columns = range(len(self._table.columns))
        step = max(1, count * max(1, len(columns)) // _MEASURED_CELLS)
        metrics = view.fontMetrics()
        limit = _WIDEST - 28
        return [
            min(limit, max(metrics.horizontalAdvance(text[:60]) for text in texts))
            for column in columns
            if (texts := [self._text(row, column) for row in range(first, first + count, step)])
        ] or [0] * len(columns)

    def _text(self, row: int, column: int) -> str:
        return str(self.model.index(row, column).data() or "")

    def _widen(self, first: int, count: int) -> None:
        """Widen columns for longer texts in later rows; never shrink one that the user reads."""
        head = self.view.horizontalHeader()
        for column, width in enumerate(self._cell_widths(self.view, first, count)):
            if width + 28 > head.sectionSize(column):
                head.resizeSection(column, width + 28)

    def _on_page_wanted(self, first: int) -> None:
        if self._fetch is not None and not self._is_fetching:
            self._is_fetching = True
            self._tasks.start(self._read(self._fetch, first))

    async def _read(self, fetch: Fetch, first: int) -> None:
        try:
            page = await fetch(first, PAGE_ROWS)
        except AppError as error:
            retry = tr(" Scroll to try again.") if error.remedy else ""
            self._show_note(
                tr(
                    "More rows could not be read. {error}{retry}",
                    error=tr_error(error),
                    retry=retry,
                )
            )
            return
        finally:
            self._is_fetching = False
        if page.columns != self._table.columns or page.total_rows != self._table.total_rows:
            self._fetch = None
            self._show_note(
                tr(
                    "“{name}” is a different table now: only what was read is here.",
                    name=self._table.name,
                )
            )
            return
        self._show_note(self._first_words())
        self.model.put(first, page.rows)
        self._widen(first, len(page.rows))

    def _range_text(self, selected: QItemSelectionRange) -> str:
        columns = range(selected.left(), selected.right() + 1)
        last = min(selected.bottom(), selected.top() + _COPIED_ROWS)
        found = (self.model.row(number) for number in range(selected.top(), last + 1))
        rows = [[row[column] for column in columns] for row in found if row is not None]
        names = [self._table.columns[column] for column in columns]
        is_whole = selected.height() == self.model.rowCount()
        text = table_as_text(names, rows)
        return text if is_whole else text.partition("\n")[2] or text

    def _show_note(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))
