"""Requests that are as large as the server takes, on every path that takes messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

MOST_MESSAGES = 9_999
"""Just below the limit."""
_LARGE_TEXT = "word " * 1_500_000
_CALLS = 4_990
_DEPTH = 90

Message = dict[str, Any]


class LargeRequest(Struct, frozen=True):
    """A body for a path, and the status that its answer must have."""

    name: str
    path: str
    body: bytes
    status: int = 200


def large_requests(mark: str) -> Iterator[LargeRequest]:
    """Yield the requests one by one; with another mark they are other conversations."""
    for path, wire in _WIRES.items():
        yield _request("talk", path, wire(_talk(mark, MOST_MESSAGES)))
    yield _request("questions", _CHAT, _chat(_questions(mark, MOST_MESSAGES)))
    yield _request("questions", _RUNS, _run(_questions(mark, MOST_MESSAGES)))
    for path, wire in _WIRES.items():
        yield _request("megabytes", path, wire(_megabytes(mark)))
    yield _request("calls", _CHAT, _chat(_calls(mark)))
    yield _request("calls", _COHERE, _chat(_calls(mark)))
    yield _request("objects", _COHERE, _chat([_said("user", mark)]) | {"documents": _deep()})
    for path, wire in _WIRES.items():
        yield _request("too many", path, wire(_talk(mark, 100_001)), 413)


def small_request() -> LargeRequest:
    """Return a question of one message."""
    return _request("small", _CHAT, _chat([_said("user", "And you?")]))


def _request(name: str, path: str, body: Mapping[str, Any], status: int = 200) -> LargeRequest:
    return LargeRequest(f"{name} {path}", path, json.dumps(body).encode(), status)


def _said(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _talk(mark: str, count: int) -> list[Message]:
    """Questions and answers in turn, a question at the end."""
    roles = ("user", "assistant")
    return [_said(roles[number % 2], f"{mark} message {number}") for number in range(count)]


def _questions(mark: str, count: int) -> list[Message]:
    return [_said("user", f"{mark} question {number}") for number in range(count)]


def _megabytes(mark: str) -> list[Message]:
    return [_said(role, f"{mark} {_LARGE_TEXT}") for role in ("user", "assistant", "user")] + [
        _said("assistant", "Yes."),
        _said("user", "And now?"),
    ]


def _calls(mark: str) -> list[Message]:
    """Calls of one answer, and a result for each."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "lookup", "arguments": '{"q": ' + "[" * 20 + "]" * 20 + "}"},
        }
        for number in range(_CALLS)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": f"{mark} found"} for call in calls
    ]
    return [
        _said("user", mark),
        {"role": "assistant", "content": "", "tool_calls": calls},
        *results,
        _said("user", "And now?"),
    ]


def _deep() -> list[Any]:
    """Many objects, each as deep as may be."""
    inner: Any = "text"
    for _ in range(_DEPTH):
        inner = {"in": inner}
    return [{"id": f"doc{number}", "data": {"title": "t", "of": inner}} for number in range(2_000)]


def _chat(messages: list[Message]) -> dict[str, Any]:
    return {"model": "openai/test", "messages": messages}


def _native(messages: list[Message]) -> dict[str, Any]:
    return {"messages": [{**message, "type": "message"} for message in messages]}


def _kernel(messages: list[Message]) -> dict[str, Any]:
    types = {"user": "input", "assistant": "reply"}
    told = [{"type": types[one["role"]], "text": one["content"]} for one in messages]
    return {"messages": told, "stream": False}


def _run(messages: list[Message]) -> dict[str, Any]:
    thread = {"messages": messages}
    return {"assistant_id": "asst_interpreter", "thread": thread, "stream": True}


_CHAT, _COHERE, _RUNS = "/v1/chat/completions", "/v2/chat", "/v1/threads/runs"
_WIRES = {
    _CHAT: _chat,
    "/v1/chat": _native,
    _COHERE: _chat,
    "/v1/kernel/stream": _kernel,
    _RUNS: _run,
}
