"""What a run did to the files of its folder, as a real undo worker reports it; and undone."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from playhead.domain.conversation.payloads import FileChanges
from playhead.domain.execution import KernelStatus
from playhead.errors import ExecutionError
from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.session.code_ports import FileEffects
from playhead.undo_worker.protocol import Verb
from tests.support.kernels import report_of, request, run, text_of
from tests.support.waiting import until


@asynccontextmanager
async def watched(folder: Path, data: Path) -> AsyncIterator[tuple[ProcessExecutor, FileWatch]]:
    """An executor of a folder with its undo worker."""
    files = FileWatch(data / "undo", data)
    _: FileEffects = files  # the type checker compares it with the port
    made = ProcessExecutor(data / "outputs", files=files)
    try:
        yield made, files
    finally:
        await made.close()
        await files.close()


async def test_the_worker_starts_while_the_first_kernel_does(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    async with watched(folder, tmp_path / "data") as (made, files):
        pids: dict[str, int | None] = {}

        def note(conversation_id: str, status: KernelStatus) -> None:
            pids.setdefault(status.state, files.pid)

        made.subscribe(note)
        changes = files_of(await run(made, request(folder, "open('a.txt', 'a').write('b')")))
        assert pids["starting"] is None
        assert pids["idle"] is not None
        assert changes is not None
        assert changes.changed[0].diff.endswith("-a\n+ab")


def files_of(chunks: list) -> FileChanges | None:  # type: ignore[type-arg]
    return next((c.content for c in chunks if isinstance(c.content, FileChanges)), None)


async def test_a_run_reports_what_it_changed_and_all_of_it_is_undone(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    data = folder / "data"  # ours, although it is in the folder
    data.mkdir(parents=True)
    (folder / "notes.txt").write_text("old\n")
    code = "open('notes.txt', 'w').write('new\\n')\nopen('plot.png', 'wb').write(b'png')"
    async with watched(folder, data) as (made, files):
        coverage = await files.cover(str(folder))
        assert (coverage.files, coverage.covered, coverage.problem) == (1, 1, "")
        new = await files.cover(str(folder / "not made yet"))
        assert (new.files, new.problem) == (0, "")
        first = await run(made, request(folder, code, "run-1"))
        second = await run(made, request(folder, "print('x' * 2_000_000)", "run-2"))
        assert report_of(second).output_path is not None
        assert files_of(second) is None
        third = await run(made, request(folder, "open('notes.txt', 'a').write('more\\n')", "run-3"))
        assert [chunk.type for chunk in first[-2:]] == ["files", "run"]
        changes, later = files_of(first), files_of(third)
        assert changes is not None
        assert later is not None
        assert [change.path for change in changes.created] == ["plot.png"]
        assert changes.changed[0].diff.endswith("-old\n+new")
        assert later.changed[0].diff.endswith(" new\n+more")

        undone = await files.undo(str(folder), changes.id)
        assert [one.path for one in undone.deleted] == ["plot.png"]
        (conflict,) = undone.conflicts  # the third run has changed it since
        assert (conflict.path, conflict.reason) == ("notes.txt", "changed")
        assert conflict.diff.endswith("-new\n-more\n+old")
        await files.undo(str(folder), later.id, ("notes.txt",))
        again = await files.undo(str(folder), changes.id)
        assert not again.conflicts
        assert (folder / "notes.txt").read_text() == "old\n"
        redone = await files.undo(str(folder), undone.id)
        assert [one.path for one in redone.created] == ["plot.png"]
        with pytest.raises(ExecutionError, match="no longer be put back"):
            await files.undo(str(folder), "never")


async def test_it_can_be_undone_after_a_restart_and_a_kill_of_the_worker(tmp_path: Path) -> None:
    folder, data = tmp_path / "work", tmp_path / "data"
    data.mkdir()
    folder.mkdir()
    async with watched(folder, data) as (made, _):
        changes = files_of(await run(made, request(folder, "open('a', 'w').write('1')")))
    assert changes is not None
    async with watched(folder, data) as (_, files):
        await files.cover(str(folder))
        assert files.pid is not None
        import os
        import signal

        os.kill(files.pid, signal.SIGKILL)
        undone = await files.undo(str(folder), changes.id)
        assert [one.path for one in undone.deleted] == ["a"]
        assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="families are found in /proc")
async def test_code_stands_still_while_files_are_put_back_and_goes_on_whatever_happens(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    made = ProcessExecutor(tmp_path / "outputs")
    seen: list[set[str]] = []
    pids: list[int] = []

    def states() -> set[str]:
        return {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in pids}

    class Watch(FileWatch):
        async def ask(self, verb: Verb, **fields: Any) -> dict[str, Any] | None:
            seen.append(states())
            return await super().ask(verb, **fields)

    files = Watch(
        tmp_path / "undo", tmp_path / "data", command=("/nowhere",), supervisors=made.supervisors
    )
    code = (
        "import os, subprocess\n"
        "child = subprocess.Popen(['sleep', '100'], start_new_session=True)\n"
        "print(os.getpid(), child.pid)"
    )
    try:
        pids += map(int, text_of(await run(made, request(folder, code))).split())
        with pytest.raises(ExecutionError, match="could not be put back"):
            await files.undo(str(folder), "effect")
        assert seen.pop() == {"T"}
        await until(lambda: "T" not in states())
        with pytest.raises(ExecutionError, match="could not be put back"):
            await files.undo(str(tmp_path / "elsewhere"), "effect")
        assert "T" not in seen.pop()
        assert "7" in text_of(await run(made, request(folder, "print(3 + 4)", "run-2")))
    finally:
        await made.close()
        await files.close()


async def test_a_run_whose_worker_is_gone_reports_that(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    files = FileWatch(tmp_path / "undo", tmp_path / "data", command=("/nowhere",))
    made = ProcessExecutor(tmp_path / "outputs", files=files)
    try:
        chunks = await run(made, request(folder, "open('a', 'w').write('1')"))
    finally:
        await made.close()
        await files.close()
    changes = files_of(chunks)
    assert changes is not None
    assert "has ended" in changes.note
    assert report_of(chunks).state == "finished"
