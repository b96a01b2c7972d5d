"""The traceback of a real failure leads to its lines, and to the variables of its frames."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from playhead.domain.settings import AppSettings
from playhead.ui.timeline.cards.card import Spot
from playhead.ui.timeline.cards.problem_card import ProblemCard
from playhead.ui.widgets.theme import Theme
from tests.support.kernels import executor
from tests.support.waiting import until
from tests.support.window import Bench, opened

MODULE = "import os\n\n\ndef third(x):\n    rows = [1, 2]\n    return x / len(rows[2:])\n"
FIRST = "from module_of_mine import third\n\n\ndef second(x):\n    return third(x)"
SECOND = """class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Point({self.x})"


def first(count):
    point = Point(count)
    return second(point.x)


for number in range(5):
    first(number)"""


class Failures:
    """A window whose kernel is real."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.view = bench.parts.timeline

    async def run(self, code: str) -> None:
        self.bench.session.run_code("python", code)
        await self.bench.rests()
        self.view.coalescer.flush_now()

    def card(self) -> ProblemCard:
        rows = self.view.model.rows
        index = next(at for at, row in enumerate(rows) if row.kind == "problem")
        card = self.view.canvas.sheet.card(index)
        assert isinstance(card, ProblemCard)
        return card

    def spots(self) -> list[Spot]:
        return self.card().spots(True)

    def spot(self, word: str, number: int = 0) -> Spot:
        return [spot for spot in self.spots() if word in f"{spot.label}\n{spot.tip}"][number]

    def click(self, spot: Spot) -> None:
        """Click with the mouse, after scrolling there."""
        canvas, key = self.view.canvas, self.card().row.key
        canvas.scroll_to(canvas.max_top())
        index = self.view.model.index_of(key)
        assert index is not None
        point = canvas.card_rect(index).topLeft() + spot.rect.center()
        assert self.view.viewport().rect().contains(point)
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=point)
        self.view.coalescer.flush_now()

    def text(self) -> str:
        column = self.card().column
        assert column is not None
        return "\n".join(column.block(index).source for index in range(len(column)))


@asynccontextmanager
async def failures(theme: Theme, folder: Path) -> AsyncIterator[Failures]:
    settings = AppSettings(interpreter=sys.executable)
    async with (
        executor(folder / "kernels") as made,
        opened(theme, folder / "home", settings=settings, executor=made) as bench,
    ):
        bench.session.set_folder(str(folder))
        yield Failures(bench)


async def test_lines_of_a_traceback_lead_to_blocks_and_files(theme: Theme, tmp_path: Path) -> None:
    (tmp_path / "module_of_mine.py").write_text(MODULE)
    async with failures(theme, tmp_path) as shown:
        await shown.run(FIRST)
        await shown.run(SECOND)
        shown.click(shown.spot("Show traceback"))
        pane = shown.bench.parts.pane
        first, second = (row.key for row in shown.view.model.rows if row.kind == "code")
        links = [spot for spot in shown.spots() if spot.tip.endswith("in the editor")]
        file = str(tmp_path / "module_of_mine.py")
        intents = [spot.intent.text for spot in links[1:]]
        assert intents == [f"{second} 15", f"{second} 11", f"{first} 5", f"6 {file}"]
        shown.click(links[3])
        assert (pane.current.key, pane.text()) == (first, FIRST)
        assert f'File "<{pane.current.title}>", line 5, in second' in shown.text()
        shown.click(links[4])
        await until(lambda: pane.current.file is not None)
        assert (pane.current.file and pane.current.file.path, pane.text()) == (file, MODULE)


async def test_the_variables_of_the_frames_are_shown_on_demand(
    theme: Theme, tmp_path: Path
) -> None:
    (tmp_path / "module_of_mine.py").write_text(MODULE)
    async with failures(theme, tmp_path) as shown:
        await shown.run(FIRST)
        await shown.run(SECOND)
        assert "Variables" not in shown.text()
        shown.click(shown.spot("Show variables"))
        await until(lambda: "Variables at the failure" in shown.text())
        lines = [" ".join(line.split()) for line in shown.text().splitlines()[1:]]
        assert lines == [
            "line 6 of module_of_mine.py, in third",
            "x int 0",
            "rows list 2 [1, 2]",
            "line 5 of <cell 1>, in second",
            "x int 0",
            "line 11, in first",
            "count int 0",
            "point Point Point(0)",
            "line 15",
            "number int 0",
        ]
        shown.click(shown.spot("Hide variables"))
        assert "Variables" not in shown.text()
        failed = shown.card()
        await shown.run("1 + 1")
        assert not any("variables" in spot.label for spot in failed.spots(True))


async def test_variables_that_are_gone_are_said_to_be(theme: Theme, tmp_path: Path) -> None:
    (tmp_path / "module_of_mine.py").write_text(MODULE)
    async with failures(theme, tmp_path) as shown:
        await shown.run("def f(x):\n    return 1 / x\nf(0)")
        shown.bench.session.restart_kernel()
        await until(lambda: shown.bench.session.kernel.state == "none")
        shown.click(shown.spot("Show variables"))
        await until(lambda: "The kernel has ended" in shown.text())


async def test_a_conversation_that_is_opened_again_looks_the_same(
    theme: Theme, tmp_path: Path
) -> None:
    async with failures(theme, tmp_path) as shown:
        await shown.run("print('before')\nraise ValueError('Traceback (most recent call last):')")
        rows = [(row.kind, row.text, row.items) for row in shown.view.model.rows]
        conversation_id = shown.bench.session.conversation.id
    assert ("console", "before\n", []) in rows
    async with failures(theme, tmp_path) as again:
        again.bench.window.open_conversation(conversation_id)
        await until(lambda: any(row.kind == "problem" for row in again.view.model.rows))
        told = [(row.kind, row.text, row.items) for row in again.view.model.rows]
        assert [row for row in told if row[0] != "note"] == rows
        again.click(again.spot("Show variables"))
        await until(lambda: "The kernel has ended" in again.text())
