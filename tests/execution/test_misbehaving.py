"""Every kind of misbehaving program, on every Python: it ends, is reported, the next one works."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import RunLimits, RunRequest
from playhead.domain.text.run_ends import run_end_reason
from playhead.execution.process_executor import ProcessExecutor
from tests.support.guards import descendants
from tests.support.kernels import error_of, executor, lines_of, report_of, request, run, text_of
from tests.support.pythons import each_python
from tests.support.waiting import until

READY = "print('ready', flush=True)\n"
STUCK = READY + "import ctypes\nlibc = ctypes.PyDLL(None)\n"
BLOCKED = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"


@dataclass(frozen=True)
class Program:
    """A program that has to be stopped, and the line at which it then is.

    `survives`: the kernel and its names are still there afterwards.
    """

    code: str
    line: int
    survives: bool = True


ENDLESS = {
    "sleep": Program(READY + "import time\ntime.sleep(600)", 3),
    "busy loop": Program(READY + "n = 0\nwhile True:\n    n += 1", 4),
    "flood": Program(READY + "while True:\n    print('x' * 100)", 3),
    "yes": Program(READY + "import os\nos.system('yes')", 3),
    "pattern without end": Program(READY + "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", 3),
    "C code that holds the lock": Program(
        STUCK + BLOCKED + "signal.signal(signal.SIGINT, lambda *_: None)\nlibc.pause()",
        7,
        survives=False,
    ),
    "C code in a loop": Program(STUCK + BLOCKED + "while True:\n    libc.usleep(10_000)", 7),
    "a child that ignores SIGINT": Program(
        READY + "import os\nos.system(\"trap '' INT; sleep 600 & wait; sleep 600\")", 3
    ),
    "a fork": Program(
        READY + "import os\npid = os.fork()\nwhile not pid:\n    pass\nos.waitpid(pid, 0)", 6
    ),
    "a question": Program(READY + "name = input()", 2),
}
"""Of a loop, its first line may be named or its body: whichever ran at that moment."""


@pytest.fixture(params=each_python("3.10"))
def python(request: pytest.FixtureRequest) -> str:
    return request.param


def asked(python: str, folder: Path, code: str, grace_s: float = 0.6) -> RunRequest:
    return replace(request(folder, code, grace_s=grace_s), interpreter=python)


async def stopped(made: ProcessExecutor, wanted: RunRequest) -> list[Chunk]:
    """Run until it says that it is ready and has come to its last statement, then stop."""
    chunks: list[Chunk] = []
    is_ready = has_stopped = False
    last = ENDLESS_LINES[wanted.code]
    async with aclosing(made.run(wanted)) as stream:
        async for chunk in stream:
            chunks.append(chunk)
            is_ready = is_ready or "ready" in str(chunk.content)
            is_there = isinstance(chunk.content, int) and chunk.content >= last
            if is_ready and is_there and not has_stopped:
                has_stopped = True
                await made.interrupt("conversation")
    return chunks


def _last_statement(code: str) -> int:
    """The first line of the last statement that is not indented."""
    lines = enumerate(code.splitlines(), 1)
    return max(number for number, line in lines if not line.startswith(" "))


ENDLESS_LINES = {program.code: _last_statement(program.code) for program in ENDLESS.values()}


async def works(made: ProcessExecutor, python: str, folder: Path) -> bool:
    """Whether the next block runs and shows its own output, and only that."""
    chunks = await run(made, asked(python, folder, "print('next', 6 * 7)"))
    assert report_of(chunks).state == "finished"
    return text_of(chunks).endswith("next 42\n") and lines_of(chunks) == [1, None]


@pytest.mark.parametrize("name", ENDLESS)
async def test_it_is_stopped_at_its_line_and_the_next_block_works(
    tmp_path: Path, python: str, name: str
) -> None:
    program = ENDLESS[name]
    before = set(descendants())
    async with executor(tmp_path) as made:
        await run(made, asked(python, tmp_path, "kept = 'the name'"))
        grace_s = 5.0 if program.survives else 0.6
        report = report_of(await stopped(made, asked(python, tmp_path, program.code, grace_s)))
        assert report.state == ("interrupted" if program.survives else "killed"), report
        assert report.line in {program.line, program.line - 1}
        assert report.seconds > 0
        assert (report.end is not None and report.end.grace_s is not None) != program.survives
        assert await works(made, python, tmp_path)
        names = await run(made, asked(python, tmp_path, "kept"))
        # The child of a fork may say late that it was stopped, too.
        assert text_of(names).endswith("'the name'\n") is program.survives
    await until(lambda: not set(descendants()) - before)


CRASHES = {
    "os._exit": ("import os\nprint('last words')\nos._exit(3)", "exit status 3"),
    "segmentation fault": (
        "import ctypes\nprint('last words')\nctypes.string_at(0)",
        "SIGSEGV",
    ),
}


@pytest.mark.parametrize("name", CRASHES)
async def test_a_crash_is_told_with_its_line_and_the_next_block_works(
    tmp_path: Path, python: str, name: str
) -> None:
    code, reason = CRASHES[name]
    async with executor(tmp_path) as made:
        chunks = await run(made, asked(python, tmp_path, code))
        report = report_of(chunks)
        assert (report.state, report.line) == ("killed", 3)
        assert reason in run_end_reason(report.end)
        assert report.exit_status == (3 if name == "os._exit" else None)
        assert text_of(chunks).startswith("last words\n")
        assert await works(made, python, tmp_path)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
async def test_it_may_not_take_all_memory_and_the_next_block_works(
    tmp_path: Path, python: str
) -> None:
    code = "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * 5_000_000)"
    limited = replace(asked(python, tmp_path, code), limits=RunLimits(memory_bytes=300_000_000))
    async with executor(tmp_path) as made:
        chunks = await run(made, limited)
        report, error = report_of(chunks), error_of(chunks)
        assert (report.end and report.end.kind == "memory_limit") or (
            error and error.name == "MemoryError"
        )
        if report.state != "killed":
            await run(made, asked(python, tmp_path, "kept = None"))
        assert await works(made, python, tmp_path)


@pytest.mark.parametrize("spoil", ["os.close(1); os.close(2)", "sys.stdout.close()", "exit(2)"])
async def test_closed_output_spoils_only_its_own_block(
    tmp_path: Path, python: str, spoil: str
) -> None:
    code = f"import os, sys\n{spoil}"
    async with executor(tmp_path) as made:
        assert report_of(await run(made, asked(python, tmp_path, code))).state == "finished"
        assert await works(made, python, tmp_path)
