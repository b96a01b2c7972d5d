"""Threads, which are conversations: opened, changed, and what is said in them; core's thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from playhead.api.assistants_pages import Cursor, list_wire, page_of
from playhead.api.assistants_state import MessageAsked, RunState, ThreadState
from playhead.domain.conversation.events import Rename
from playhead.domain.conversation.message import Message
from playhead.domain.text.titles import title_from
from playhead.errors import RequestError, SessionError, StorageError
from playhead.formats.wire.assistants.objects import (
    ThreadMessage,
    thread_message_wire,
    thread_messages,
    thread_wire,
)
from playhead.formats.wire.codec import Wire
from playhead.session.ports import Records
from playhead.session.sessions import Sessions

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
        messages: Sequence[MessageAsked],
        metadata: Mapping[str, str],
        tool_resources: Mapping[str, Any],
    ) -> ThreadState:
        """A new conversation, in the window's list at once."""
        session = self._sessions.begin()
        conversation = session.conversation
        wire = thread_wire(
            PREFIX + conversation.id, int(conversation.created_at), metadata, tool_resources
        )
        thread = ThreadState(session, wire, self._records)
        self._known[conversation.id] = thread
        thread.keep_thread()
        for message in messages:
            _add(thread, message)
        return thread

    async def open(self, thread_id: str) -> ThreadState:
        """One of them. Raises RequestError (`not_found`)."""
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
        thread = self._known[conversation_id] = ThreadState(session, wire, self._records)
        thread.read(records)
        return thread

    def known(self, conversation_id: str) -> ThreadState | None:
        """One that was opened already."""
        return self._known.get(conversation_id)

    def active_runs(self) -> list[RunState]:
        """Those that go on, or wait."""
        runs = (run for thread in self._known.values() for run in thread.runs.values())
        return [run for run in runs if run.is_active]

    async def get(self, thread_id: str) -> Wire:
        """The thread as clients see it."""
        return (await self.open(thread_id)).wire

    async def change(self, thread_id: str, said: Mapping[str, Any]) -> Wire:
        """Other fields of it."""
        thread = await self.open(thread_id)
        thread.wire = {**thread.wire, **said}
        thread.keep_thread()
        return thread.wire

    async def forget(self, thread: ThreadState) -> Wire:
        """Delete it for good, its conversation with it."""
        self._known.pop(thread.conversation_id, None)
        self._records.drop(thread.conversation_id)
        await self._sessions.delete(thread.conversation_id)
        return {"id": thread.id, "object": "thread.deleted", "deleted": True}

    async def say(self, thread_id: str, message: MessageAsked) -> Wire:
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

    async def messages(self, thread_id: str, cursor: Cursor, run_id: str = "") -> Wire:
        """Some of its messages, or of those that one run made."""
        thread = await self.open(thread_id)
        told = _told(thread)
        if run_id:
            told = [each for each in told if _kept(thread, each).get("run_id") == run_id]
        page, has_more = page_of(told, cursor, lambda message: message.id)
        return list_wire([_wire(thread, each) for each in page], has_more=has_more)

    async def message(self, thread_id: str, message_id: str) -> Wire:
        """One of its messages."""
        thread = await self.open(thread_id)
        return _wire(thread, _found(thread, message_id))

    async def change_message(
        self, thread_id: str, message_id: str, metadata: Mapping[str, str]
    ) -> Wire:
        """Other metadata of a message."""
        thread = await self.open(thread_id)
        told = _found(thread, message_id)
        thread.kept[told.id] = {**_kept(thread, told), "metadata": dict(metadata)}
        thread.keep_message(told.id)
        return _wire(thread, told)

    async def picture(self, file_id: str) -> tuple[str, Message]:
        """The message whose picture a client asks for, and its conversation's id."""
        conversation_id, _, message_id = file_id.removeprefix("file-").partition("-")
        try:
            thread = await self.open(PREFIX + conversation_id)
        except RequestError:
            raise _no_file(file_id) from None
        message = thread.session.conversation.message(message_id)
        if message is None or message.type != "image" or not message.text:
            raise _no_file(file_id)
        return conversation_id, message

    async def runs(self, thread_id: str, cursor: Cursor) -> Wire:
        """Some of its runs."""
        thread = await self.open(thread_id)
        page, has_more = page_of([*thread.runs.values()], cursor, lambda run: run.id)
        return list_wire([run.wire for run in page], has_more=has_more)

    async def run(self, thread_id: str, run_id: str) -> tuple[ThreadState, RunState]:
        """One of its runs. Raises RequestError (`not_found`)."""
        thread = await self.open(thread_id)
        if run_id not in thread.runs:
            raise _missing(f"No run found with id {run_id[:80]!r}.", "run_id")
        return thread, thread.runs[run_id]

    async def run_wire(self, thread_id: str, run_id: str) -> Wire:
        """The run as clients see it."""
        return (await self.run(thread_id, run_id))[1].wire

    async def change_run(self, thread_id: str, run_id: str, metadata: Mapping[str, str]) -> Wire:
        """Other metadata of a run."""
        thread, run = await self.run(thread_id, run_id)
        run.wire = {**run.wire, "metadata": dict(metadata)}
        thread.keep_run(run)
        return run.wire

    async def steps(self, thread_id: str, run_id: str, cursor: Cursor) -> Wire:
        """Some of a run's steps."""
        _, run = await self.run(thread_id, run_id)
        page, has_more = page_of([*run.steps.values()], cursor, lambda step: step["id"])
        return list_wire(page, has_more=has_more)

    async def step(self, thread_id: str, run_id: str, step_id: str) -> Wire:
        """One of them."""
        _, run = await self.run(thread_id, run_id)
        if step_id not in run.steps:
            raise _missing(f"No run step found with id {step_id[:80]!r}.", "step_id")
        return run.steps[step_id]


