"""A table of any length in a window: pages come when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.payloads import Table
from playhead.errors import ExecutionError
from playhead.ui.dialogs.table_window import PAGE_ROWS, PagedTableModel, TableWindow
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until


def page(first: int, count: int, total: int, word: str = "row") -> Table:
    rows = tuple((number, f"{word} {number}") for number in range(first, min(first + count, total)))
    return Table(
        columns=("number", "text"),
        dtypes=("int64", "object"),
        rows=rows,
        total_rows=total,
        total_columns=2,
        name="df",
    )


class Kernel:
    """Answers pages of a long table."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.asked: list[int] = []
        self.word = "row"
        self.error: ExecutionError | None = None

    async def fetch(self, first: int, count: int) -> Table:
        self.asked.append(first)
        if self.error is not None:
            raise self.error
        return page(first, count, self.total, self.word)


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


def test_a_whole_table_is_sorted_by_its_head_and_a_part_is_not(qtbot: QtBot, theme: Theme) -> None:
    whole = PagedTableModel(page(0, 3, 3), theme)
    whole.sort(0, Qt.SortOrder.DescendingOrder)
    assert [whole.index(row, 0).data() for row in range(3)] == ["2", "1", "0"]
    whole.sort(-1)
    assert whole.index(0, 0).data() == "0"
    part = PagedTableModel(page(0, 3, 900), theme)
    part.sort(0, Qt.SortOrder.DescendingOrder)
    assert part.index(0, 0).data() == "0"


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
