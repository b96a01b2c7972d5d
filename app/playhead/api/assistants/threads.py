"""Threads with their messages and runs: what is known of them and how it is kept; core's thread
only.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from playhead.api.assistants.list_cursor import ListCursor, list_wire, page_of
from playhead.api.turns.api_turn import ApiTurn, ChunkSink
from playhead.domain.conversation.events import Rename
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.history import Record
from playhead.domain.model import EXECUTE, ModelChoice
from playhead.domain.text.json_text import read_json
from playhead.domain.text.titles import title_from
from playhead.errors import RequestError, SessionError, StorageError
from playhead.formats.wire.assistants.objects import (
    RunFacts,
    RunStatus,
    ThreadMessage,
    ended_run,
    ended_step,
    thread_message_wire,
    thread_messages,
    thread_wire,
)
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.entry import Entry
from playhead.session.ports import Records
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.session.turn_settings import TurnOptions

_log = logging.getLogger(__name__)
ACTIVE = frozenset({"queued", "in_progress", "requires_action", "cancelling"})
_PROGRAM_ENDED: Wire = {"code": "server_error", "message": "Playhead ended while the run went on."}
_STEPS_AFTER = {"completed": "completed", "incomplete": "completed"}
"""Status of steps that are still open when their run ends; by default the run's own."""


class RunHost(Struct, frozen=True):
    """The server's side of runs.

    `outbox` makes one that the server's thread can take from; `start_soon` drives a run that is not
    streamed, called from any thread.
    """

    outbox: Callable[[], ChunkSink]
    start_soon: Callable[[StartedRun], None]


class NewMessage(Struct, frozen=True):
    """A message for a thread."""

    entry: Entry
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])


class RunParameters(Struct, frozen=True, kw_only=True):
    """Parameters of a run that a client gives; None uses the assistant's.

    `choice` holds everything about the model except its default. `settings` are reported unchanged.
    """

    assistant_id: str
    choice: ModelChoice = msgspec.field(default_factory=ModelChoice)
    model: str | None = None
    instructions: str | None = None
    more_instructions: str = ""
    messages: tuple[NewMessage, ...] = ()
    tools: Sequence[Any] | None = None
    tool_choice: object = None
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    auto_run: bool = False
    client: str = ""
    is_from_own_code: bool = False
    stop_grace_s: float = 1.0


class RunState(Struct, kw_only=True):
    """A run as clients see it, with the objects it uses while it is active."""

    wire: Wire
    steps: dict[str, Wire] = msgspec.field(default_factory=dict[str, Wire])
    facts: RunFacts | None = None
    options: TurnOptions = msgspec.field(default_factory=TurnOptions)
    asked: RunParameters | None = None
    line: RunHost | None = None
    turn: ApiTurn | None = None
    outbox: ChunkSink | None = None
    proposal: Proposal | None = None
    """Its code that waits, or waited last."""
    is_deciding: bool = False
    """Whether its client is deciding now: code that waits then continues for the client."""
    releases: list[Callable[[], object]] = msgspec.field(default_factory=list[Callable[[], object]])
    """Called when the run is over."""

    @property
    def id(self) -> str:
        """Return the run's id."""
        return self.wire["id"]

    @property
    def status(self) -> RunStatus:
        """Return the run's status."""
        return self.wire["status"]

    @property
    def is_active(self) -> bool:
        """Return whether the run still occupies its thread."""
        return self.status in ACTIVE

    @property
    def required(self) -> list[Wire]:
        """Return the calls whose outputs the run waits for."""
        action = self.wire["required_action"]
        return action["submit_tool_outputs"]["tool_calls"] if action else []

    def end(self, status: RunStatus, error: Wire | None = None) -> None:
        """End the run while it is not streamed."""
        self.wire = ended_run(self.wire, status, now_s(), error)
        self.settle()

    def settle(self) -> None:
        """Release everything that the run held open, because it is over."""
        status, error = self.status, self.wire["last_error"]
        for step_id, step in self.steps.items():
            if step["status"] == "in_progress":
                how = _STEPS_AFTER.get(status, status)
                self.steps[step_id] = ended_step(step, how, now_s(), error)
        releases, self.releases = self.releases, []
        for release in releases:
            release()
        self.turn = self.outbox = self.asked = self.line = None


