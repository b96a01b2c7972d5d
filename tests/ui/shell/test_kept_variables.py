"""Variables of a kernel that was killed: what the window asks, and what it shows of them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from playhead.domain.settings import AppSettings
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened


@asynccontextmanager
async def window(theme: Theme, folder: Path) -> AsyncGenerator[Bench]:
    """A window with the panel of variables, and real kernels whose variables are kept."""
    keeper = VariableKeeper(VariableStore(folder / "variables"), Saving, asks=True)
    made = ProcessExecutor(folder / "output", keeper=keeper)
    settings = AppSettings(interpreter=sys.executable, folder=str(folder))
    place = folder / "home"
    async with opened(
        theme, place, settings=settings, executor=made, saved_variables=keeper
    ) as bench:
        bench.parts.pane.show_variables(True)
        try:
            yield bench
        finally:
            await made.close()


def _rows(bench: Bench) -> dict[str, str]:
    panel = bench.parts.pane.variables
    assert panel is not None
    return {one.name: one.survival for one in panel.model.variables}


def _printed(bench: Bench) -> str:
    """Return what the last run has printed."""
    shown = (one.text for one in bench.session.conversation.messages if one.type == "console")
    return [text for text in shown if text][-1]


async def _lose_kernel(bench: Bench, folder: Path) -> None:
    """Run code, wait until its variables are saved, kill the kernel."""
    bench.session.run_code("python", "x, s = [1], (n for n in 'ab')")
    await bench.rests()
    await until(lambda: list(folder.glob("variables/*/checkpoint-*")) != [])
    pid = bench.session.kernel.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await until(lambda: _rows(bench) == {"x": "saved", "s": "again"})


async def test_a_click_brings_variables_back_and_the_window_lists_which(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        await _lose_kernel(bench, tmp_path)
        bench.session.run_code("python", "print(x)")
        area = bench.parts.notifications
        await until(lambda: area.banners != [])
        (banner,) = area.banners
        assert banner.title == "Bring back 1 of 2 variables?"
        assert [one.text() for one in (banner.button, *banner.others)] == [
            "Bring back",
            "Always",
            "No",
        ]
        bench.click(banner.button)
        await bench.rests()
        assert area.banners == []
        await until(lambda: _rows(bench) == {"x": "back", "s": "again"})
        notes = [row.note for row in bench.parts.timeline.model.rows if row.note is not None]
        assert notes[-1].title == "1 of 2 variables of the last kernel came back."
        assert notes[-1].detail == (
            "s: a generator cannot be kept; line 1 of its block makes it again."
        )
        assert _printed(bench) == "[1]\n"


async def test_a_question_that_is_closed_is_a_no(theme: Theme, tmp_path: Path) -> None:
    async with window(theme, tmp_path) as bench:
        await _lose_kernel(bench, tmp_path)
        bench.session.run_code("python", "print('x' in globals())")
        area = bench.parts.notifications
        await until(lambda: area.banners != [])
        area.banners[0].closed.emit()
        await bench.rests()
        assert _printed(bench) == "False\n"
