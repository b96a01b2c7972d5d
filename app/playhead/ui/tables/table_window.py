"""A table in a window of its own, read page by page while it is scrolled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QItemSelectionRange, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
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

from playhead.domain.conversation.payloads import Table
from playhead.errors import AppError
from playhead.ui.tables.cells import as_text, size_words
from playhead.ui.tables.paged_model import MOST_ROWS, PAGE_ROWS, PagedModel
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import BAR_HEIGHT, Theme
from playhead.ui.wording import tr, tr_n

Fetch = Callable[[int, int], Awaitable[Table]]
_ROW_PX = 26
_NARROWEST, _WIDEST = 72, 320
_MEASURED_CELLS = 400
_COPIED_ROWS = 100_000


class TableWindow(QWidget):
    """Owner: the window's results. `fetch(first_row, rows)` reads what is not here yet."""

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
        self.model = PagedModel(table, theme, self)
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
        self._say(self._first_words())
        for sequence, slot in (("Copy", self.copy), ("Close", self.close)):
            key = QKeySequence(getattr(QKeySequence.StandardKey, sequence))
            QShortcut(key, self).activated.connect(slot)
        QShortcut(QKeySequence("Esc"), self).activated.connect(self.close)

    def copy(self) -> None:
        """The selected cells, or all rows that are here, as a spreadsheet takes them."""
        selected = self.view.selectionModel().selection()
        if count := selected.count():
            text = "".join(self._range_text(selected.at(number)) for number in range(count))
        else:
            text = as_text(self._table.columns, self._table.rows)
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
        size = QLabel(size_words(self._table, is_whole=self._fetch is not None), bar)
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
        """Of a few rows: the more columns there are, the fewer, so that it stays quick."""
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
        """Longer texts come with later rows; columns never shrink under the reader's eyes."""
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
            self._say(tr("More rows could not be read. {error}{retry}", error=error, retry=retry))
            return
        finally:
            self._is_fetching = False
        if page.columns != self._table.columns or page.total_rows != self._table.total_rows:
            self._fetch = None
            self._say(
                tr(
                    "“{name}” is another table by now: only what was read is here.",
                    name=self._table.name,
                )
            )
            return
        self._say(self._first_words())
        self.model.put(first, page.rows)
        self._widen(first, len(page.rows))

    def _range_text(self, selected: QItemSelectionRange) -> str:
        columns = range(selected.left(), selected.right() + 1)
        last = min(selected.bottom(), selected.top() + _COPIED_ROWS)
        found = (self.model.row(number) for number in range(selected.top(), last + 1))
        rows = [[row[column] for column in columns] for row in found if row is not None]
        names = [self._table.columns[column] for column in columns]
        is_whole = selected.height() == self.model.rowCount()
        text = as_text(names, rows)
        return text if is_whole else text.partition("\n")[2] or text

    def _say(self, words: str) -> None:
        self.note.setText(words)
        self.note.setVisible(bool(words))
