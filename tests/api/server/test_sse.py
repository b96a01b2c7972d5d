"""Streams as clients read them: status first, pings, both ends may be slow or leave."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from playhead.api.server.sse import LONGEST_LINE, to_json
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from tests.support.http_server import Answer, Serving, Stream, Table, parsed, serving
from tests.support.waiting import until

START = Chunk(role="assistant", type="message", start=True)
END = Chunk(role="assistant", type="message", end=True)


def said(text: str) -> Chunk:
    return Chunk(role="assistant", type="message", content=text)


@asynccontextmanager
async def asked(
    served: Serving, path: str = "/v1/stream"
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter, Stream]]:
    """A request on its way, and the turn that the test plays."""
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    known = len(served.table.streams)
    request = served.request(path, b"{}", "Connection: close").replace("\n", "\r\n")
    writer.write(request.encode() + b"\r\n\r\n{}")
    await until(lambda: len(served.table.streams) > known)
    try:
        yield reader, writer, served.table.streams[known]
    finally:
        writer.close()


async def whole(chunks: list[Chunk], path: str = "/v1/stream") -> tuple[Answer, Stream]:
    """The answer to a turn that says all this at once."""
    async with serving() as served, asked(served, path) as (reader, _, stream):
        for chunk in chunks:
            stream.outbox.put(chunk)
        stream.outbox.close()
        return parsed(await reader.read()), stream


async def test_a_stream_is_lines_of_json_with_the_right_headers() -> None:
    answer, stream = await whole(
        [START, said("Grüße\u2028"), END, Chunk(role="server", type="status", content="complete")]
    )
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert "content-encoding" not in answer.headers
    lines = answer.body.decode().split("\n")
    assert lines[1::2] == [""] * len(lines[1::2])
    assert all(line.startswith("data: {") for line in lines[::2] if line)
    assert [event["content"] for event in answer.events[:-1]] == [
        None,
        "Grüße\u2028",
        None,
        "complete",
    ]
    assert answer.events[-1] == {"type": "finished"}
    assert stream.endings == 1
    assert not stream.is_cancelled


async def test_a_piece_is_sent_at_once() -> None:
    async with serving() as served, asked(served) as (reader, _, stream):
        stream.outbox.put(START)
        stream.outbox.put(said("one"))
        assert b"data: " in await reader.readuntil(b'"one","end":false}')
        stream.outbox.put(said("two"))
        await reader.readuntil(b'"two","end":false}')
        stream.end()
        await reader.read()


async def test_a_failure_before_the_first_piece_is_a_plain_error() -> None:
    failure = Failure(code="rate_limit_exceeded", title="Too fast", retry_after_s=7)
    for path in ("/v1/stream", "/v1/whole"):
        answer, _ = await whole([Chunk(role="server", type="error", content=failure)], path)
        assert (answer.status, answer.error["code"]) == (429, "rate_limit_exceeded")
        assert answer.headers["retry-after"] == "7"
        assert answer.headers["content-type"] == "application/json"


async def test_a_failure_after_it_is_an_event() -> None:
    error = Chunk(role="server", type="error", content=Failure(code="upstream_error", title="No"))
    answer, stream = await whole([START, said("a"), END, error])
    assert answer.status == 200
    assert [event["type"] for event in answer.events] == ["message"] * 3 + ["error", "finished"]
    assert stream.endings == 1


async def test_a_whole_answer_that_fails_late_is_a_plain_error() -> None:
    error = Chunk(
        role="server", type="error", content=Failure(code="upstream_truncated", title="No")
    )
    answer, _ = await whole([START, said("a"), END, error], "/v1/whole")
    assert (answer.status, answer.error["code"]) == (500, "upstream_truncated")


async def test_a_whole_answer_has_all_chunks() -> None:
    status = Chunk(role="server", type="status", content="complete")
    answer, _ = await whole([START, said("a"), END, status], "/v1/whole")
    assert json.loads(answer.body) == {"types": ["message", "message", "message", "status"]}


async def test_silence_is_filled_with_comments_from_the_status_on() -> None:
    async with serving(ping_s=0.02, status_s=0.02) as served, asked(served) as (reader, _, stream):
        assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
        for _ in range(3):
            await reader.readuntil(b": ping\n\n")
        stream.say("late")
        await reader.readuntil(b'"late"')
        await reader.readuntil(b": ping\n\n")
        stream.end()
        assert b"finished" in await reader.read()


async def test_a_failure_after_a_long_silence_is_an_event() -> None:
    async with serving(status_s=0.02) as served, asked(served) as (reader, _, stream):
        head = await reader.readuntil(b": ping\n\n")
        assert head.startswith(b"HTTP/1.1 200 OK")
        stream.outbox.put(
            Chunk(role="server", type="error", content=Failure(code="upstream_error", title="No"))
        )
        stream.outbox.close()
        assert b'"type":"error"' in await reader.read()


@pytest.mark.parametrize("path", ["/v1/stream", "/v1/whole"])
@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_client_that_leaves_is_noticed_while_nothing_is_written(
    path: str, has_begun: bool
) -> None:
    async with serving() as served, asked(served, path) as (reader, writer, stream):
        if has_begun:
            stream.outbox.put(START)
            if path == "/v1/stream":
                await reader.readuntil(b"data: ")
        assert not stream.is_cancelled
        writer.close()
        await until(lambda: stream.is_cancelled)
        assert stream.endings == 0


@pytest.mark.parametrize("path", ["/v1/stream", "/v1/whole"])
async def test_a_turn_that_ends_without_a_word_is_no_answer(path: str) -> None:
    answer, stream = await whole([], path)
    assert (answer.status, answer.error["code"]) == (500, "internal_error")
    assert "cancelled" in answer.error["message"]
    assert stream.endings == 0


async def test_an_answer_that_ends_halfway_says_so() -> None:
    answer, stream = await whole([START, said("half")])
    assert [event["end"] for event in answer.events[:3]] == [False, False, True]
    assert answer.events[3:] == [
        {"type": "status", "content": "cancelled", "end": False},
        {"type": "finished"},
    ]
    assert stream.endings == 0
    assert (await whole([START, said("half")], "/v1/whole"))[0].status == 500


async def test_clients_that_leave_amid_the_writing_leave_quietly() -> None:
    async with serving(rate_limit=0) as served:
        for _ in range(20):
            async with asked(served) as (reader, writer, stream):
                stream.outbox.put(START)
                for _ in range(500):
                    stream.outbox.put(said("x" * 1000))
                await reader.readuntil(b"xx")
                writer.transport.abort()
                await until(lambda: not stream.outbox.put(said("more")))
                assert stream.is_cancelled


async def test_a_client_that_resets_its_connection_is_noticed() -> None:
    async with serving() as served, asked(served) as (reader, writer, stream):
        stream.outbox.put(START)
        await reader.readuntil(b"data: ")
        writer.transport.abort()
        await until(lambda: stream.is_cancelled)


async def test_who_reads_slowly_gets_everything_and_holds_up_nobody() -> None:
    async with serving() as served, asked(served) as (reader, _, stream):
        text = "0123456789" * 1000
        stream.outbox.put(START)
        for _ in range(300):
            assert stream.outbox.put(said(text))
        assert (await served.post("/v1/echo")).status == 200
        stream.outbox.put(END)
        stream.end()
        answer = parsed(await reader.read())
    contents = [event["content"] or "" for event in answer.events if event["type"] == "message"]
    assert "".join(contents) == text * 300


def flood(stream: Stream) -> int:
    """Say more than is taken; how many characters it was until the client was given up."""
    stream.outbox.put(START)
    number = 0
    while stream.outbox.put(said("x" * 10_000)):
        number += 1
        assert number < 100_000
    return number * 10_000


async def test_who_does_not_read_at_all_is_given_up_with_bounded_memory() -> None:
    table = Table(ends_when_cancelled=False)
    async with serving(table) as served, asked(served) as (reader, _, stream):
        before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert flood(stream) < 100_000_000
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 150_000
        answer = parsed(await reader.read())
    error = answer.events[-2]
    assert error["type"] == "error"
    assert error["content"]["code"] == "client_too_slow"
    assert answer.events[-3] == {"type": "message", "content": None, "end": True}


async def test_who_is_given_up_and_still_does_not_read_is_cut_off() -> None:
    async with serving(Table(ends_when_cancelled=False), overrun_s=0.05) as served:
        sock = socket.create_connection(("127.0.0.1", served.port))
        request = served.request("/v1/stream").replace("\n", "\r\n")
        sock.sendall(request.encode() + b"\r\n\r\n{}")
        await until(lambda: served.table.streams)
        stream = served.table.streams[0]
        flood(stream)
        await until(lambda: stream.is_cancelled)
        sock.close()


async def test_no_line_is_longer_than_clients_read() -> None:
    chunks = [
        START,
        said('\x01"' * 1_500_000),
        END,
        Chunk(role="server", type="status", content="complete"),
    ]
    answer, _ = await whole(chunks)
    assert max(map(len, answer.body.split(b"\n"))) <= LONGEST_LINE
    texts = [event["content"] or "" for event in answer.events if event["type"] == "message"]
    assert "".join(texts) == '\x01"' * 1_500_000


async def test_an_event_that_cannot_be_cut_ends_the_stream_in_words() -> None:
    answer, stream = await whole(
        [START, END, Chunk(role="user", type="file", content="x" * 1_100_000)]
    )
    assert [event["type"] for event in answer.events[-2:]] == ["error", "finished"]
    assert "too long" in answer.events[-2]["content"]["title"]
    assert stream.is_cancelled


async def test_half_characters_are_joined_or_replaced() -> None:
    halves = [said("a\ud83d"), said("\ude00b"), said("\ude00"), said("c\ud83d")]
    status = Chunk(role="server", type="status", content="complete")
    answer, _ = await whole([START, *halves, END, status])
    texts = [event["content"] or "" for event in answer.events if event["type"] == "message"]
    assert "".join(texts) == "a😀b\ufffdc\ufffd"


async def test_an_encoder_that_fails_ends_its_stream_and_no_other(expect_log) -> None:
    expect_log("could not be encoded")
    async with serving() as served, asked(served) as (reader, _, stream), asked(served) as others:
        other_reader, _, other = others
        other.outbox.put(START)
        for chunk in (
            START,
            said("a"),
            END,
            Chunk(role="assistant", type="code", format="python", start=True),
        ):
            stream.outbox.put(chunk)
        answer = parsed(await reader.read())
        assert stream.is_cancelled
        other.end()
        assert b"finished" in await other_reader.read()
        assert not other.is_cancelled
    assert "no word for code" not in answer.body.decode()
    assert '"internal_error"' in answer.body.decode()


async def test_a_hundred_streams_at_once_each_get_their_own() -> None:
    async with serving(rate_limit=0) as served:
        asking = [asyncio.create_task(served.post("/v1/stream")) for _ in range(100)]
        await until(lambda: len(served.table.streams) == 100)
        for number, stream in enumerate(served.table.streams):
            stream.say(f"number {number}")
            stream.end()
        answers = await asyncio.gather(*asking)
    texts = {answer.events[1]["content"] for answer in answers}
    assert texts == {f"number {number}" for number in range(100)}


def test_json_never_has_half_a_character() -> None:
    assert to_json({"a": "\ud83d", "b": "ü"}) == '{"a":"\ufffd","b":"ü"}'.encode()
