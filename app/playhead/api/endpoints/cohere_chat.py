"""POST /v2/chat: a turn in the format of Cohere."""

from __future__ import annotations

import uuid

from aiohttp import web
from msgspec import Struct

from playhead.api.schemas import CohereRequest
from playhead.api.server.gateway import read_request
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import AnswerFormat, Responder
from playhead.api.server.sse import StreamFormat, frame_named_event
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import (
    STOP_GRACE_S,
    ClientRequest,
    ToolChoice,
    model_choice,
    requesting_client,
    resolve_tool_choice,
)
from playhead.domain.conversation.payloads import Source
from playhead.formats.wire.chat_completions.requests import read_tools
from playhead.formats.wire.cohere.encode import Encoder, VerbatimCiter
from playhead.formats.wire.cohere.requests import (
    CohereMessages,
    documents_as_instructions,
    read_documents,
    read_messages,
)
from playhead.session.turn_settings import TurnOptions

_CHOICES = {"REQUIRED": "required", "NONE": "none"}

NAMED_EVENTS = StreamFormat(frame=frame_named_event)


class CohereChatHandler:
    """Reads the request; all else is the turn's and the answer's."""

    def __init__(self, answering: Responder) -> None:
        self._answering = answering

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Answer with a stream of events, or with a whole answer."""
        client = requesting_client(request)
        asked = await read_request(request, lambda raw: _read(raw, client))
        format_ = AnswerFormat(
            lambda turn: _encoder(turn, asked),
            is_stream=asked.is_stream,
            form=NAMED_EVENTS,
        )
        return await self._answering.answer(request, asked.incoming, format_)


class _Asked(Struct, frozen=True, kw_only=True):
    """A request that was read."""

    incoming: ClientRequest
    tokens: int
    citer: VerbatimCiter
    holds_text: bool
    is_stream: bool


def _read(raw: bytes, client: str) -> _Asked:
    """Read a body. Raises RequestError."""
    asked = read_body(raw, CohereRequest)
    history = read_messages(asked.messages)
    documents = read_documents(asked.documents)
    incoming = _incoming(asked, history, documents, client)
    sources = () if _is_uncited(asked) else (*history.sources, *documents)
    return _Asked(
        incoming=incoming,
        tokens=incoming.estimated_tokens,
        citer=VerbatimCiter(sources),
        holds_text=bool(asked.tools) and not history.has_fresh_results,
        is_stream=asked.stream is True,
    )


def _encoder(turn: ApiTurn, asked: _Asked) -> Encoder:
    return Encoder(
        str(uuid.uuid4()),
        is_call_clients=turn.is_call_clients,
        has_tools=bool(turn.incoming.options.tools),
        holds_text=asked.holds_text,
        citer=asked.citer,
        prompt_tokens=asked.tokens,
    )


def _incoming(
    asked: CohereRequest,
    history: CohereMessages,
    documents: tuple[Source, ...],
    client: str,
) -> ClientRequest:
    """Return the request; the client decides about code, as this format has no question."""
    is_auto_run = asked.auto_run is True
    tools = read_tools(asked.tools)
    choice = _CHOICES.get(asked.tool_choice or "")
    offering = resolve_tool_choice(tools, choice, is_auto_run=is_auto_run)
    is_asked = not offering.tools and not is_auto_run
    instructions = (history.instructions, documents_as_instructions(documents))
    return ClientRequest(
        wire_format="cohere",
        entries=history.entries,
        options=_options(asked, offering, "\n\n".join(filter(None, instructions))),
        session_id=asked.session_id or "",
        client=client,
        is_call_clients=offering.is_call_clients or is_asked,
    )


def _options(asked: CohereRequest, offering: ToolChoice, instructions: str) -> TurnOptions:
    return TurnOptions(
        choice=model_choice(asked, top_p=asked.p, stop=asked.stop_sequences),
        instructions=instructions,
        tools=offering.tools,
        offers_execute=offering.offers_execute,
        must_call=offering.must_call,
        auto_run=asked.auto_run,
        stop_grace_s=STOP_GRACE_S,
    )


def _is_uncited(asked: CohereRequest) -> bool:
    options = asked.citation_options
    return options is not None and (options.mode or "").upper() == "OFF"
