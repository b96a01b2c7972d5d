"""Variables that another kernel brings back, with real kernels that are killed."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

from playhead.domain.saved_variables import RestoreOffer
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.execution.processes import descendants
from playhead.storage.variable_store import VariableStore
from tests.soak.saves import kill_while_saving
from tests.support.kernels import error_of, executor, report_of, request, run, text_of
from tests.support.waiting import until

_MADE = """\
import collections
import numpy as np
import pandas as pd
from dataclasses import dataclass

numbers = np.arange(10_000.0)
same = numbers
part = numbers[10:20]
frame = pd.DataFrame({"x": range(1000), "word": ["q"] * 1000})
slim = frame[["x"]]
rows = [1, [2]]
inner = rows[1]

@dataclass
class Point:
    x: int = 1
    def doubled(self):
        return 2 * self.x

points = [Point(3)] * 2

def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step

step = counter(); step()
shorten = lambda text: text[:3]
stream = (n for n in range(3))
notes = open("notes.txt", "w")
password = "hunter2hunter2"
"""
_LOOK = """\
print(same is numbers, np.shares_memory(part, numbers), inner is rows[1])
print(points[0] is points[1], type(points[0]) is Point, points[0].doubled())
print(step(), shorten("abcdef"), frame.shape, slim.shape, collections.__name__)
part[0] = -1
frame.loc[0, "x"] = 77
print(numbers[10], slim.loc[0, "x"])
print("stream" in globals(), "notes" in globals(), "password" in globals())
"""
_SEEN = """\
True True True
True True 6
2 abc (1000, 2) (1000, 1) collections
-1.0 0
False False False
"""


_ALWAYS = Saving(restores="always")


def _keeper(folder: Path, saving: Saving = _ALWAYS) -> VariableKeeper:
    return VariableKeeper(VariableStore(folder / "variables"), lambda: saving, asks=True)


def _kernel(made: ProcessExecutor) -> int:
    pid = made.status("conversation").pid
    assert pid is not None
    return pid


async def _saved(folder: Path, name: str) -> None:
    """Wait until what has run is saved, with a name among it."""

    def is_saved() -> bool:
        found = VariableStore(folder / "variables").read("conversation")
        return found is not None and any(one.name == name for one in found.names)

    await until(is_saved)


async def _kill(made: ProcessExecutor) -> None:
    os.kill(_kernel(made), signal.SIGKILL)
    await until(lambda: made.status("conversation").state == "none")


async def test_a_killed_kernels_variables_come_back_with_what_joins_them(tmp_path: Path) -> None:
    keeper = _keeper(tmp_path)
    async with executor(tmp_path, keeper) as made:
        assert error_of(await run(made, request(tmp_path, _MADE))) is None
        await _saved(tmp_path, "shorten")
        await _kill(made)
        waiting = {one.name: one for one in await made.variables("conversation")}
        assert (waiting["numbers"].survival, waiting["notes"].survival) == ("saved", "again")
        assert "before the next code runs" in (await keeper.survivors("conversation"))()
        assert text_of(await run(made, request(tmp_path, _LOOK))) == _SEEN
        back = made.status("conversation").brought_back
        assert back is not None
        assert {"Point", "points", "frame", "step"} <= set(back.names)
        assert {"np", "pd", "collections"} == set(back.modules)
        lost = {one.name: one for one in back.lost}
        assert lost.keys() == {"stream", "notes", "password"}
        notes = lost["notes"]
        assert (notes.verdict, notes.why, notes.type, notes.line) == (
            ("again", "file", "TextIOWrapper", 33)
        )
        told = (await keeper.survivors("conversation"))()
        assert "stream (a generator cannot be kept; line 32 of its block makes it again)" in told
        shown = {one.name: one for one in await made.variables("conversation")}
        assert (shown["rows"].survival, shown["password"].why) == ("back", "secret")


async def test_the_user_is_asked_before_variables_come_back(tmp_path: Path) -> None:
    keeper = _keeper(tmp_path, Saving())
    async with executor(tmp_path, keeper) as made:
        await run(made, request(tmp_path, "x, y = 1, (n for n in range(3))"))
        await _saved(tmp_path, "x")
        await _kill(made)
        stopped = asyncio.create_task(run(made, request(tmp_path, "print(x)")))
        await until(lambda: made.status("conversation").offer is not None)
        assert made.status("conversation").offer == RestoreOffer(1, 2)
        await made.interrupt("conversation")
        assert report_of(await stopped).state == "interrupted"
        refused = asyncio.create_task(
            run(made, request(tmp_path, "print('x' in globals()); z = 2"))
        )
        await until(lambda: made.status("conversation").offer is not None)
        keeper.answer("conversation", "no")
        assert text_of(await refused) == "False\n"
        await _saved(tmp_path, "z")  # what was refused is replaced by what there is now
        await _kill(made)
        taken = asyncio.create_task(run(made, request(tmp_path, "print('x' in globals(), z)")))
        await until(lambda: made.status("conversation").offer is not None)
        keeper.answer("conversation", "yes")
        assert text_of(await taken) == "False 2\n"


async def test_only_what_is_as_it_was_written_is_read(tmp_path: Path) -> None:
    store = VariableStore(tmp_path / "variables")
    async with executor(tmp_path, _keeper(tmp_path)) as made:
        await run(
            made, request(tmp_path, f"x = 1; large = bytes({10_000}); other = [large[:9999]]")
        )
        await _saved(tmp_path, "x")
        found = store.read("conversation")
        assert found is not None
        assert store.read("another") is None
        blob = next(group.blob for group in found.groups if "large" in group.names)
        (path,) = tmp_path.glob(f"variables/*/{blob}")  # noqa: ASYNC240
        path.write_bytes(path.read_bytes()[:-1] + b"!")
        await _kill(made)
        assert text_of(await run(made, request(tmp_path, "print(x, 'large' in globals())"))) == (
            "1 False\n"
        )
        back = made.status("conversation").brought_back
        assert back is not None
        assert [(one.name, one.why) for one in back.lost] == [("large", "missing")]
    for path in tmp_path.glob("variables/*/checkpoint-*"):  # noqa: ASYNC240
        path.write_bytes(path.read_bytes().replace(b'"x"', b'"z"'))
    assert VariableStore(tmp_path / "variables").read("conversation") is None


async def test_a_run_and_its_stop_do_not_wait_for_a_save(tmp_path: Path) -> None:
    slow = (
        "import time\nclass Slow:\n    def __reduce__(self):\n        time.sleep(60)\nslow = Slow()"
    )
    async with executor(tmp_path, _keeper(tmp_path)) as made:
        await run(made, request(tmp_path, slow))
        kernel = _kernel(made)
        await until(lambda: _others(made, kernel) != [])
        assert text_of(await run(made, request(tmp_path, "import os; print(os.getpid())"))) == (
            f"{kernel}\n"
        )
        (saver,) = _others(made, kernel)
        assert os.getpgid(saver) == saver
        assert not made.status("conversation").going_on
        endless = asyncio.create_task(run(made, request(tmp_path, "while True: pass")))
        await until(lambda: made.status("conversation").state == "busy")
        await made.interrupt("conversation")
        assert report_of(await endless).state == "interrupted"
        assert _kernel(made) == kernel
    await until(lambda: not Path(f"/proc/{saver}").exists())


def _others(made: ProcessExecutor, kernel: int) -> list[int]:
    """Return what lives below the supervisor beside the kernel, but not what begins a save."""
    (supervisor,) = made.supervisors()
    found: list[int] = []
    for pid in descendants(supervisor) - {kernel}:
        with suppress(ProcessLookupError):
            found += [pid] if os.getpgid(pid) == pid else []
    return found


async def test_values_that_stop_a_save_do_not_stop_the_next(tmp_path: Path) -> None:
    bad = "class Bad:\n  def __reduce__(self):\n    import os; os.abort()\nbad = Bad(); x = [{}]"
    async with executor(tmp_path, _keeper(tmp_path)) as made:
        await run(made, request(tmp_path, bad))
        await _saved(tmp_path, "x")
        found = VariableStore(tmp_path / "variables").read("conversation")
        assert found is not None
        rows = {one.name: one for one in found.names}
        assert (rows["bad"].verdict, rows["bad"].why, rows["x"].verdict) == ("lost", "slow", "kept")


async def test_a_kernel_killed_at_any_moment_leaves_its_last_whole_save(tmp_path: Path) -> None:
    await kill_while_saving(tmp_path, kills=6, seed=4)


async def test_nothing_is_kept_where_that_is_switched_off(tmp_path: Path) -> None:
    saving = [Saving()]
    keeper = VariableKeeper(VariableStore(tmp_path / "variables"), lambda: saving[0])
    async with executor(tmp_path, keeper) as made:
        await run(made, request(tmp_path, "x = 1"))
        await _saved(tmp_path, "x")
        saving[0] = Saving(is_on=False)
        await run(made, request(tmp_path, "y = 1"))
        await until(lambda: not list(tmp_path.glob("variables/*/checkpoint-*")))
        await _kill(made)
        assert "x" not in {one.name for one in await made.variables("conversation")}
