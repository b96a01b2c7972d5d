"""Answer a request for a turn, streamed or whole, with the services that every handler has; imports
aiohttp.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Protocol

from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from playhead.api.server.auth import descends_from_us
from playhead.api.server.bridge import Bridge
from playhead.api.server.errors import http_error_of_failure
from playhead.api.server.outbox import Outbox
from playhead.api.server.sse import SSE, StreamFormat, collect_answer, stream_answer, to_json
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import ClientRequest
from playhead.api.turns.turns import Turns
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.formats.wire.codec import Encoder, Wire, joined


def json_answer(value: Any, status: int = 200) -> web.Response:
    """Return an answer whose body is this value."""
    return web.Response(body=to_json(value), content_type="application/json", status=status)


class Services(Struct, frozen=True, kw_only=True):
    """`turns` belong to the core's thread: they are asked over `bridge`.

    `collection` reads the Postman collection, `trusted` are the pids of children that run no code
    of users (the model worker). `outputs_dir` holds a folder of files for each conversation.
    """

    bridge: Bridge
    turns: Turns
    collection: Callable[[], bytes]
    version: str
    trusted: Callable[[], Collection[int]] = tuple
    outputs_dir: Path | None = None


class AnswerEncoder(Encoder, Protocol):
    """One answer in its format; it has been fed all chunks when the last two are called."""

    def answer(self) -> Wire:
        """Return the body of an answer that is not streamed."""
        ...

    def keys(self) -> list[str]:
        """Return the keys of the answer's messages, as they come back with the next request."""
        ...


class AnswerFormat(Struct, frozen=True):
    """The format of the answer to one request: `begin` makes the encoder once the turn has
    begun.
    """

    begin: Callable[[ApiTurn], AnswerEncoder]
    is_stream: bool
    form: StreamFormat = SSE


class Responder:
    """Owned by the routes; one for all requests."""

    def __init__(self, services: Services) -> None:
        self._bridge = services.bridge
        self._turns = services.turns
        self._trusted = services.trusted

    async def answer(
        self, request: web.Request, incoming: ClientRequest, format_: AnswerFormat
    ) -> web.StreamResponse:
        """Have the turn begun and send what comes of it.

        Raises RequestError and SessionError of its beginning, TurnFailed of its failure.
        """
        turn, outbox = await self.begin(request, incoming)
        answer = format_.begin(turn)
        if format_.is_stream:
            return await self._stream(request, outbox, turn, answer, format_.form)
        return await self._whole(request, outbox, turn, answer)

    async def begin(self, request: web.Request, incoming: ClientRequest) -> tuple[ApiTurn, Outbox]:
        """Have the turn begun; what comes of it is in the outbox."""
        if _decides(incoming) and await self.is_from_own_code(request):
            incoming = replace(incoming, is_from_own_code=True)
        outbox = Outbox(asyncio.get_running_loop())
        turn = await self._bridge.ask(self._turns.begin(incoming, outbox), self._turns.cancel)
        return turn, outbox

    async def is_from_own_code(self, request: web.Request) -> bool:
        """Return whether a process that one of our kernels started sent the request."""
        return await descends_from_us(request, self._trusted())

    async def _stream(
        self,
        request: web.Request,
        outbox: Outbox,
        turn: ApiTurn,
        answer: AnswerEncoder,
        form: StreamFormat,
    ) -> web.StreamResponse:
        watched = _CheckedEncoder(answer)
        return await stream_answer(
            request,
            outbox,
            watched,
            cancel=self._canceller(turn),
            before_end=lambda: self._remember(turn, answer) if watched.is_whole else None,
            form=form,
        )

    async def _whole(
        self, request: web.Request, outbox: Outbox, turn: ApiTurn, answer: AnswerEncoder
    ) -> web.Response:
        chunks = await collect_answer(request, outbox, cancel=self._canceller(turn))
        for chunk in joined(chunks):
            answer.encode(chunk)
        answer.finish()
        self._remember(turn, answer)
        return json_answer(answer.answer())

    def _canceller(self, turn: ApiTurn) -> Callable[[], None]:
        return lambda: self._bridge.post(self._turns.cancel, turn)

    def _remember(self, turn: ApiTurn, answer: AnswerEncoder) -> None:
        """Remember the answer before its last bytes: its reader may send the next request at
        once.
        """
        self._bridge.post(self._turns.remember, turn, answer.keys())


class _CheckedEncoder:
    """Wraps an encoder: records how the answer ended and keeps paths out of failures."""

    def __init__(self, encoder: Encoder) -> None:
        self.is_whole = False
        self._encoder = encoder

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the inner encoder's events."""
        if isinstance(chunk.content, Failure):
            chunk = Chunk(role="server", type="error", content=public_failure(chunk.content))
        self.is_whole = (chunk.role, chunk.type) == ("server", "status")
        return self._encoder.encode(chunk)

    def finish(self) -> list[Wire]:
        """Return the inner encoder's last events."""
        return self._encoder.finish()


def public_failure(failure: Failure) -> Failure:
    """Return the failure with the text that a plain HTTP error would have."""
    error = http_error_of_failure(failure)
    return Failure(code=error.code, title=error.message, retry_after_s=error.retry_after_s)


def _decides(incoming: ClientRequest) -> bool:
    """Return whether the request could make code run: only then the client is looked up."""
    if incoming.options.auto_run:
        return True
    return any(entry.is_yes or entry.decision is not None for entry in incoming.entries)
