"""Variables of living kernels that are put into an earlier state, and of those to come."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest

from playhead.domain.conversation.payloads import LeftName, VariableChanges
from playhead.domain.saved_variables import Checkpoint, Origin, WhyLost
from playhead.errors import ExecutionError
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from tests.soak.undone_runs import undo_sequences
from tests.support.kernels import error_of, executor, report_of, request, run, text_of
from tests.support.waiting import until

_ID = "conversation"


class Bench:
    """A conversation with a kernel; each run is saved before the next."""

    def __init__(self, folder: Path, keeper: VariableKeeper, made: ProcessExecutor) -> None:
        self.folder, self.keeper, self.made = folder, keeper, made

    async def run(self, run_id: str, code: str, *, is_saved: bool = True) -> str:
        chunks = await run(self.made, request(self.folder, code, run_id))
        assert error_of(chunks) is None
        if is_saved:
            await until(lambda: not self.keeper.is_waiting(_ID))
        return text_of(chunks).strip()

    async def undo(self, effect_id: str, undo_id: str) -> VariableChanges:
        found = await self.keeper.take_back(_ID, effect_id, undo_id)
        assert found is not None
        return found

    async def kill(self) -> None:
        pid = self.made.status(_ID).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: self.made.status(_ID).state == "none")


@asynccontextmanager
async def bench(
    folder: Path,
    store: VariableStore | None = None,
    restores: Literal["ask", "always", "never"] = "always",
) -> AsyncGenerator[Bench]:
    """A bench whose keeper brings variables back by itself, or as a person wants."""
    store = store or VariableStore(folder / "variables")
    keeper = VariableKeeper(store, lambda: Saving(restores=restores), asks=True, idle_s=0.0)
    async with executor(folder, keeper) as made:
        yield Bench(folder, keeper, made)


_FIRST = """\
rows = [1, [2]]
inner = rows[1]
count = 1
class Point:
    x = 1
point, other = Point(), Point()
stream = (n for n in range(9))
large = list(range(5000))
lines = (n for n in "ab")
"""
_SECOND = """\
rows.append(3); count += 1; fresh = {"a": 1}; del large
next(stream); lines = 5; late = (n for n in "cd")
class Point:
    x = 2
point = Point()
"""
_LOOK = """\
print(rows, inner is rows[1], count, "fresh" in globals(), "large" in globals(), Point.x, point.x)
print(type(point) is Point, type(other) is Point)
"""


async def test_a_run_is_taken_back_and_done_again_in_a_living_kernel(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", _FIRST)
        await one.run("second", _SECOND)
        after = await one.run("look", _LOOK)
        undone = await one.undo("second", "undo")
        assert (undone.made, undone.deleted) == (("large",), ("fresh", "late"))
        assert {"rows", "inner", "count", "Point", "point"} <= set(undone.changed)
        assert undone.left == (LeftName("lines", "not_kept", "generator"),)
        again = await one.undo("undo", "redo")
        assert (again.made, again.deleted, again.left) == (("fresh", "late"), ("large",), ())
        assert await one.run("look 2", _LOOK + "print(next(late))") == f"{after}\nc"
        await one.undo("second", "undo 2")
        seen = await one.run("look 3", _LOOK + "print(next(stream), lines)")
        assert seen.split("\n") == [
            "[1, [2]] True 1 False True 1 1",
            "True True",
            "1 5",
        ]  # what cannot be kept goes on from where it is


async def test_what_a_later_run_has_changed_is_left(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", "a = [1]; b = [1]; c = 1")
        await one.run("second", "a.append(2); b.append(2); c = 2; d = b")
        await one.run("third", "a.append(3); e = 5")
        undone = await one.undo("second", "undo")
        assert undone.left == (LeftName("a", "changed"),)
        assert (undone.changed, undone.deleted) == (("b", "c"), ("d",))
        assert await one.run("look", "print(a, b, c, e, 'd' in globals())") == (
            "[1, 2, 3] [1] 1 5 False"
        )


async def test_what_is_changed_by_values_that_are_not_kept_is_saved(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", _HOLDERS)
        await one.run("second", "writer.add(5)")
        await one.run("third", "next(stream)")
        await one.run("fourth", "view[0] = 65")
        await one.kill()
        assert await one.run("look", "print(rows, counts, data)") == "[5] [1] bytearray(b'Ab')"


_HOLDERS = """\
from threading import Lock
class Writer:
    def __init__(self, rows):
        self.rows, self.lock = rows, Lock()
    def add(self, row):
        self.rows.append(row)