class StartedRun(Struct, frozen=True, kw_only=True):
    """A run whose turn has begun or continues, for the server's thread to drive."""

    conversation_id: str
    facts: RunFacts
    wire: Wire
    turn: ApiTurn
    outbox: ChunkSink
    resumed: tuple[Wire, ...] = ()
    opened: Wire | None = None
    """Its thread if that is new."""
    spent: Mapping[str, int] | None = None
    """Usage of the run's earlier streams."""


class ThreadState(Struct, kw_only=True):
    """A thread; `kept` has facts on its messages that the conversation lacks."""

    session: Session
    wire: Wire
    records: Records
    runs: dict[str, RunState] = msgspec.field(default_factory=dict[str, RunState])
    kept: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict[str, dict[str, Any]])

    @property
    def id(self) -> str:
        """Return the thread's id."""
        return self.wire["id"]

    @property
    def conversation_id(self) -> str:
        """Return the id of the thread's conversation."""
        return self.session.conversation.id

    @property
    def active(self) -> RunState | None:
        """Return the active run of the thread, if any."""
        return next((run for run in reversed(self.runs.values()) if run.is_active), None)

    def keep_thread(self) -> None:
        """Write its own fields."""
        self._put("thread", "thread", self.wire)

    def keep_run(self, run: RunState) -> None:
        """Write a run and its steps."""
        self._put("run", run.id, run.wire)
        for step in run.steps.values():
            self._put("step", step["id"], step)

    def keep_message(self, message_id: str) -> None:
        """Write what is known of a message."""
        self._put("message", message_id, self.kept[message_id])

    def read(self, records: Sequence[Record]) -> None:
        """Take what an earlier process wrote; runs that it did not end have failed."""
        for record_id, data in readable(records):
            match data:
                case {"kind": "thread", "wire": {"id": str()} as wire}:
                    self.wire = wire
                case {"kind": "run", "wire": {"status": str(), "required_action": _} as wire}:
                    self.runs[record_id] = RunState(wire=wire)
                case {"kind": "step", "wire": {"run_id": str() as run_id} as wire}:
                    if (run := self.runs.get(run_id)) is not None:
                        run.steps[record_id] = wire
                case {"kind": "message", "wire": wire} if isinstance(wire, dict):
                    self.kept[record_id] = cast("dict[str, Any]", wire)
                case _:
                    pass
        for run in self.runs.values():
            self._recover(run)

    def _recover(self, run: RunState) -> None:
        waits = run.status == "requires_action"
        waits_for_code = any(call["function"]["name"] == EXECUTE for call in run.required)
        if waits and (run.wire["expires_at"] or 0) <= now_s():
            run.end("expired")
        elif run.is_active and (not waits or waits_for_code):
            run.end("failed", _PROGRAM_ENDED)

    def _put(self, kind: str, record_id: str, wire: Mapping[str, Any]) -> None:
        content = json.dumps({"kind": kind, "wire": wire}, ensure_ascii=False)
        self.records.put(Record(self.conversation_id, record_id, content))


