"""Runs whose variables and files are undone in the window, and again over the API's words."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from playhead.api.turns.run_effects import list_effects, take_back
from playhead.domain.conversation.events import MoveTo
from playhead.domain.settings import AppSettings
from playhead.execution.file_watch import FileWatch
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from playhead.ui.timeline.model.rows import Row
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

_ASKED = "Have the variable as this branch left it?"


@asynccontextmanager
async def window(
    theme: Theme, folder: Path, wish: Callable[[], Saving] = Saving
) -> AsyncGenerator[Bench]:
    """A window with real kernels whose variables are kept, and the worker that keeps files."""
    keeper = VariableKeeper(VariableStore(folder / "variables"), wish, asks=True, idle_s=0.0)
    files = FileWatch(folder / "undo", folder / "home")
    made = ProcessExecutor(folder / "output", keeper=keeper, files=files)
    (folder / "work").mkdir()
    settings = AppSettings(interpreter=sys.executable, folder=str(folder / "work"))
    try:
        async with opened(
            theme,
            folder / "home",
            settings=settings,
            executor=made,
            files=files,
            saved_variables=keeper,
        ) as bench:
            yield bench
    finally:
        await made.close()
        await files.close()


async def _run(bench: Bench, code: str) -> str:
    before = dict(bench.session.files.variables)
    bench.session.run_code("python", code)
    await bench.rests()
    await until(lambda: bench.session.kernel.place != "")
    assert before is not bench.session.files.variables
    return _printed(bench)


def _printed(bench: Bench) -> str:
    """What the last run has printed."""
    shown = (one.text for one in bench.session.conversation.messages if one.type == "console")
    return [*shown][-1].strip()


def _row(bench: Bench, kind: str) -> Row:
    """The last row of a kind that shows an effect on variables."""
    rows = bench.parts.timeline.model.rows
    return [row for row in rows if row.kind == kind and row.effect.variables is not None][-1]


async def test_one_click_takes_back_files_and_variables_and_another_puts_them_again(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        path = tmp_path / "work" / "new.txt"
        await _run(bench, "rows, count = [1], 1")
        await _run(bench, "rows.append(2); fresh = 5; del count; open('new.txt', 'w').write('a')")
        row = _row(bench, "files")
        assert row.effect.variables is not None
        actions = bench.parts.timeline.result_requested
        actions.emit("undo", row.key, "")
        await until(lambda: _row(bench, "files").effect.state.variables != "")
        assert not path.exists()
        look = "print(rows, 'fresh' in globals(), 'count' in globals())"
        assert await _run(bench, look) == "[1] False True"
        undone = next(one for one in bench.parts.timeline.model.rows if one.kind == "undone")
        assert undone.text.startswith("Undone: new.txt · 3 variables")
        actions.emit("redo", row.key, "")
        await until(lambda: _row(bench, "files").effect.state.variables == "")
        assert path.read_text() == "a"
        assert await _run(bench, look) == "[1, 2] True False"


async def test_a_run_that_changed_only_variables_has_an_undo_at_its_code(
    theme: Theme, tmp_path: Path
) -> None:
    async with window(theme, tmp_path) as bench:
        await _run(bench, "rows = [1]")
        await _run(bench, "rows.append(2)")
        code = _row(bench, "code")
        index = bench.parts.timeline.model.index_of(code.key)
        assert index is not None
        spots = bench.parts.timeline.canvas.sheet.card(index).spots(False)
        (spot,) = [one for one in spots if one.icon == "undo-2"]
        assert spot.tip == "Undo run\nVariables changed: rows"
        bench.parts.timeline.activate(spot.intent, index)
        await until(lambda: _row(bench, "code").effect.state.variables != "")
        assert await _run(bench, "print(rows)") == "[1]"
        assert _row(bench, "code").key == code.key
        listed = (await list_effects(bench.session))["effects"]
        assert [one["variables"]["is_undone"] for one in listed] == [False, True, False]
        done = await take_back(bench.session, "redo", "")
        assert done["effects"][0]["variables"] == {"made": [], "changed": ["rows"], "deleted": []}
        assert await _run(bench, "print(rows)") == "[1, 2]"


async def test_another_version_of_a_question_asks_for_its_variables_and_files(
    theme: Theme, tmp_path: Path
) -> None:
    wish = [Saving()]
    async with window(theme, tmp_path, lambda: wish[0]) as bench:
        area, conversation = bench.parts.notifications, bench.session.conversation
        bench.parts.pane.show_variables(True)
        await _run(bench, "rows = [1]")
        panel = bench.parts.pane.variables
        assert panel is not None
        fork = conversation.leaf_id
        await _run(bench, "rows.append(2); open('b.txt', 'w').write('b')")
        left = conversation.leaf_id
        conversation.change(MoveTo(fork))
        await until(lambda: [one.title for one in area.banners] == [_ASKED])
        (banner,) = area.banners
        assert [one.text() for one in (banner.button, *banner.others)] == [
            "Yes",
            "With files",
            "Always",
            "No",
        ]
        assert banner.words[1] == "rows. Code waits for the answer."
        assert panel.elsewhere.isVisibleTo(panel)
        bench.session.run_code("python", "print(rows)")  # waits for the answer
        await until(lambda: bench.session.kernel.state == "idle" and not bench.session.is_idle)
        bench.click(banner.others[0])
        await bench.rests()
        assert _printed(bench) == "[1]"
        assert not (tmp_path / "work" / "b.txt").exists()
        await until(lambda: area.banners == [])
        assert not panel.elsewhere.isVisibleTo(panel)
        wish[0] = Saving(restores="always")
        conversation.change(MoveTo(left))
        assert await _run(bench, "print(rows)") == "[1, 2]"
        assert area.banners == []
