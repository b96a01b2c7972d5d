"""A worker's end reaches whoever waits for it, early or late."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from playhead.errors import ProviderError
from playhead.model_worker.protocol import Ask, Cancel, Cancelled, Deltas, Done, Tokens, encode
from playhead.providers import worker_start
from playhead.providers.worker import ModelWorker, WorkerProcess
from tests.support.model_server import ModelServer, call, text
from tests.support.waiting import LIMIT_S
from tests.support.workers import SharedWorker

ASKED = [{"role": "user", "content": "What time is it?"}]


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


async def test_what_is_larger_than_a_worker_takes_is_said_and_never_sent(
    monkeypatch: pytest.MonkeyPatch,
):
    async with worker("-c", "import sys; sys.stdin.read()") as made:
        monkeypatch.setattr("playhead.providers.worker.MAX_LINE_BYTES", 1_000)
        with pytest.raises(ProviderError, match="too large") as caught:
            await made.send(
                Ask(
                    turn="turn",
                    model="openai/test",
                    messages=[{"role": "user", "content": "x" * 2_000}],
                )
            )
        await made.send(Ask(turn="turn", model="openai/test", messages=ASKED))
    assert caught.value.code == "context_too_long"  # the turn then tries with less


async def test_a_worker_that_was_started_early_is_taken_over_and_answers():
    worker_start.start_early()
    (early,) = worker_start._early
    models = ModelWorker()
    with ModelServer(text("hi")) as server:
        question = Ask(
            turn="t", model="openai/test", messages=ASKED, api_base=server.base_url, api_key="k"
        )
        async with aclosing(models.answers(question)) as answers:
            last = [answer async for answer in answers][-1]
    assert models.pid == early.pid
    assert isinstance(last, Done)
    await models.close()
    assert models.pid is None
    assert early.returncode == 0


async def test_a_turn_cancelled_before_its_first_step_is_acknowledged(model_worker: SharedWorker):
    async with worker(*model_worker.command[1:]) as made:
        assert await made.ready()
        answers = made.open("early")
        stdin = made._process.stdin
        assert stdin is not None
        stdin.write(
            encode(Ask(turn="early", model="openai/test", messages=[])) + encode(Cancel("early"))
        )
        async with asyncio.timeout(LIMIT_S):
            assert await answers.get() == Cancelled("early")


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "now"}}])
async def test_which_tool_is_wanted_reaches_the_model(model_worker: SharedWorker, choice: Any):
    now = {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
    with ModelServer(call("now", "{}")) as server:
        async with worker(*model_worker.command[1:]) as made:
            assert await made.ready()
            turn = uuid.uuid4().hex
            answers = made.open(turn)
            where: dict[str, Any] = {"api_base": server.base_url, "api_key": "k"}
            await made.send(
                Ask(
                    turn=turn,
                    model="openai/test",
                    messages=ASKED,
                    tools=[now],
                    tool_choice=choice,
                    **where,
                )
            )
            await made.send(
                Ask(
                    turn=f"{turn}-plain",
                    model="openai/test",
                    messages=ASKED,
                    tool_choice=choice,
                    **where,
                )
            )
            async with asyncio.timeout(LIMIT_S):
                while not isinstance(ended := await answers.get(), Done):
                    assert isinstance(ended, Deltas)
                assert await asyncio.to_thread(server.wait_for_requests, 2)
    assert ended == Done(
        turn, "tool_calls", Tokens(input_tokens=12, output_tokens=5, is_estimated=False)
    )
    chosen = [("tools" in asked.body, asked.body.get("tool_choice")) for asked in server.requests]
    assert sorted(chosen, key=lambda one: one[0]) == [(False, None), (True, choice)]
