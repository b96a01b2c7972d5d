"""Runs that are paused, seen by the executor of real kernels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import RunLimits, RunRequest
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from tests.support.kernels import executor, report_of, request, run, text_of
from tests.support.waiting import until

ID = "conversation"


@asynccontextmanager
async def running(
    made: ProcessExecutor, wanted: RunRequest
) -> AsyncGenerator[asyncio.Task[list[Chunk]]]:
    task = asyncio.create_task(run(made, wanted))
    try:
        yield task
    finally:
        await made.interrupt(ID)
        await asyncio.wait([task])


async def test_time_stands_still_while_a_run_is_paused(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        limited = replace(
            request(tmp_path, "x = 1\ny = 2\nx + y"),
            limits=RunLimits(seconds=0.5),
            breakpoints=(2,),
        )
        async with running(made, limited) as task:
            await until(lambda: made.status(ID).paused_line == 2)
            names = {one.name: one.value for one in await made.variables(ID)}
            assert names == {"x": "1"}
            await asyncio.sleep(0.7)  # longer than the limit
            assert made.status(ID).paused_line == 2
            await made.pause(ID, "step")
            await until(lambda: made.status(ID).paused_line == 3)
            await made.pause(ID, "resume")
            chunks = await task
        report = report_of(chunks)
        assert (report.state, text_of(chunks)) == ("finished", "3\n")
        assert report.seconds < 0.7
        assert made.status(ID).paused_line == 0


FORGED = """\
import json, os, sys, time
nonce, run = None, None
for frame in sys._current_frames().values():
    while frame is not None:
        channel = getattr(frame.f_locals.get("self"), "_channel", None)
        frame = frame.f_back
        if channel is not None:
            nonce, run = channel.nonce, channel.run
def forge(kind, **fields):
    body = json.dumps({"t": kind, "run": run, **fields})
    os.write(1, f"\\x1b_{nonce};{body}\\x1b\\\\".encode())
forge("paused", line=3, why="asked")
print("forged", flush=True)
while True:
    time.sleep(0.01)
"""


async def test_a_forged_pause_does_not_stop_the_time_of_a_run(tmp_path: Path) -> None:
    """Without a wish to pause it is nothing, with one it is seen from outside that it is wrong."""
    async with executor(tmp_path) as made:
        for breakpoints in ((), (99,)):
            wanted = replace(
                request(tmp_path, FORGED),
                limits=RunLimits(seconds=1.5),
                breakpoints=breakpoints,
            )
            report = report_of(await run(made, wanted))
            assert report.end is not None
            assert report.end.kind == "time_limit"


async def test_a_forged_end_does_not_end_a_run_that_is_paused(tmp_path: Path) -> None:
    code = FORGED.replace('forge("paused", line=3, why="asked")', 'forge("idle", state="finished")')
    code = code.replace("    time.sleep(0.01)", "    n = 1")
    async with executor(tmp_path) as made:
        async with running(made, replace(request(tmp_path, code), breakpoints=(15,))):
            await until(lambda: made.status(ID).paused_line == 15)
            await until(lambda: made.status(ID).is_disputed)
            assert made.status(ID).state == "busy"
            await made.interrupt(ID)
        assert text_of(await run(made, request(tmp_path, "n = 7; n"))) == "7\n"


async def test_a_paused_run_is_stopped_and_keeps_its_names(tmp_path: Path) -> None:
    async with executor(tmp_path) as made:
        code = "x = 42\ntry:\n    y = 1\nfinally:\n    z = 2"
        async with running(made, replace(request(tmp_path, code), breakpoints=(3, 5))) as task:
            await until(lambda: made.status(ID).paused_line == 3)
            await made.interrupt(ID)
            report = report_of(await task)
        assert (report.state, report.line) == ("interrupted", 3)
        assert text_of(await run(made, request(tmp_path, "x, z"))) == "(42, 2)\n"


async def test_a_library_is_paused_only_when_it_has_come_back(tmp_path: Path) -> None:
    code = "import time\nprint('in', flush=True)\ntime.sleep(0.3)\ny = 2"
    async with executor(tmp_path) as made, running(made, request(tmp_path, code)) as task:
        await until(lambda: made.status(ID).state == "busy")
        await made.pause(ID, "pause")
        await until(lambda: made.status(ID).paused_line > 0)
        await made.pause(ID, "resume")
        assert report_of(await task).state == "finished"


@pytest.mark.requires_system("bash")
async def test_code_in_another_language_says_that_it_cannot_be_paused(tmp_path: Path) -> None:
    wanted = replace(request(tmp_path, "sleep 20"), language="bash", breakpoints=(1,))
    async with executor(tmp_path) as made, running(made, wanted):
        await until(lambda: made.status(ID).state == "busy")
        with pytest.raises(ExecutionError, match="Bash code cannot be paused"):
            await made.pause(ID, "pause")
