"""/v1/sessions: the conversations of the window, for programs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
from aiohttp import web
from msgspec import UNSET
from msgspec.structs import replace

from playhead.api.endpoints.native_chat import (
    NativeChatHandler,
    NativeRequest,
    native_request,
)
from playhead.api.schemas import (
    ChatRequest,
    EffectRequest,
    GrantRequest,
    NativeMessage,
    PackagesRequest,
    ReviewRequest,
    SessionChatRequest,
    SessionConfig,
    SessionLlm,
    SessionRequest,
)
from playhead.api.server.gateway import read_request
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import Responder, Services, json_answer
from playhead.api.server.sse import to_json
from playhead.api.turns.api_sessions import ApiSessions, Change, SessionRow
from playhead.api.turns.client_request import requesting_client, sent_parameters
from playhead.api.turns.run_effects import Settle, SettleReview, TakeBack
from playhead.api.turns.session_export import (
    document_kind,
    export_transcript,
    folder_reader,
    transcript_wire,
)
from playhead.domain.execution import PauseVerb
from playhead.domain.grants import hosts_of
from playhead.domain.model import ModelParameters, named_model
from playhead.domain.settings import ConversationConfig
from playhead.domain.trust import Policy, PolicyWish
from playhead.errors import AppError, RequestError
from playhead.formats.wire import native
from playhead.formats.wire.codec import Wire

_MAX_PAGE_SIZE = 100
_PAGE_SIZE = 20


class SessionsHandler:
    """Lists, makes, changes and deletes them; what is asked in them is `/v1/chat`'s affair."""

    def __init__(self, services: Services, answering: Responder, chat: NativeChatHandler) -> None:
        self._services = services
        self._answering = answering
        self._chat = chat

    @property
    def _verbs(self) -> ApiSessions:
        return self._services.turns.session_verbs

    async def create(self, request: web.Request) -> web.Response:
        """POST /v1/sessions."""
        asked = await read_request(request, lambda raw: read_body(raw, SessionRequest))
        config = _changer(asked.config)(ConversationConfig())
        wish = await self._wish(request, asked)
        title, data = _titled(_title(asked)), asked.metadata
        work = self._verbs.begin(title, config, wish, data, asked.place)
        row = await self._services.bridge.ask(work)
        return json_answer(_wire(row), 201)

    async def list(self, request: web.Request) -> web.Response:
        """GET /v1/sessions."""
        work = self._verbs.page(_limit(request.query), request.query.get("after", ""))
        rows, has_more = await self._services.bridge.ask(work)
        return json_answer({"sessions": [_wire(row) for row in rows], "has_more": has_more})

    async def places(self, request: web.Request) -> web.Response:
        """GET /v1/places."""
        work = self._verbs.places(request.query.get("server", ""))
        return json_answer(await self._services.bridge.ask(work))

    async def get(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}."""
        return json_answer(_wire(await self._services.bridge.ask(self._verbs.get(_id(request)))))

    async def change(self, request: web.Request) -> web.Response:
        """PATCH /v1/sessions/{session_id}."""
        asked = await read_request(request, lambda raw: read_body(raw, SessionRequest))
        title = None if _title(asked) is None else _titled(_title(asked))
        change = None if asked.config is None else _changer(asked.config)
        wish = await self._wish(request, asked)
        data = asked.metadata
        work = self._verbs.change(_id(request), title, change, wish, data, asked.place)
        row = await self._services.bridge.ask(work)
        return json_answer(_wire(row))

    async def _wish(self, request: web.Request, asked: SessionRequest) -> PolicyWish | None:
        """Return what code is to be allowed; never for a client that our own code has started."""
        if asked.policy is None and asked.place is None:
            return None
        await self._expect_choice(request)
        if asked.policy is None:
            return None
        policy = asked.policy
        return PolicyWish(
            files=policy.files,
            network=policy.network,
            ask=policy.ask,
            is_reviewed=policy.is_reviewed,
            hosts=None if policy.hosts is None else _hosts(policy.hosts),
        )

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /v1/sessions/{session_id}."""
        await self._services.bridge.ask(self._verbs.delete(_id(request)))
        return web.Response(status=204)

    async def messages(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/messages."""
        is_full = request.query.get("detail") == "full"
        transcript = await self._services.bridge.ask(self._verbs.transcript(_id(request)))
        body = await asyncio.to_thread(
            lambda: to_json(transcript_wire(transcript, is_full=is_full))
        )
        return web.Response(body=body, content_type="application/json")

    async def post(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/sessions/{session_id}/messages."""
        session_id, client = _id(request), requesting_client(request)
        asked = await read_request(request, lambda raw: _read_chat(raw, session_id, client))
        if isinstance(asked, ChatRequest):
            if await self._has_steered(request, asked.messages[0]):
                return json_answer({"messages": []})
            asked = native_request(asked, client)
        await self._services.bridge.ask(self._verbs.get(session_id))
        return await self._chat.answer(request, asked)

    async def empty(self, request: web.Request) -> web.Response:
        """DELETE /v1/sessions/{session_id}/messages."""
        await self._services.bridge.ask(self._verbs.empty(_id(request)))
        return web.Response(status=204)

    async def export(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/export."""
        kind = document_kind(request.query.get("format", "json"))
        transcript = await self._services.bridge.ask(self._verbs.transcript(_id(request)))
        folder = self._services.outputs_dir
        read_file = folder_reader(None if folder is None else folder / _id(request))
        body, mime = await asyncio.to_thread(export_transcript, transcript, kind, read_file)
        return web.Response(
            body=body,
            content_type=mime,
            charset=None if kind == "json" else "utf-8",
            headers={"Content-Disposition": f'attachment; filename="session.{kind}"'},
        )

    async def effects(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/effects."""
        return json_answer(await self._services.bridge.ask(self._verbs.effects(_id(request))))

    async def grants(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/grants."""
        return json_answer(await self._services.bridge.ask(self._verbs.grants(_id(request))))

    async def grant(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/grants."""
        asked = await read_request(request, lambda raw: read_body(raw, GrantRequest))
        await self._expect_choice(request)
        work = self._verbs.grant(_id(request), msgspec.structs.asdict(asked))
        return json_answer(await self._services.bridge.ask(work), 201)

    async def revoke(self, request: web.Request) -> web.Response:
        """DELETE /v1/sessions/{session_id}/grants/{grant_id}."""
        await self._expect_choice(request)
        work = self._verbs.revoke(_id(request), request.match_info["grant_id"])
        return json_answer(await self._services.bridge.ask(work))

    async def packages(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/packages."""
        return json_answer(await self._services.bridge.ask(self._verbs.packages(_id(request))))

    async def keep_packages(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/packages."""
        asked = await read_request(request, lambda raw: read_body(raw, PackagesRequest))
        await self._expect_choice(request)
        work = self._verbs.keep_packages(_id(request), asked.packages, asked.builds)
        return json_answer(await self._services.bridge.ask(work))

    async def _expect_choice(self, request: web.Request) -> None:
        """Raise RequestError unless the client, which our own code never is, may choose."""
        is_own = await self._answering.is_from_own_code(request)
        self._verbs.expect_choice(is_from_own_code=is_own)

    async def undo(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/effects/{effect_id}/undo."""
        return await self._take_back(request, "undo")

    async def redo(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/effects/{effect_id}/redo."""
        return await self._take_back(request, "redo")

    async def keep(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/effects/{effect_id}/keep."""
        return await self._take_back(request, "keep")

    async def delete_aside(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/effects/{effect_id}/delete."""
        return await self._take_back(request, "delete")

    async def review(self, request: web.Request) -> web.Response:
        """GET /v1/sessions/{session_id}/review."""
        return json_answer(await self._services.bridge.ask(self._verbs.review(_id(request))))

    async def apply(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/review/apply."""
        return await self._settle_review(request, "apply")

    async def discard(self, request: web.Request) -> web.Response:
        """POST /v1/sessions/{session_id}/review/discard."""
        return await self._settle_review(request, "discard")

    async def _settle_review(self, request: web.Request, what: SettleReview) -> web.Response:
        asked = await read_request(request, _read_review)
        is_own = await self._answering.is_from_own_code(request)
        work = self._verbs.settle_review(_id(request), what, asked.paths, is_own)
        return json_answer(await self._services.bridge.ask(work))

    async def _take_back(self, request: web.Request, what: TakeBack | Settle) -> web.Response:
        asked = await read_request(request, _read_effect)
        is_own = await self._answering.is_from_own_code(request)
        effect_id = request.match_info["effect_id"]
        work = self._verbs.take_back(_id(request), what, effect_id, asked.path, is_own)
        return json_answer(await self._services.bridge.ask(work))

    async def _has_steered(self, request: web.Request, message: object) -> bool:
        """Execute a message for a turn under way, a stop or a line of input; return whether it
        was one.
        """
        match message:
            case {"role": "user", "type": "command", "content": "stop"}:
                return await self._services.bridge.ask(self._verbs.stop(_id(request)))
            case {"role": "user", "type": "command", "content": "pause"}:
                return await self._pause(request, "pause")
            case {"role": "user", "type": "command", "content": "step"}:
                return await self._pause(request, "step")
            case {"role": "user", "type": "command", "content": "resume"}:
                return await self._pause(request, "resume")
            case {
                "role": "user",
                "type": "command",
                "content": "input",
                "id": str() as asked,
                "text": str() as text,
            }:
                is_own = await self._answering.is_from_own_code(request)
                work = self._verbs.answer_input(_id(request), asked, text, is_own)
                await self._services.bridge.ask(work)
                return True
            case _:
                return False

    async def _pause(self, request: web.Request, verb: PauseVerb) -> bool:
        is_own = await self._answering.is_from_own_code(request)
        work = self._verbs.pause(_id(request), verb, is_own)
        if not await self._services.bridge.ask(work):
            raise RequestError("No code runs.", code="invalid_state", param="messages")
        return True


def _read_chat(raw: bytes, session_id: str, client: str) -> ChatRequest | NativeRequest:
    """Return the request; a command alone as it is, for it may steer a turn under way.

    Raises RequestError.
    """
    asked = read_body(raw, SessionChatRequest)
    messages = native.messages_of_one(_alone(asked)) if asked.messages is None else asked.messages
    chat = ChatRequest(
        messages=messages,
        stream=asked.stream,
        auto_run=asked.auto_run,
        extended=asked.extended,
        session_id=session_id,
        config=asked.config,
    )
    match messages:
        case [{"type": "command"}]:
            return chat
        case _:
            return native_request(chat, client)


def _alone(asked: SessionChatRequest) -> Mapping[str, Any]:
    """Return the message that is the body itself. Raises RequestError if it is not one."""
    names = NativeMessage.__struct_fields__
    fields = {name: getattr(asked, name) for name in names}
    if asked.role is None:
        raise RequestError(
            "messages must be a non-empty list", code="invalid_messages", param="messages"
        )
    return {name: value for name, value in fields.items() if value is not None}


def _read_effect(raw: bytes) -> EffectRequest:
    """Return the request; without a body it is about all files."""
    return read_body(raw, EffectRequest) if raw.strip() else EffectRequest()


def _read_review(raw: bytes) -> ReviewRequest:
    """Return the request; without a body it is about all files."""
    return read_body(raw, ReviewRequest) if raw.strip() else ReviewRequest()


def _id(request: web.Request) -> str:
    return request.match_info["session_id"]


def _limit(query: Mapping[str, str]) -> int:
    text = query.get("limit")
    if text is None:
        return _PAGE_SIZE
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= _MAX_PAGE_SIZE:
        raise RequestError(
            f"limit must be a number from 1 to {_MAX_PAGE_SIZE}",
            code="invalid_request",
            param="limit",
        )
    return int(text)


def _title(asked: SessionRequest) -> str | None:
    return asked.name if asked.title is None else asked.title


def _titled(title: str | None) -> str:
    printed = "".join(sign if sign.isprintable() else " " for sign in title or "")
    return " ".join(printed.split())


def _changer(asked: SessionConfig | None) -> Change:
    """Return the function that applies the requested configuration; null uses the settings."""
    if asked is None:
        return lambda config: config
    llm = asked.llm or SessionLlm()
    wanted = _set_fields(
        system_prompt=asked.system_prompt,
        instructions=asked.instructions,
        model=named_model(llm.model) if isinstance(llm.model, str) else llm.model,
    )
    sent, names = sent_parameters(llm), ModelParameters.__struct_fields__
    parameters = {name: getattr(sent, name) for name in names if getattr(llm, name) is not UNSET}
    return lambda config: replace(
        config, **wanted, parameters=replace(config.parameters, **parameters)
    )


def _set_fields(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNSET}


def _wire(row: SessionRow) -> Wire:
    summary, policy = row.summary, row.policy
    told: Wire = {} if policy is None else {"policy": _policy_wire(policy)}
    if row.paused_line:
        told["paused_line"] = row.paused_line
    if row.place is not None:
        told["place"] = row.place
    return {
        "session_id": summary.id,
        "title": summary.title,
        "name": summary.title,
        "metadata": row.metadata,
        "created_at": _iso(summary.created_at),
        "updated_at": _iso(summary.updated_at),
        "busy": row.is_busy,
        "message_count": summary.message_count,
        **told,
    }


def _policy_wire(policy: Policy) -> Wire:
    listed = {"hosts": list(policy.hosts)} if policy.network == "listed" else {}
    return {"files": policy.files, "network": policy.network, "ask": policy.ask, **listed}


def _hosts(names: Sequence[str]) -> tuple[str, ...]:
    try:
        return hosts_of(names)
    except AppError as error:
        raise RequestError(str(error), code="invalid_request", param="policy") from error


def _iso(seconds: float) -> str:
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
