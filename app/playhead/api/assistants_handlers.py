"""/v1/assistants, /v1/threads and their messages, /v1/files: all but what runs do."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from playhead.api import assistants_schemas as of
from playhead.api.assistants import Assistants
from playhead.api.assistants_pages import Cursor
from playhead.api.assistants_state import MessageAsked, ThreadState
from playhead.api.bodies import read_body
from playhead.api.json_answer import json_answer
from playhead.api.services import Services
from playhead.api.session_files import reader_below
from playhead.errors import RequestError
from playhead.formats.documents.picture import Picture, picture_of
from playhead.formats.wire.assistants.requests import read_message, read_tools
from playhead.formats.wire.codec import Wire

T = TypeVar("T")
Struct = TypeVar("Struct", bound=msgspec.Struct)


class AssistantsHandler:
    """Reads requests and asks the core; what it says goes out as it is."""

    def __init__(self, services: Services, assistants: Assistants) -> None:
        self._services = services
        self._shelf = assistants.shelf
        self._threads = assistants.threads
        self._runs = assistants.runs

    async def create(self, request: web.Request) -> web.Response:
        """POST /v1/assistants."""
        asked = await body_of(request, of.AssistantRequest)
        said = _assistant_fields(asked)
        return await self._answer(self._shelf.add(asked.model, said))

    async def list(self, request: web.Request) -> web.Response:
        """GET /v1/assistants."""
        return await self._answer(self._shelf.page(Cursor.of(request.query)))

    async def get(self, request: web.Request) -> web.Response:
        """GET /v1/assistants/{assistant_id}."""
        return await self._answer(self._shelf.get(named(request, "assistant_id")))

    async def change(self, request: web.Request) -> web.Response:
        """POST /v1/assistants/{assistant_id}."""
        said = _assistant_fields(await body_of(request, of.AssistantChange))
        return await self._answer(self._shelf.change(named(request, "assistant_id"), said))

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /v1/assistants/{assistant_id}."""
        return await self._answer(self._shelf.delete(named(request, "assistant_id")))

    async def create_thread(self, request: web.Request) -> web.Response:
        """POST /v1/threads."""
        asked = await body_of(request, of.ThreadRequest)
        work = self._threads.create(*thread_fields(asked))
        thread: ThreadState = await self._services.bridge.ask(work)
        return json_answer(thread.wire)

    async def get_thread(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}."""
        return await self._answer(self._threads.get(named(request, "thread_id")))

    async def change_thread(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}."""
        said = _given(await body_of(request, of.ThreadChange))
        return await self._answer(self._threads.change(named(request, "thread_id"), said))

    async def delete_thread(self, request: web.Request) -> web.Response:
        """DELETE /v1/threads/{thread_id}."""
        return await self._answer(self._runs.delete_thread(named(request, "thread_id")))

    async def create_message(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}/messages."""
        asked = await body_of(request, of.MessageRequest)
        message = message_of(asked, "message")
        return await self._answer(self._threads.say(named(request, "thread_id"), message))

    async def list_messages(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/messages."""
        cursor, run_id = Cursor.of(request.query), request.query.get("run_id", "")
        work = self._threads.messages(named(request, "thread_id"), cursor, run_id)
        return await self._answer(work)

    async def get_message(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/messages/{message_id}."""
        work = self._threads.message(named(request, "thread_id"), named(request, "message_id"))
        return await self._answer(work)

    async def change_message(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}/messages/{message_id}."""
        asked = await body_of(request, of.MetadataChange)
        place = named(request, "thread_id"), named(request, "message_id")
        if asked.metadata is None:
            return await self._answer(self._threads.message(*place))
        return await self._answer(self._threads.change_message(*place, asked.metadata))

    async def get_file(self, request: web.Request) -> web.Response:
        """GET /v1/files/{file_id}."""
        picture, created_at = await self._picture(request)
        file_id = named(request, "file_id")
        return json_answer(
            {
                "id": file_id,
                "object": "file",
                "bytes": len(picture.data),
                "created_at": created_at,
                "filename": f"{file_id}.{picture.suffix}",
                "purpose": "assistants_output",
            }
        )

    async def get_content(self, request: web.Request) -> web.Response:
        """GET /v1/files/{file_id}/content."""
        picture, _ = await self._picture(request)
        headers = {"Content-Security-Policy": "sandbox; default-src 'none'"}
        return web.Response(body=picture.data, content_type=picture.mime, headers=headers)

    async def _picture(self, request: web.Request) -> tuple[Picture, int]:
        file_id = named(request, "file_id")
        work = self._threads.picture(file_id)
        conversation_id, message = await self._services.bridge.ask(work)
        folder = self._services.outputs_dir
        read_file = reader_below(None if folder is None else folder / conversation_id)
        picture = await asyncio.to_thread(picture_of, message, read_file)
        if picture is None:
            raise RequestError(f"The file {file_id!r} is gone.", code="not_found", param="file_id")
        return picture, int(message.created_at)

    async def _answer(self, work: Coroutine[Any, Any, Wire]) -> web.Response:
        return json_answer(await self._services.bridge.ask(work))


async def body_of(request: web.Request, kind: type[Struct]) -> Struct:
    """The body; one that is missing is an empty object."""
    return read_body(await request.read() or b"{}", kind)


def named(request: web.Request, name: str) -> str:
    """A part of the path."""
    return request.match_info[name]


def message_of(asked: of.MessageRequest, param: str) -> MessageAsked:
    """A message as the core takes it. Raises RequestError."""
    entry = read_message({"role": asked.role, "content": asked.content}, param)
    return MessageAsked(entry, asked.metadata or {})


def messages_of(asked: list[of.MessageRequest] | None, param: str) -> tuple[MessageAsked, ...]:
    """The messages of a list. Raises RequestError."""
    items = enumerate(asked or [])
    return tuple(message_of(each, f"{param}[{place}]") for place, each in items)


def thread_fields(
    asked: of.ThreadRequest,
) -> tuple[tuple[MessageAsked, ...], dict[str, str], dict[str, Any]]:
    """What a new thread begins with."""
    messages = messages_of(asked.messages, "messages")
    return messages, asked.metadata or {}, asked.tool_resources or {}


def _assistant_fields(asked: of.AssistantRequest | of.AssistantChange) -> dict[str, Any]:
    read_tools(asked.tools)
    return _given(asked)


def _given(asked: msgspec.Struct) -> dict[str, Any]:
    """The fields that were given, null being as good as none."""
    return {name: told for name, told in msgspec.structs.asdict(asked).items() if told is not None}
