"""A session of 60 cells on a real kernel, with variables kept or not: its CPU time, as JSON.

`measured_saving MODE [INTERPRETER]`: `none`, `kept`, `sizes` (what is written, and what pickling
everything after each cell would be), `warm` and `warm-kept` (the wait for one small run), `felt`
(the wait for a run behind a save, and for a checkout).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication

from playhead.domain.execution import RunRequest
from playhead.domain.saved_variables import Checkpoint
from playhead.event_loop import run
from playhead.execution.keeping.variable_keeper import Saving, VariableKeeper
from playhead.execution.process_executor import ProcessExecutor
from playhead.storage.variable_store import VariableStore
from tests.benchmarks.mixed_cells import CELLS
from tests.support.kernels import request
from tests.support.kernels import run as run_code

_IDLE_S = 0.05
"""A save begins this long after each cell: no cell is left out because the next one came soon."""
_REST_S = 0.4
_WARM_RUNS = 200
_PICKLED = """\
import pickle as _p
def _size(v):
    try:
        return len(_p.dumps(v, 5))
    except Exception:
        return 0
print(sum(_size(v) for k, v in list(globals().items()) if k[0] != "_"))
del _p, _size
"""


class _TimedStore(VariableStore):
    """Notes when each save was taken."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.taken_at = 0.0

    def take(self, *arguments: Any, **named: Any) -> Checkpoint:
        """Take a save, and note the time."""
        checkpoint = super().take(*arguments, **named)
        self.taken_at = time.monotonic()
        return checkpoint


class _Session:
    """One conversation with one kernel; its cells rest alike, whether they are saved or not."""

    def __init__(self, folder: Path, interpreter: str, *, is_kept: bool) -> None:
        self._folder = folder
        self._interpreter = interpreter
        self.store = _TimedStore(folder / "variables")
        self.keeper = VariableKeeper(self.store, Saving, idle_s=_IDLE_S) if is_kept else None
        self.executor = ProcessExecutor(folder / "output", keeper=self.keeper)
        self._numbers = itertools.count(1)
        self.last_run = ""
        self.behind = 0
        self.saved_s = 0.0

    def request(self, code: str) -> RunRequest:
        """A run of a code."""
        self.last_run = f"run-{next(self._numbers)}"
        wanted = request(self._folder, code, self.last_run)
        return replace(wanted, interpreter=self._interpreter)

    async def run_now(self, code: str) -> None:
        """Run a code, and do not rest."""
        await run_code(self.executor, self.request(code))

    async def run(self, cell: str) -> str:
        """Run a cell and rest; return its output."""
        chunks = await run_code(self.executor, self.request(cell))
        assert not any(chunk.type == "error" for chunk in chunks), (cell, chunks)
        ended_at = time.monotonic()
        await asyncio.sleep(_REST_S)
        if self.keeper is not None:
            while self.keeper.is_waiting("conversation"):  # noqa: ASYNC110 - as without it
                await asyncio.sleep(_REST_S)
            self.behind += self.keeper.is_behind("conversation")
            self.saved_s = max(self.saved_s, self.store.taken_at - ended_at)
        return "".join(str(c.content) for c in chunks if c.format == "output")


async def _cells(folder: Path, interpreter: str, *, is_kept: bool) -> dict[str, float]:
    session = _Session(folder, interpreter, is_kept=is_kept)
    for cell in CELLS:
        await session.run(cell)
    found = session.store.read("conversation")
    await session.executor.close()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "cpu_s": sum(one.ru_utime + one.ru_stime for one in used),
        "own_s": used[0].ru_utime + used[0].ru_stime,
        "system_s": used[1].ru_stime,
        "behind": session.behind,
        "saved_s": session.saved_s,
        "kept": sum(one.comes_back for one in found.names) if found else 0,
        "again": sum(one.verdict == "again" for one in found.names) if found else 0,
        "names": len(found.names) if found else 0,
    }


async def _sizes(folder: Path, interpreter: str) -> dict[str, float]:
    session = _Session(folder, interpreter, is_kept=True)
    written = pickled = 0.0
    seen: set[str] = set()
    for cell in CELLS:
        await session.run(cell)
        pickled += float(await session.run(_PICKLED))
        for blob in folder.glob("variables/*/*"):  # noqa: ASYNC240
            written += blob.stat().st_size if blob.name not in seen and len(blob.name) == 64 else 0
            seen.add(blob.name)
    await session.executor.close()
    return {"written": written, "pickled": pickled}


async def _warm(folder: Path, interpreter: str, *, is_kept: bool) -> dict[str, float]:
    """The wait for one warm run, in microseconds."""
    session = _Session(folder, interpreter, is_kept=is_kept)
    for cell in CELLS[:2]:
        await session.run(cell)
    times: list[float] = []
    for _ in range(_WARM_RUNS):
        began = time.perf_counter()
        await run_code(session.executor, session.request("print(1 + 1)"))
        times.append(time.perf_counter() - began)
    await session.executor.close()
    return {"warm_us": statistics.median(times) * 1e6}


async def _felt(folder: Path, interpreter: str) -> dict[str, float]:
    """The longest wait for a run that comes when a save has begun, and for a checkout.

    The wait is that beyond what the same run takes when nothing is saved, in milliseconds.
    """
    session = _Session(folder, interpreter, is_kept=True)
    waits: list[float] = []
    calm: list[float] = []
    for cell in CELLS:
        await run_code(session.executor, session.request(cell))
        await asyncio.sleep(_IDLE_S * 1.1)
        waits.append(await _timed(session.run_now("pass")))
        await session.run("pass")
        calm.append(await _timed(session.run_now("pass")))
        await session.run("pass")
    assert session.keeper is not None
    before = session.last_run
    await session.run("total = 1; words.append('x')")
    checkout_s = await _timed(session.keeper.go_to("conversation", before))
    await session.executor.close()
    return {
        "pause_ms": (max(waits) - statistics.median(calm)) * 1e3,
        "checkout_ms": checkout_s * 1e3,
    }


async def _timed(doing: Awaitable[object]) -> float:
    began = time.perf_counter()
    await doing
    return time.perf_counter() - began


async def _measured(folder: Path, mode: str, interpreter: str) -> dict[str, float]:
    if mode == "sizes":
        return await _sizes(folder, interpreter)
    if mode == "felt":
        return await _felt(folder, interpreter)
    measure = _warm if mode.startswith("warm") else _cells
    return await measure(folder, interpreter, is_kept=mode.endswith("kept"))


def main() -> None:
    """Print the figures of one session."""
    mode, *interpreter = sys.argv[1:]
    with tempfile.TemporaryDirectory() as place:
        app = QCoreApplication([])
        measured = _measured(Path(place), mode, (*interpreter, sys.executable)[0])
        print(json.dumps(run(measured, app)))


if __name__ == "__main__":
    main()
