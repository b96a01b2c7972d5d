"""A table of any length in a window of its own.

Pages of rows are read when they are scrolled to.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
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
from PySide6.QtGui import QBrush, QCloseEvent, QFont, QGuiApplication, QKeySequence, QShortcut
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

from playhead.domain.conversation.payloads import Cell, RowOrder, Table
from playhead.errors import AppError
from playhead.ui.dialogs.table_file import Fetch, expect_same
from playhead.ui.timeline.cards.table_columns import (
    TableColumn,
    columns_of,
    next_order,
    size_text,
    sorted_table,
    table_as_text,
    tells_order,
)
from playhead.ui.timeline.model.rows import Sorting
from playhead.ui.widgets.task_owner import TaskOwner, timed
from playhead.ui.widgets.theme import BAR_HEIGHT, Theme, fit_on_screen
from playhead.ui.widgets.wording import format_seconds, tr, tr_error, tr_n

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
    """Holds the rows that were read, all of them in one order. Owner: the window.

    Signal: `page_wanted(first_row)`, for the page that was needed last.
    """

    page_wanted = Signal(int)

    def __init__(self, table: Table, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table = self._shown = table
        self.order: RowOrder | None = None
        self.refused: dict[int, str] = {}
        """The columns that cannot be sorted, with the reasons."""
        self._theme = theme
        self._columns: list[TableColumn] = columns_of(table)
        self._rows = min(max(table.total_rows, len(table.rows)), MOST_ROWS)
        self._pages: dict[int, Table] = {}
        self._wanted: int | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_ASK_DELAY_MS)
        self._timer.timeout.connect(self._ask)

    @property
    def first_page(self) -> Table:
        """Return the first rows as they are shown."""
        return self._shown

    def show_rows(self, order: RowOrder | None, first_page: Table) -> None:
        """Show the rows in an order that begins with a page."""
        self.layoutAboutToBeChanged.emit()
        self.order, self._shown = order, first_page
        self._pages.clear()
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, self._rows - 1)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def put(self, first: int, page: Table) -> None:
        """Store a page that was asked for."""
        self._pages[first // PAGE_ROWS] = page
        while len(self._pages) > _KEPT_PAGES:
            del self._pages[next(iter(self._pages))]
        last = min(self._rows, first + PAGE_ROWS) - 1
        if self._columns and last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(self._columns) - 1))
            self.headerDataChanged.emit(Qt.Orientation.Vertical, first, last)

    def row(self, number: int) -> Sequence[Cell] | None:
        """Return the cells of a row as shown; None while they are not here."""
        page, at = self._page_of(number)
        return page.rows[at] if page is not None else None

    def label(self, number: int) -> str:
        """Return the place in the frame of the row that is shown at a place."""
        page, at = self._page_of(number)
        if self.order is None:
            return str(number)
        return str(page.positions[at]) if page is not None and at < len(page.positions) else "…"

    def _page_of(self, number: int) -> tuple[Table | None, int]:
        if number < len(self._shown.rows):
            return self._shown, number
        page, at = self._pages.get(number // PAGE_ROWS), number % PAGE_ROWS
        return (page, at) if page is not None and at < len(page.rows) else (None, at)

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
            is_quiet = index.column() < (self.table.index_columns or 0) or column.is_missing(cell)
            return QBrush(self._theme.colour("faint" if is_quiet else "text"))
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(cell) if isinstance(cell, str) and len(cell) > 24 else None
        return column.text(cell)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the names above and the places in the frame at the side."""
        if orientation == Qt.Orientation.Vertical:
            return self.label(section) if role == Qt.ItemDataRole.DisplayRole else None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                name = self.table.columns[section]
                is_sorted = self.order is not None and self.order.column == section
                arrow = "↓" if self.order is not None and self.order.is_falling else "↑"
                return f"{name} {arrow}".lstrip() if is_sorted else name
            case Qt.ItemDataRole.ToolTipRole:
                dtype = self.table.dtypes[section] if section < len(self.table.dtypes) else ""
                return "\n".join(filter(None, (dtype, self.refused.get(section)))) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if self._columns[section].is_number else _LEFT
            case Qt.ItemDataRole.FontRole:
                return self._theme.font(12, QFont.Weight.Medium)
            case _:
                return None

    def _want(self, row: int) -> None:
        self._wanted = row // PAGE_ROWS * PAGE_ROWS
        if not self._timer.isActive():
            self._timer.start()

    def _ask(self) -> None:
        if self._wanted is not None:
            self.page_wanted.emit(self._wanted)