def keep_said(thread: ThreadState, before: int, messages: Sequence[MessageAsked]) -> None:
    """Note which messages of the conversation, from place `before` on, are these."""
    path = thread.session.conversation.messages[before:]
    for asked in messages:
        count = sum(not chunk.start and not chunk.end for chunk in asked.entry.chunks)
        parts, path = path[:count], path[count:]
        if parts and (asked.metadata or len(parts) > 1):
            message_id = f"msg_{parts[0].id}"
            told = {"metadata": dict(asked.metadata), "parts": [part.id for part in parts[1:]]}
            thread.kept[message_id] = told
            thread.keep_message(message_id)


def file_prefix(conversation_id: str) -> str:
    """What the ids of a conversation's pictures begin with."""
    return f"file-{conversation_id}-"


def _add(thread: ThreadState, asked: MessageAsked) -> ThreadMessage:
    conversation = thread.session.conversation
    before = len(conversation.messages)
    thread.session.add(asked.entry.chunks)
    texts = [str(chunk.content) for chunk in asked.entry.chunks if chunk.type == "message"]
    if not conversation.title and texts:
        conversation.change(Rename(title_from("\n".join(texts))))
    keep_said(thread, before, [asked])
    return _told(thread)[-1]


def _told(thread: ThreadState) -> list[ThreadMessage]:
    return thread_messages(thread.session.conversation.messages, thread.kept)


def _found(thread: ThreadState, message_id: str) -> ThreadMessage:
    for told in _told(thread):
        if told.id == message_id:
            return told
    raise _missing(f"No message found with id {message_id[:80]!r}.", "message_id")


def _kept(thread: ThreadState, told: ThreadMessage) -> Mapping[str, Any]:
    return thread.kept.get(told.id, {})


def _wire(thread: ThreadState, told: ThreadMessage) -> Wire:
    prefix = file_prefix(thread.conversation_id)
    return thread_message_wire(told, thread.id, prefix, _kept(thread, told))


def _no_thread(thread_id: str) -> RequestError:
    return _missing(f"No thread found with id {thread_id[:80]!r}.", "thread_id")


def _no_file(file_id: str) -> RequestError:
    return _missing(f"No file found with id {file_id[:120]!r}.", "file_id")


def _missing(title: str, param: str) -> RequestError:
    return RequestError(title, code="not_found", param=param)
