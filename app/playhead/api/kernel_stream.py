"""POST /v1/kernel/stream: a turn in the messages of @unternet/kernel."""

from __future__ import annotations

from aiohttp import web

from playhead.api.answering import Answering, Format
from playhead.api.asking import client_of
from playhead.api.bodies import read_body
from playhead.api.chat_completions import WITH_END_MARK
from playhead.api.kernel_turn import KernelAnswer, kernel_incoming
from playhead.api.schemas import KernelRequest
from playhead.api.sse import Form, to_json

_LINES = "application/x-ndjson"
AS_LINES = Form(
    content_type=f"{_LINES}; charset=utf-8",
    frame=lambda event: to_json(event) + b"\n",
    ping=b"\n",
)


class KernelStreamHandler:
    """Reads the request; all else is the turn's and the answer's."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering

    async def post(self, request: web.Request) -> web.StreamResponse:
        """Messages as they come: server-sent events, or lines where a client accepts those."""
        asked = read_body(await request.read(), KernelRequest)
        incoming = kernel_incoming(asked, client_of(request))
        accepts_lines = _LINES in request.headers.get("Accept", "")
        form = AS_LINES if accepts_lines else WITH_END_MARK
        format_ = Format(KernelAnswer, is_stream=asked.stream is not False, form=form)
        return await self._answering.answer(request, incoming, format_)
