"""Requests that no good client sends: each is refused in words, and the server goes on.

All of them go, one after the other, to one server over real sessions, as bytes over sockets.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from playhead.api.server.server_options import ServerOptions
from tests.support.http_face import TOKEN, Face, face
from tests.support.http_server import Answer, parsed
from tests.support.ports import said
from tests.support.waiting import LIMIT_S

NATIVE, CHAT, COHERE = "/v1/chat", "/v1/chat/completions", "/v2/chat"
KERNEL, THREADS, RUNS = "/v1/kernel/stream", "/v1/threads", "/v1/threads/runs"
USER = {"role": "user", "content": "hi"}
BODIES: dict[str, dict[str, Any]] = {
    NATIVE: {"messages": [{"role": "user", "type": "message", "content": "hi"}]},
    CHAT: {"model": "m", "messages": [USER]},
    COHERE: {"model": "m", "messages": [USER]},
    KERNEL: {"messages": [{"type": "input", "text": "hi"}], "stream": False},
    RUNS: {"thread": {"messages": [USER]}, "stream": True},
}
OPTIONS = ServerOptions(port=0, rate_limit=0)
IMPATIENT = ServerOptions(port=0, rate_limit=0, body_s=0.3, max_connections=100)
YES = [said("Yes")] * 50
Refusal = tuple[int, str]


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


def of(path: str, **more: Any) -> bytes:
    return body({**BODIES[path], **more})


def nested(depth: int) -> bytes:
    return b'{"messages": [{"role": "user", "content": ' + b"[" * depth + b"]" * depth + b"}]}"


def many(path: str, count: int) -> bytes:
    told = BODIES[path]
    if path == RUNS:
        return body({"thread": {"messages": [USER] * count}})
    return body({**told, "messages": told["messages"] * count})


def call(**more: Any) -> dict[str, Any]:
    function = {"name": "f", "arguments": "{}"}
    return {"id": "a", "type": "function", "function": function, **more}


def assistant(*calls: Any) -> list[Any]:
    return [USER, {"role": "assistant", "content": "", "tool_calls": list(calls)}]


BAD = (400, "invalid_messages")
NO_JSON = (400, "invalid_json")
TOO_MANY = (413, "too_many_messages")
BODY_CASES: dict[str, tuple[str, bytes, Refusal]] = {
    "no body": (CHAT, b"", NO_JSON),
    "not JSON": (CHAT, b"hello", NO_JSON),
    "a list": (CHAT, b"[]", NO_JSON),
    "a number": (NATIVE, b"5", NO_JSON),
    "null": (COHERE, b"null", NO_JSON),
    "cut in the middle": (CHAT, of(CHAT)[:-5], NO_JSON),
    "cut inside a letter": (CHAT, '{"model": "ä'.encode()[:-1], NO_JSON),
    "two objects": (NATIVE, of(NATIVE) * 2, NO_JSON),
    "Latin-1": (CHAT, '{"model": "ä"}'.encode("latin-1"), NO_JSON),
    "UTF-16": (CHAT, of(CHAT).decode().encode("utf-16"), NO_JSON),
    "NaN": (CHAT, b'{"temperature": NaN, ' + of(CHAT)[1:], NO_JSON),
    "Infinity": (COHERE, b'{"p": -Infinity, ' + of(COHERE)[1:], NO_JSON),
    "single quotes": (NATIVE, b"{'messages': []}", NO_JSON),
    "a comment": (NATIVE, b'{ /* none */ "messages": []}', NO_JSON),
    "nested 200 deep": (CHAT, b'{"model":"m",' + nested(200)[1:], NO_JSON),
    "nested 100,000 deep": (CHAT, b'{"model":"m",' + nested(100_000)[1:], NO_JSON),
    "brackets only": (NATIVE, b"[" * 500_000, NO_JSON),
    "two million lists": (
        NATIVE,
        b'{"x":[' + b"[]," * 2_000_000 + b"[]]}",
        (413, "body_too_large"),
    ),
    "messages that are a text": (CHAT, of(CHAT, messages="hi"), BAD),
    "messages that are an object": (NATIVE, of(NATIVE, messages={"0": USER}), BAD),
    "no messages": (COHERE, of(COHERE, messages=[]), BAD),
    "a message that is a number": (KERNEL, of(KERNEL, messages=[5]), BAD),
    "a message that is null": (CHAT, of(CHAT, messages=[None]), BAD),
    "a role that is a list": (CHAT, of(CHAT, messages=[{"role": [], "content": "x"}]), BAD),
    "unknown roles only": (CHAT, of(CHAT, messages=[{"role": "zebra", "content": "x"}]), BAD),
    "a content that is a number": (CHAT, of(CHAT, messages=[{"role": "user", "content": 5}]), BAD),
    "an unknown part": (
        CHAT,
        of(CHAT, messages=[{"role": "user", "content": [{"type": "video", "video": 1}]}]),
        BAD,
    ),
    "an image at an address": (
        CHAT,
        of(
            CHAT,
            messages=[
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "http://10.0.0.1/x"}}],
                }
            ],
        ),
        BAD,
    ),
    "calls that are a text": (
        CHAT,
        of(CHAT, messages=[USER, {"role": "assistant", "content": "", "tool_calls": "x"}]),
        BAD,
    ),
    "a call without an id": (COHERE, of(COHERE, messages=assistant(call(id=""))), BAD),
    "arguments that are an object": (
        CHAT,
        of(CHAT, messages=assistant(call(function={"name": "f", "arguments": {}}))),
        BAD,
    ),
    "a result of no call": (
        CHAT,
        of(CHAT, messages=[USER, {"role": "tool", "tool_call_id": "b", "content": "x"}]),
        BAD,
    ),
    "an image that is none": (
        NATIVE,
        of(
            NATIVE,
            messages=[{"role": "user", "type": "image", "format": "base64.png", "content": "?"}],
        ),
        BAD,
    ),
    "a recipient that is nobody": (
        NATIVE,
        of(
            NATIVE,
            messages=[
                {"role": "user", "type": "message", "content": "x", "recipient": "everybody"}
            ],
        ),
        BAD,
    ),
    "approval of nothing": (
        NATIVE,
        of(NATIVE, messages=[{"role": "user", "type": "command", "content": "go"}]),
        (400, "nothing_to_approve"),
    ),
    "a command that is none": (
        NATIVE,
        of(NATIVE, messages=[{"role": "user", "type": "command", "content": "rm -rf /"}]),
        BAD,
    ),
    "100,000 messages, chat": (CHAT, many(CHAT, 100_000), TOO_MANY),
    "100,000 messages, native": (NATIVE, many(NATIVE, 100_000), TOO_MANY),
    "100,000 messages, Cohere": (COHERE, many(COHERE, 100_000), TOO_MANY),
    "100,000 messages, kernel": (KERNEL, many(KERNEL, 100_000), TOO_MANY),
    "100,000 messages, a thread": (RUNS, many(RUNS, 100_000), TOO_MANY),
    "100,000 calls": (CHAT, of(CHAT, messages=assistant(*[call()] * 100_000)), TOO_MANY),
    "100,000 parts": (
        COHERE,
        of(
            COHERE,
            messages=[{"role": "user", "content": [{"type": "text", "text": "a"}] * 100_000}],
        ),
        TOO_MANY,
    ),
    "no model": (CHAT, body({"messages": [USER]}), (400, "invalid_model")),
    "a model that is an object": (CHAT, of(CHAT, model={}), (400, "invalid_model")),
    "a model of 10,000 letters": (CHAT, of(CHAT, model="m" * 10_000), (400, "invalid_model")),
    "a temperature of 1e400": (
        CHAT,
        b'{"temperature": 1e400, ' + of(CHAT)[1:],
        (400, "invalid_request"),
    ),
    "a temperature of 99": (CHAT, of(CHAT, temperature=99), (400, "invalid_request")),
    "tokens of a huge number": (CHAT, of(CHAT, max_tokens=10**30), (400, "invalid_request")),
    "tokens below none": (COHERE, of(COHERE, max_tokens=-1), (400, "invalid_request")),
    "a number of 100,000 digits": (
        CHAT,
        b'{"max_tokens": ' + b"9" * 100_000 + b", " + of(CHAT)[1:],
        (400, "invalid_request"),
    ),
    "tools that are a text": (CHAT, of(CHAT, tools="f"), (400, "invalid_tools")),
    "two tools of one name": (
        CHAT,
        of(CHAT, tools=[{"type": "function", "function": {"name": "f"}}] * 2),
        (400, "invalid_tools"),
    ),
    "20,000 tools of one name": (
        CHAT,
        of(CHAT, tools=[{"type": "function", "function": {"name": "f"}}] * 20_000),
        (400, "invalid_tools"),
    ),
    "a tool with a bad name": (
        COHERE,
        of(COHERE, tools=[{"type": "function", "function": {"name": "rm -rf /"}}]),
        (400, "invalid_tools"),
    ),
    "a choice of an unknown tool": (
        CHAT,
        of(CHAT, tool_choice={"type": "function", "function": {"name": "g"}}, tools=[]),
        (400, "invalid_tools"),
    ),
    "an address without a key": (
        CHAT,
        of(CHAT, api_base="http://127.0.0.1:1/v1"),
        (400, "missing_api_key"),
    ),
    "an address of a file": (
        CHAT,
        of(CHAT, api_base="file:///etc/passwd", api_key="k"),
        (400, "invalid_request"),
    ),
    "unasked code": (NATIVE, of(NATIVE, auto_run=True), (403, "auto_run_forbidden")),
    "an unknown session": (NATIVE, of(NATIVE, session_id="../../etc"), (404, "not_found")),
    "metadata of numbers": (THREADS, body({"metadata": {"a": 5}}), (400, "invalid_request")),
    "a message of the system": (
        THREADS,
        body({"messages": [{"role": "system", "content": "x"}]}),
        BAD,
    ),
    "an unknown assistant": (RUNS, of(RUNS, assistant_id="asst_none"), (404, "not_found")),
}
"""Paths, bodies and the refusals that they must get."""

READ: dict[str, tuple[str, bytes]] = {
    "half a pair": (CHAT, of(CHAT, messages=[{"role": "user", "content": "a\ud83d b\ude00"}])),
    "equal keys": (CHAT, b'{"model": "x", "stream": true, "stream": false, ' + of(CHAT)[1:]),
    "unknown fields": (COHERE, of(COHERE, zebra={"a": [1]}, seed=10**40)),
    "unknown roles": (CHAT, of(CHAT, messages=[{"role": "zebra"}, USER])),
    "control characters": (
        CHAT,
        of(CHAT, messages=[{"role": "user", "content": "\0\x1b[2J\u202e"}]),
    ),
    "numbers that are none": (NATIVE, of(NATIVE, stream=None, session_id=None, config=None)),
    "9,999 questions": (CHAT, many(CHAT, 9_999)),
    "a byte order mark": (KERNEL, of(KERNEL, model="\ufeffm")),
}
"""What is odd, but can be answered."""

_HOST = "Host: 127.0.0.1"
_KEY = f"Authorization: Bearer {TOKEN}"
_TYPE = "Content-Type: application/json"


def post(path: str, *headers: str, data: bytes = b"", http: str = "1.1") -> bytes:
    lines = [f"POST {path} HTTP/{http}", *headers, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1") + data


def sized(data: bytes) -> str:
    return f"Content-Length: {len(data)}"


_OK = of(CHAT)
_CHUNKED = "Transfer-Encoding: chunked"
WIRE_CASES: dict[str, tuple[bytes, tuple[int, ...]]] = {
    "no key": (post(CHAT, _HOST, _TYPE, sized(_OK), data=_OK), (401,)),
    "two keys": (post(CHAT, _HOST, _KEY, _KEY, _TYPE, sized(_OK), data=_OK), (401,)),
    "another host": (post(CHAT, "Host: evil", _KEY, _TYPE, sized(_OK), data=_OK), (403,)),
    "two hosts": (post(CHAT, _HOST, _HOST, _KEY, _TYPE, sized(_OK), data=_OK), (400, 403)),
    "another page": (
        post(CHAT, _HOST, _KEY, "Origin: null", _TYPE, sized(_OK), data=_OK),
        (403,),
    ),
    "a form": (post(CHAT, _HOST, _KEY, "Content-Type: text/plain", sized(_OK), data=_OK), (415,)),
    "two kinds": (post(CHAT, _HOST, _KEY, _TYPE, _TYPE, sized(_OK), data=_OK), (400, 415)),
    "packed": (
        post(CHAT, _HOST, _KEY, _TYPE, "Content-Encoding: gzip", sized(_OK), data=_OK),
        (415,),
    ),
    "two lengths": (
        post(CHAT, _HOST, _KEY, _TYPE, sized(_OK), "Content-Length: 1", data=_OK),
        (400,),
    ),
    "a length below none": (post(CHAT, _HOST, _KEY, _TYPE, "Content-Length: -5"), (400,)),
    "a length in words": (post(CHAT, _HOST, _KEY, _TYPE, "Content-Length: ten"), (400,)),
    "a length of 10 TB": (post(CHAT, _HOST, _KEY, _TYPE, f"Content-Length: {10**13}"), (413,)),
    "a length too long": (
        post(CHAT, _HOST, _KEY, _TYPE, f"Content-Length: {len(_OK) + 9}", data=_OK),
        (408,),
    ),
    "length and chunks": (
        post(CHAT, _HOST, _KEY, _TYPE, sized(_OK), _CHUNKED, data=b"0\r\n\r\n"),
        (400,),
    ),
    "chunks without a size": (post(CHAT, _HOST, _KEY, _TYPE, _CHUNKED, data=b"zz\r\nab"), (400,)),
    "a chunk below none": (
        post(CHAT, _HOST, _KEY, _TYPE, _CHUNKED, data=b"-1\r\n\r\n"),
        (400,),
    ),
    "chunks that never end": (
        post(CHAT, _HOST, _KEY, _TYPE, _CHUNKED, data=b"2\r\n{}\r\n"),
        (408,),
    ),
    "an unknown coding": (
        post(CHAT, _HOST, _KEY, _TYPE, "Transfer-Encoding: zebra", data=b"{}"),
        (400, 415),
    ),
    "a header of 100 KB": (post(CHAT, _HOST, _KEY, _TYPE, f"X-Long: {'x' * 100_000}"), (400,)),
    "a header with a null": (post(CHAT, _HOST, _KEY, _TYPE, "X-Null: a\0b"), (400,)),
    "a header without a name": (post(CHAT, _HOST, _KEY, _TYPE, ": value"), (400,)),
    "a folded header": (post(CHAT, _HOST, _KEY, _TYPE, "X-Fold: a\r\n b"), (400, 411)),
    "a path of 100 KB": (post("/" + "a" * 100_000, _HOST, _KEY, _TYPE), (400, 404)),
    "a path that leads out": (
        post("/v1/../../etc/passwd", _HOST, _KEY, _TYPE, sized(_OK), data=_OK),
        (404,),
    ),
    "an unknown method": (b"ZEBRA " + post(CHAT, _HOST, _KEY)[5:], (400, 404, 405)),
    "no version": (f"POST {CHAT}\r\n\r\n".encode(), (400, 403)),
    "version 9": (post(CHAT, _HOST, _KEY, http="9.9"), (400,)),
    "another protocol": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50, (400,)),
    "an upgrade": (
        post(CHAT, _HOST, _KEY, "Upgrade: websocket", _TYPE, sized(_OK), data=_OK),
        (200, 400, 426),
    ),
}
"""Bytes, and the statuses that may answer them."""


async def exchanged(api: Face, data: bytes) -> Answer:
    """The answer to these bytes; the server closes then, or the next test would show it."""
    port = api.client.base_url.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        async with asyncio.timeout(LIMIT_S):
            return parsed(await reader.read())
    except ConnectionError:
        return Answer(0, {}, b"")
    finally:
        writer.close()


async def still_answers(api: Face) -> None:
    answer = await api.post(CHAT, BODIES[CHAT])
    assert answer["choices"][0]["message"]["content"] == "Yes"


async def test_every_odd_body_gets_its_own_refusal(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with face(tmp_path, *YES, options=OPTIONS) as api:
        for name, (path, data, refusal) in BODY_CASES.items():
            headers = {"Content-Type": "application/json"}
            response = await api.client.post(path, content=data, headers=headers)
            told = response.json() if response.content else {}
            error = told.get("error", {})
            if (response.status_code, error.get("code")) != refusal or not error.get("message"):
                wrong.append(f"{name}: {response.status_code} {response.text[:200]}")
            if path == COHERE and not told.get("message"):
                wrong.append(f"{name}: nothing that the Cohere client shows")
        await still_answers(api)
    assert not wrong, "\n".join(wrong)


async def test_what_is_odd_but_clear_is_answered(tmp_path: Path) -> None:
    async with face(tmp_path, *YES, options=OPTIONS) as api:
        for name, (path, data) in READ.items():
            headers = {"Content-Type": "application/json"}
            response = await api.client.post(path, content=data, headers=headers)
            assert (response.status_code, "Yes" in response.text) == (200, True), name


async def test_every_odd_connection_gets_an_answer_and_others_go_on(tmp_path: Path) -> None:
    wrong: list[str] = []
    async with face(tmp_path, *YES, options=IMPATIENT) as api:
        for name, (data, statuses) in WIRE_CASES.items():
            answer = await exchanged(api, data)
            if answer.status not in statuses:
                wrong.append(f"{name}: {answer.status} {answer.body[:200]!r}")
            elif answer.status >= 400 and not answer.error["message"]:
                wrong.append(f"{name}: no message")
        await still_answers(api)
    assert not wrong, "\n".join(wrong)


async def test_requests_that_follow_each_other_unasked_are_answered_in_order(
    tmp_path: Path,
) -> None:
    one = post(CHAT, _HOST, _KEY, _TYPE, sized(_OK), data=_OK).replace(
        b"Connection: close\r\n", b""
    )
    last = post("/v1/none", _HOST, _KEY, _TYPE, sized(_OK), data=_OK)
    async with face(tmp_path, *YES, options=OPTIONS) as api:
        reader, writer = await asyncio.open_connection("127.0.0.1", api.client.base_url.port)
        writer.write(one * 20 + last)
        async with asyncio.timeout(LIMIT_S):
            answers = await reader.read()
        writer.close()
    assert answers.count(b"HTTP/1.1 200") == 20
    assert answers.rindex(b"HTTP/1.1 404") > answers.rindex(b"HTTP/1.1 200")


async def test_more_connections_than_may_be_leave_the_others_alone(tmp_path: Path) -> None:
    async with face(tmp_path, *YES, options=IMPATIENT) as api:
        port = api.client.base_url.port
        await still_answers(api)  # its connection stays open
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(150)]
        for _, writer in silent:
            writer.write(b"POST /v1/chat HTTP/1.1\r\nHost: 127")
        await still_answers(api)
        for _, writer in silent:
            writer.close()
        await still_answers(api)
