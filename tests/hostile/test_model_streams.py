"""Streams that no good model sends: each turn ends, in words that help, and the next one works.

All come from one real server on loopback, through the real worker, to one provider. What servers
send in the place of a stream is in `tests/model_worker/test_hostile_servers.py`.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.model import ConnectionSettings, ModelOverride
from playhead.errors import ProviderError
from playhead.providers.provider import AnswerLimits, Provider
from playhead.providers.worker import ModelWorker
from tests.support import model_server as ms
from tests.support.asking import KEY, canonical, contents, request
from tests.support.model_server import ModelServer, Reply
from tests.support.waiting import LIMIT_S
from tests.support.workers import SharedWorker

DONE = "data: [DONE]\n\n"
LIMITS = AnswerLimits(calls=16, messages=50, characters=200_000)
IMPATIENT = ConnectionSettings(retries=0, first_s=2.0, between_s=2.0)
FAILS = None


def data(found: object) -> str:
    return f"data: {json.dumps(found)}\n\n"


def event(delta: Any, finish: Any = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return data({**head, "choices": [choice], **more})


def piece(index: Any = 0, **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, **more}]}


def begun(index: int = 0, name: str = "execute", **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": ""}
    return piece(index, id=f"call_{index}", type="function", function=function, **more)


def argued(text: str, index: int = 0) -> dict[str, Any]:
    return piece(index, function={"arguments": text})


HI, END = event({"content": "hi"}), event({}, "stop")
CODE = '{"language": "python", "code": "1 + 1"}'


def streamed(*wire: str | bytes, **more: Any) -> Reply:
    return replace(ms.spoken(*wire), **more)


def whole(*deltas: Any, finish: str = "stop") -> Reply:
    return streamed(*map(event, deltas), event({}, finish), DONE)


def many(count: int, made: Callable[[int], Any]) -> Reply:
    """Many deltas in few writes."""
    told = [event(made(number)) for number in range(count)]
    return streamed(*("".join(told[n : n + 500]) for n in range(0, count, 500)), END, DONE)


def endless() -> Iterator[str]:
    return ("x" * 4_000 for _ in range(200))


STREAMS: dict[str, tuple[Reply, str | None]] = {
    "an empty body": (streamed(""), FAILS),
    "only the end": (streamed(DONE), FAILS),
    "only comments": (streamed(": ping\n\n" * 50, DONE), FAILS),
    "no end": (streamed(HI), FAILS),
    "cut inside JSON": (streamed(HI, 'data: {"choices": [{"delta": {"con'), FAILS),
    "cut inside a letter": (streamed(HI, 'data: {"a": "ä'.encode()[:-1]), FAILS),
    "cut inside arguments": (
        streamed(event(begun()), event(argued('{"language": "py'))),
        FAILS,
    ),
    "cut by its length": (streamed(HI, headers={"Content-Length": "9999"}), FAILS),
    "an error in the middle": (streamed(HI, data({"error": {"message": "boom"}})), FAILS),
    "an error that is a text": (streamed(HI, data({"error": "boom"})), FAILS),
    "an error that is a list": (streamed(HI, data({"error": [{"a": [1]}]})), FAILS),
    "HTML in the place of a stream": (
        streamed("<html>Sign in</html>", content_type="text/html"),
        FAILS,
    ),
    "JSON that is no stream": (streamed('{"hello": 1}', content_type="application/json"), FAILS),
    "a gzip bomb": (
        streamed(gzip.compress(b"x" * 50_000_000), headers={"Content-Encoding": "gzip"}),
        FAILS,
    ),
    "no gzip": (streamed(HI, headers={"Content-Encoding": "gzip"}), FAILS),
    "a redirect": (
        streamed("", status=302, headers={"Location": "http://127.0.0.1:9/v1"}),
        FAILS,
    ),
    "a redirect to itself": (streamed("", status=307, headers={"Location": "/v1"}), FAILS),
    "status 204": (streamed("", status=204), FAILS),
    "status 418": (streamed("teapot", status=418), FAILS),
    "status 599": (streamed("?", status=599), FAILS),
    "a header of 1 MB": (streamed(HI, DONE, headers={"X-Long": "x" * 1_000_000}), FAILS),
    "a line without end": (streamed(HI, "data: ", *endless(), *endless(), *endless()), FAILS),
    "choices that are a number": (streamed(data({"choices": 5}), DONE), FAILS),
    "a delta that is a list": (streamed(event([]), DONE), FAILS),
    "a content that is a number": (whole({"content": 5}), ""),
    "calls that are a text": (whole({"tool_calls": "execute"}), FAILS),
    "a call without a name": (whole(piece(0, id="a", function={"arguments": CODE})), ""),
    "an index that is a text": (whole(piece("first", id="a")), ""),
    "an index below none": (whole(begun(-1), argued(CODE, -1)), ""),
    "a huge index": (whole(begun(10**9), argued(CODE, 10**9)), ""),
    "pieces that alternate": (
        whole(begun(1), begun(0), argued(CODE, 1), argued(CODE, 0), finish="tool_calls"),
        "",
    ),
    "arguments that are no JSON": (whole(begun(), argued("rm -rf /")), ""),
    "arguments nested deeply": (whole(begun(), argued('{"a":' * 5_000)), ""),
    "arguments of another shape": (whole(begun(), argued("[1, 2]")), ""),
    "more after the arguments": (whole(begun(), argued(CODE), argued('{"language": 1}')), ""),
    "a name in every piece": (whole(begun(), begun(), argued(CODE)), ""),
    "a thousand calls that go on": (many(1_000, begun), FAILS),
    "two thousand calls of one index": (
        many(
            2_000,
            lambda n: piece(0, id=f"c{n}", function={"name": "f", "arguments": "{}"}),
        ),
        FAILS,
    ),
    "five hundred fences": (many(500, lambda n: {"content": f"```python\n{n}\n```\n\n"}), "499"),
    "an answer without end": (many(5_000, lambda _: {"content": "word " * 20}), FAILS),
    "thinking without end": (many(3_000, lambda _: {"reasoning_content": "hm " * 30}), FAILS),
    "two roles": (whole({"role": "assistant"}, {"role": "user", "content": "hi"}), "hi"),
    "two ends": (streamed(HI, END, END, DONE, DONE), "hi"),
    "text after the end": (streamed(HI, END, event({"content": " more"}), DONE), "hi"),
    "an unknown reason": (whole({"content": "hi"}, finish="zebra"), "hi"),
    "two choices": (
        streamed(data({"choices": [{"index": 1, "delta": {"content": "no"}}]}), HI, END, DONE),
        "hi",
    ),
    "usage of nonsense": (
        streamed(HI, END, data({"choices": [], "usage": {"prompt_tokens": -5}}), DONE),
        "hi",
    ),
    "usage that is a text": (streamed(HI, END, data({"choices": [], "usage": "much"}), DONE), ""),
    "usage of NaN": (
        streamed(HI, END, 'data: {"choices": [], "usage": {"prompt_tokens": NaN}}\n\n', DONE),
        "",
    ),
    "control characters": (whole({"content": "hi\0\x1b[2J\u202e\ud83d"}), "hi"),
    "half a pair in each of two": (whole({"content": "hi\ud83d"}, {"content": "\ude00"}), "hi"),
    "nothing but spaces": (whole({"content": "hi"}, *[{"content": " "}] * 500), "hi"),
    "empty deltas": (whole(*[{}] * 500, {"content": "hi"}), "hi"),
    "null everywhere": (
        whole({"content": None, "tool_calls": None, "role": None}, {"content": "hi"}),
        "hi",
    ),
    "lines of Windows": (streamed(HI.replace("\n", "\r\n"), END, DONE), "hi"),
    "names of events": (streamed("event: zebra\nid: 1\n" + HI, END, DONE), "hi"),
    "the key itself": (streamed(f"{KEY} is wrong", status=400), FAILS),
}
"""Streams, and what is in the text of their answer; FAILS where there must be a failure, and an
empty text where only an end is asked for."""


async def turn(
    provider: Provider, server: ModelServer, **model: Any
) -> tuple[list[Chunk], ProviderError | None]:
    """The chunks of one answer, which a conversation takes, and its failure."""
    conversation, chunks = Conversation(), list[Chunk]()
    try:
        async with asyncio.timeout(LIMIT_S):
            async for chunk in provider.stream(request(server, connection=IMPATIENT, **model)):
                conversation.apply(chunk)
                chunks.append(chunk)
    except ProviderError as error:
        return chunks, error
    assert conversation.open_id is None
    return chunks, None


def helps(error: ProviderError) -> bool:
    words = f"{error.title} {error.detail} {error.remedy}"
    alien = ("Traceback", "NoneType", "has no attribute", "litellm", KEY, "codec", "object at 0x")
    return bool(error.title and error.remedy) and not any(word in words for word in alien)


async def test_every_odd_stream_ends_in_words_and_the_next_turn_works(
    model_worker: SharedWorker,
) -> None:
    wrong: list[str] = []
    provider = Provider(ModelWorker(model_worker.command), canonical, limits=LIMITS)
    good = ms.text("fine")
    try:
        with ModelServer(good) as server:
            for name, (reply, wanted) in STREAMS.items():
                server.script = reply
                chunks, error = await turn(provider, server)
                text = "".join(str(one) for one in contents(chunks))
                if error is not None and not helps(error):
                    wrong.append(f"{name}: {error.title} {error.detail} {error.remedy}")
                if (wanted is FAILS) != (error is not None) and wanted != "":
                    wrong.append(f"{name}: {error} {text[:200]!r}")
                elif wanted and wanted not in text:
                    wrong.append(f"{name}: {text[:200]!r}")
            server.script = good
            chunks, error = await turn(provider, server)
            assert (contents(chunks), error) == (["fine"], None)
    finally:
        await provider.close()
    assert not wrong, "\n".join(wrong)


async def test_of_very_many_calls_the_first_are_kept_and_both_sides_are_informed(
    model_worker: SharedWorker,
) -> None:
    def made(number: int) -> dict[str, Any]:
        return piece(number, id=f"c{number}", function={"name": "execute", "arguments": CODE})

    provider = Provider(ModelWorker(model_worker.command), canonical)
    try:
        with ModelServer(many(10_000, made)) as server:
            chunks, error = await turn(provider, server)
    finally:
        await provider.close()
    assert sum(chunk.start and chunk.type == "code" for chunk in chunks) == 128
    assert error is not None
    assert "more than 128 tool calls" in error.detail
    (note,) = [c for c in chunks if c.type == "tool_result" and isinstance(c.content, str)]
    assert "more than 128 calls" in str(note.content)


@pytest.mark.parametrize("limit", ["characters", "messages"])
async def test_a_limit_names_itself(model_worker: SharedWorker, limit: str) -> None:
    limits = AnswerLimits(characters=1_000) if limit == "characters" else AnswerLimits(messages=5)
    made = {"characters": "word " * 50, "messages": "```python\n1\n```\n\n"}[limit]
    provider = Provider(ModelWorker(model_worker.command), canonical, limits=limits)
    try:
        with ModelServer(many(100, lambda _: {"content": made})) as server:
            without_tools = ModelOverride(takes_tools=False)
            _, error = await turn(provider, server, override=without_tools)
    finally:
        await provider.close()
    assert error is not None
    assert error.title == "The answer was cut."
    assert {"characters": "1,000 characters", "messages": "5 parts"}[limit] in error.detail
