"""Kernels in the sandbox beside plain ones, in turns, the best of nine each; one JSON line.

A kernel is ready with the end of a first run that nobody was asked about; `approved` is timed from
the approval of a proposal that a person has read for a moment, while a supervisor got ready.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.domain.execution import RunRequest
from playhead.domain.trust import Policy, Reach
from playhead.event_loop import run
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.sandbox import PrivatePlaces, Sandbox
from tests.benchmarks.measured_review import review_figures

TURNS = 9
WARM_RUNS = 60
READING_S = 0.3
PLAIN, INSIDE = Policy(), Policy(files="folder", network="off")
NAMED = Policy(files="folder", network="listed", hosts=("api.example",))
USED = "import socket\ntry: socket.create_connection(('other.example', 443))\nexcept OSError: pass"
"""Wakes what serves the network; nothing leaves this computer."""
LOOP = (
    "import time\nbegan = time.perf_counter()\nfor n in range(3_000_000): pass\n"
    "print(time.perf_counter() - began)"
)
FILES = """import os, time
began = time.perf_counter()
for n in range(1500):
    with open(f'f{n}', 'w') as file: file.write('x' * 1000)
    os.stat(f'f{n}')
    with open(f'f{n}') as file: file.read()
    os.unlink(f'f{n}')
print(time.perf_counter() - began)"""
SLEEP = "import time\nprint('ready', flush=True)\ntime.sleep(600)"


class Kernels:
    """An executor with a conversation for each policy."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work"
        self.folder.mkdir()
        places = PrivatePlaces(home=str(home), homes=home / "data" / "homes")
        self.sandbox = Sandbox(places)
        self.executor = ProcessExecutor(home / "data" / "output", sandbox=self.sandbox)
        self._runs = 0

    def request(self, code: str, policy: Policy) -> RunRequest:
        self._runs += 1
        return RunRequest(
            run_id=f"run-{self._runs}",
            conversation_id=_conversation(policy),
            language="python",
            code=code,
            folder=str(self.folder),
            interpreter=sys.executable,
            policy=policy,
            shows_lines=False,
        )

    async def timed(self, code: str, policy: Policy) -> tuple[float, str]:
        """Seconds of a run, and its output."""
        began, said = time.perf_counter(), ""
        async with aclosing(self.executor.run(self.request(code, policy))) as chunks:
            async for chunk in chunks:
                said += str(chunk.content) if chunk.format == "output" else ""
        return time.perf_counter() - began, said

    async def first_s(self, policy: Policy) -> float:
        """Seconds of a first run that nobody was asked about."""
        await self.executor.restart(_conversation(policy))
        return (await self.timed("pass", policy))[0]

    async def approved_s(self, policy: Policy) -> float:
        """Seconds of a first run, from its approval on."""
        await self.executor.restart(_conversation(policy))
        self.executor.expect(_conversation(policy), policy)
        await asyncio.sleep(READING_S)
        return (await self.timed("pass", policy))[0]

    async def warm_s(self, policy: Policy) -> float:
        """Seconds of a short run."""
        return min([(await self.timed("print(1+1)", policy))[0] for _ in range(WARM_RUNS)])

    async def printed_s(self, code: str, policy: Policy) -> float:
        """Seconds that code has measured by itself."""
        return float((await self.timed(code, policy))[1])

    async def stop_ms(self, policy: Policy) -> float:
        """Milliseconds from Stop to the end of a run."""
        stopped_at = 0.0
        async with aclosing(self.executor.run(self.request(SLEEP, policy))) as chunks:
            async for chunk in chunks:
                if not stopped_at and "ready" in str(chunk.content):
                    await asyncio.sleep(0.05)
                    stopped_at = time.perf_counter()
                    await self.executor.interrupt(_conversation(policy))
        return (time.perf_counter() - stopped_at) * 1000

    async def dial_ms(self, policy: Policy, reach: Reach) -> float:
        """Milliseconds until a living kernel has a folder and a name, or has them no more."""
        began = time.perf_counter()
        await self.executor.set_reach(_conversation(policy), reach)
        return (time.perf_counter() - began) * 1000

    async def dials_ms(self) -> float:
        """The slower one of a grant and its end, each the best of some."""
        shown = self.folder.parent / "shown"
        shown.mkdir()
        reach = Reach(hosts=("other.example",), readable=(str(shown),))
        await self.timed(USED, NAMED)
        given, taken = [], []
        for _ in range(TURNS):
            given.append(await self.dial_ms(NAMED, reach))
            taken.append(await self.dial_ms(NAMED, Reach()))
        return max(min(given), min(taken))


def _conversation(policy: Policy) -> str:
    return f"{policy.files}-{policy.network}"


async def figures(home: Path) -> dict[str, float]:
    """All of them."""
    kernels = Kernels(home)
    measures = {
        "kernel_ready_ratio": kernels.first_s,
        "kernel_ready_by_names_ratio": kernels.first_s,
        "kernel_ready_approved_ratio": kernels.approved_s,
        "kernel_ready_approved_by_names_ratio": kernels.approved_s,
        "warm_run_ratio": kernels.warm_s,
        "loop_ratio": functools.partial(kernels.printed_s, LOOP),
        "file_work_ratio": functools.partial(kernels.printed_s, FILES),
    }
    found: dict[str, float] = {}
    try:
        for name, measure in measures.items():
            plain, inside = [], []
            bounds = NAMED if "names" in name else INSIDE
            for _ in range(TURNS):
                plain.append(await measure(PLAIN))
                inside.append(await measure(bounds))
            found[name] = round(min(inside) / min(plain), 3)
        found["stop_ms"] = round(min([await kernels.stop_ms(INSIDE) for _ in range(TURNS)]), 2)
        found["dial_ms"] = round(await kernels.dials_ms(), 2)
        tests: list[float] = []
        for _ in range(3):
            began = time.perf_counter()
            await kernels.sandbox.test()
            tests.append(time.perf_counter() - began)
        found["boundary_test_s"] = round(min(tests), 3)
    finally:
        await kernels.executor.close()
    return found


def main() -> None:
    with tempfile.TemporaryDirectory(dir=os.environ.get("HOME")) as home:
        application = QCoreApplication([])
        found = run(figures(Path(os.path.realpath(home))), application)
        print(json.dumps(found | review_figures(application)))


if __name__ == "__main__":
    main()
