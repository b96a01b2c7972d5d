"""POST /v1/chat: a turn in native chunks."""

from __future__ import annotations

from aiohttp import web
from msgspec import Struct

from playhead.api.schemas import ChatRequest, LlmConfig
from playhead.api.server.gateway import read_request
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import AnswerFormat, Responder
from playhead.api.turns.client_request import (
    STOP_GRACE_S,
    ClientRequest,
    model_choice,
    requesting_client,
)
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.model import ModelChoice
from playhead.formats.wire import native
from playhead.formats.wire.codec import Wire, joined
from playhead.session.turn_settings import TurnOptions


class NativeChatHandler:
    """Reads the request; all else is the turn's and the answer's."""

    def __init__(self, answering: Responder) -> None:
        self._answering = answering

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Answer with a stream of chunks, or with folded messages."""
        client = requesting_client(request)
        return await self.answer(
            request, await read_request(request, lambda raw: _read(raw, client))
        )

    async def answer(self, request: web.Request, asked: NativeRequest) -> web.StreamResponse:
        """Answer a request that was read."""
        is_extended = asked.is_extended
        format_ = AnswerFormat(
            lambda _turn: NativeChatAnswer(is_extended), is_stream=asked.is_stream
        )
        return await self._answering.answer(request, asked.incoming, format_)


class NativeRequest(Struct, frozen=True):
    """A request that was read, and how its answer is to be written."""

    incoming: ClientRequest
    is_extended: bool
    is_stream: bool


def native_request(asked: ChatRequest, client: str) -> NativeRequest:
    """Read the messages of a body. Raises RequestError."""
    is_extended, is_stream = asked.extended is True, asked.stream is True
    incoming = ClientRequest(
        wire_format="native",
        entries=tuple(native.read_messages(asked.messages)),
        options=_options(asked),
        session_id=asked.session_id or "",
        client=client,
        answers_input=bool(asked.session_id) and is_extended and is_stream,
    )
    return NativeRequest(incoming, is_extended, is_stream)


def _read(raw: bytes, client: str) -> NativeRequest:
    return native_request(read_body(raw, ChatRequest), client)


class NativeChatAnswer:
    """One event per chunk; the stream ends by closing, as an end mark would not be JSON."""

    def __init__(self, is_extended: bool) -> None:
        self._is_extended = is_extended
        self._encoder = native.Encoder(is_extended)
        self._chunks: list[Chunk] = []

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        self._chunks.append(chunk)
        return self._encoder.encode(chunk)

    def finish(self) -> list[Wire]:
        """Return the remaining events."""
        return self._encoder.finish()

    def answer(self) -> Wire:
        """Return folded messages."""
        return {"messages": native.whole(self._chunks, self._is_extended)}

    def keys(self) -> list[str]:
        """Return the keys of the folded messages, which are the same streamed or whole."""
        return native.answer_keys(native.whole(joined(self._chunks)))


def _options(asked: ChatRequest) -> TurnOptions:
    return TurnOptions(
        choice=_choice(asked.config.llm if asked.config is not None else None),
        auto_run=asked.auto_run,
        stop_grace_s=STOP_GRACE_S,
    )


def _choice(llm: LlmConfig | None) -> ModelChoice:
    return ModelChoice() if llm is None else model_choice(llm, "config.llm.")
