"""Which worker serves a model: the one that asks by HTTP, or the one with litellm, when needed."""

from __future__ import annotations

import asyncio
from typing import Any

from playhead.domain.model import ModelOverride, ModelSettings
from playhead.providers.provider import Provider
from tests.support import wire_answers as wire
from tests.support.asking import chunks_of, contents, provider_of, request
from tests.support.model_server import ModelServer, hang, text
from tests.support.waiting import until
from tests.support.workers import SharedWorker


def litellm_of(provider: Provider) -> Any:
    return provider.worker._litellm


async def test_litellm_is_started_for_whom_only_it_serves_and_for_whom_the_user_says(
    model_worker: SharedWorker,
):
    with ModelServer(text("hi")) as server:
        async with provider_of(model_worker) as provider:
            assert contents(await chunks_of(provider, request(server))) == ["hi"]
            for other in ("anthropic/claude-sonnet-4-5", "cohere/command-a-03-2025"):
                await provider.warm(ModelSettings(model=other))
            assert litellm_of(provider).status == "absent"
            through = ModelOverride(through_litellm=True)
            assert contents(await chunks_of(provider, request(server, override=through))) == ["hi"]
            assert litellm_of(provider).status == "ready"
    agents = [asked.headers["user-agent"] for asked in server.requests]
    assert agents[0] == "Playhead"
    assert "Playhead" not in agents[1]


async def test_litellm_is_warmed_for_a_model_that_only_it_serves(model_worker: SharedWorker):
    async with provider_of(model_worker) as provider:
        await provider.warm(ModelSettings(model="bedrock/anthropic.claude-sonnet-4-5"))
        assert litellm_of(provider).status == "ready"
        assert provider.worker.status == "ready"


async def test_litellm_is_not_started_while_an_answer_streams(model_worker: SharedWorker):
    thought = wire.gemini([{"text": "hi"}])
    with ModelServer(hang("Some ")) as server, ModelServer(thought) as other:
        async with provider_of(model_worker) as provider:
            base = other.base_url.removesuffix("/v1") + "/v1beta"
            streaming = asyncio.create_task(chunks_of(provider, request(server)))
            await asyncio.to_thread(server.wait_for_requests, 1)
            gemini = request(other, model="gemini/gemini-2.5-pro", api_base=base)
            waiting = asyncio.create_task(chunks_of(provider, gemini))
            await until(lambda: provider.worker._http._idle._waiters)
            assert litellm_of(provider).status == "absent"
            assert not other.requests
            streaming.cancel()
            await asyncio.wait([streaming])
            assert contents(await waiting) == ["hi"]
