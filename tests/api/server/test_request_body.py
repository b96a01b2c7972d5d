"""A body that would take too much work is refused before any of it is done."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from playhead.api.server.request_body import BodyReader, check_size
from playhead.errors import RequestError

CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SAID = {"role": "user", "content": "hi"}


def body(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize(
    "told",
    [
        pytest.param({"messages": [SAID] * 11}, id="messages"),
        pytest.param({"thread": {"messages": [SAID] * 11}}, id="of a new thread"),
        pytest.param({"additional_messages": [SAID] * 11}, id="of a run"),
        pytest.param({"messages": [{"role": "assistant", "tool_calls": [CALL] * 11}]}, id="calls"),
        pytest.param(
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}] * 11}]},
            id="parts",
        ),
        pytest.param({"messages": [{**SAID, "tool_calls": [CALL] * 4}] * 3}, id="both"),
    ],
)
def test_a_message_too_many_is_refused(told: Any) -> None:
    with pytest.raises(RequestError) as refusal:
        check_size(body(told), 10)
    assert (refusal.value.code, refusal.value.param) == ("too_many_messages", "messages")
    assert "10 is the most" in str(refusal.value)


@pytest.mark.parametrize(
    "raw",
    [
        body({"messages": [SAID] * 10}),
        body(
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "[" * 50}]}] * 10}
        ),
        body({"thread": [[[]] * 50], "messages": 5, "additional_messages": {"a": [[]] * 50}}),
        body({"messages": [[[]] * 50, 5, "[" * 90]}),
        b'{"messages": [' + b"{}," * 50,
        b"[" * 100_000,
    ],
)
def test_what_has_no_more_or_cannot_be_read_is_for_the_reader(raw: bytes) -> None:
    check_size(raw, 10)


def test_a_body_of_nothing_but_brackets_is_refused() -> None:
    with pytest.raises(RequestError, match="more than 1,000,000 lists and objects"):
        check_size(b'{"x": [' + b"[]," * 1_000_000 + b"[]]}", 10)
    check_size(body({"messages": [{"content": '{[\\"' * 600_000}]}), 10)  # brackets in a text


async def test_a_large_body_is_read_while_the_loop_goes_on() -> None:
    loop, is_free = asyncio.get_running_loop(), asyncio.Event()

    def read(raw: bytes) -> int:
        done = asyncio.run_coroutine_threadsafe(is_free.wait(), loop)
        return len(raw) if done.result(30) else 0

    loop.call_later(0.01, is_free.set)
    assert await BodyReader(10).read(b"x" * 100_000, read) == 100_000
    assert await BodyReader(10).read(b"x" * 100, len) == 100


async def test_how_many_messages_a_request_may_bring_is_set_while_bodies_are_read() -> None:
    reader, raw = BodyReader(10), body({"messages": [{}] * 5})
    assert await reader.read(raw, len) == len(raw)
    reader.max_messages = 4
    with pytest.raises(RequestError, match="4"):
        await reader.read(raw, len)
