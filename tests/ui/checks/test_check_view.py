"""Checks of exports in the window: approved once, run on real kernels, shown side by side."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton, QTreeWidgetItem, QWidget

from playhead.checking.checker import Checker, CheckPlan
from playhead.checking.recorded_cells import recording_of
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import Interpreter
from playhead.domain.settings import AppSettings
from playhead.execution.environments.locked_environments import LockedEnvironments
from playhead.execution.process_executor import ProcessExecutor
from playhead.ui.checks.check_view import CheckView
from playhead.ui.checks.export_checks import ExportChecks
from playhead.ui.playback.playback_view import PlaybackView
from playhead.ui.widgets.theme import Theme
from tests.support.kernels import executor
from tests.support.recorded_exports import recorded
from tests.support.waiting import until
from tests.support.window import Bench, opened

CELLS = (
    "rows = [line.split(',') for line in open('data.csv')]\nprint(len(rows), 'rows')",
    "import random\nfor _ in range(3):\n    print('the same')\nprint(random.random())",
)


async def here() -> Interpreter:
    return Interpreter(path=sys.executable, version="3", label="here")


@asynccontextmanager
async def ready_to_check(
    theme: Theme, tmp_path: Path, cells: Sequence[str] = CELLS
) -> AsyncGenerator[Bench]:
    """A window with a conversation whose code has run, and what checks its exports."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "data.csv").write_text("a,b\n1,2\n")
    async with executor(tmp_path) as made:
        messages = (await recorded(made, folder, cells)).messages
        settings = AppSettings(interpreter=sys.executable, folder=str(folder))
        async with opened(theme, tmp_path / "home", settings=settings, executor=made) as bench:
            session = bench.session
            session.set_folder(str(folder))
            session.conversation.apply(Chunk(role="user", type="message", content="Count."))
            for message in messages:
                session.conversation.apply(
                    Chunk(
                        role=message.role,
                        type=message.type,
                        format=message.format,
                        content=message.content,
                    )
                )
            checker = Checker(
                tmp_path / "checks",
                lambda place: ProcessExecutor(place / "outputs"),
                LockedEnvironments(),
            )
            window = bench.window
            window.exports.checks = ExportChecks(checker, here, theme, window)
            yield bench
            await checker.close()


async def shown_check(bench: Bench, target: Path) -> CheckView:
    bench.window.exports.check_shown()
    [dialog] = bench.window.findChildren(QFileDialog)
    dialog.selectFile(str(target))
    dialog.accept()
    await until(lambda: bool(bench.window.findChildren(CheckView)))
    [view] = bench.window.findChildren(CheckView)
    return view


def click(button: QPushButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def labels(item: QTreeWidgetItem) -> list[str]:
    children = (item.child(n) for n in range(item.childCount()))
    return [one.text(0) for one in (item, *children) if one is not None]


async def test_an_export_is_approved_checked_and_gets_its_report(
    theme: Theme, tmp_path: Path
) -> None:
    async with ready_to_check(theme, tmp_path) as bench:
        target = tmp_path / "out.ipynb"
        view = await shown_check(bench, target)
        assert all(code in view.code.toPlainText() for code in CELLS)
        assert "without a sandbox" in view.words.text()
        assert not list((tmp_path / "checks").glob("*"))  # nothing runs before the click
        QTest.keyClick(view, Qt.Key.Key_Return)  # as typed ahead
        await asyncio.sleep(0)
        assert not list((tmp_path / "checks").glob("*"))
        click(view.run_button)
        await until(lambda: view.report is not None and view.run_button.isVisible())
        assert view.title.text() == "1 difference from what is recorded"
        first, second = (view.list.topLevelItem(n) for n in range(2))
        assert first is not None
        assert second is not None
        assert labels(first) == ["Cell 1 · rows = [line.split(',') for line in open('data.csv')]"]
        assert labels(second)[1].startswith("Output · line 4: “0.")
        assert view.pages.currentWidget() is view.sides
        assert "random numbers without a seed" in view.sides.words.text()
        assert view.sides.before.text.toPlainText().startswith("the same\n")
        marked = view.sides.now.text.extraSelections()
        assert [one.cursor.blockNumber() for one in marked] == [3]  # type: ignore[attr-defined]
        cells = json.loads(target.read_bytes())["cells"]
        assert "1 difference" in "".join(cells[0]["source"]) + "".join(cells[1]["source"])
        assert list((tmp_path / "checks").iterdir()) == []
        view.close()
        bench.window.exports.replay_shown()
        await until(lambda: bool(bench.window.findChildren(PlaybackView)))
        [replay] = bench.window.findChildren(PlaybackView)
        assert replay.windowTitle().startswith("Replay of ")
        assert replay.play_button.text() == "Pause"  # it plays already
        await until(lambda: bool(replay.player.copy.messages))
        replay.close()


async def test_a_fault_during_a_check_is_shown_as_one(theme: Theme, tmp_path: Path) -> None:
    def make_executor(_: Path) -> ProcessExecutor:
        raise RuntimeError("a fault of ours")

    reported = list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, facts: reported.append(facts))
    checker = Checker(tmp_path / "checks", make_executor, LockedEnvironments())
    export = b"# %%\nprint(1)\n"
    plan = CheckPlan(
        recording=recording_of(export, "out.py"), folder=str(tmp_path), interpreter=sys.executable
    )
    window = QWidget()
    view = CheckView(checker, plan, tmp_path / "out.py", export, theme, window)
    view.show()
    click(view.run_button)
    await until(lambda: bool(reported))
    assert str(reported[0]["exception"]) == "a fault of ours"
    assert view.title.text() == "The check failed"
    assert view.run_button.isVisible()
    view.close()
    window.deleteLater()


WAITS = (
    "import msgspec",
    "import os, time\nwhile os.path.exists('slow.flag'):\n    time.sleep(0.05)\nprint('done')",
)


async def test_without_an_index_the_present_environment_can_be_chosen_and_stop_stops(
    theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    async with ready_to_check(theme, tmp_path, WAITS) as bench:
        flag = tmp_path / "work" / "slow.flag"
        flag.touch()
        target = tmp_path / "out.ipynb"
        view = await shown_check(bench, target)
        written = target.read_bytes()
        assert "msgspec" in view.words.text()
        click(view.run_button)
        await until(lambda: view.title.text() == "The package index cannot be reached.")
        assert "report then says so" in view.words.text()
        assert view.environment.currentData() == "present"
        await until(view.run_button.isVisible)
        click(view.run_button)
        await until(lambda: view.words.text() == "Cell 2 of 2 runs…")
        click(view.stop_button)
        await until(lambda: view.title.text() == "The check was stopped")
        await until(lambda: not list((tmp_path / "checks").iterdir()))
        assert target.read_bytes() == written
        assert view.report is None
        view.close()
