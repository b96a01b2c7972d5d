"""Clients of the server that cost next to nothing: raw sockets that count events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_END_OF_EVENT = b"\n\n"


@dataclass(frozen=True, slots=True)
class Streamed:
    """What one client read: times are in seconds of the monotonic clock."""

    events: int
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class Route:
    """Where a question goes, in which words, and what stands in the last event of its answer.

    `begin` stands in the first event that is the model's doing.
    """

    path: str
    body: Callable[[str], dict[str, Any]]
    end: bytes
    begin: bytes = b""


def _chat_body(prompt: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {"model": "openai/test", "stream": True, "messages": messages}


def _response_body(prompt: str) -> dict[str, Any]:
    return {"model": "openai/test", "stream": True, "input": prompt}


def _kernel_body(prompt: str) -> dict[str, Any]:
    return {"messages": [{"type": "input", "text": prompt}]}


def _run_body(prompt: str) -> dict[str, Any]:
    thread = {"messages": [{"role": "user", "content": prompt}]}
    return {"assistant_id": "asst_interpreter", "stream": True, "thread": thread}


CHAT = Route("/v1/chat/completions", _chat_body, b"data: [DONE]")
RESPONSES = Route(
    "/v1/responses", _response_body, b'"total_tokens"', b"event: response.output_item.added"
)
COHERE = Route("/v2/chat", _chat_body, b'"message-end"')
KERNEL = Route("/v1/kernel/stream", _kernel_body, b"data: [DONE]")
ASSISTANTS = Route("/v1/threads/runs", _run_body, b"event: done", b"event: thread.run.step.created")


async def stream_together(
    port: int, token: str, prompt: str, clients: int, route: Route = CHAT
) -> list[Streamed]:
    """Ask for that many streams at once and read all to their ends."""
    asked = (f"{prompt} {number}" for number in range(clients))
    return await asyncio.gather(*(_stream(port, token, each, route) for each in asked))


async def _stream(port: int, token: str, prompt: str, route: Route) -> Streamed:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request(token, prompt, route))
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.splitlines()[0]:
        raise RuntimeError(f"The server refused: {head!r} {await reader.read(2000)!r}")
    events, first_at, tail = 0, 0.0, b""
    while data := await reader.read(1 << 18):
        joined = tail + data
        if not first_at and route.begin in joined:
            first_at = time.monotonic()
        events += joined.count(_END_OF_EVENT)
        tail = b"\n" if joined.endswith(b"\n") and not joined.endswith(_END_OF_EVENT) else b""
        if route.end in joined[-400:]:
            break
    writer.close()
    await writer.wait_closed()
    return Streamed(events, first_at, time.monotonic())


def _request(token: str, prompt: str, route: Route) -> bytes:
    body = json.dumps(route.body(prompt)).encode()
    head = (
        f"POST {route.path} HTTP/1.1\r\n"
        "Host: 127.0.0.1\r\n"
        f"Authorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
