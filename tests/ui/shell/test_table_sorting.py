"""A table card is sorted by all rows of its frame, by a real kernel, and says what it cannot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RowOrder, Table
from playhead.execution.process_executor import ProcessExecutor
from playhead.ui.timeline.cards.card import Spot
from playhead.ui.timeline.cards.table_card import TableCard
from playhead.ui.widgets.theme import Theme
from tests.support.kernels import executor, request, run
from tests.support.waiting import until
from tests.support.window import Bench, opened

pytest.importorskip("pandas")
FRAME = (
    "import pandas, time\n"
    "class Slow:\n"
    "    def __lt__(self, other):\n        time.sleep(0.01)\n        return False\n"
    "frame = pandas.DataFrame({'number': [*range(4_999), -1], 'word': 'w', "
    "'mixed': [1, 'x'] * 2_500, 'slow': [Slow() for _ in range(5_000)]})\n"
    "frame"
)


class Shown:
    """A table of a real kernel in the timeline of a window."""

    def __init__(self, qtbot: QtBot, bench: Bench, made: ProcessExecutor, folder: Path) -> None:
        self._qtbot = qtbot
        self.bench = bench
        self.made = made
        self._folder = folder
        self.keys: list[str] = []

    async def run(self, code: str) -> None:
        """Run code; show the tables that it shows."""
        for chunk in await run(self.made, request(self._folder, code)):
            if isinstance(chunk.content, Table):
                self.give(chunk.content)

    def give(self, table: Table) -> None:
        chunk = Chunk(role="computer", type="table", content=table)
        self.keys.append(self.bench.session.conversation.apply(chunk))
        self.bench.parts.timeline.coalescer.flush_now()

    def card(self, number: int = -1) -> TableCard:
        timeline = self.bench.parts.timeline
        timeline.coalescer.flush_now()
        index = timeline.model.index_of(self.keys[number])
        assert index is not None
        card = timeline.canvas.sheet.card(index)
        assert isinstance(card, TableCard)
        return card

    def spot(self, name: str, number: int = -1) -> Spot:
        return next(one for one in self.card(number).spots(True) if one.tip.startswith(name))

    def click(self, name: str, number: int = -1) -> None:
        timeline = self.bench.parts.timeline
        spot = self.spot(name, number)
        index = timeline.model.index_of(self.keys[number])
        assert index is not None
        timeline.canvas.hold_row(index)
        place = spot.rect.translated(timeline.canvas.card_rect(index).topLeft()).center()
        self._qtbot.mouseClick(timeline.viewport(), Qt.MouseButton.LeftButton, pos=place)

    async def sort(self, name: str, order: RowOrder | None, number: int = -1) -> None:
        self.click(name, number)
        await until(lambda: self.card(number).row.sorting.order == order)

    def column(self, at: int = 0, count: int = 3, number: int = -1) -> list[object]:
        return [row[at] for row in self.card(number).table.rows[:count]]

    @property
    def words(self) -> str:
        return self.card().row.sorting.reason


@asynccontextmanager
async def shown(
    qtbot: QtBot, theme: Theme, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Shown]:
    async with executor(folder) as made, opened(theme, folder / "home") as bench:

        async def table(
            _id: str, name: str, first: int, rows: int, order: RowOrder | None = None
        ) -> Table:
            return await made.table("conversation", name, first, rows, order)

        monkeypatch.setattr(bench.executor, "table", table)
        found = Shown(qtbot, bench, made, folder)
        await found.run(FRAME)
        yield found


async def test_a_card_is_sorted_by_rows_that_it_does_not_show(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        assert one.column() == [0, 1, 2]
        await one.sort("number", RowOrder(0))
        assert one.column() == [-1, 0, 1], "the smallest is the last of 5,000 rows"
        assert one.card().table.positions[:3] == (4999, 0, 1)
        await one.sort("number", RowOrder(0, is_falling=True))
        assert one.column() == [4998, 4997, 4996]
        await one.sort("number", None)
        assert one.column() == [0, 1, 2]


async def test_what_is_copied_opened_and_saved_is_what_is_shown(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        await one.sort("number", RowOrder(0))
        await one.sort("number", RowOrder(0, is_falling=True))
        one.click("Copy table")
        lines = QGuiApplication.clipboard().text().splitlines()
        assert [line.split("\t")[0] for line in lines[:3]] == ["number", "4998", "4997"]
        timeline = one.bench.parts.timeline
        index = timeline.model.index_of(one.keys[-1])
        assert index is not None
        assert "4998" in timeline.copier.markdown_of(index).splitlines()[2]
        one.click("Open the table")
        [window] = one.bench.window.results.windows
        assert window.model.index(0, 0).data() == "4998"
        window.view.scrollTo(window.model.index(4_999, 0))
        await until(lambda: window.model.index(4_999, 0).data() == "-1")
        window.close()
        one.click("Save as")
        [dialog] = [it for it in one.bench.window.findChildren(QFileDialog) if it.isVisible()]
        dialog.fileSelected.emit(str(tmp_path / "t.csv"))
        dialog.reject()
        await until((tmp_path / "t.csv").exists)
        await one.bench.window.tasks.settled()
        saved = [line.split(",")[0] for line in (tmp_path / "t.csv").read_text().splitlines()]
        assert saved == ["number", *(str(number) for number in range(4_998, -2, -1))]


async def test_a_column_that_does_not_compare_says_so_in_its_head(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        assert one.spot("mixed").is_enabled
        one.click("mixed")
        await until(lambda: "cannot be sorted" in one.words)
        assert not one.spot("mixed").is_enabled
        assert "not supported between" in one.spot("mixed").tip
        assert one.column() == [0, 1, 2]
        await one.sort("number", RowOrder(0))
        assert one.words == ""
        assert not one.spot("mixed").is_enabled


async def test_a_sorting_shows_that_it_goes_on_and_is_stopped(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        one.click("slow")
        await until(lambda: any(it.tip == "Stop sorting" for it in one.card().spots(True)))
        one.click("Stop sorting")
        assert one.card().row.sorting.wanted is None
        await one.sort("number", RowOrder(0))
        await one.run("frame.tail(1)")
        assert one.column() == [4999], "the index of a tail"


async def test_two_cards_of_a_frame_are_sorted_apart_and_outlive_the_variable(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        await one.run("frame")
        await one.run("frame = 1")
        await one.sort("number", RowOrder(0), 0)
        await one.sort("number", RowOrder(0), 1)
        await one.sort("number", RowOrder(0, is_falling=True), 1)
        assert one.column(number=0) == [-1, 0, 1]
        assert one.column(number=1) == [4998, 4997, 4996]


async def test_without_the_kernel_that_had_it_a_part_is_not_sorted_and_says_why(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        await one.made.restart("conversation")
        one.click("number")
        await until(lambda: "Run the code again" in one.words)
        assert one.column() == [0, 1, 2]
        await one.run("1")
        one.click("word")
        await until(lambda: "was restarted" in one.words)
        one.give(replace(one.card().table, key=""))
        assert not one.spot("number").is_enabled
        assert "only the rows that are shown are here" in one.spot("number").tip


async def test_a_variable_that_is_another_table_now_is_not_sorted(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(qtbot, theme, tmp_path, monkeypatch) as one:
        results = one.bench.window.results
        results.open_variable("frame")
        await until(lambda: results.windows)
        [window] = results.windows
        await one.run("frame = frame[::-1].reset_index(drop=True)")
        window.view.horizontalHeader().sectionClicked.emit(0)
        await until(lambda: "different table" in window.note.text())
        assert window.model.order is None
        assert window.model.index(0, 0).data() == "0"
        window.close()
