"""A worker's end reaches whoever waits for it, early or late."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playhead.model_worker.protocol import Ask, Cancel, Cancelled, encode
from playhead.providers.worker_process import WorkerProcess
from tests.support.workers import SharedWorker


@asynccontextmanager
async def worker(*arguments: str) -> AsyncGenerator[WorkerProcess]:
    made = await WorkerProcess.start([sys.executable, *arguments], {})
    try:
        yield made
    finally:
        await made.close()


async def test_waiting_given_up_spoils_no_later_waiting():
    async with worker("-c", "import sys; sys.stdin.read()") as made:
        waiting = asyncio.create_task(made.wait())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        made.kill()
        assert await made.wait() != 0


async def test_a_turn_opened_after_the_end_is_told_at_once():
    async with worker("-c", "pass") as made:
        await made.wait()
        assert made.open("turn").get_nowait() is None


async def test_a_turn_cancelled_before_its_first_step_is_acknowledged(model_worker: SharedWorker):
    async with worker(*model_worker.command[1:]) as made:
        assert await made.ready()
        answers = made.open("early")
        stdin = made._process.stdin
        assert stdin is not None
        stdin.write(encode(Ask("early", "openai/test", [])) + encode(Cancel("early")))
        async with asyncio.timeout(20):
            assert await answers.get() == Cancelled("early")
