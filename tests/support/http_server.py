"""The real server of the API with routes that need no session, and clients for it."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playhead.api.server.api_server import ApiServer
from playhead.api.server.outbox import Outbox
from playhead.api.server.server_options import ServerOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.secret import Secret
from playhead.formats.wire.codec import Pieces

if TYPE_CHECKING:
    from aiohttp import web

TOKEN = "ph-0123456789abcdef"
KEY = f"Authorization: Bearer {TOKEN}"


class PlainEncoder:
    """One event a piece; a chunk of type `code` cannot be encoded at all."""

    def __init__(self) -> None:
        self._pieces = Pieces()

    def encode(self, chunk: Chunk) -> list[dict[str, Any]]:
        if chunk.type == "code":
            raise ValueError("no word for code")
        return [
            {"type": piece.type, "content": piece.content, "end": piece.end}
            for piece in self._pieces.feed(chunk)
        ]

    def finish(self) -> list[dict[str, Any]]:
        return [{"type": "finished"}]


@dataclass
class Stream:
    """One answer on its way; the test is the turn."""

    outbox: Outbox
    is_cancelled: bool = False
    endings: int = 0

    def say(self, text: str) -> None:
        self.outbox.put(Chunk(role="assistant", type="message", start=True))
        self.outbox.put(Chunk(role="assistant", type="message", content=text))
        self.outbox.put(Chunk(role="assistant", type="message", end=True))

    def end(self, status: str = "complete") -> None:
        self.outbox.put(Chunk(role="server", type="status", content=status))
        self.outbox.close()


@dataclass
class Table:
    """The routes; `reached` are the paths whose handlers were called."""

    reached: list[str] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    error: Exception | None = None
    ends_when_cancelled: bool = True

    def add(self, app: web.Application) -> None:
        app.router.add_get("/v1/health", self._echo)
        app.router.add_post("/v1/echo", self._echo)
        app.router.add_post("/v2/echo", self._echo)
        app.router.add_post("/v1/stream", self._stream)
        app.router.add_post("/v1/whole", self._whole)

    async def _echo(self, request: web.Request) -> web.Response:
        from aiohttp import web

        self.reached.append(request.path)
        if self.error is not None:
            raise self.error
        return web.json_response({"size": len(await request.read())})

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        from playhead.api.server.sse import stream_answer

        stream = self._opened(request.path)

        def before_end() -> None:
            stream.endings += 1

        return await stream_answer(
            request,
            stream.outbox,
            PlainEncoder(),
            cancel=lambda: self._cancel(stream),
            before_end=before_end,
        )

    async def _whole(self, request: web.Request) -> web.Response:
        from aiohttp import web

        from playhead.api.server.sse import collect_answer

        stream = self._opened(request.path)
        chunks = await collect_answer(request, stream.outbox, cancel=lambda: self._cancel(stream))
        return web.json_response({"types": [chunk.type for chunk in chunks]})

    def _opened(self, path: str) -> Stream:
        self.reached.append(path)
        stream = Stream(Outbox(asyncio.get_running_loop()))
        self.streams.append(stream)
        return stream

    def _cancel(self, stream: Stream) -> None:
        stream.is_cancelled = True
        if self.ends_when_cancelled:
            stream.outbox.close()


@dataclass
class Serving:
    """A server that listens."""

    server: ApiServer
    table: Table
    token: Secret | None

    @property
    def port(self) -> int:
        return int(self.server.address.rpartition(":")[2])

    async def ask(self, request: str, body: bytes = b"", **connecting: Any) -> Answer:
        """One request, with these header lines, on a connection of its own."""
        head = "\r\n".join([*request.strip().splitlines(), "Connection: close", "", ""])
        return await exchange(
            self.port, head.encode("utf-8", "surrogateescape") + body, **connecting
        )

    async def post(self, path: str, body: bytes = b"{}", *headers: str) -> Answer:
        """A POST as a well-behaved client makes it; `headers` replace those of the same name."""
        return await self.ask(self.request(path, body, *headers), body)

    def request(self, path: str, body: bytes = b"{}", *headers: str) -> str:
        lines = {
            "host": f"Host: localhost:{self.port}",
            "authorization": KEY,
            "content-type": "Content-Type: application/json",
            "content-length": f"Content-Length: {len(body)}",
        }
        lines |= {line.partition(":")[0].lower(): line for line in headers}
        return "\n".join([f"POST {path} HTTP/1.1", *lines.values()])


@dataclass(frozen=True)
class Answer:
    """What came back until the server closed."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(self.body)["error"]

    @property
    def events(self) -> list[Any]:
        lines = self.body.decode().split("\n")
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


@asynccontextmanager
async def serving(table: Table | None = None, **options: Any) -> AsyncGenerator[Serving]:
    """A server on a free port of loopback."""
    table = table or Table()
    served = Serving(None, table, Secret(TOKEN))  # type: ignore[arg-type]
    settings: dict[str, Any] = {"port": 0, **options}
    served.server = ApiServer(ServerOptions(**settings), lambda: served.token, table.add)
    await served.server.start()
    try:
        yield served
    finally:
        await served.server.stop()


async def exchange(
    port: int, data: bytes, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Answer:
    """Send bytes, read until the server closes."""
    reader, writer = await asyncio.open_connection(
        host, port, ssl=tls, server_hostname="localhost" if tls else None
    )
    try:
        writer.write(data)
        return parsed(await reader.read())
    finally:
        writer.close()


def parsed(data: bytes) -> Answer:
    """An answer as it came over the wire."""
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    fields = (line.partition(": ") for line in lines)
    headers = {name.lower(): value for name, _, value in fields}
    if headers.get("transfer-encoding") == "chunked":
        body = _unchunked(body)
    return Answer(int(status.split()[1]), headers, body)


def _unchunked(data: bytes) -> bytes:
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        body += data[: int(size, 16)]
        data = data[int(size, 16) + 2 :]
    return body