def readable(records: Sequence[Record]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the ids and values of records; damaged ones are left out."""
    for record in records:
        try:
            value: object = read_json(record.content)
        except ValueError:
            value = None
        if isinstance(value, dict):
            yield record.id, cast("dict[str, Any]", value)
        else:
            _log.warning("a record of %s is damaged and left out", record.owner)


def now_s() -> int:
    """Return the current time in whole seconds since the epoch, as the format has it."""
    return int(time.time())


T = TypeVar("T")

PREFIX = "thread_"


class Threads:
    """Any conversation of the list is a thread; its id follows from the conversation's."""

    def __init__(self, sessions: Sessions, records: Records) -> None:
        self._sessions = sessions
        self._records = records
        self._known: dict[str, ThreadState] = {}

    async def create(
        self,
        messages: Sequence[NewMessage],
        metadata: Mapping[str, str],
        tool_resources: Mapping[str, Any],
    ) -> ThreadState:
        """Create a conversation, which the window lists at once."""
        session = self._sessions.begin()
        conversation = session.conversation
        wire = thread_wire(
            PREFIX + conversation.id, int(conversation.created_at), metadata, tool_resources
        )
        thread = ThreadState(session=session, wire=wire, records=self._records)
        self._known[conversation.id] = thread
        thread.keep_thread()
        chunks = [chunk for message in messages for chunk in message.entry.chunks]
        _name_after(thread, messages)
        try:
            await session.add_slowly(chunks)
        except BaseException:
            await self.forget(thread)
            raise
        keep_new_messages(thread, 0, messages)
        return thread

    async def open(self, thread_id: str) -> ThreadState:
        """Open a thread. Raises RequestError (`not_found`)."""
        conversation_id = thread_id.removeprefix(PREFIX)
        row = self._sessions.summary(conversation_id)
        if row is None or row.client or not thread_id.startswith(PREFIX):
            raise _no_thread(thread_id)
        try:
            session = await self._sessions.open(conversation_id)
        except StorageError as error:
            raise _no_thread(thread_id) from error
        known = self._known.get(conversation_id)
        if known is not None and known.session is session:
            return known
        records = await self._records.of(conversation_id)
        if (known := self._known.get(conversation_id)) is not None and known.session is session:
            return known
        wire = thread_wire(thread_id, int(session.conversation.created_at))
        thread = self._known[conversation_id] = ThreadState(
            session=session, wire=wire, records=self._records
        )
        thread.read(records)
        return thread

    def known(self, conversation_id: str) -> ThreadState | None:
        """Return the thread if it has been opened before."""
        return self._known.get(conversation_id)

    def active_runs(self) -> list[RunState]:
        """Return the runs that are in progress or wait."""
        runs = (run for thread in self._known.values() for run in thread.runs.values())
        return [run for run in runs if run.is_active]

    async def get(self, thread_id: str) -> Wire:
        """Return the thread as clients see it."""
        return (await self.open(thread_id)).wire

    async def change(self, thread_id: str, fields: Mapping[str, Any]) -> Wire:
        """Change fields of the thread and return it."""
        thread = await self.open(thread_id)
        thread.wire = {**thread.wire, **fields}
        thread.keep_thread()
        return thread.wire

    async def forget(self, thread: ThreadState) -> Wire:
        """Delete the thread permanently, with its conversation."""
        self._known.pop(thread.conversation_id, None)
        self._records.drop(thread.conversation_id)
        await self._sessions.delete(thread.conversation_id)
        return {"id": thread.id, "object": "thread.deleted", "deleted": True}

    async def add_message(self, thread_id: str, message: NewMessage) -> Wire:
        """Add a message; nothing is asked by that. Raises RequestError, SessionError."""
        thread = await self.open(thread_id)
        if (run := thread.active) is not None:
            raise RequestError(
                f"Can't add messages to {thread_id} while a run {run.id} is active.",
                code="invalid_state",
                param="thread_id",
            )
        if not thread.session.is_idle:
            raise SessionError("This conversation is still busy.", code="session_busy")
        return _wire(thread, _add(thread, message))

    async def messages(self, thread_id: str, cursor: ListCursor, run_id: str = "") -> Wire:
        """Return a page of its messages, or of those that one run made."""
        thread = await self.open(thread_id)
        found = _thread_messages(thread)
        if run_id:
            found = [each for each in found if _kept(thread, each).get("run_id") == run_id]
        page, has_more = page_of(found, cursor, lambda message: message.id)
        return list_wire([_wire(thread, each) for each in page], has_more=has_more)

    async def message(self, thread_id: str, message_id: str) -> Wire:
        """Return one of the thread's messages."""
        thread = await self.open(thread_id)
        return _wire(thread, _found(thread, message_id))

    async def change_message(
        self, thread_id: str, message_id: str, metadata: Mapping[str, str]
    ) -> Wire:
        """Change the metadata of a message and return it."""
        thread = await self.open(thread_id)
        message = _found(thread, message_id)
        thread.kept[message.id] = {**_kept(thread, message), "metadata": dict(metadata)}
        thread.keep_message(message.id)
        return _wire(thread, message)

    async def picture(self, file_id: str) -> tuple[str, Message]:
        """Return the message whose picture a client asks for, and its conversation's id."""
        conversation_id, _, message_id = file_id.removeprefix("file-").partition("-")
        try:
            thread = await self.open(PREFIX + conversation_id)
        except RequestError:
            raise _no_file(file_id) from None
        message = thread.session.conversation.message(message_id)
        if message is None or message.type != "image" or not message.text:
            raise _no_file(file_id)
        return conversation_id, message

    async def runs(self, thread_id: str, cursor: ListCursor) -> Wire:
        """Return a page of its runs."""
        thread = await self.open(thread_id)
        page, has_more = page_of([*thread.runs.values()], cursor, lambda run: run.id)
        return list_wire([run.wire for run in page], has_more=has_more)

    async def run(self, thread_id: str, run_id: str) -> tuple[ThreadState, RunState]:
        """Return one of the thread's runs. Raises RequestError (`not_found`)."""
        thread = await self.open(thread_id)
        if run_id not in thread.runs:
            raise _missing(f"No run found with id {run_id[:80]!r}.", "run_id")
        return thread, thread.runs[run_id]

    async def run_wire(self, thread_id: str, run_id: str) -> Wire:
        """Return the run as clients see it."""
        return (await self.run(thread_id, run_id))[1].wire

    async def change_run(self, thread_id: str, run_id: str, metadata: Mapping[str, str]) -> Wire:
        """Change the metadata of a run and return it."""
        thread, run = await self.run(thread_id, run_id)
        run.wire = {**run.wire, "metadata": dict(metadata)}
        thread.keep_run(run)
        return run.wire

    async def steps(self, thread_id: str, run_id: str, cursor: ListCursor) -> Wire:
        """Return a page of a run's steps."""
        _, run = await self.run(thread_id, run_id)
        page, has_more = page_of([*run.steps.values()], cursor, lambda step: step["id"])
        return list_wire(page, has_more=has_more)

    async def step(self, thread_id: str, run_id: str, step_id: str) -> Wire:
        """Return one of the run's steps."""
        _, run = await self.run(thread_id, run_id)
        if step_id not in run.steps:
            raise _missing(f"No run step found with id {step_id[:80]!r}.", "step_id")
        return run.steps[step_id]


def keep_new_messages(thread: ThreadState, before: int, messages: Sequence[NewMessage]) -> None:
    """Record which messages of the conversation, from index `before` on, correspond to these."""
    path = thread.session.conversation.since(before)
    place = 0
    for asked in messages:
        count = sum(not chunk.start and not chunk.end for chunk in asked.entry.chunks)
        parts, place = path[place : place + count], place + count
        if parts and (asked.metadata or len(parts) > 1):
            message_id = f"msg_{parts[0].id}"
            kept = {"metadata": dict(asked.metadata), "parts": [part.id for part in parts[1:]]}
            thread.kept[message_id] = kept
            thread.keep_message(message_id)


def file_prefix(conversation_id: str) -> str:
    """Return the prefix of the ids of a conversation's pictures."""
    return f"file-{conversation_id}-"


def _add(thread: ThreadState, asked: NewMessage) -> ThreadMessage:
    before = thread.session.conversation.length
    thread.session.add(asked.entry.chunks)
    _name_after(thread, [asked])
    keep_new_messages(thread, before, [asked])
    return _thread_messages(thread)[-1]


def _name_after(thread: ThreadState, messages: Sequence[NewMessage]) -> None:
    """Give a conversation without a title one, by the first message with a text."""
    conversation = thread.session.conversation
    told = ([c for c in message.entry.chunks if c.type == "message"] for message in messages)
    first = next(filter(None, told), None)
    if first and not conversation.title:
        text = "\n".join(str(chunk.content) for chunk in first)
        conversation.change(Rename(title_from(text)))


def _thread_messages(thread: ThreadState) -> list[ThreadMessage]:
    return thread_messages(thread.session.conversation.messages, thread.kept)


def _found(thread: ThreadState, message_id: str) -> ThreadMessage:
    for message in _thread_messages(thread):
        if message.id == message_id:
            return message
    raise _missing(f"No message found with id {message_id[:80]!r}.", "message_id")


def _kept(thread: ThreadState, message: ThreadMessage) -> Mapping[str, Any]:
    return thread.kept.get(message.id, {})


def _wire(thread: ThreadState, message: ThreadMessage) -> Wire:
    prefix = file_prefix(thread.conversation_id)
    return thread_message_wire(message, thread.id, prefix, _kept(thread, message))


def _no_thread(thread_id: str) -> RequestError:
    return _missing(f"No thread found with id {thread_id[:80]!r}.", "thread_id")


def _no_file(file_id: str) -> RequestError:
    return _missing(f"No file found with id {file_id[:120]!r}.", "file_id")


def _missing(title: str, param: str) -> RequestError:
    return RequestError(title, code="not_found", param=param)
