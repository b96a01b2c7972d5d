"""Handlers of /v1/assistants, /v1/threads with their messages and runs, and /v1/files."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Coroutine
from typing import Any, TypeVar

import msgspec
from aiohttp import web
from msgspec.structs import replace

from playhead.api.assistants import schemas as of
from playhead.api.assistants.assistant_store import BUILT_IN
from playhead.api.assistants.assistants import Assistants
from playhead.api.assistants.list_cursor import ListCursor
from playhead.api.assistants.runs import Runs
from playhead.api.assistants.threads import (
    NewMessage,
    RunHost,
    RunParameters,
    StartedRun,
    ThreadState,
    file_prefix,
)
from playhead.api.server.bridge import Bridge
from playhead.api.server.gateway import read_request
from playhead.api.server.outbox import Outbox
from playhead.api.server.request_body import read_body
from playhead.api.server.responder import Responder, Services, json_answer, public_failure
from playhead.api.server.sse import OPEN_ANSWERS, OpenAnswers, StreamFormat, stream_answer, to_json
from playhead.api.turns.client_request import STOP_GRACE_S, model_choice, requesting_client
from playhead.api.turns.session_export import folder_reader
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.errors import RequestError
from playhead.formats.documents.picture import Picture, picture_of
from playhead.formats.wire import assistants
from playhead.formats.wire.assistants.requests import read_message, read_tools
from playhead.formats.wire.codec import Wire

T = TypeVar("T")
RequestT = TypeVar("RequestT", bound=msgspec.Struct)
_ThreadFields = tuple[tuple[NewMessage, ...], dict[str, str], dict[str, Any]]
_log = logging.getLogger(__name__)
_CANCELLED = Chunk(role="server", type="status", content="cancelled")


class AssistantsHandler:
    """Reads requests and asks the core; what it says goes out as it is."""

    def __init__(self, services: Services, assistants: Assistants) -> None:
        self._services = services
        self._store = assistants.store
        self._threads = assistants.threads
        self._runs = assistants.runs

    async def create(self, request: web.Request) -> web.Response:
        """POST /v1/assistants."""
        asked = await _read(request, of.AssistantRequest)
        fields = _assistant_fields(asked)
        return await self._answer(self._store.add(asked.model, fields))

    async def list(self, request: web.Request) -> web.Response:
        """GET /v1/assistants."""
        return await self._answer(self._store.page(ListCursor.of(request.query)))

    async def get(self, request: web.Request) -> web.Response:
        """GET /v1/assistants/{assistant_id}."""
        return await self._answer(self._store.get(path_part(request, "assistant_id")))

    async def change(self, request: web.Request) -> web.Response:
        """POST /v1/assistants/{assistant_id}."""
        fields = _assistant_fields(await _read(request, of.AssistantChange))
        return await self._answer(self._store.change(path_part(request, "assistant_id"), fields))

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /v1/assistants/{assistant_id}."""
        return await self._answer(self._store.delete(path_part(request, "assistant_id")))

    async def create_thread(self, request: web.Request) -> web.Response:
        """POST /v1/threads."""
        fields = await read_request(request, _thread_fields)
        work = self._threads.create(*fields)
        thread: ThreadState = await self._services.bridge.ask(work)
        return json_answer(thread.wire)

    async def get_thread(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}."""
        return await self._answer(self._threads.get(path_part(request, "thread_id")))

    async def change_thread(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}."""
        fields = _given_fields(await _read(request, of.ThreadChange))
        return await self._answer(self._threads.change(path_part(request, "thread_id"), fields))

    async def delete_thread(self, request: web.Request) -> web.Response:
        """DELETE /v1/threads/{thread_id}."""
        return await self._answer(self._runs.delete_thread(path_part(request, "thread_id")))

    async def create_message(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}/messages."""
        message = await read_request(
            request, lambda raw: new_message(read_body(raw or b"{}", of.MessageRequest), "message")
        )
        return await self._answer(
            self._threads.add_message(path_part(request, "thread_id"), message)
        )

    async def list_messages(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/messages."""
        cursor, run_id = ListCursor.of(request.query), request.query.get("run_id", "")
        work = self._threads.messages(path_part(request, "thread_id"), cursor, run_id)
        return await self._answer(work)

    async def get_message(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/messages/{message_id}."""
        work = self._threads.message(
            path_part(request, "thread_id"), path_part(request, "message_id")
        )
        return await self._answer(work)

    async def change_message(self, request: web.Request) -> web.Response:
        """POST /v1/threads/{thread_id}/messages/{message_id}."""
        asked = await _read(request, of.MetadataChange)
        place = path_part(request, "thread_id"), path_part(request, "message_id")
        if asked.metadata is None:
            return await self._answer(self._threads.message(*place))
        return await self._answer(self._threads.change_message(*place, asked.metadata))

    async def get_file(self, request: web.Request) -> web.Response:
        """GET /v1/files/{file_id}."""
        picture, created_at = await self._picture(request)
        file_id = path_part(request, "file_id")
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
        file_id = path_part(request, "file_id")
        work = self._threads.picture(file_id)
        conversation_id, message = await self._services.bridge.ask(work)
        folder = self._services.outputs_dir
        read_file = folder_reader(None if folder is None else folder / conversation_id)
        picture = await asyncio.to_thread(picture_of, message, read_file)
        if picture is None:
            raise RequestError(f"The file {file_id!r} is gone.", code="not_found", param="file_id")
        return picture, int(message.created_at)

    async def _answer(self, work: Coroutine[Any, Any, Wire]) -> web.Response:
        return json_answer(await self._services.bridge.ask(work))


async def _read(request: web.Request, kind: type[RequestT]) -> RequestT:
    """Decode the body; a missing one is an empty object."""
    return await read_request(request, lambda raw: read_body(raw or b"{}", kind))


def path_part(request: web.Request, name: str) -> str:
    """Return a part of the path."""
    return request.match_info[name]


def new_message(asked: of.MessageRequest, param: str) -> NewMessage:
    """Convert a message for the core. Raises RequestError."""
    entry = read_message({"role": asked.role, "content": asked.content}, param)
    return NewMessage(entry, asked.metadata or {})


def new_messages(asked: list[of.MessageRequest] | None, param: str) -> tuple[NewMessage, ...]:
    """Convert a list of messages for the core. Raises RequestError."""
    items = enumerate(asked or [])
    return tuple(new_message(each, f"{param}[{place}]") for place, each in items)


def thread_fields(asked: of.ThreadRequest) -> _ThreadFields:
    """Return the messages, metadata and tool resources of a new thread."""
    messages = new_messages(asked.messages, "messages")
    return messages, asked.metadata or {}, asked.tool_resources or {}


def _thread_fields(raw: bytes) -> _ThreadFields:
    return thread_fields(read_body(raw or b"{}", of.ThreadRequest))


def _run_fields(raw: bytes) -> tuple[of.RunRequest, tuple[NewMessage, ...]]:
    asked = read_body(raw or b"{}", of.RunRequest)
    messages = new_messages(asked.additional_messages, "additional_messages")
    return replace(asked, additional_messages=None), messages


def _thread_run_fields(
    raw: bytes,
) -> tuple[of.ThreadRunRequest, _ThreadFields, tuple[NewMessage, ...]]:
    asked = read_body(raw or b"{}", of.ThreadRunRequest)
    messages = new_messages(asked.additional_messages, "additional_messages")
    fields = thread_fields(asked.thread or of.ThreadRequest())
    return replace(asked, additional_messages=None, thread=None), fields, messages


def _assistant_fields(asked: of.AssistantRequest | of.AssistantChange) -> dict[str, Any]:
    read_tools(asked.tools)
    return _given_fields(asked)


def _given_fields(asked: msgspec.Struct) -> dict[str, Any]:
    """Return the fields that were given; null counts as not given."""
    return {
        name: value for name, value in msgspec.structs.asdict(asked).items() if value is not None
    }


_POLL_AFTER, _POLL_MS = "openai-poll-after-ms", "250"
"""The clients' SDKs wait a whole second between two polls unless this header is sent."""
_NO_LIMIT: dict[str, Any] = {"type": "auto", "last_messages": None}


class RunsHandler:
    """Has runs begun by the core and drives them on the server's loop."""

    def __init__(self, services: Services, answering: Responder, assistants: Assistants) -> None:
        self._services = services
        self._runs = assistants.runs
        self._threads = assistants.threads
        self._answering = answering
        self._line: RunDriver | None = None

    async def create(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/threads/{thread_id}/runs."""
        asked, messages = await read_request(request, _run_fields)
        run = await self._run_asked(request, asked, messages)
        driver = self._driver_of(request)
        work = self._runs.create(path_part(request, "thread_id"), run, driver.host)
        started = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, driver, started, is_stream=asked.stream is True)

    async def create_with_thread(self, request: web.Request) -> web.StreamResponse:
        """POST /v1/threads/runs."""
        asked, fields, messages = await read_request(request, _thread_run_fields)
        run = await self._run_asked(request, asked, messages)
        driver = self._driver_of(request)
        work = self._runs.create_with_thread(*fields, run, driver.host)
        started = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, driver, started, is_stream=asked.stream is True)

    async def submit(self, request: web.Request) -> web.StreamResponse:
        """POST …/runs/{run_id}/submit_tool_outputs."""
        asked = await _read(request, of.OutputsRequest)
        is_own = await self._answering.is_from_own_code(request)
        driver = self._driver_of(request)
        outputs = [{"tool_call_id": o.tool_call_id, "output": o.output} for o in asked.tool_outputs]
        place = path_part(request, "thread_id"), path_part(request, "run_id")
        work = self._runs.submit(*place, outputs, driver.host, is_from_own_code=is_own)
        started = await self._services.bridge.ask(work, self._abandon)
        return await self._answer(request, driver, started, is_stream=asked.stream is True)

    async def cancel(self, request: web.Request) -> web.Response:
        """POST …/runs/{run_id}/cancel."""
        work = self._runs.cancel(path_part(request, "thread_id"), path_part(request, "run_id"))
        return json_answer(await self._services.bridge.ask(work))

    async def list(self, request: web.Request) -> web.Response:
        """GET /v1/threads/{thread_id}/runs."""
        work = self._threads.runs(path_part(request, "thread_id"), ListCursor.of(request.query))
        return json_answer(await self._services.bridge.ask(work))

    async def get(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}."""
        work = self._threads.run_wire(path_part(request, "thread_id"), path_part(request, "run_id"))
        answer = json_answer(await self._services.bridge.ask(work))
        answer.headers[_POLL_AFTER] = _POLL_MS
        return answer

    async def change(self, request: web.Request) -> web.Response:
        """POST …/runs/{run_id}."""
        asked = await _read(request, of.MetadataChange)
        place = path_part(request, "thread_id"), path_part(request, "run_id")
        work = (
            self._threads.run_wire(*place)
            if asked.metadata is None
            else self._threads.change_run(*place, asked.metadata)
        )
        return json_answer(await self._services.bridge.ask(work))

    async def steps(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}/steps."""
        place = path_part(request, "thread_id"), path_part(request, "run_id")
        work = self._threads.steps(*place, ListCursor.of(request.query))
        return json_answer(await self._services.bridge.ask(work))

    async def step(self, request: web.Request) -> web.Response:
        """GET …/runs/{run_id}/steps/{step_id}."""
        names = (path_part(request, name) for name in ("thread_id", "run_id", "step_id"))
        return json_answer(await self._services.bridge.ask(self._threads.step(*names)))

    async def _answer(
        self, request: web.Request, driver: RunDriver, started: StartedRun, *, is_stream: bool
    ) -> web.StreamResponse:
        if is_stream:
            return await driver.stream(request, started)
        driver.start(started)
        return json_answer(started.wire)

    async def _run_asked(
        self, request: web.Request, asked: of.RunRequest, messages: tuple[NewMessage, ...]
    ) -> RunParameters:
        auto_run = asked.auto_run is True or (asked.metadata or {}).get("auto_run") == "true"
        is_own = auto_run and await self._answering.is_from_own_code(request)
        return RunParameters(
            assistant_id=asked.assistant_id or BUILT_IN,
            choice=model_choice(asked, max_tokens=asked.max_completion_tokens),
            model=asked.model,
            instructions=asked.instructions,
            more_instructions=asked.additional_instructions or "",
            messages=messages,
            tools=asked.tools,
            tool_choice=asked.tool_choice,
            metadata=asked.metadata or {},
            settings=_settings(asked),
            auto_run=auto_run,
            client=requesting_client(request),
            is_from_own_code=is_own,
            stop_grace_s=STOP_GRACE_S,
        )

    def _driver_of(self, request: web.Request) -> RunDriver:
        """Return the driver, made at the first run: before that the server's loop does not
        exist.
        """
        if self._line is None:
            self._line = RunDriver(self._services, self._runs, request.app[OPEN_ANSWERS])
        return self._line

    def _abandon(self, started: StartedRun) -> None:
        """Abandon a run that no client takes; called on the core's loop."""
        self._services.turns.cancel(started.turn)
        self._runs.abandon(started)


def _settings(asked: of.RunRequest) -> dict[str, Any]:
    """Return the fields of a run that are reported as they were requested."""
    return {
        "temperature": asked.temperature,
        "top_p": asked.top_p,
        "max_prompt_tokens": asked.max_prompt_tokens,
        "max_completion_tokens": asked.max_completion_tokens,
        "truncation_strategy": asked.truncation_strategy or _NO_LIMIT,
        "tool_choice": "auto" if asked.tool_choice is None else asked.tool_choice,
        "response_format": "auto" if asked.response_format is None else asked.response_format,
    }


def frame_event(event: Wire) -> bytes:
    """Return a server-sent event with its name; the data of the last one is not JSON."""
    data = event.get("data", event)
    text = b"[DONE]" if data == "[DONE]" else to_json(data)
    return b"event: %b\ndata: %b\n\n" % (str(event.get("event", "error")).encode(), text)


ASSISTANT_EVENTS = StreamFormat(frame=frame_event)


class RunDriver:
    """The server's end of all its runs; lives on the server's loop, but for `host`."""

    def __init__(self, services: Services, runs: Runs, answers: OpenAnswers) -> None:
        self._loop = asyncio.get_running_loop()
        self._bridge = services.bridge
        self._turns = services.turns
        self._runs = runs
        self._answers = answers
        self._tasks: set[asyncio.Task[None]] = set()
        self.host = RunHost(lambda: Outbox(self._loop), self._start_soon)

    def _start_soon(self, started: StartedRun) -> None:
        try:
            self._loop.call_soon_threadsafe(self.start, started)
        except RuntimeError:  # the server has ended, and its runs with it
            self._bridge.post(self._turns.cancel, started.turn)

    def start(self, started: StartedRun) -> None:
        """Drive a run whose client polls it."""
        task = self._loop.create_task(self._drive(started))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stream(self, request: web.Request, started: StartedRun) -> web.StreamResponse:
        """Send a run's events as they come; a client that goes away cancels the run."""
        recorder = RunRecorder(started, self._bridge, self._runs)
        try:
            return await stream_answer(
                request,
                started.outbox,  # pyright: ignore[reportArgumentType]  # made by `outbox`
                recorder,
                cancel=lambda: self._cancel(started),
                form=ASSISTANT_EVENTS,
                opening=recorder.begin(),
            )
        finally:
            recorder.give_up()

    async def _drive(self, started: StartedRun) -> None:
        recorder = RunRecorder(started, self._bridge, self._runs)
        recorder.begin()
        outbox: Any = started.outbox
        try:
            with self._answers.opened(lambda: self._cancel(started)):
                while chunks := await outbox.take():
                    for chunk in chunks:
                        recorder.encode(chunk)
        except Exception:  # noqa: BLE001 - the edge: a defect ends this run alone
            _log.exception("a run could not be encoded")
            self._cancel(started)
        finally:
            recorder.give_up()

    def _cancel(self, started: StartedRun) -> None:
        self._bridge.post(self._turns.cancel, started.turn)


class RunRecorder:
    """Encodes a run and reports its events, except deltas, to the core before the client."""

    def __init__(self, started: StartedRun, bridge: Bridge, runs: Runs) -> None:
        self._started = started
        self._bridge = bridge
        self._runs = runs
        prefix = file_prefix(started.conversation_id)
        self._encoder = assistants.Encoder(
            started.facts,
            assistants.Ids(lambda kind: f"{kind}_{uuid.uuid4().hex}", lambda: int(time.time())),
            is_call_clients=started.turn.is_call_clients,
            has_tools=bool(started.turn.incoming.options.tools),
            opened=started.opened,
            resumed=started.resumed,
            file_id=lambda chunk: prefix + chunk.id if chunk.id else None,
            prompt_tokens=started.turn.incoming.estimated_tokens,
            spent=started.spent,
        )

    def begin(self) -> list[Wire]:
        """Return the events that precede those of the model."""
        return self._record(self._encoder.begin())

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if isinstance(chunk.content, Failure) and chunk.content.code != assistants.EXPIRED:
            chunk = Chunk(role="server", type="error", content=public_failure(chunk.content))
        return self._record(self._encoder.encode(chunk))

    def finish(self) -> list[Wire]:
        """Return the last events."""
        return self._record(self._encoder.finish())

    def give_up(self) -> None:
        """Cancel the run, if it has not ended."""
        self._record(self._encoder.encode(_CANCELLED))

    def _record(self, events: list[Wire]) -> list[Wire]:
        for event in events:
            name = event["event"]
            if name == "thread.run.requires_action":
                for step in self._encoder.waiting():
                    self._post({"event": "thread.run.step.in_progress", "data": step})
            if not name.endswith(".delta") and name not in ("done", "thread.created"):
                self._post(event)
        return events

    def _post(self, event: Wire) -> None:
        started = self._started
        self._bridge.post(self._runs.record, started.conversation_id, started.facts.id, event)
