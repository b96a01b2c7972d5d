"""Real answers: a loopback model server, the real worker process, chunks."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import ConnectionSettings, ModelOverride
from playhead.domain.secret import Secret
from playhead.errors import ProviderError
from playhead.model_worker.protocol import Cancel
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker, WorkerStatus
from playhead.providers.worker_start import worker_environment
from tests.support import model_server as ms
from tests.support.asking import (
    KEY,
    canonical,
    chunks_of,
    contents,
    provider_of,
    request,
    usage_of,
)
from tests.support.model_server import ModelServer
from tests.support.waiting import LIMIT_S, until
from tests.support.workers import SharedWorker


@pytest.mark.parametrize("pace_s", [0.0, 0.005])
async def test_the_golden_dialogue_keeps_its_pieces(model_worker: SharedWorker, pace_s: float):
    script = [ms.execute(*ms.GOLDEN_CODE), ms.text(*ms.GOLDEN_ANSWER)]
    with ModelServer(script, pace_s=pace_s) as server:
        async with provider_of(model_worker) as provider:
            code = await chunks_of(provider, request(server))
            answer = await chunks_of(provider, request(server))
    assert contents(code) == list(ms.GOLDEN_CODE)
    assert (code[0].type, code[0].format, code[0].id) == ("code", "python", "call_0")
    assert contents(answer) == list(ms.GOLDEN_ANSWER)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body["tools"][0]["function"]["name"] == "execute"
    assert server.requests[0].messages[0]["role"] == "system"


@pytest.mark.parametrize(
    ("question", "code", "words"),
    [
        ("error 401", "upstream_auth_error", "key"),
        ("error 429", "rate_limit_exceeded", "wait"),
        ("error 404", "upstream_no_model", "no model"),
        ("error 500", "upstream_error", "failed"),
        ("error 400", "upstream_error", "refused the request"),
        ("cut", "upstream_truncated", "broke off"),
        ("broken json", "upstream_nonsense", "cannot be read"),
        ("no sse", "upstream_nonsense", "did not answer as a model"),
    ],
)
async def test_what_goes_wrong_is_said_in_words(
    model_worker: SharedWorker, question: str, code: str, words: str
):
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server, question))
    assert caught.value.code == code
    assert words in caught.value.title
    assert caught.value.remedy
    assert caught.value.retry_after_s == (7 if question == "error 429" else None)


async def test_a_key_never_shows_in_an_error(model_worker: SharedWorker):
    with ModelServer(ms.error(401, f"Incorrect API key provided: {KEY}")) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server))
    assert "Incorrect API key" in caught.value.detail
    assert KEY not in str(caught.value)


async def test_a_server_that_is_not_there_is_named(model_worker: SharedWorker):
    with ModelServer() as server:
        asked = request(server)
    async with provider_of(model_worker) as provider:
        with pytest.raises(ProviderError, match="No connection to http://127"):
            await chunks_of(provider, asked)


@pytest.mark.parametrize(
    ("reply", "limits", "words"),
    [
        (ms.hang(), ConnectionSettings(first_s=0.3, between_s=LIMIT_S), "does not answer"),
        (ms.hang("Some "), ConnectionSettings(first_s=LIMIT_S, between_s=0.3), "fell silent"),
    ],
)
async def test_silence_ends_by_itself(
    model_worker: SharedWorker, reply: ms.Reply, limits: ConnectionSettings, words: str
):
    with ModelServer(reply) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match=words):
                await chunks_of(provider, request(server, connection=limits))
        assert await asyncio.to_thread(server.requests[0].disconnected.wait, LIMIT_S)


async def test_closing_the_stream_closes_the_connection(model_worker: SharedWorker):
    with ModelServer(ms.hang("Some ")) as server:
        async with provider_of(model_worker) as provider:
            async with aclosing(provider.stream(request(server))) as chunks:
                assert (await anext(chunks)).start
            assert await asyncio.to_thread(server.requests[0].disconnected.wait, LIMIT_S)


async def test_cancelling_before_the_first_piece_closes_the_connection(model_worker: SharedWorker):
    with ModelServer(ms.hang()) as server:
        async with provider_of(model_worker) as provider:
            task = asyncio.create_task(chunks_of(provider, request(server)))
            assert await asyncio.to_thread(server.wait_for_requests, 1)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert await asyncio.to_thread(server.requests[0].disconnected.wait, LIMIT_S)


async def test_turns_stream_at_the_same_time(model_worker: SharedWorker):
    with ModelServer(ms.hang("never ends")) as slow, ModelServer(ms.text("quick")) as quick:
        async with provider_of(model_worker) as provider:
            chunks = provider.stream(request(slow))
            async with aclosing(chunks):
                await anext(chunks)
                assert contents(await chunks_of(provider, request(quick))) == ["quick"]


@pytest.mark.parametrize("reason", ["length", "stop"])
async def test_half_a_call_raises_and_is_not_closed(model_worker: SharedWorker, reason: str):
    half = ms.limited(ms.call("execute", '{"language": "python", "code": "rm -rf /tm'), reason)
    with ModelServer(half) as server:
        async with provider_of(model_worker) as provider:
            seen: list[Chunk] = []

            async def gather() -> None:
                async for chunk in provider.stream(request(server)):
                    seen.append(chunk)

            with pytest.raises(ProviderError) as caught:
                await gather()
    assert caught.value.code == "upstream_truncated"
    assert seen
    assert not any(chunk.end for chunk in seen)


async def test_a_model_that_refuses_tools_is_asked_without_them(model_worker: SharedWorker):
    def script(asked: ms.Request) -> ms.Reply:
        if asked.body.get("tools"):
            return ms.error(400, "this model does not support tools")
        return ms.text("```python\n", "1\n", "```")

    with ModelServer(script) as server:
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, request(server))
            await chunks_of(provider, request(server))
    assert (chunks[0].type, contents(chunks)) == ("code", ["1"])
    assert ["tools" in asked.body for asked in server.requests] == [True, False, False]


async def test_a_check_says_what_answered_or_why_not(model_worker: SharedWorker):
    with ModelServer() as server:
        async with provider_of(model_worker) as provider:
            said = await provider.check(request(server).model)
            with pytest.raises(ProviderError, match="refused the key"):
                await provider.check(request(server, api_key=Secret("wrong")).model)
    assert said == f"openai/test at {server.base_url} answered."
    assert server.requests[0].body["max_tokens"] == 16


async def test_a_local_server_is_asked_without_a_key(model_worker: SharedWorker):
    with ModelServer(ms.text("hi")) as server:
        async with provider_of(model_worker) as provider:
            assert contents(await chunks_of(provider, request(server, api_key=None))) == ["hi"]
    assert "authorization" not in server.requests[0].headers


async def test_a_killed_worker_is_an_error_and_the_next_request_gets_a_fresh_one(
    model_worker: SharedWorker,
):
    with ModelServer([ms.hang("Some "), ms.text("again")]) as server:
        async with provider_of(model_worker) as provider:
            stream = provider.stream(request(server))
            async with aclosing(stream):
                await anext(stream)
                first = provider.worker.pid
                assert first is not None
                os.kill(first, signal.SIGKILL)
                with pytest.raises(ProviderError, match="ended unexpectedly") as caught:
                    _ = [chunk async for chunk in stream]
            assert contents(await chunks_of(provider, request(server))) == ["again"]
            assert provider.worker.pid != first
    assert "Ask again" in caught.value.remedy


async def test_a_worker_that_cannot_start_is_said_and_shown():
    seen: list[WorkerStatus] = []
    provider = Provider(ModelWorker(("/no/such/program",)), canonical)
    provider.worker.subscribe(seen.append)
    await provider.worker.start()
    with ModelServer() as server, pytest.raises(ProviderError, match="could not be started"):
        await chunks_of(provider, request(server))
    await provider.close()
    assert seen[:2] == ["starting", "failed"]


async def test_a_worker_that_dies_before_it_is_ready_is_said(tmp_path: Path):
    log = tmp_path / "model.log"
    dying = "import sys; sys.exit('no litellm, key=sk-abcdefghijklmnop')"
    provider = Provider(ModelWorker((sys.executable, "-c", dying), log_path=log), canonical)
    with ModelServer() as server, pytest.raises(ProviderError, match="status 1"):
        await chunks_of(provider, request(server))
    await provider.close()
    assert "no litellm" in log.read_text(encoding="utf-8")
    assert "abcdefgh" not in log.read_text(encoding="utf-8")


DEAF = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
say(kind="ready", turn="")
turn = json.loads(sys.stdin.readline())["turn"]
say(kind="deltas", turn=turn, deltas=[{"text": "Some"}])
while True: sys.stdin.readline()
"""


