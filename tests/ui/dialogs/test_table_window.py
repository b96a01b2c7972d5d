"""A table of any length in a window: pages come when they are looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.payloads import RowOrder, Table
from playhead.errors import ExecutionError
from playhead.ui.dialogs.table_window import PAGE_ROWS, PagedTableModel, TableWindow
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until

RISING, FALLING = RowOrder(0), RowOrder(0, is_falling=True)
ORDERS: dict[RowOrder, Callable[[range], range]] = {
    RISING: lambda numbers: numbers,
    FALLING: lambda numbers: numbers[::-1],
}


def page(
    first: int, count: int, total: int, word: str = "row", order: RowOrder | None = None
) -> Table:
    numbers = range(total) if order is None else ORDERS[order](range(total))
    positions = tuple(numbers[first : first + count])
    rows = tuple((number, f"{word} {number}") for number in positions)
    return Table(
        columns=("number", "text"),
        dtypes=("int64", "object"),
        rows=rows,
        total_rows=total,
        total_columns=2,
        name="df",
        positions=() if order is None else positions,
    )


class Kernel:
    """Answers pages of a long table."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.asked: list[int] = []
        self.word = "row"
        self.error: ExecutionError | None = None
        self.may_sort = asyncio.Event()
        self.may_sort.set()
        self.stopped = 0

    async def fetch(self, first: int, count: int, order: RowOrder | None) -> Table:
        self.asked.append(first)
        if order is not None:
            try:
                await self.may_sort.wait()
            except asyncio.CancelledError:
                self.stopped += 1
                raise
        if self.error is not None:
            raise self.error
        return page(first, count, self.total, self.word, order)


@pytest.fixture
def tasks() -> Iterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    owner.deleteLater()


def opened(tasks: TaskOwner, theme: Theme, kernel: Kernel) -> TableWindow:
    first = page(0, PAGE_ROWS, kernel.total)
    window = TableWindow(first, theme, tasks, kernel.fetch)
    window.show()
    return window


def size_label(window: TableWindow) -> str:
    [words] = [one.text() for one in window.findChildren(QLabel) if "column" in one.text()]
    return words