def count(into):
    while True:
        into.append(1)
        yield
rows, counts, data = [], [], bytearray(b"ab")
writer, stream, view = Writer(rows), count(counts), memoryview(data)
"""


async def test_unchanged_variables_stay_the_very_objects(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", "kept = [object]; mark = id(kept); x = 1")
        await one.run("second", "x = 2")
        await one.keeper.go_to(_ID, "first")
        assert one.keeper.place(_ID) == "first"
        assert await one.run("third", "print(x, id(kept) == mark)") == "1 True"
        assert one.keeper.changes(_ID)["second"] == VariableChanges(changed=("x",))
        with pytest.raises(ExecutionError, match="not kept"):
            await one.keeper.go_to(_ID, "unknown")


async def test_the_question_of_a_branch_stays_when_the_run_that_waits_is_stopped(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path, restores="ask") as one:
        await one.run("first", "x = 1")
        await one.run("second", "x = 2")
        one.keeper.move(_ID, "first")
        await until(lambda: one.keeper.offer(_ID) is not None)
        await one.made.interrupt(_ID)  # nothing runs
        await until(lambda: one.keeper.offer(_ID) is None)
        stopped = asyncio.create_task(run(one.made, request(tmp_path, "x = 3", "third")))
        await until(lambda: one.keeper.offer(_ID) is not None)
        await one.made.interrupt(_ID)
        assert report_of(await stopped).state == "interrupted"
        await until(lambda: one.keeper.offer(_ID) is not None)
        one.keeper.answer(_ID, "yes")
        assert await one.run("fourth", "print(x)") == "1"


async def test_a_class_made_again_during_a_save_is_not_taken_for_the_one_before(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", _WAITING, is_saved=False)
        await until(lambda: (tmp_path / "saving").exists())
        await one.run("second", _CHANGED, is_saved=False)
        await one.undo("second", "undo")
        assert await one.run("third", "print(Point.x)") == "1"


_WAITING = """\
import os, time
class Point:
    x = 1
class Waiting:
    def __reduce__(self):
        open('saving', 'w').close()
        while not os.path.exists('go'):
            time.sleep(0.01)
        return Waiting, ()
waiting = Waiting()
"""
_CHANGED = "class Point:\n    x = 2\nopen('go', 'w').close()"


class Failing(VariableStore):
    """A store on a disk that gets full for one call."""

    is_full = False

    def put(self, checkpoint: Checkpoint) -> Checkpoint:
        was_full, self.is_full = self.is_full, False
        if was_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().put(checkpoint)


async def test_a_full_disk_ends_no_run_and_hides_no_change(tmp_path: Path) -> None:
    store = Failing(tmp_path / "variables")
    async with bench(tmp_path, store) as one:
        await one.run("first", "x, gone = 1, []")
        await one.run("second", "x = 2")
        store.is_full = True
        one.keeper.move(_ID, "first")
        assert await one.run("third", "print(x)") == "1"
        store.is_full = True
        await one.run("fourth", "del gone; import math", is_saved=False)
        await until(lambda: one.keeper.is_behind(_ID))
        await one.keeper.settle(_ID)
        past = await one.keeper.state_at(_ID, "fourth")
        assert past.changes == VariableChanges(made=("math",), deleted=("gone",))
        await one.kill()
        store.is_full = True
        with pytest.raises(ExecutionError, match="could not be changed"):
            await one.keeper.take_back(_ID, "fourth", "undo")


async def test_a_kernel_that_ends_in_a_checkout_leaves_the_next_one_as_it_begins(
    tmp_path: Path, expect_log: Callable[[str], None]
) -> None:
    expect_log("did not come back")
    async with bench(tmp_path, restores="never") as one:
        await one.run("first", _DEADLY)
        await one.run("second", "deadly, x = 5, 2")
        with pytest.raises(ExecutionError, match="could not be changed"):
            await one.keeper.take_back(_ID, "second", "undo")
        assert await one.run("third", "print('x' in globals()); y = 1") == "False"
        assert (await one.undo("third", "undo 2")).deleted == ("y",)


_DEADLY = """\
import os
def end():
    os.kill(os.getpid(), 9)