async def test_a_worker_that_does_not_acknowledge_a_cancel_is_killed():
    provider = Provider(ModelWorker((sys.executable, "-c", DEAF)), canonical)
    with ModelServer() as server:
        async with aclosing(provider.stream(request(server))) as chunks:
            await anext(chunks)
            pid = provider.worker.pid
            assert pid is not None
    assert provider.worker.pid is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    await provider.close()


async def test_an_image_reaches_a_model_that_can_see(model_worker: SharedWorker, tmp_path: Path):
    path = tmp_path / "red.png"
    Image.new("RGB", (4, 4), "red").save(path)
    with ModelServer(ms.text("red")) as server:
        asked = request(server, override=ModelOverride(supports_images=True))
        image = Message(
            id="m0", parent_id=None, role="user", type="image", format="path", content=str(path)
        )
        async with provider_of(model_worker) as provider:
            await chunks_of(provider, replace(asked, messages=(image, *asked.messages)))
            blind = request(server, override=ModelOverride(supports_images=False))
            await chunks_of(provider, replace(blind, messages=(image, *blind.messages)))
    seen, told = (asked.messages[1]["content"] for asked in server.requests)
    assert seen[0]["image_url"]["url"].startswith("data:image/png;base64,")
    assert seen[1]["text"] == f"[Image file: {path}]"
    assert told.startswith(f"[Image file: {path}. You cannot see images")
    assert told.endswith("\n\nhello")


