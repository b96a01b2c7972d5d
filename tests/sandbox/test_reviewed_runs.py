"""Runs in a copy of the folder: it stays as it is until a person applies what they did."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import FileChanges
from playhead.domain.execution import RunRequest
from playhead.domain.trust import Policy, Reach
from playhead.errors import ExecutionError
from playhead.execution.file_watch import FileWatch
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from playhead.undo_worker.protocol import copies_of, mark_copies
from tests.support.kernels import error_of, request, run, text_of
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
REVIEWED = Policy(files="folder", network="off", is_reviewed=True)
CODE = """
import os, pathlib
print(pathlib.Path("old.txt").read_text(), os.getcwd())
pathlib.Path("old.txt").write_text("new\\n")
os.makedirs("made"); open("made/file", "w").write("x")
os.unlink("gone.txt")
try: open(".git/hooks/post-commit", "w")
except OSError as error: print(error.strerror)
"""


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")


class Reviewed:
    """A folder with some files, and what runs code in copies of it."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work, here"
        (self.folder / ".git" / "hooks").mkdir(parents=True)
        (self.folder / "old.txt").write_text("old\n")
        (self.folder / "gone.txt").write_text("gone\n")
        data = home / "data"
        places = PrivatePlaces(home=str(home), homes=data / "homes", outside=(str(data),))
        self.files = FileWatch(data / "undo", data)
        self.executor = ProcessExecutor(
            data / "output", files=self.files, sandbox=Sandbox(places, look_for_sandbox)
        )
        self._runs = 0

    def request(self, code: str, language: str = "python", policy: Policy = REVIEWED) -> RunRequest:
        self._runs += 1
        wanted = request(self.folder, code, f"run-{self._runs}", grace_s=5)
        return replace(wanted, policy=policy, language=language)

    def seen(self) -> dict[str, str]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {str(path.relative_to(self.folder)): path.read_text() for path in found}

    async def review(self) -> FileChanges:
        found = await self.files.review(str(self.folder), "conversation")
        assert found is not None
        return found


@asynccontextmanager
async def reviewed(home: Path) -> AsyncGenerator[Reviewed]:
    made = Reviewed(home)
    try:
        yield made
    finally:
        await made.executor.close()
        await made.files.close()


def names(changes: FileChanges) -> list[list[str]]:
    groups = (changes.created, changes.changed, changes.deleted)
    return [[one.path for one in group] for group in groups]


