"""Code runs in a real kernel, and the window undoes what it did to files by the real worker."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.ui.widgets.theme import Theme
from tests.support.waiting import until
from tests.support.window import Bench, opened

CODE = """
import os
open("new.txt", "w").write("made")
open("notes.md", "w").write("new line\\n")
os.remove("old.csv")
os.chmod("run.sh", 0o755)
os.mkdir("archive")
os.rename("names.txt", "archive/names.txt")
os.remove("latest")
os.symlink("run.sh", "latest")
"""
RESOURCES = Path(__file__).parents[2] / "resources"
Facts = dict[str, tuple[int, int, str]]


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme(RESOURCES)


def make_work(folder: Path) -> None:
    """A folder with one file for each kind of change."""
    folder.mkdir()
    for name, text in (("notes.md", "old line\n"), ("old.csv", "a,b\n"), ("names.txt", "one\n")):
        (folder / name).write_text(text, "utf-8")
    (folder / "run.sh").write_text("echo\n", "utf-8")
    (folder / "run.sh").chmod(0o644)
    (folder / "latest").symlink_to("notes.md")


def facts_of(folder: Path) -> Facts:
    """Mode, time and content of each file, or the target of each link."""
    found: Facts = {}
    for path in sorted(folder.rglob("*")):
        told = path.lstat()
        if path.is_symlink():
            found[str(path.relative_to(folder))] = (0, 0, os.readlink(path))
        elif path.is_file():
            content = path.read_text("utf-8")
            found[str(path.relative_to(folder))] = (told.st_mode, told.st_mtime_ns, content)
    return found


@asynccontextmanager
async def working(theme: Theme, home: Path, work: Path) -> AsyncIterator[Bench]:
    """A window with a real kernel and a real worker, in a conversation in the folder."""
    files = FileWatch(home / "undo", home)
    executor = ProcessExecutor(home / "outputs", files=files)
    try:
        async with opened(theme, home, executor=executor, files=files) as bench:
            if not bench.sessions.summaries:
                bench.session.set_folder(str(work))
            yield bench
    finally:
        await executor.close()
        await files.close()


async def does(bench: Bench, what: str, path: str = "") -> None:
    """Do what the card of the first run's files is asked for."""
    timeline = bench.parts.timeline
    [key] = [row.key for row in timeline.model.rows if row.kind == "files"]
    timeline.result_requested.emit(what, key, path)
    await bench.window.tasks.settled()
    timeline.coalescer.flush_now()


def lines_of(bench: Bench) -> list[str]:
    """The lines of the card of the run's files."""
    timeline = bench.parts.timeline
    [at] = [at for at, row in enumerate(timeline.model.rows) if row.kind == "files"]
    return timeline.canvas.sheet.card(at).source().split("\n")


@pytest.mark.skipif(os.name == "nt", reason="modes and links are others there")
async def test_a_run_is_undone_redone_and_after_a_restart_undone_but_for_a_conflict(
    theme: Theme, tmp_path: Path
) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    make_work(work)
    before = facts_of(work)
    async with working(theme, home, work) as bench:
        bench.session.run_code("python", CODE)
        await bench.rests()
        after = facts_of(work)
        assert lines_of(bench) == [
            "created new.txt",
            "changed latest",
            "changed notes.md",
            "changed run.sh",
            "moved names.txt → archive/names.txt",
            "deleted old.csv",
        ]
        await does(bench, "undo", "notes.md")
        assert facts_of(work) == after | {"notes.md": before["notes.md"]}
        await does(bench, "undo")
        assert facts_of(work) == before
        assert not (work / "archive").exists()
        await does(bench, "redo")
        assert facts_of(work) == after
        conversation_id = bench.session.conversation.id
    (work / "run.sh").write_text("mine\n", "utf-8")
    async with working(theme, home, work) as bench:
        bench.window.open_conversation(conversation_id)
        await until(lambda: bench.session.conversation.id == conversation_id)
        await does(bench, "undo")
        mine = facts_of(work)
        assert mine.pop("run.sh")[2] == "mine\n"
        assert mine == {name: told for name, told in before.items() if name != "run.sh"}
        assert "changed run.sh" in lines_of(bench)
        [row] = [row for row in bench.parts.timeline.model.rows if row.kind == "files"]
        assert [one.reason for one in row.effect.conflicts.values()] == ["changed"]
