"""500 mixed blocks, some stopped, some killed; nothing may leak, memory stays flat."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.domain.conversation.payloads import RunReport
from playhead.domain.execution import RunLimits, RunRequest
from playhead.event_loop import EventLoop
from playhead.execution.process_executor import ProcessExecutor
from tests.soak import languages
from tests.support.guards import command_line, descendants, mark_descendants

BLOCKS = 500
CONVERSATIONS = 3
WARM_UP = 50
GROWTH_LIMIT_MB = 25
SEED = 20_260_101
_READY = "print('ready', flush=True)\n"

QUICK = {
    "print": "print(6 * 7)",
    "names": "x = globals().get('x', 0) + 1\nx",
    "error": "1 / 0",
    "long output": "for n in range(200_000):\n    print(n)",
    "children": "import subprocess\nsubprocess.run(['echo', 'child'])",
    "thread": "import threading\nthreading.Thread(target=print, args=('t',)).start()",
    "files": "open('made.txt', 'a').write('line\\n')",
    "markup": "class P:\n    def _repr_html_(self):\n        return '<b>' + 'x' * 9000\nP()",
    "background child": "import os\nos.system('sleep 600 &')",
    "exit": "import sys\nsys.exit(3)",
    "closed output": "import os\nos.close(1)",
}
ENDLESS = {
    "sleep": _READY + "import time\ntime.sleep(600)",
    "loop": _READY + "while True:\n    pass",
    "flood": _READY + "while True:\n    print('x' * 200)",
    "yes": _READY + "import os\nos.system('yes')",
    "question": _READY + "input()",
}
DEADLY = {
    "crash": "import ctypes\nctypes.string_at(0)",
    "os._exit": "import os\nos._exit(3)",
    "deaf": _READY + "import signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True:\n    pass",
}


@dataclass(frozen=True)
class Usage:
    """What this process holds."""

    rss_mb: float
    descriptors: int
    threads: int
    tasks: int
    files: int

    @classmethod
    def now(cls, folder: Path) -> Usage:
        """As it is at this moment."""
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(
            pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            len(os.listdir("/proc/self/fd")),
            threading.active_count(),
            len(asyncio.all_tasks()),
            sum(len(names) for _, _, names in os.walk(folder)),
        )


class Soak:
    """Runs blocks in several conversations, one after the other, and counts how they ended."""

    def __init__(self, folder: Path, has_languages: bool) -> None:
        self._folder = folder
        self._work = folder / "work"
        self._work.mkdir()
        self._random = random.Random(SEED)
        self._executor = ProcessExecutor(folder / "outputs")
        installed = [word for word in languages.QUICK if word in self._executor.languages]
        self._languages = ["python", *(installed if has_languages else [])]
        self._runs = 0
        self.ends: Counter[str] = Counter()

    async def blocks(self, count: int) -> None:
        """Run so many blocks."""
        for _ in range(count):
            await self._block()

    async def close(self) -> None:
        """End the kernels."""
        await self._executor.close()

    async def _block(self) -> None:
        kind = self._random.choices(("quick", "endless", "deadly", "abandoned"), (80, 14, 4, 2))[0]
        language = self._random.choice(self._languages)
        blocks = _blocks(language, kind)
        name = self._random.choice(list(blocks))
        conversation = f"c{self._random.randrange(CONVERSATIONS)}"
        self._runs += 1
        request = RunRequest(
            run_id=f"run-{self._runs}",
            conversation_id=conversation,
            language=language,
            code=blocks[name],
            folder=str(self._work),
            interpreter=sys.executable,
            stop_grace_s=0.3,
            limits=RunLimits(seconds=60, output_bytes=5_000_000),
        )
        await self._run(request, is_abandoned=kind == "abandoned")

    async def _run(self, request: RunRequest, is_abandoned: bool) -> None:
        state = "abandoned"
        async with aclosing(self._executor.run(request)) as chunks:
            async for chunk in chunks:
                if chunk.format == "output" and str(chunk.content).startswith("ready\n"):
                    if is_abandoned:
                        break
                    await self._executor.interrupt(request.conversation_id)
                elif chunk.format == "path" and chunk.content:
                    _forget(str(chunk.content))
                elif isinstance(chunk.content, RunReport) and chunk.content.state != "started":
                    state = chunk.content.state
                    _forget(chunk.content.output_path)
        if state == "abandoned":  # nobody was told of its output, which lies by its conversation
            for path in self._folder.glob(f"outputs/*/{request.run_id}.txt"):
                path.unlink()
        self.ends[state] += 1


def _blocks(language: str, kind: str) -> dict[str, str]:
    """What there is to choose from; who knows nothing endless has something quick."""
    if language == "python":
        return QUICK if kind == "quick" else DEADLY if kind == "deadly" else ENDLESS
    is_quick = kind in ("quick", "deadly") or language not in languages.ENDLESS
    return (languages.QUICK if is_quick else languages.ENDLESS)[language]


def _forget(path: str | None) -> None:
    """Delete an output or image that the user was told of: it is meant to stay."""
    if path is not None:
        Path(path).unlink()


async def soak(folder: Path, blocks: int, has_languages: bool) -> list[str]:
    """What is wrong afterwards, in words."""
    before = set(descendants())
    made = Soak(folder, has_languages)
    await made.blocks(min(WARM_UP, blocks))
    warm = Usage.now(folder)
    began = time.monotonic()
    await made.blocks(blocks - min(WARM_UP, blocks))
    hot = Usage.now(folder)
    await made.close()
    end = Usage.now(folder)
    print(f"{blocks} blocks in {time.monotonic() - began:.0f} s: {dict(made.ends)}")
    for name, usage in (("warm", warm), ("hot", hot), ("end", end)):
        print(f"{name:5}{usage}")
    return [*_complaints(warm, hot, end), *await _left_behind(before)]


def _complaints(warm: Usage, hot: Usage, end: Usage) -> Sequence[str]:
    checks = {
        f"memory grew by {hot.rss_mb - warm.rss_mb:.1f} MB": hot.rss_mb - warm.rss_mb
        > GROWTH_LIMIT_MB,
        f"{end.descriptors - warm.descriptors} descriptors more": end.descriptors
        > warm.descriptors,
        f"{end.tasks - 1} tasks left": end.tasks > 1,
        f"{end.files} files left": end.files > 1,  # made.txt of the block `files`
    }
    return [words for words, is_wrong in checks.items() if is_wrong]


async def _left_behind(before: set[int]) -> list[str]:
    deadline = time.monotonic() + 5
    while left := set(descendants()) - before:
        if time.monotonic() > deadline:
            break
        await asyncio.sleep(0.05)
    return [f"process left behind: {pid} {command_line(pid)}" for pid in left]


def main(has_languages: bool = False, blocks: int = BLOCKS) -> int:
    """Soak, and say how it went."""
    mark_descendants()
    app = QCoreApplication(sys.argv)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        asyncio.Runner(loop_factory=functools.partial(EventLoop, app)) as runner,
    ):
        complaints = runner.run(soak(Path(folder), blocks, has_languages))
    print("\n".join(complaints) or "nothing leaked")
    return 1 if complaints else 0
