"""Clients of the server that cost next to nothing: raw sockets that count events."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass

_END_OF_EVENT = b"\n\n"


@dataclass(frozen=True, slots=True)
class Streamed:
    """What one client read: times are in seconds of the monotonic clock."""

    events: int
    first_at: float
    last_at: float


async def stream_together(port: int, token: str, prompt: str, clients: int) -> list[Streamed]:
    """Ask `/v1/chat/completions` for that many streams at once and read all to their ends."""
    return await asyncio.gather(*(_stream(port, token, f"{prompt} {n}") for n in range(clients)))


async def _stream(port: int, token: str, prompt: str) -> Streamed:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request(token, prompt))
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head.splitlines()[0]:
        raise RuntimeError(f"The server refused: {head!r} {await reader.read(2000)!r}")
    events, first_at, tail = 0, 0.0, b""
    while data := await reader.read(1 << 18):
        first_at = first_at or time.monotonic()
        joined = tail + data
        events += joined.count(_END_OF_EVENT)
        tail = b"\n" if joined.endswith(b"\n") and not joined.endswith(_END_OF_EVENT) else b""
        if b"data: [DONE]" in joined[-200:]:
            break
    writer.close()
    await writer.wait_closed()
    return Streamed(events, first_at, time.monotonic())


def _request(token: str, prompt: str) -> bytes:
    messages = [{"role": "user", "content": prompt}]
    body = json.dumps({"model": "openai/test", "stream": True, "messages": messages}).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\n"
        "Host: 127.0.0.1\r\n"
        f"Authorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body
