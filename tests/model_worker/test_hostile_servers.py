"""Servers that send garbage, too much, too little or errors in disguise, on a real wire."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.model import ConnectionSettings, ModelOverride
from playhead.domain.secret import Secret
from playhead.errors import ProviderError
from playhead.model_worker.protocol import Failed, decode
from playhead.providers.provider import Provider
from playhead.providers.worker_start import worker_environment
from tests.support import model_server as ms
from tests.support import wire_answers as wire
from tests.support.asking import chunks_of, contents, provider_of, request
from tests.support.model_server import ModelServer, Reply
from tests.support.waiting import LIMIT_S
from tests.support.workers import SharedWorker

GPT, CLAUDE, GEMINI, COMMAND = "openai/test", "anthropic/test", "gemini/test", "cohere/test"
DONE = "data: [DONE]\n\n"


def event(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return data({**head, "choices": [choice]})


def data(found: object) -> str:
    return f"data: {json.dumps(found)}\n\n"


def said(error: object) -> Reply:
    """An error in the place of the first piece."""
    return ms.spoken(data({"error": error}))


HI = event({"content": "hi"})
BEGIN = {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}}
BAD_CALL = {"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}
HALF = {"content": {"parts": [{"text": "hal"}], "role": "model"}, "index": 0}


async def gathered(provider: Provider, server: ModelServer, model: str) -> list[Chunk]:
    """What came before the failure."""
    chunks: list[Chunk] = []
    base = server.base_url if model == GPT else server.base_url.removesuffix("/v1")

    async def gather() -> None:
        async for chunk in provider.stream(request(server, model=model, api_base=base)):
            chunks.append(chunk)

    with pytest.raises(ProviderError) as caught:
        await gather()
    chunks.append(Chunk(role="server", type="status", content=caught.value.code))
    assert caught.value.remedy
    for word in ("Traceback", "codec", "NoneType", "litellm", "has no attribute"):
        assert word not in f"{caught.value.title} {caught.value.detail}"
    return chunks


@pytest.mark.parametrize(
    ("model", "reply", "code"),
    [
        pytest.param(GPT, ms.spoken(b"\x94\xfe\x00" * 3000), "nonsense", id="bytes"),
        pytest.param(GPT, ms.spoken(HI, b"data: \x94\n\n"), "nonsense", id="bytes after text"),
        pytest.param(GPT, ms.spoken(f"data: {'[' * 200_000}\n\n"), "nonsense", id="deep"),
        pytest.param(GPT, ms.spoken(data({"choices": None})), "nonsense", id="no choices"),
        pytest.param(GPT, ms.spoken(event({"tool_calls": 5})), "nonsense", id="odd calls"),
        pytest.param(GEMINI, ms.spoken(data({"candidates": 5})), "nonsense", id="odd Gemini"),
        pytest.param(
            CLAUDE,
            ms.spoken(data({"type": "content_block_delta", "delta": 5})),
            "nonsense",
            id="odd Anthropic",
        ),
        pytest.param(GPT, ms.spoken(HI, *(["x" * 500_000] * 40)), "nonsense", id="endless line"),
        pytest.param(
            COMMAND, ms.spoken(data(BEGIN), *(["x" * 500_000] * 40)), "nonsense", id="Cohere's"
        ),
        pytest.param(GPT, ms.spoken(HI, Content_Length="5000"), "truncated", id="broken off"),
        pytest.param(
            COMMAND, ms.spoken(data(BEGIN), Content_Length="5000"), "truncated", id="broken Cohere"
        ),
        pytest.param(
            GEMINI, ms.spoken(data({"candidates": [HALF]})), "truncated", id="half of Gemini's"
        ),
        pytest.param(
            GEMINI, ms.spoken(data({"candidates": [BAD_CALL]})), "nonsense", id="bad call"
        ),
    ],
)
async def test_what_cannot_be_read_is_said_in_words_of_ours(
    model_worker: SharedWorker, model: str, reply: Reply, code: str
):
    with ModelServer(reply) as server:
        async with provider_of(model_worker) as provider:
            chunks = await gathered(provider, server, model)
            again = await gathered(provider, server, model)
    assert chunks[-1].content == again[-1].content == f"upstream_{code}"
    if reply.wire[0] == HI:
        assert contents(chunks)[0] == "hi"


@pytest.mark.parametrize(
    ("model", "reply", "code"),
    [
        (GPT, said({"message": "maximum context length is 10", "code": 400}), "context_too_long"),
        (GPT, said("The prompt is too long."), "context_too_long"),
        (GPT, said({"message": "Slow down", "code": 429}), "rate_limit_exceeded"),
        (GPT, said({"message": "You exceeded your current quota", "code": 429}), "upstream_quota"),
        (GPT, said({"message": "Stopped by moderation", "code": 400}), "upstream_policy"),
        (GPT, said({"message": "No more memory", "code": "server_error"}), "upstream_error"),
        (GPT, said("No more memory"), "upstream_error"),
        (
            CLAUDE,
            wire.named({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow"}}),
            "rate_limit_exceeded",
        ),
        (
            GEMINI,
            ms.spoken(data([{"error": {"code": 429, "message": "Slow", "status": "EXHAUSTED"}}])),
            "rate_limit_exceeded",
        ),
    ],
)
async def test_an_error_inside_a_stream_is_of_the_kind_that_it_says(
    model_worker: SharedWorker, model: str, reply: Reply, code: str
):
    with ModelServer(reply) as server:
        async with provider_of(model_worker) as provider:
            chunks = await gathered(provider, server, model)
    assert chunks[-1].content == code


async def test_a_server_that_is_too_busy_to_begin_its_stream_is_asked_again(
    model_worker: SharedWorker,
):
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    whole = wire.anthropic(wire.text_block("Hello."))
    with ModelServer([wire.named(busy), whole]) as server:
        async with provider_of(model_worker) as provider:
            asked = request(
                server,
                model=CLAUDE,
                api_base=server.base_url.removesuffix("/v1"),
                connection=ConnectionSettings(retries=1),
            )
            chunks = [chunk async for chunk in provider.stream(asked)]
    assert [chunk.type for chunk in chunks][:2] == ["retry", "message"]
    assert "Hello." in contents(chunks)


async def test_odd_events_of_coheres_are_passed_over(model_worker: SharedWorker):
    odd: list[object] = [{}, [1], 5, {"type": 5}, {"type": "zebra"}, {"type": "content-delta"}]
    odd += [{"type": "content-delta", "delta": {"message": {"content": 5}}}]
    whole = wire.cohere(*wire.cohere_text("Hel", "lo."))
    with ModelServer(ms.spoken(*map(data, odd), *whole.wire)) as server:
        async with provider_of(model_worker) as provider:
            asked = request(server, model=COMMAND)
            chunks = [chunk async for chunk in provider.stream(asked)]
    assert contents(chunks) == ["Hel", "lo."]


async def test_letters_that_no_text_has_come_through(model_worker: SharedWorker):
    odd = "a\0b\x1b[31m\u202e"
    with ModelServer(ms.spoken(event({"content": odd}), event({}, "stop"), DONE)) as server:
        async with provider_of(model_worker) as provider:
            chunks = [chunk async for chunk in provider.stream(request(server))]
    assert contents(chunks) == [odd]


@pytest.mark.parametrize(
    ("asked_for", "wait_s", "words"),
    [
        ("1.5", 1.5, "1.5 seconds"),
        ("1", 1.0, "1 second and"),
        ("3600", 3600.0, "60 minutes"),
        ("-3", 0.0, "a moment"),
        ("99999999999", None, "a moment"),
        ("inf", None, "a moment"),
        ("nan", None, "a moment"),
        ("tomorrow", None, "a moment"),
        ("Wed, 21 Oct 2099 07:28:00 GMT", None, "a moment"),
    ],
)
async def test_how_long_to_wait_is_told_in_words_that_people_use(
    model_worker: SharedWorker, asked_for: str, wait_s: float | None, words: str
):
    with ModelServer(ms.error(429, "Slow down", retry_after=asked_for)) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                async for _ in provider.stream(request(server)):
                    pass
    assert words in caught.value.remedy
    assert wait_s is None or caught.value.retry_after_s == wait_s


async def test_what_a_library_writes_of_a_key_is_not_in_the_log(model_worker: SharedWorker):
    key = "Zq7Vw4pR9xT2mK8bN3cY6dF1gH5jL0sA"  # looks like nothing
    odd = {"tool_calls": [{"index": 0, "function": f"{key} of function Zebra"}]}
    with ModelServer(ms.spoken(event(odd))) as server:
        async with provider_of(model_worker) as provider:
            override = ModelOverride(through_litellm=True)
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server, api_key=Secret(key), override=override))
    assert key not in str(caught.value) + caught.value.detail
    written = await asyncio.to_thread(model_worker.litellm_log_path.read_text)
    assert "Zebra" in written
    assert key not in written


def nested(depth: int) -> str:
    """An error body that goes down so far; text, since our own encoder would not write it."""
    return '{"error":' * depth + '"no"' + "}" * depth


@pytest.mark.parametrize("depth", [600, 50_000])
@pytest.mark.parametrize("status", [400, 429, 500])
@pytest.mark.parametrize("model", [GPT, CLAUDE, GEMINI, COMMAND])
async def test_a_refusal_nested_deeply_ends_its_turn(
    model_worker: SharedWorker, model: str, status: int, depth: int
):
    with ModelServer(replace(ms.spoken(nested(depth)), status=status)) as server:
        async with provider_of(model_worker) as provider:
            chunks = await gathered(provider, server, model)
    assert chunks[-1].content != "upstream_nonsense"


async def test_of_a_refusal_only_the_beginning_is_waited_for(model_worker: SharedWorker):
    body = json.dumps({"error": {"message": "The model is too busy. " * 4_000}})
    with ModelServer(replace(ms.spoken(body), status=400, ending="hang")) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server))
        assert server.requests[-1].disconnected.wait(LIMIT_S)
    assert caught.value.code == "upstream_error"
    assert "The model is too busy." in caught.value.detail
    assert len(caught.value.detail) < 1_000


# In a process of its own: the worker's loop is never that of the tests.
UNSPEAKABLE = """
import asyncio
from playhead.model_worker.connections import Connections
from playhead.model_worker.dispatcher import Dispatcher, ModelClient
from playhead.model_worker.http_lane.http_stream import HttpStream
from playhead.model_worker.protocol import Ask, Done, encode

class Unspeakable(Exception):
    def __str__(self):
        raise RecursionError

class FailingModels(ModelClient):
    def serves(self, question):
        return True

    async def stream(self, ask):
        raise Unspeakable
        yield Done(ask.turn)

async def main():
    sent = asyncio.Queue()
    connections = Connections()
    models = FailingModels(HttpStream(connections), connections)
    Dispatcher(models, sent.put_nowait).handle(Ask(turn="t", model="m", messages=[]))
    print(encode(await sent.get()).decode())

asyncio.run(main())
"""


def test_an_error_that_fails_again_where_it_is_described_ends_its_turn():
    environment = {**worker_environment(os.environ), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(
        [sys.executable, "-c", UNSPEAKABLE],
        env=environment,
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    failed = decode(done.stdout)
    assert isinstance(failed, Failed)
    assert (failed.turn, failed.code) == ("t", "upstream_nonsense")
    assert failed.title
    assert failed.remedy
