"""The executor on its own loop: round trip, throughput beside a bare loop, Stop; one JSON line.

With `start` it is the seconds until a first block has run alone.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import RunLimits, RunRequest
from playhead.event_loop import EventLoop
from playhead.execution.process_executor import ProcessExecutor
from tests.benchmarks.bare_kernel import BareKernel

WARM_RUNS = 50
STOPS = 5
PAIRS = 3
LINES = 200_000
BLOCKS = 2_000
BLOCK_BYTES = 65_536
PARTS = 4

PRINT = "for n in range({first}, {last}):\n    print(n)\n"
WRITE = "for n in range({count}):\n    os.write(1, block)\n"
STUCK = (
    "import ctypes, signal\n"
    "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
    "libc = ctypes.PyDLL(None)\nprint('ready', flush=True)\nlibc.pause()\n"
)
"""C code that holds the interpreter's lock with SIGINT blocked: only a kill ends it."""
STOPPED = {
    "sleep": "import time\nprint('ready', flush=True)\ntime.sleep(600)",
    "loop": "print('ready', flush=True)\nwhile True:\n    pass",
    "flood": "print('ready', flush=True)\nwhile True:\n    print('x' * 100)",
    "yes": "import os\nprint('ready', flush=True)\nos.system('yes')",
    "stuck": STUCK,
}


class Bench:
    """One executor in one folder; `run_s` runs a block and checks nothing."""

    def __init__(self, folder: Path, variables: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.executor = ProcessExecutor(folder / "outputs", variables)
        self._runs = 0

    def request(self, code: str) -> RunRequest:
        """A run of its own, with all of its output kept."""
        self._runs += 1
        name, folder = f"run-{self._runs}", str(self.folder)
        limits = RunLimits(output_bytes=0)
        return RunRequest(
            run_id=name,
            conversation_id="bench",
            language="python",
            code=code,
            folder=folder,
            interpreter=sys.executable,
            limits=limits,
        )

    async def run_s(self, code: str) -> float:
        """Seconds from the approval to the last chunk."""
        began = time.perf_counter()
        async with aclosing(self.executor.run(self.request(code))) as chunks:
            async for _ in chunks:
                pass
        return time.perf_counter() - began

    async def checked_run_s(self, code: str, digest: str, lines: Sequence[int]) -> float:
        """The same for a long output, whose file must be right and of which every line was lit."""
        seen: list[object] = []
        path = None
        began = time.perf_counter()
        async with aclosing(self.executor.run(self.request(code))) as chunks:
            async for chunk in chunks:
                if chunk.format == "active_line":
                    seen.append(chunk.content)
                elif isinstance(chunk.content, RunReport):
                    path = chunk.content.output_path
        seconds = time.perf_counter() - began
        if path is None or _digest(Path(path)) != digest:
            raise RuntimeError(f"The file of the output is not what was printed: {path}")
        if missing := [line for line in lines if line not in seen]:
            raise RuntimeError(f"Lines that were not seen: {missing} of {seen}")
        os.unlink(path)
        return seconds

    async def stop_ms(self, code: str) -> float:
        """Milliseconds from Stop to the end of the run."""
        stopped_at = 0.0
        async with aclosing(self.executor.run(self.request(code))) as chunks:
            async for chunk in chunks:
                if not stopped_at and "ready" in str(chunk.content):
                    await asyncio.sleep(0.1)  # in the middle of it, whatever it is
                    stopped_at = time.perf_counter()
                    await self.executor.interrupt("bench")
        return (time.perf_counter() - stopped_at) * 1000


async def start_s(folder: Path) -> float:
    """Seconds from the first need of a kernel to the end of its first block."""
    bench = Bench(folder)
    try:
        return await bench.run_s("print(1)")
    finally:
        await bench.executor.close()


async def figures(folder: Path) -> dict[str, float]:
    """All of them."""
    bench = Bench(folder)
    try:
        await bench.run_s("import os")
        warm = [await bench.run_s("print(1+1)") for _ in range(WARM_RUNS)]
        found = {"warm_end_ms": round(statistics.median(warm) * 1000, 2)}
        found |= await _throughput(bench)
        for name, code in STOPPED.items():
            times = [await bench.stop_ms(code) for _ in range(STOPS)]
            found[f"stop_{name}_ms"] = round(statistics.median(times), 1)
        return found
    finally:
        await bench.executor.close()


async def _throughput(bench: Bench) -> dict[str, float]:
    """Bytes per second of the executor over those of a bare loop of `os.read`, the best of each.

    Both read the same kernel that runs the same block; the executor besides finds the marks,
    keeps the output in a file and shows what is to be shown.
    """
    folder = bench.folder / "bare"
    folder.mkdir()
    bare = BareKernel(folder)
    try:
        return {
            **await _lines(bench, bare),
            **await _blocks(bench, bare),
        }
    finally:
        bare.close()


async def _lines(bench: Bench, bare: BareKernel) -> dict[str, float]:
    size = LINES // PARTS
    code = "".join(PRINT.format(first=n * size, last=(n + 1) * size) for n in range(PARTS))
    text = "".join(f"{n}\n" for n in range(LINES))
    lit = [2 * part + 1 for part in range(PARTS)]
    return await _pairs(bench, bare, "lines", code, text.encode(), lit)


async def _blocks(bench: Bench, bare: BareKernel) -> dict[str, float]:
    line = f"block = bytes(range(33, 97)) * {BLOCK_BYTES // 64}\n"
    code = "import os\n" + line + WRITE.format(count=BLOCKS // 2) * 2
    data = bytes(range(33, 97)) * (BLOCK_BYTES // 64) * (BLOCKS // 2 * 2)
    return await _pairs(bench, bare, "block", code, data, [1, 2, 3, 5])


async def _pairs(
    bench: Bench, bare: BareKernel, name: str, code: str, output: bytes, lit: Sequence[int]
) -> dict[str, float]:
    digest = hashlib.sha256(output).hexdigest()
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(PAIRS):
        theirs.append(await asyncio.to_thread(bare.run_s, code))
        ours.append(await bench.checked_run_s(code, digest, lit))
    return {
        f"{name}_ratio": round(min(theirs) / min(ours), 2),
        f"{name}_mb_per_s": round(len(output) / 1e6 / min(ours), 1),
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> int:
    """Print the figures."""
    app = QCoreApplication(sys.argv)
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=functools.partial(EventLoop, app)) as runner,
    ):
        measure = start_s if sys.argv[1:] == ["start"] else figures
        print(json.dumps(runner.run(measure(Path(folder)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