async def test_code_changes_a_copy_until_that_is_applied_and_taken_back(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as place:
        before = place.seen()
        chunks = await run(place.executor, place.request(CODE))
        assert text_of(chunks) == f"old\n {place.folder}\nRead-only file system\n"
        assert error_of(chunks) is None
        assert place.seen() == before
        [waiting] = [chunk.content for chunk in chunks if isinstance(chunk.content, FileChanges)]
        assert waiting.action == "review"
        assert names(waiting) == [["made/file"], ["old.txt"], ["gone.txt"]]
        applied = await place.files.apply(str(place.folder), "conversation")
        assert (applied.conflicts, names(applied)) == ((), names(waiting))
        assert place.seen() == {"old.txt": "new\n", "made/file": "x"}
        again = await run(place.executor, place.request("print(open('old.txt').read(), x := 1)"))
        assert text_of(again) == "new\n 1\n"
        assert not any(isinstance(chunk.content, FileChanges) for chunk in again)
        undone = await place.files.undo(str(place.folder), applied.id)
        assert (undone.conflicts, place.seen()) == ((), before)


async def test_the_next_run_goes_on_in_the_copy_in_any_language(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as place:
        await run(place.executor, place.request("open('one', 'w').write('1')"))
        chunks = await run(place.executor, place.request("cat one; echo 2 > two", "bash"))
        assert text_of(chunks).strip() == "1"
        await run(
            place.executor, place.request("import os; print(os.listdir()); os.rename('two', 'x')")
        )
        assert names(await place.review()) == [["one", "x"], [], []]
        assert "one" not in place.seen()
        await place.executor.restart("conversation")
        await place.files.discard(str(place.folder), "conversation")
        chunks = await run(
            place.executor, place.request("print(sorted(os.listdir()))", policy=REVIEWED)
        )
        assert error_of(chunks) is not None  # a new kernel
        chunks = await run(place.executor, place.request("import os; print(sorted(os.listdir()))"))
        assert text_of(chunks) == "['.git', 'gone.txt', 'old.txt']\n"


async def test_a_copy_hides_nothing_that_other_programs_would_run(tmp_path: Path) -> None:
    code = """
import os
for path in ("__pycache__/x.cpython-311.pyc", ".venv/bin/python", "src/pyvenv.cfg"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").write("of the run")
open("src/mine.py", "a").write("changed")
"""
    async with reviewed(tmp_path) as place:
        (place.folder / "src").mkdir()
        (place.folder / "src" / "mine.py").write_text("mine")
        await run(place.executor, place.request(code))
        waiting = await place.review()
        assert waiting.note == (
            "Not looked at: .venv (1). Other programs may run what is in .venv."
        )
        assert names(waiting) == [["src/pyvenv.cfg"], ["src/mine.py"], []]
        assert [one.may_be_run for one in (*waiting.created, *waiting.changed)] == [True, False]
        applied = await place.files.apply(str(place.folder), "conversation")
        assert not (place.folder / "__pycache__" / "x.cpython-311.pyc").exists()
        await place.files.undo(str(place.folder), applied.id)
        assert (place.folder / "src" / "mine.py").read_text() == "mine"


async def test_a_copy_goes_with_its_conversation_whatever_is_in_it(tmp_path: Path) -> None:
    code = """
import os
os.makedirs("shut/deep"); open("shut/deep/x", "w").write("x" * 1000); os.chmod("shut", 0)
os.symlink("{folder}", "shown"); os.symlink("{folder}", "shut2")
"""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    async with reviewed(tmp_path) as place:
        undo = tmp_path / "data" / "undo"
        await run(place.executor, place.request(code.replace("{folder}", str(outside))))
        assert len(copies_of(undo)) == 1
        await place.executor.restart("conversation")
        await place.files.forget("another")
        assert len(copies_of(undo)) == 1
        await place.files.forget("conversation")
        assert copies_of(undo) == []
        assert await place.files.review(str(place.folder), "conversation") is None
        # One that was deleted while no worker ran goes when the next one has time.
        await run(place.executor, place.request(code.replace("{folder}", str(outside))))
        await place.executor.restart("conversation")
        await place.files.close()
        assert mark_copies(undo, "conversation")
        later = FileWatch(undo, tmp_path / "data")
        try:
            await later.cover(str(tmp_path / "outside"))
            await until(lambda: copies_of(undo) == [])
        finally:
            await later.close()
    assert (outside / "mine").read_text() == "mine"


async def test_no_code_runs_in_the_folder_itself_if_there_can_be_no_copy(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as place:
        upper, _ = await place.files.copy(str(place.folder), "conversation")
        os.rmdir(upper)
        os.symlink("/etc/hostname", upper)
        with pytest.raises(ExecutionError):
            await run(place.executor, place.request("open('x', 'w')"))
        assert "x" not in place.seen()


async def test_what_is_denied_is_hidden_in_the_copy_too(tmp_path: Path) -> None:
    async with reviewed(tmp_path) as place:
        for name in ("private", "later"):
            (place.folder / name).mkdir()
            (place.folder / name / "secret.txt").write_text("secret")
        look = "import os; print(os.listdir('private'), os.listdir('later'))"
        hidden = tuple(str(place.folder / name) for name in ("private", "later"))
        await place.executor.set_reach("conversation", Reach(hidden=hidden[:1]))
        chunks = await run(place.executor, place.request(look))
        assert text_of(chunks) == "[] ['secret.txt']\n"
        await place.executor.set_reach("conversation", Reach(hidden=hidden))
        assert text_of(await run(place.executor, place.request(look))) == "[] []\n"
