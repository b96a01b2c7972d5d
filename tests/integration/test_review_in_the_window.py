"""Code runs in a copy of the folder, and the window applies what it did, or discards it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from playhead.domain.trust import Policy
from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.ui.composer.review_pane import ReviewPane
from playhead.ui.widgets.theme import Theme
from tests.support.ports import ReportedSandbox
from tests.support.waiting import until
from tests.support.window import Bench, opened

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
RESOURCES = Path(__file__).parents[2] / "resources"
CODE = """
import os
open("new.txt", "w").write("made")
open("notes.md", "w").write("new line\\n")
os.remove("old.csv")
"""


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme(RESOURCES)


@asynccontextmanager
async def working(theme: Theme, home: Path, work: Path) -> AsyncIterator[Bench]:
    """A window with real kernels in the sandbox, in a conversation in the folder."""
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")
    files = FileWatch(home / "undo", home)
    places = PrivatePlaces(home=str(work.parent), homes=home / "homes", outside=(str(home),))
    sandbox = Sandbox(places, look_for_sandbox)
    executor = ProcessExecutor(home / "outputs", files=files, sandbox=sandbox)
    box = ReportedSandbox()
    try:
        async with opened(
            theme, home, executor=executor, files=files, sandbox=box, arming_ms=0
        ) as bench:
            bench.session.set_folder(str(work))
            yield bench
    finally:
        await executor.close()
        await files.close()


def seen(work: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(work.iterdir())}


def rows_of(pane: ReviewPane) -> list[str]:
    items = [pane.list.topLevelItem(n) for n in range(pane.list.topLevelItemCount())]
    return [f"{one.text(0)}: {one.text(1)}" for one in items if one]


async def test_changes_wait_in_the_pane_until_they_are_applied_or_discarded(
    theme: Theme, tmp_path: Path
) -> None:
    home, work = tmp_path / "data", tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    (work / "notes.md").write_text("old line\n")
    (work / "old.csv").write_text("a,b\n")
    before = seen(work)
    async with working(theme, home, work) as bench:
        bench.click(bench.parts.header.policy_pill)
        sheet = bench.window.policies.sheet
        assert sheet is not None
        sheet.review.click()
        assert sheet.policy == Policy(files="folder", network="off", is_reviewed=True)
        bench.click(sheet.apply_button)
        assert "review first" in bench.parts.header.policy_pill.text()
        bench.session.run_code("python", CODE)
        await bench.rests()
        await until(lambda: bench.parts.review.isVisible())
        pane = bench.parts.review
        words = "Nothing has happened to your folder yet. 3 files would change."
        assert pane.title.text() == words
        assert rows_of(pane) == [
            "new.txt: new · 4 bytes",
            "notes.md: changed · 9 bytes",
            "old.csv: deleted",
        ]
        assert seen(work) == before
        changed = pane.list.topLevelItem(1)
        assert changed is not None
        pane.list.setCurrentItem(changed)
        assert "+new line" in pane.diff.toPlainText()
        [item] = [one for one in [pane.list.topLevelItem(0)] if one]
        item.setCheckState(0, Qt.CheckState.Unchecked)
        assert pane.chosen_button.text() == "Apply 2 chosen"
        bench.click(pane.chosen_button)
        await until(lambda: pane.title.text() == "1 more file would change.")
        assert seen(work) == {"notes.md": "new line\n"}
        applied = [row for row in bench.parts.timeline.model.rows if row.kind == "files"]
        assert len(applied) == 1
        bench.parts.timeline.result_requested.emit("undo", applied[0].key, "")
        await until(lambda: seen(work) == before)
        await bench.session.copy.look()
        assert len(rows_of(pane)) == 3
        (work / "notes.md").write_text("mine\n")
        await bench.session.copy.look()
        assert rows_of(pane)[0] == "notes.md: changed by you, too · 9 bytes"
        assert "+mine" in pane.diff.toPlainText() or pane.list.currentItem() is None
        bench.click(pane.apply_button)
        await until(lambda: (work / "new.txt").exists())
        assert seen(work) == {"new.txt": "made", "notes.md": "mine\n"}
        await until(lambda: not bench.session.copy.is_busy)
        bench.click(pane.discard_button)
        await until(lambda: QApplication.activeModalWidget() is not None)
        box = QApplication.activeModalWidget()
        assert box is not None
        [sure] = [one for one in box.findChildren(QPushButton) if one.text() == "Discard"]
        bench.click(sure)
        await until(lambda: pane.isHidden())
        assert seen(work) == {"new.txt": "made", "notes.md": "mine\n"}
        await bench.window.tasks.settled()
