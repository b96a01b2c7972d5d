"""/v1/responses: turns in the format of OpenAI Responses, and the responses that are kept."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, cast

from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from playhead.api.assistants.list_cursor import ListCursor, list_wire, page_of
from playhead.api.responses.response_schemas import InputTokensRequest, ResponseRequest
from playhead.api.server.gateway import read_request
from playhead.api.server.outbox import Outbox
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import (
    AnswerFormat,
    Responder,
    Services,
    json_answer,
    public_failure,
)
from playhead.api.server.sse import OPEN_ANSWERS, OpenAnswers, StreamFormat, frame_named_event
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import (
    STOP_GRACE_S,
    ClientRequest,
    ToolChoice,
    model_choice,
    requesting_client,
    resolve_tool_choice,
)
from playhead.api.turns.response_store import StoredResponse
from playhead.api.turns.session_export import folder_reader
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.errors import RequestError
from playhead.formats.documents.picture import (
    Picture,
    ReadFile,
    picture_of_base64,
    picture_of_bytes,
)
from playhead.formats.wire import responses
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.responses.objects import response_of_item, with_ids
from playhead.formats.wire.responses.requests import (
    CODE_INTERPRETER,
    Item,
    ResponseTools,
    chat_choice,
    items_of,
)
from playhead.session.turn_settings import TurnOptions

_log = logging.getLogger(__name__)
_CANCELLED = Chunk(role="server", type="status", content="cancelled")
RESPONSE_EVENTS = StreamFormat(frame=frame_named_event, longest_line=64_000_000)
"""The last event has the whole response, with the pictures that its code made."""


class _Asked(Struct, frozen=True, kw_only=True):
    """A request that was read; `items` are its own, as they are kept."""

    incoming: ClientRequest
    facts: responses.ResponseFacts
    items: tuple[Wire, ...]
    approved: tuple[tuple[str, str], ...]
    tokens: int


class ResponsesHandler:
    """Lives on the server's loop, as the responses in progress do; the core keeps the others."""

    def __init__(self, services: Services, answering: Responder) -> None:
        self._services = services
        self._answering = answering
        self._live: dict[str, ResponseRecorder] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def create(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/responses."""
        body = await read_request(request, lambda raw: read_body(raw, ResponseRequest))
        asked = await self._read(body, requesting_client(request))
        begun: list[ResponseRecorder] = []

        def begin(turn: ApiTurn) -> ResponseRecorder:
            begun.append(self._begin(asked, turn, is_kept=body.store is not False))
            return begun[0]

        is_stream = body.stream is True
        if body.background is True and not is_stream:
            return await self._start(request, asked)
        format_ = AnswerFormat(begin, is_stream=is_stream, form=RESPONSE_EVENTS)
        try:
            return await self._answering.answer(request, asked.incoming, format_)
        finally:
            for recorder in begun:
                self._end(recorder)

    async def get(self, request: web.Request) -> web.Response:
        """GET /v1/responses/{response_id}."""
        if request.query.get("stream") == "true":
            raise RequestError(
                "A response is not streamed a second time.",
                remedy="Leave stream out.",
                code="invalid_request",
                param="stream",
            )
        response_id = request.match_info["response_id"]
        if (recorder := self._live.get(response_id)) is not None:
            return json_answer(recorder.answer())
        stored = await self._services.bridge.ask(self._services.turns.responses.get(response_id))
        return json_answer(stored.wire)

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /v1/responses/{response_id}."""
        response_id = request.match_info["response_id"]
        if (recorder := self._live.get(response_id)) is not None:
            await self._cancel(recorder)
        work = self._services.turns.responses.delete(response_id)
        return json_answer(await self._services.bridge.ask(work))

    async def cancel(self, request: web.Request) -> web.Response:
        """POST /v1/responses/{response_id}/cancel."""
        response_id = request.match_info["response_id"]
        if (recorder := self._live.get(response_id)) is not None:
            await self._cancel(recorder)
            return json_answer(recorder.answer())
        stored = await self._services.bridge.ask(self._services.turns.responses.get(response_id))
        if (status := stored.wire.get("status")) != "cancelled":
            raise RequestError(
                f"The response is not in progress: it is {status}.",
                code="invalid_state",
                param="response_id",
            )
        return json_answer(stored.wire)

    async def input_items(self, request: web.Request) -> web.Response:
        """GET /v1/responses/{response_id}/input_items."""
        cursor = ListCursor.of(request.query)
        items = await self._services.bridge.ask(self._context(request.match_info["response_id"]))
        page, has_more = page_of(items, cursor, lambda item: item["id"])
        return json_answer(list_wire(page, has_more=has_more))

    async def input_tokens(self, request: web.Request) -> web.Response:
        """POST /v1/responses/input_tokens."""
        body = await read_request(request, lambda raw: read_body(raw, InputTokensRequest))
        model = body.model or "-"
        fields = {name: getattr(body, name) for name in _INPUT_FIELDS}
        asked = await self._read(ResponseRequest(model=model, **fields), "")
        answer = {"object": "response.input_tokens", "input_tokens": asked.tokens}
        return json_answer(answer)

    async def _read(self, body: ResponseRequest, client: str) -> _Asked:
        """Return the request with the items of the responses that it goes on from."""
        if body.conversation is not None:
            raise RequestError(
                "There are no conversations of Responses here.",
                remedy="Go on by previous_response_id.",
                code="invalid_request",
                param="conversation",
            )
        if body.session_id is not None and body.previous_response_id is not None:
            raise RequestError(
                "session_id and previous_response_id both name a conversation.",
                remedy="Leave one of them out.",
                code="invalid_request",
                param="session_id",
            )
        items = items_of(body.input)
        history, items = await self._services.bridge.ask(self._referred(body, items))
        if len(history) + len(items) > _READ_AT_ONCE:
            return await asyncio.to_thread(_asked, body, history, items, client)
        return _asked(body, history, items, client)

    async def _referred(
        self, body: ResponseRequest, items: Sequence[Item]
    ) -> tuple[list[Wire], list[Item]]:
        """Return the earlier items, and those of the request with references looked up; called on
        the core's loop.
        """
        kept = self._services.turns.responses
        previous = body.previous_response_id
        history = await kept.history(previous) if previous else []
        found: list[Item] = []
        for place, item in enumerate(items):
            found.append(await self._item(item, place) if _is_reference(item) else item)
        return history, found

    async def _item(self, reference: Item, place: int) -> Wire:
        item_id = str(reference.get("id"))
        at = f"input[{place}].id"
        stored = await self._services.turns.responses.get(response_of_item(item_id), at)
        for item in (*stored.wire["output"], *stored.items):
            if item["id"] == item_id:
                return item
        raise RequestError(f"Item {item_id[:80]!r} not found.", code="not_found", param=at)

    async def _context(self, response_id: str) -> list[Wire]:
        """Return the items that a response answers; called on the core's loop."""
        recorder = self._live.get(response_id)
        kept = self._services.turns.responses
        stored = recorder.stored if recorder is not None else await kept.get(response_id)
        return await kept.context(stored)

    def _begin(self, asked: _Asked, turn: ApiTurn, *, is_kept: bool) -> ResponseRecorder:
        recorder = ResponseRecorder(self._services, asked, turn, is_kept=is_kept)
        self._live[asked.facts.id] = recorder
        return recorder

    def _end(self, recorder: ResponseRecorder) -> None:
        recorder.give_up()
        del self._live[recorder.id]

    async def _start(self, request: web.Request, asked: _Asked) -> web.Response:
        """Begin a response that its client polls."""
        turn, outbox = await self._answering.begin(request, asked.incoming)
        recorder = self._begin(asked, turn, is_kept=True)
        recorder.begin()
        task = asyncio.get_running_loop().create_task(
            self._drive(recorder, outbox, request.app[OPEN_ANSWERS])
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return json_answer(recorder.answer())

    async def _drive(
        self, recorder: ResponseRecorder, outbox: Outbox, answers: OpenAnswers
    ) -> None:
        try:
            with answers.opened(recorder.cancel):
                while chunks := await outbox.take():
                    for chunk in chunks:
                        recorder.encode(chunk)
                recorder.end()
        except Exception:  # noqa: BLE001 - the edge: a defect ends this response alone
            _log.exception("a response could not be encoded")
            recorder.cancel()
        finally:
            self._end(recorder)

    async def _cancel(self, recorder: ResponseRecorder) -> None:
        recorder.cancel()
        await recorder.ended.wait()


class ResponseRecorder:
    """Encodes one response, and has the core keep it before its last event is sent."""

    def __init__(self, services: Services, asked: _Asked, turn: ApiTurn, *, is_kept: bool) -> None:
        self._services = services
        self._asked = asked
        self._turn = turn
        self._is_kept = is_kept
        self.ended = asyncio.Event()
        """Set when it is over."""
        conversation_id = turn.session.conversation.id
        folder = services.outputs_dir
        self._read_file = folder_reader(None if folder is None else folder / conversation_id)
        self._encoder = responses.Encoder(
            replace(asked.facts, container_id=f"cntr_{conversation_id}"),
            is_call_clients=turn.is_call_clients,
            has_tools=bool(asked.incoming.options.tools),
            approved=asked.approved,
            read_picture=self._picture,
            prompt_tokens=asked.tokens,
        )

    @property
    def id(self) -> str:
        """Return the response's id."""
        return self._asked.facts.id

    @property
    def stored(self) -> StoredResponse:
        """Return it as it would be kept now."""
        return StoredResponse(self.answer(), self._asked.items)

    def begin(self) -> None:
        """Begin a response without a stream."""
        self._encoder.begin()

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if isinstance(chunk.content, Failure):
            chunk = Chunk(role="server", type="error", content=public_failure(chunk.content))
        return self._encoder.encode(chunk)

    def finish(self) -> list[Wire]:
        """Return the last events; the core keeps the response, and recognises what goes on."""
        events = self._encoder.finish()
        self._keep()
        return events

    def end(self) -> None:
        """End a response without a stream: what goes on from it is recognised."""
        if not self._encoder.is_over:
            self._encoder.encode(_CANCELLED)
        self.finish()
        self._services.bridge.post(self._services.turns.remember, self._turn, self.keys())

    def answer(self) -> Wire:
        """Return the response in its current state."""
        return self._encoder.answer()

    def keys(self) -> list[str]:
        """Return the keys of its items."""
        return self._encoder.keys()

    def cancel(self) -> None:
        """Cancel the turn; the end follows."""
        self._services.bridge.post(self._services.turns.cancel, self._turn)

    def give_up(self) -> None:
        """Cancel the response, if it has not ended."""
        if self._encoder.has_begun and not self.ended.is_set():
            self._encoder.encode(_CANCELLED)
            self._keep()
        self.ended.set()

    def _keep(self) -> None:
        if self._is_kept and not self.ended.is_set():
            turns = self._services.turns
            self._services.bridge.post(turns.responses.keep, self.answer(), self._asked.items)
        self.ended.set()

    def _picture(self, format_: str, content: str) -> str | None:
        """Return the data URL of a picture that code made."""
        picture = _picture_of(format_, content, self._read_file)
        return None if picture is None else f"data:{picture.mime};base64,{picture.base64}"


def _picture_of(format_: str, content: str, read_file: ReadFile) -> Picture | None:
    if format_.startswith("base64"):
        return picture_of_base64(content)
    data = read_file(content)
    return picture_of_bytes(data) if data else None


_READ_AT_ONCE = 50
"""Items; more are read in a thread."""
_INPUT_FIELDS = ("input", "instructions", "previous_response_id", "tools", "tool_choice")


def _is_reference(item: Item) -> bool:
    return item.get("type") == "item_reference"


def _asked(
    body: ResponseRequest, history: Sequence[Item], items: Sequence[Item], client: str
) -> _Asked:
    """Return the request. Raises RequestError."""
    read = responses.read_input(history, items)
    tools = responses.read_tools(body.tools)
    offering = _offering(tools, body.tool_choice, is_auto_run=body.auto_run is True)
    told = (body.instructions, read.instructions)
    options = TurnOptions(
        choice=model_choice(body, max_tokens=body.max_output_tokens),
        instructions="\n\n".join(filter(None, told)),
        tools=offering.tools,
        offers_execute=offering.offers_execute,
        must_call=offering.must_call,
        auto_run=body.auto_run,
        stop_grace_s=STOP_GRACE_S,
    )
    incoming = ClientRequest(
        wire_format="responses",
        entries=read.entries,
        options=options,
        session_id=body.session_id or "",
        client=client,
        is_call_clients=offering.is_call_clients,
        proposed=read.proposed,
    )
    response_id = f"resp_{uuid.uuid4().hex}"
    facts = responses.ResponseFacts(
        id=response_id,
        created_at=int(time.time()),
        model=body.model,
        fields=_reported(body),
    )
    approved = read.approved
    if not approved and read.proposed is not None:
        approved = (read.proposed,)
    return _Asked(
        incoming=incoming,
        facts=facts,
        items=tuple(with_ids(items, response_id)),
        approved=approved,
        tokens=incoming.estimated_tokens,
    )


def _offering(tools: ResponseTools, choice: object, *, is_auto_run: bool) -> ToolChoice:
    """Return the tools that the model gets; the code interpreter may be chosen like a function."""
    is_named = isinstance(choice, Mapping)
    chosen = cast("Mapping[str, Any]", choice).get("type") if is_named else choice
    if chosen == CODE_INTERPRETER:
        if not tools.has_interpreter:
            raise RequestError(
                f"tool_choice names {CODE_INTERPRETER}, which is not among the tools",
                code="invalid_tools",
                param="tool_choice",
            )
        return ToolChoice(must_call=True)
    offering = resolve_tool_choice(
        tools.functions,
        chat_choice(choice),
        is_auto_run=is_auto_run or (tools.has_interpreter and chosen != "function"),
    )
    is_required = chosen == "required" and tools.has_interpreter
    return replace(offering, must_call=True) if is_required else offering


def _reported(body: ResponseRequest) -> dict[str, Any]:
    """Return the fields of a response that are reported as they were requested."""
    return {
        "background": body.background is True,
        "instructions": body.instructions,
        "max_output_tokens": body.max_output_tokens,
        "metadata": body.metadata or {},
        "previous_response_id": body.previous_response_id,
        "store": body.store is not False,
        "temperature": body.temperature,
        "tool_choice": "auto" if body.tool_choice is None else body.tool_choice,
        "tools": body.tools or [],
        "top_p": body.top_p,
    }
