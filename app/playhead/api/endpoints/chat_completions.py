"""POST /v1/chat/completions: a turn in the format of OpenAI chat."""

from __future__ import annotations

import time
import uuid

from aiohttp import web
from msgspec.structs import replace

from playhead.api.schemas import CompletionRequest
from playhead.api.server.gateway import read_request
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import AnswerFormat, Responder
from playhead.api.server.sse import StreamFormat
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import (
    STOP_GRACE_S,
    ClientRequest,
    ToolChoice,
    model_choice,
    requesting_client,
    resolve_tool_choice,
)
from playhead.formats.wire import chat_completions
from playhead.session.turn_settings import TurnOptions

WITH_END_MARK = StreamFormat(ending=b"data: [DONE]\n\n")


class ChatCompletionsHandler:
    """Reads the request; all else is the turn's and the answer's."""

    def __init__(self, answering: Responder) -> None:
        self._answering = answering

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Answer with a stream of chunks, or with a whole completion."""
        client = requesting_client(request)
        asked, incoming, tokens = await read_request(request, lambda raw: _read(raw, client))
        format_ = AnswerFormat(
            lambda turn: _encoder(asked, turn, tokens),
            is_stream=asked.stream is True,
            form=WITH_END_MARK,
        )
        return await self._answering.answer(request, incoming, format_)


def _read(raw: bytes, client: str) -> tuple[CompletionRequest, ClientRequest, int]:
    """Return the body without its messages, the request and its tokens. Raises RequestError."""
    asked = read_body(raw, CompletionRequest)
    incoming = _incoming(asked, client)
    return replace(asked, messages=[]), incoming, incoming.estimated_tokens


def _encoder(asked: CompletionRequest, turn: ApiTurn, tokens: int) -> chat_completions.Encoder:
    options = asked.stream_options
    return chat_completions.Encoder(
        f"chatcmpl-{uuid.uuid4().hex}",
        int(time.time()),
        asked.model,
        is_call_clients=turn.is_call_clients,
        has_tools=bool(turn.incoming.options.tools),
        includes_usage=options is not None and options.include_usage is True,
        is_lossless=asked.lmc is True,
        prompt_tokens=tokens,
    )


def _incoming(asked: CompletionRequest, client: str) -> ClientRequest:
    entries, instructions = chat_completions.read_messages(asked.messages)
    tools = chat_completions.read_tools(asked.tools)
    offering = resolve_tool_choice(tools, asked.tool_choice, is_auto_run=asked.auto_run is True)
    return ClientRequest(
        wire_format="chat",
        entries=tuple(entries),
        options=_options(asked, offering, instructions),
        session_id=asked.session_id or "",
        client=client,
        is_call_clients=offering.is_call_clients,
        proposed=chat_completions.proposed_in(entries),
    )


def _options(asked: CompletionRequest, offering: ToolChoice, instructions: str) -> TurnOptions:
    max_tokens = asked.max_completion_tokens or asked.max_tokens
    return TurnOptions(
        choice=model_choice(asked, max_tokens=max_tokens),
        instructions=instructions,
        tools=offering.tools,
        offers_execute=offering.offers_execute,
        must_call=offering.must_call,
        auto_run=asked.auto_run,
        stop_grace_s=STOP_GRACE_S,
    )
