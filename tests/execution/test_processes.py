"""A worker that is asked by pipes never keeps anybody waiting, whatever becomes of it."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from playhead.execution.processes import PipeWorker
from playhead.supervisor.outside_view import is_later
from playhead.undo_worker.protocol import decode, encode

_LIVES_ON = "\nimport time\nwhile True: time.sleep(60)"
BROKEN = {
    "lives on without its stdout": "import os; os.close(1)" + _LIVES_ON,
    "answers without a number": "print('{}', flush=True)" + _LIVES_ON,
    "answers with another thing": "print('[1]', flush=True)" + _LIVES_ON,
    "writes an endless line": "print('x' * 3_000_000, flush=True)" + _LIVES_ON,
    "reads nothing": _LIVES_ON,
    "dies": "raise SystemExit(1)",
}


def read(line: bytes) -> tuple[int, dict[str, Any]]:
    found = decode(line)
    return found["number"], found


@pytest.mark.timeout(30)
async def test_a_worker_that_breaks_is_replaced_and_nobody_waits_for_it():
    question = encode({"number": 1, "text": "x" * 1_000_000})  # more than a pipe takes

    async def ask_twice(code: str) -> list[object]:
        command = [sys.executable, "-I", "-S", "-c", code]
        worker = PipeWorker("worker", command, lambda: {"limit": 1 << 20}, read)
        answers = [await worker.ask(1, question, (0.3, 60), lambda: True) for _ in range(2)]
        await worker.close()
        return [*answers, worker.pid]

    found = await asyncio.gather(*map(ask_twice, BROKEN.values()))
    assert found == [[None, None, None]] * len(BROKEN)


@pytest.mark.parametrize(
    ("started", "pid", "is_found"),
    [
        (8, 400, False),
        (9, 31_000, False),
        (9, 32_700, False),  # the newest itself
        (9, 32_701, True),
        (9, 305, True),  # the ids have begun again
        (10, 300, True),
    ],
)
def test_what_was_started_after_a_moment_is_found_where_ids_begin_again(
    started: int, pid: int, is_found: bool
) -> None:
    assert is_later(started, pid, (9, 32_700), 32_768) is is_found
