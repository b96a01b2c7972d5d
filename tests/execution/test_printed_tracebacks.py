"""The length of a traceback that the kernel printed, on real kernels."""

from __future__ import annotations

import itertools
from contextlib import aclosing
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import split_printed
from tests.support.kernels import error_of, executor, report_of, request, run, text_of

SENTINEL = "<the last word of the program>"

PRINTED = [
    "",
    "print('before')",
    "print('no line end', end='')",
    "print('10 %\\r99 %\\r', end='')",
    "print('\\x1b[31mred')",
    "print('Traceback (most recent call last):\\n  File \"x\", line 1')",
    "import os; os.write(1, b'\\xe2\\x82')",
    "import os; os.write(2, b'\\x1b_')",
    "print('🎈' * 300)",
]
RAISED = [
    "1 / 0",
    "{}['ключ']",
    "raise ValueError('\\ud800 \\udfff 🎈')",
    "raise ValueError('a\\r\\nb\\x1b[31mc\\x1b[0m\\x1b_d\\n')",
    "raise RuntimeError('Traceback (most recent call last):\\nValueError: no')",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError from error",
    "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['x']",
    "eval('x =')",
    "open('/dev/tty')",
    "import playhead_of_the_moon",
    "raise KeyboardInterrupt('\\x1b[0m')",
    "def f(n):\n    return f(n + 1)\nf(0)",
    "raise ValueError('x' * 50_000)",
    "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
]


def traceback_of(chunks: list[Chunk]) -> tuple[str, str]:
    """The output before the traceback, and the traceback, as every reader parts them."""
    error = error_of(chunks)
    told = report_of(chunks).printed if error is None else error.printed
    return split_printed(text_of(chunks), told)


async def test_the_length_is_that_of_what_was_printed_after_the_last_word(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        for before, raised in itertools.product(PRINTED, RAISED):
            code = f"{before}\nprint({SENTINEL!r}, end='', flush=True)\n{raised}"
            chunks = await run(made, request(tmp_path, code))
            kept, trace = traceback_of(chunks)
            assert kept.endswith(SENTINEL), code
            assert trace == text_of(chunks).partition(SENTINEL)[2] != "", code


async def test_the_end_of_a_run_has_the_length_of_a_stop_s_traceback(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks: list[Chunk] = []
        code = "import time\nprint('a')\nwhile True:\n    time.sleep(0.01)"
        async with aclosing(made.run(request(tmp_path, code))) as stream:
            async for chunk in stream:
                chunks.append(chunk)
                if chunk.content == 4:  # seen there; lines 2 and 3 are announced before they run
                    await made.interrupt("conversation")
    kept, trace = split_printed(text_of(chunks), report_of(chunks).printed)
    assert kept == "a\n"
    assert trace.startswith("Traceback (most recent call last):\n")
    assert trace.endswith("KeyboardInterrupt\n")
    assert error_of(chunks) is None


async def test_code_that_is_not_python_prints_nothing_but_its_traceback(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        kept, trace = traceback_of(await run(made, request(tmp_path, "print(1)\nx =")))
    assert kept == ""
    assert trace.endswith("SyntaxError: invalid syntax\n")


async def test_an_end_that_prints_no_traceback_has_none(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, "print('a')\nraise SystemExit(3)"))
    assert traceback_of(chunks) == ("a\nSystemExit: 3\n", "")


async def test_what_is_printed_after_it_leaves_the_output_as_it_is(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "class Last:\n"
        "    def write(self, text): return len(text)\n"
        "    def flush(self):\n"
        "        os.write(1, b'flushed\\n')\n"
        "sys.stdout = Last()\n"
        "1 / 0"
    )
    async with executor(tmp_path) as made:
        chunks = await run(made, request(tmp_path, code))
    assert text_of(chunks).endswith("flushed\n")
    assert traceback_of(chunks)[1] == ""


@pytest.mark.parametrize("message", [10, 20_000, 70_000])
@pytest.mark.parametrize("printed", [900_000, 999_990, 1_200_000])
async def test_of_a_long_output_only_a_whole_traceback_is_parted(
    tmp_path: Path, printed: int, message: int
) -> None:
    code = f"print('é' * {printed // 2})\nraise ValueError('x' * {message})"
    async with executor(tmp_path) as made:
        kept, trace = traceback_of(await run(made, request(tmp_path, code)))
    if trace:
        assert trace.startswith("Traceback (most recent call last):\n")
        assert trace.endswith(f"ValueError: {'x' * message}\n")
        assert "Traceback" not in kept
    else:
        assert printed > 999_000 or message == 70_000
        assert " not shown, " in kept