_ROW_PX = 26
_NARROWEST, _WIDEST = 72, 320
_MEASURED_CELLS = 400
_COPIED_ROWS = 100_000


class TableWindow(QWidget):
    """Shows a table. Owner: the window's results.

    `fetch` reads rows that are not here yet, and has them sorted; `sorting` is the order to begin
    with.
    """

    def __init__(
        self,
        table: Table,
        theme: Theme,
        tasks: TaskOwner,
        fetch: Fetch | None,
        parent: QWidget | None = None,
        sorting: Sorting | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._table = table
        self._tasks = tasks
        self._fetch = fetch
        self._reading: asyncio.Future[None] | None = None
        self._sorting: asyncio.Future[None] | None = None
        self.model = PagedTableModel(table, theme, self)
        if sorting is not None and sorting.page is not None:
            self.model.show_rows(sorting.order, sorting.page)
        self.model.refused.update(sorting.refused if sorting is not None else {})
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
        fit_on_screen(self, 860, 560)
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
            text = table_as_text(self._table.columns, self.model.first_page.rows)
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
        self.stop_button = QPushButton(tr("Stop sorting"), bar)
        self.stop_button.clicked.connect(self.stop_sorting)
        self.stop_button.hide()
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(10)
        layout.addWidget(title)
        layout.addWidget(size)
        layout.addStretch(1)
        layout.addWidget(self.stop_button)
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
        rows.setVisible(not self._table.index_columns)  # else the first columns are the index
        columns.setSectionsClickable(True)
        columns.sectionClicked.connect(self._on_head_clicked)
        for column, width in enumerate(self._widths(view)):
            columns.resizeSection(column, width)
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

    def stop_sorting(self) -> None:
        """Leave the rows as they are shown; the kernel stops at its next step."""
        if self._sorting is not None:
            self._sorting.cancel()
        self._end_sorting()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what is being read or sorted, and ask for no more."""
        self._fetch = None
        for task in (self._reading, self._sorting):
            if task is not None:
                task.cancel()
        super().closeEvent(event)

    def _on_head_clicked(self, column: int) -> None:
        """Sort all rows: here if all are here, else in the kernel; or say why that cannot be."""
        self.stop_sorting()
        self.view.clearSelection()  # the click selects the column, too
        order = next_order(self.model.order, column)
        if order is None:
            self.model.show_rows(None, self._table)
        elif tells_order(self._table, column):
            self.model.show_rows(order, sorted_table(self._table, order))
        elif self._fetch is not None and column not in self.model.refused:
            self._sorting = self._tasks.start(self._sort(self._fetch, order))
        else:
            part = tr("It cannot be sorted: only the rows that are shown are here.")
            self._show_note(self.model.refused.get(column, part))

    async def _sort(self, fetch: Fetch, order: RowOrder) -> None:
        def show(seconds: float) -> None:
            self.stop_button.show()
            time = format_seconds(seconds, is_running=True)
            rows = tr_n("%n rows", self._table.total_rows)
            self._show_note(tr("Sorting all {rows}… {time}", rows=rows, time=time))

        try:
            page = expect_same(self._table, await timed(fetch(0, PAGE_ROWS, order), show))
        except AppError as error:
            if not error.remedy:
                self.model.refused[order.column] = str(tr_error(error))
            self._end_sorting(str(tr_error(error)))
        else:
            self.model.show_rows(order, page)
            self._widen(0, len(page.rows))
            self._end_sorting()

    def _end_sorting(self, words: str = "") -> None:
        self._sorting = None
        self.stop_button.hide()
        self._show_note(words or self._first_words())

    def _on_page_wanted(self, first: int) -> None:
        is_free = self._reading is None or self._reading.done()
        if self._fetch is not None and is_free and self._sorting is None:
            self._reading = self._tasks.start(self._read(self._fetch, first, self.model.order))

    async def _read(self, fetch: Fetch, first: int, order: RowOrder | None) -> None:
        try:
            page = expect_same(self._table, await fetch(first, PAGE_ROWS, order))
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
        if order == self.model.order:
            self._show_note(self._first_words())
            self.model.put(first, page)
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
