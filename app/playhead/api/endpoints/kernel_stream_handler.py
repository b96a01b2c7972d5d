"""POST /v1/kernel/stream: a turn in the messages of @unternet/kernel."""

from __future__ import annotations

from aiohttp import web

from playhead.api.endpoints.chat_completions import WITH_END_MARK
from playhead.api.schemas import KernelRequest
from playhead.api.server.gateway import read_request
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import AnswerFormat, Responder
from playhead.api.server.sse import StreamFormat, to_json
from playhead.api.turns.client_request import ClientRequest, requesting_client
from playhead.api.turns.kernel_turn import KernelTurn, kernel_turn_request

_LINES = "application/x-ndjson"
JSON_LINES = StreamFormat(
    content_type=f"{_LINES}; charset=utf-8",
    frame=lambda event: to_json(event) + b"\n",
    ping=b"\n",
)


class KernelStreamHandler:
    """Reads the request; all else is the turn's and the answer's."""

    def __init__(self, answering: Responder) -> None:
        self._answering = answering

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Answer with a stream of messages: server-sent events, or lines if the client accepts
        those.
        """
        client = requesting_client(request)
        incoming, is_stream = await read_request(request, lambda raw: _read(raw, client))
        accepts_lines = _LINES in request.headers.get("Accept", "")
        form = JSON_LINES if accepts_lines else WITH_END_MARK
        format_ = AnswerFormat(KernelTurn, is_stream=is_stream, form=form)
        return await self._answering.answer(request, incoming, format_)


def _read(raw: bytes, client: str) -> tuple[ClientRequest, bool]:
    """Return the request, and whether its answer is a stream. Raises RequestError."""
    asked = read_body(raw, KernelRequest)
    return kernel_turn_request(asked, client), asked.stream is not False