REFUSES_IMAGES = [
    ms.error(400, "Invalid content type. image_url is only supported by certain models."),
    ms.error(500, "image input is not supported - you may need to provide the mmproj"),
    ms.error(404, "No endpoints found that support image input"),
    ms.error(422, "messages.1.content: Input should be a valid string"),
]


def _with_image(asked: TurnRequest, path: Path) -> TurnRequest:
    Image.new("RGB", (4, 4), "red").save(path)
    image = Message(
        id="m0", parent_id=None, role="user", type="image", format="path", content=str(path)
    )
    return replace(asked, messages=(image, *asked.messages))


def _has_image(asked: ms.Request) -> bool:
    return "data:image/png;base64," in json.dumps(asked.messages)


async def test_an_image_is_tried_out_on_a_model_of_which_nothing_is_known(
    model_worker: SharedWorker, tmp_path: Path
):
    with ModelServer(ms.text("red")) as server:
        asked = _with_image(request(server), tmp_path / "red.png")
        async with provider_of(model_worker) as provider:
            chunks = await chunks_of(provider, asked)
            assert (await provider.facts(asked.model)).supports_images is None
    assert [_has_image(one) for one in server.requests] == [True]
    assert not usage_of(chunks).has_refused_images


@pytest.mark.parametrize("refusal", REFUSES_IMAGES)
async def test_a_refused_image_is_taken_back_and_that_is_said_once(
    model_worker: SharedWorker, tmp_path: Path, refusal: ms.Reply
):
    path = tmp_path / "red.png"
    with ModelServer(lambda asked: refusal if _has_image(asked) else ms.text("A file.")) as server:
        asked = _with_image(request(server), path)
        async with provider_of(model_worker) as provider:
            first = await chunks_of(provider, asked)
            count = len(server.requests)
            second = await chunks_of(provider, asked)
            assert (await provider.facts(asked.model)).supports_images is False
    assert "A file." in contents(first)
    assert [usage_of(one).has_refused_images for one in (first, second)] == [True, False]
    assert f"[Image file: {path}. You cannot see images" in json.dumps(server.requests[-1].messages)
    assert len(server.requests) == count + 1  # it is not tried out again
    assert not _has_image(server.requests[-1])


async def test_an_image_that_is_too_large_says_nothing_of_the_next_one(
    model_worker: SharedWorker, tmp_path: Path
):
    too_large = ms.error(400, "The image is too large: 5000 pixels.")
    replies = iter([too_large, ms.text("A file."), ms.text("red")])
    with ModelServer(lambda _asked: next(replies)) as server:
        asked = _with_image(request(server), tmp_path / "red.png")
        async with provider_of(model_worker) as provider:
            await chunks_of(provider, asked)
            await chunks_of(provider, asked)
    assert [_has_image(one) for one in server.requests] == [True, False, True]


async def test_a_refusal_about_something_else_takes_no_image_back(
    model_worker: SharedWorker, tmp_path: Path
):
    refusal = ms.error(400, "This model's maximum context length is 10 tokens.")
    with ModelServer(refusal) as server:
        asked = _with_image(request(server), tmp_path / "red.png")
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError):
                await chunks_of(provider, asked)
    assert all(_has_image(one) for one in server.requests)


async def test_status_goes_from_starting_to_ready(model_worker: SharedWorker):
    seen: list[WorkerStatus] = []
    async with provider_of(model_worker) as provider:
        unsubscribe = provider.worker.subscribe(seen.append)
        await provider.worker.start()
        unsubscribe()
    assert seen == ["starting", "ready"]


SLOW_START = """
import sys
sys.stdin.readline()
print('{"kind": "ready", "turn": ""}', flush=True)
for line in sys.stdin: pass
"""


async def test_a_start_is_told_to_its_end_though_nobody_waits_for_it():
    provider = Provider(ModelWorker((sys.executable, "-c", SLOW_START)), canonical)
    is_ready = asyncio.Event()
    provider.worker.subscribe(lambda status: is_ready.set() if status == "ready" else None)
    waiting = asyncio.create_task(provider.worker.start())
    await until(lambda: provider.worker.pid is not None)
    waiting.cancel()
    await asyncio.wait([waiting])
    worker = provider.worker._http._worker
    assert worker is not None
    assert provider.worker.status == "starting"
    await worker.send(Cancel("x"))  # any line lets it go on
    async with asyncio.timeout(LIMIT_S):
        await is_ready.wait()
    await provider.close()


def test_the_worker_inherits_no_keys():
    given = {"OPENAI_API_KEY": "k", "AWS_SECRET_ACCESS_KEY": "k", "PLAYHEAD_DATA_DIR": "d"}
    kept = worker_environment({**given, "OPENAI_API_BASE": "x", "PATH": "/bin", "HOME": "/h"})
    assert {"PATH", "HOME"} <= set(kept)
    assert not {*given, "OPENAI_API_BASE"} & set(kept)


def test_litellm_stays_out_of_this_process():
    assert "litellm" not in sys.modules
