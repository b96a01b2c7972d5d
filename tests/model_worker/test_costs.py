"""What an answer cost: the provider's own count, or an estimate that says that it is one."""

from __future__ import annotations

import pytest

from playhead.domain.conversation.payloads import Usage
from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support.asking import chunks_of, contents, provider_of, request, usage_of
from tests.support.model_server import ModelServer
from tests.support.workers import SharedWorker


@pytest.mark.parametrize(
    ("question", "usage"),
    [
        (
            "hello usage 100 20",
            Usage(input_tokens=100, output_tokens=20, finish_reason="stop", model="openai/test"),
        ),
        (
            "at length",
            Usage(input_tokens=12, output_tokens=5, finish_reason="length", model="openai/test"),
        ),
        (
            "filtered",
            Usage(
                input_tokens=12,
                output_tokens=5,
                finish_reason="content_filter",
                model="openai/test",
            ),
        ),
        (
            "34/24 usage 3 4",
            Usage(input_tokens=3, output_tokens=4, finish_reason="tool_calls", model="openai/test"),
        ),
    ],
)
async def test_the_providers_count_of_tokens_comes_last(
    model_worker: SharedWorker, question: str, usage: Usage
):
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, request(server, question))
    assert usage_of(chunks) == usage


@pytest.mark.parametrize("question", ["long no usage", "34/24 no usage"])
async def test_tokens_that_the_provider_does_not_tell_are_estimated(
    model_worker: SharedWorker, question: str
):
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            usage = usage_of(await chunks_of(provider, request(server, question)))
    assert usage.is_estimated
    assert usage.input_tokens > 100  # the system prompt alone
    assert usage.output_tokens > (500 if "long" in question else 0)


@pytest.mark.parametrize(
    "refusal",
    [
        ms.error(400, "Unrecognized request argument supplied: stream_options"),
        ms.error(422, "Extra inputs are not permitted"),
    ],
)
async def test_a_server_that_does_not_know_the_wish_for_usage_is_asked_without_it(
    model_worker: SharedWorker, refusal: ms.Reply
):
    def script(asked: ms.Request) -> ms.Reply:
        return refusal if "stream_options" in asked.body else ms.text("hi")

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            first = await chunks_of(provider, request(server))
            second = await chunks_of(provider, request(server))
    assert contents(first) == contents(second) == ["hi"]
    assert usage_of(first).is_estimated
    wishes = ["stream_options" in asked.body for asked in server.requests]
    assert wishes == [True, False, False]
    assert all("tools" in asked.body for asked in server.requests)


async def test_a_refusal_for_another_reason_is_told_and_forgotten(model_worker: SharedWorker):
    with ModelServer(ms.error(400, "Bad request")) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match="refused the request"):
                await chunks_of(provider, request(server))
            server.script = ms.text("hi")
            assert not usage_of(await chunks_of(provider, request(server))).is_estimated
