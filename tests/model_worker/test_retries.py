"""A model that cannot answer right now is asked again, as long as nothing was shown."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.conversation.payloads import Waiting
from playhead.domain.model import ConnectionSettings
from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support import wire_answers as wire
from tests.support.asking import chunks_of, contents, provider_of, request
from tests.support.model_server import ModelServer, Reply
from tests.support.workers import SharedWorker


def patient(server: ModelServer, retries: int = 2, **more: Any) -> TurnRequest:
    return request(server, connection=ConnectionSettings(retries=retries), **more)


def waits(chunks: list[Chunk]) -> list[Waiting]:
    return [chunk.content for chunk in chunks if isinstance(chunk.content, Waiting)]


@pytest.mark.parametrize(
    "failure",
    [
        ms.error(429, "slow down", retry_after=0),
        ms.error(503, "busy", retry_after=0),
        ms.error(500, "oh", retry_after=0),
    ],
)
async def test_a_busy_model_is_asked_again_and_the_wait_is_told(
    model_worker: SharedWorker, failure: Reply
):
    with ModelServer([failure, ms.text("hi")]) as server:
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, patient(server))
    (wait,) = waits(chunks)
    assert (wait.attempt, wait.attempts) == (1, 2)
    assert wait.reason
    assert contents([c for c in chunks if c.type == "message"]) == ["hi"]
    assert len(server.requests) == 2


async def test_cohere_is_asked_again_too(model_worker: SharedWorker):
    busy = ms.refused(429, {"message": "slow down"}, retry_after="0")
    with ModelServer([busy, wire.cohere(*wire.cohere_text("hi"))]) as server:
        async with provider_of(model_worker) as provider:
            base = server.base_url.removesuffix("/v1")
            asked = patient(server, model="cohere/command-a-03-2025", api_base=base)
            chunks = await chunks_of(provider, asked)
    assert len(waits(chunks)) == 1
    assert "hi" in [chunk.content for chunk in chunks]


async def test_it_gives_up_after_so_many_times(model_worker: SharedWorker):
    with ModelServer(ms.error(503, "busy", retry_after=0)) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="failed"):
                await chunks_of(provider, patient(server))
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "failure",
    [
        ms.error(401, "wrong key"),
        ms.error(400, "bad"),
        ms.error(404, "no such model"),
        ms.error(429, "You exceeded your current quota", code="insufficient_quota"),
        ms.broken_json(),
        ms.no_sse(),
    ],
)
async def test_what_time_does_not_mend_is_told_at_once(model_worker: SharedWorker, failure: Reply):
    def script(asked: ms.Request) -> Reply:
        return failure

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError):
                await chunks_of(provider, patient(server, extra={}))
    wishes = {"stream_options" in asked.body for asked in server.requests}
    assert len(server.requests) == len(wishes)  # at most once more, without the wish for usage


async def test_nothing_is_asked_again_once_a_piece_was_shown(model_worker: SharedWorker):
    with ModelServer(ms.cut(ms.text("Some "))) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="broke off"):
                await chunks_of(provider, patient(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize("in_s", ["30", "date"])
async def test_the_time_that_the_server_names_is_waited(model_worker: SharedWorker, in_s: str):
    named = formatdate(time() + 40, usegmt=True) if in_s == "date" else in_s
    with ModelServer(ms.error(429, "slow down", retry_after=named)) as server:
        async with provider_of(model_worker) as provider:
            chunks = provider.stream(patient(server))
            async with aclosing(chunks):
                wait = (await anext(chunks)).content
    assert isinstance(wait, Waiting)
    assert 20 <= wait.seconds <= 45


async def test_whoever_asks_to_wait_for_too_long_is_not_waited_for(model_worker: SharedWorker):
    with ModelServer(ms.error(429, "tomorrow", retry_after=86400)) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, patient(server))
    assert caught.value.retry_after_s == 86400
    assert len(server.requests) == 1


async def test_waiting_can_be_stopped(model_worker: SharedWorker):
    with ModelServer(ms.error(503, "busy", retry_after=100)) as server:
        async with provider_of(model_worker) as provider:
            told = asyncio.Event()

            async def ask() -> None:
                async for _ in provider.stream(patient(server)):
                    told.set()

            asking = asyncio.create_task(ask())
            await told.wait()
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
    assert len(server.requests) == 1


async def test_a_server_that_is_not_there_on_this_machine_is_told_at_once(
    model_worker: SharedWorker,
):
    with ModelServer() as server:
        asked = patient(server)
    chunks: list[Chunk] = []
    async with provider_of(model_worker) as provider:

        async def gather() -> None:
            async for chunk in provider.stream(asked):
                chunks.append(chunk)

        with pytest.raises(ProviderError, match="No connection"):
            await gather()
    assert not chunks