async def test_rows_far_away_are_read_when_they_are_scrolled_to(
    tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(500_000)
    window = opened(tasks, theme, kernel)
    assert window.model.rowCount() == 500_000
    assert kernel.asked == []
    window.view.scrollTo(window.model.index(400_123, 0))
    await until(lambda: window.model.index(400_123, 1).data() == "row 400123")
    assert len(kernel.asked) <= 2
    window.close()
    await tasks.close()


async def test_columns_grow_with_what_later_rows_hold(tasks: TaskOwner, theme: Theme) -> None:
    kernel = Kernel(500_000)
    window = opened(tasks, theme, kernel)
    assert size_label(window) == "500,000 rows · 2 columns"
    before = window.view.columnWidth(1)
    kernel.word = "a longer word of row"
    window.view.scrollTo(window.model.index(400_123, 0))
    await until(lambda: window.view.columnWidth(1) > before)
    window.close()
    await tasks.close()


async def test_a_busy_kernel_is_said_in_words_and_asked_again(
    tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(5_000)
    kernel.error = ExecutionError("The kernel is busy.", remedy="Wait until it rests.")
    window = opened(tasks, theme, kernel)
    window.view.scrollTo(window.model.index(3_000, 0))
    await until(lambda: "The kernel is busy." in window.note.text())
    assert window.note.isVisible()
    kernel.error = None
    window.view.scrollTo(window.model.index(3_001, 0))
    window.view.viewport().update()
    await until(lambda: window.model.index(3_001, 1).data() == "row 3001")
    await until(lambda: not window.note.isVisible())
    window.close()
    await tasks.close()


async def test_another_table_of_the_same_name_is_not_mixed_in(
    tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(5_000)
    window = opened(tasks, theme, kernel)
    kernel.total = 7_000
    window.view.scrollTo(window.model.index(3_000, 0))
    await until(lambda: "different table" in window.note.text())
    assert window.model.index(3_000, 1).data() == "…"
    window.close()
    await tasks.close()


async def test_the_selected_cells_are_copied_for_a_spreadsheet(
    tasks: TaskOwner, theme: Theme
) -> None:
    window = opened(tasks, theme, Kernel(3))
    model = window.model
    part = QItemSelection(model.index(1, 0), model.index(2, 1))
    window.view.selectionModel().select(part, QItemSelectionModel.SelectionFlag.Select)
    window.copy()
    assert QGuiApplication.clipboard().text() == "1\trow 1\n2\trow 2\n"
    window.view.clearSelection()
    window.copy()
    assert QGuiApplication.clipboard().text().startswith("number\ttext\n0\trow 0\n")
    window.close()
    await tasks.close()


def click_head(qtbot: QtBot, window: TableWindow, column: int) -> None:
    head = window.view.horizontalHeader()
    x = head.sectionViewportPosition(column) + 20
    qtbot.mouseClick(head.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, head.height() // 2))


def head_of(window: TableWindow, column: int) -> str:
    return window.model.headerData(column, Qt.Orientation.Horizontal)


def first_cells(window: TableWindow, count: int = 3) -> list[str]:
    return [window.model.index(row, 0).data() for row in range(count)]


def labels(window: TableWindow, first: int = 0, count: int = 3) -> list[str]:
    return [
        window.model.headerData(row, Qt.Orientation.Vertical) for row in range(first, first + count)
    ]


async def test_a_whole_table_is_sorted_here_and_its_rows_keep_their_places(
    qtbot: QtBot, tasks: TaskOwner, theme: Theme
) -> None:
    window = TableWindow(page(0, 3, 3), theme, tasks, None)
    window.show()
    assert labels(window) == ["0", "1", "2"]
    click_head(qtbot, window, 0)
    click_head(qtbot, window, 0)
    assert (first_cells(window), labels(window)) == (["2", "1", "0"], ["2", "1", "0"])
    window.copy()
    assert QGuiApplication.clipboard().text().startswith("number\ttext\n2\trow 2\n1\t")
    click_head(qtbot, window, 0)
    assert (first_cells(window), labels(window)) == (["0", "1", "2"], ["0", "1", "2"])
    window.close()
    await tasks.close()


async def test_all_rows_are_sorted_by_the_kernel_and_read_on_in_that_order(
    qtbot: QtBot, tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(500_000)
    window = opened(tasks, theme, kernel)
    click_head(qtbot, window, 0)
    await until(lambda: window.model.order == RISING)
    click_head(qtbot, window, 0)
    await until(lambda: window.model.order == FALLING)
    assert first_cells(window) == ["499999", "499998", "499997"]
    assert head_of(window, 0) == "number ↓"
    window.view.scrollTo(window.model.index(400_123, 0))
    await until(lambda: window.model.index(400_123, 1).data() == "row 99876")
    assert labels(window, 400_123, 1) == ["99876"]
    window.close()
    await tasks.close()


async def test_a_sorting_is_stopped_and_the_rows_stay_as_they_were(
    qtbot: QtBot, tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(500_000)
    kernel.may_sort.clear()
    window = opened(tasks, theme, kernel)
    click_head(qtbot, window, 0)
    await until(window.stop_button.isVisible)
    assert "Sorting all 500,000 rows" in window.note.text()
    qtbot.mouseClick(window.stop_button, Qt.MouseButton.LeftButton)
    await until(lambda: kernel.stopped == 1)
    assert (first_cells(window), window.model.order) == (["0", "1", "2"], None)
    assert head_of(window, 0) == "number"
    assert not window.stop_button.isVisible()
    window.close()
    await tasks.close()


async def test_a_column_that_cannot_be_sorted_says_why_and_is_not_asked_again(
    qtbot: QtBot, tasks: TaskOwner, theme: Theme
) -> None:
    kernel = Kernel(5_000)
    kernel.error = ExecutionError("The values of this column cannot be sorted.")
    window = opened(tasks, theme, kernel)
    click_head(qtbot, window, 1)
    await until(lambda: "cannot be sorted" in window.note.text())
    assert head_of(window, 0) == "number"
    tip = window.model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "cannot be sorted" in tip
    asked = len(kernel.asked)
    click_head(qtbot, window, 1)
    assert len(kernel.asked) == asked
    window.close()
    await tasks.close()


async def test_a_part_of_a_table_is_not_sorted(
    qtbot: QtBot, tasks: TaskOwner, theme: Theme
) -> None:
    window = TableWindow(page(0, 3, 900), theme, tasks, None)
    window.show()
    click_head(qtbot, window, 0)
    click_head(qtbot, window, 0)
    assert first_cells(window) == ["0", "1", "2"]
    assert "only the rows that are shown are here" in window.note.text()
    assert head_of(window, 0) == "number"
    window.close()
    await tasks.close()


async def test_the_index_of_a_frame_takes_the_place_of_row_numbers(
    tasks: TaskOwner, theme: Theme
) -> None:
    window = TableWindow(replace(page(0, 3, 3), index_columns=1), theme, tasks, None)
    window.show()
    assert not window.view.verticalHeader().isVisible()
    window.close()
    await tasks.close()


def test_only_the_cells_that_are_seen_are_looked_at(
    qtbot: QtBot, theme: Theme, tasks: TaskOwner, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    data = PagedTableModel.data

    def counted(model: PagedTableModel, index: QModelIndex, role: int = 0) -> object:
        looked.append(role)
        return data(model, index, role)

    monkeypatch.setattr(PagedTableModel, "data", counted)
    rows = tuple(tuple(range(100)) for _ in range(10_000))
    names = tuple(f"c{number}" for number in range(100))
    table = Table(
        columns=names, dtypes=("int64",) * 100, rows=rows, total_rows=10_000, total_columns=100
    )
    window = TableWindow(table, theme, tasks, None)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.view.viewport().repaint()
    assert 0 < len(looked) < 80_000, "of a million cells"