class Deadly:
    def __reduce__(self):
        return end, ()
deadly, x = Deadly(), 1
"""


async def test_nothing_is_left_of_a_conversation_deleted_during_a_save(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", "x = list(range(300_000))", is_saved=False)
        await until(lambda: one.keeper._of(_ID).task is not None)
        saving = one.keeper._of(_ID).task
        assert saving is not None
        await one.keeper.forget(_ID)
        assert one.made.status(_ID).state == "idle"
        await asyncio.wait([saving])
        assert list(tmp_path.glob("variables/*/*")) == []  # noqa: ASYNC240


@pytest.mark.parametrize(
    ("bounds", "python", "why"),
    [("a folder", "cpython-311", "other_policy"), ("", "cpython-312", "other_python")],
)
async def test_what_another_sandbox_or_python_wrote_is_not_mixed_with_what_stays(
    tmp_path: Path, bounds: str, python: str, why: WhyLost
) -> None:
    store = VariableStore(tmp_path / "variables")
    keeper = VariableKeeper(store, lambda: Saving(restores="always"), asks=True)
    own = "another folder" if bounds else ""
    first = _stored(store, Origin(id="first"), {"x": "1", "y": "1"}, (bounds, python))
    later = Origin(id="second", before="first")
    _stored(store, later, {"x": "2", "y": "1"}, (own, "cpython-311"), first)
    changes = await keeper.take_back(_ID, "second", "undo")
    assert changes == VariableChanges(left=(LeftName("x", "not_kept", why),))
    await keeper.go_to(_ID, "second")
    _stored(store, Origin(id="third"), {"z": "1"}, (own, "cpython-311"))
    one = VariableKeeper(store, lambda: Saving(restores="always"), asks=True)
    await one.go_to(_ID, "first")
    now = store.read(_ID)
    assert now is not None
    assert ([row.name for row in now.names], now.bounds, now.python) == (["x", "y"], bounds, python)


def _stored(
    store: VariableStore,
    origin: Origin,
    values: dict[str, str],
    home: tuple[str, str],
    base: Checkpoint | None = None,
) -> Checkpoint:
    """Store a checkpoint as a kernel in a sandbox, and of a Python, would have it."""
    bounds, python = home
    rows = [{"name": name, "verdict": "kept", "hash": name + one} for name, one in values.items()]
    groups = [
        {"key": name + one, "names": [name], "file": name + one, "size": 2, "is_sealed": False}
        for name, one in values.items()
    ]
    return store.take(
        _ID,
        {"names": rows, "groups": groups, "python": python},
        lambda name, target, _limit: bool(target.write_text(name)),
        bounds,
        origin,
        base,
    )


async def test_without_a_kernel_none_is_started_and_the_next_gets_the_earlier(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as one:
        await one.run("first", "x = [1]; y = 1")
        await one.run("second", "x.append(2); z = 3")
        await one.kill()
        undone = await one.undo("second", "undo")
        assert (undone.changed, undone.deleted) == (("x",), ("z",))
        assert one.made.status(_ID).state == "none"
        assert await one.run("third", "print(x, y, 'z' in globals())") == "[1] 1 False"
        await one.undo("undo", "redo")
        assert await one.run("fourth", "print(x, y, z)") == "[1, 2] 1 3"


async def test_a_run_that_was_not_saved_is_said_to_have_fallen_behind(tmp_path: Path) -> None:
    async with bench(tmp_path) as one:
        one.keeper._idle_s = 60.0
        await one.run("first", "x = 1", is_saved=False)
        one.keeper._idle_s = 0.0
        await one.run("second", "x = 2; text = 'q' * 200")
        assert (await one.keeper.state_at(_ID, "first")).why == "behind"
        past = await one.keeper.state_at(_ID, "second")
        assert past.is_kept
        assert next((row.name, row.value) for row in past.variables) == ("x", "2")
        assert past.changes is None
        assert await one.keeper.take_back(_ID, "second", "undo") is None


async def test_undo_of_undo_changes_neither_files_nor_variables(tmp_path: Path) -> None:
    await undo_sequences(tmp_path, count=4, seed=7)
