"""A conversation: a tree of messages with one active path, and the doors by which it changes."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable

from playhead.conversation.assembler import Assembler
from playhead.conversation.chunk import Chunk
from playhead.conversation.events import (
    Command,
    ConversationEvent,
    EventKind,
    Listener,
    MoveTo,
    RemoveFrom,
    Rename,
)
from playhead.conversation.message import Message
from playhead.conversation.requests import StoredConversation

_log = logging.getLogger(__name__)

_TRANSIENT = frozenset({"status", "command", "usage"})


class Conversation:
    """Streams enter by `apply`, a user's doings by `change`; both tell the listeners.

    `id` is unique, `created_at` in seconds since the epoch. Not thread-safe: one loop owns it.
    """

    def __init__(
        self,
        conversation_id: str | None = None,
        title: str = "",
        created_at: float | None = None,
        assembler: Assembler | None = None,
    ) -> None:
        self.id = conversation_id or uuid.uuid4().hex
        self.title = title
        self.created_at = time.time() if created_at is None else created_at
        self._assembler = assembler or Assembler()
        self._messages: dict[str, Message] = {}
        self._path: list[str] = []
        self._listeners: list[Listener] = []

    @classmethod
    def restore(cls, stored: StoredConversation) -> Conversation:
        """The conversation as it was stored, its active path ending at `stored.leaf_id`."""
        summary = stored.summary
        conversation = cls(summary.id, summary.title, summary.created_at)
        conversation._messages = {message.id: message for message in stored.messages}
        last = stored.messages[-1].id if stored.messages else None
        known = stored.leaf_id in conversation._messages
        conversation._path = conversation._path_to(stored.leaf_id if known else last)
        return conversation

    @property
    def messages(self) -> list[Message]:
        """The active path, oldest first; the streaming message comes with its text so far."""
        path = [self._messages[message_id] for message_id in self._path]
        if (streaming := self._assembler.open_message) is not None and path:
            path[-1] = streaming
        return path

    @property
    def leaf_id(self) -> str | None:
        """The last message of the active path."""
        return self._path[-1] if self._path else None

    @property
    def open_id(self) -> str | None:
        """The message that is streaming, if one is."""
        return self._assembler.open_id

    def message(self, message_id: str) -> Message | None:
        """Any message of the tree."""
        if message_id == self._assembler.open_id:
            return self._assembler.open_message
        return self._messages.get(message_id)

    def leaf_below(self, message_id: str) -> str:
        """The end of the newest branch that goes through a message. Raises KeyError."""
        newest_child = {message.parent_id: message.id for message in self._messages.values()}
        leaf = self._messages[message_id].id
        while leaf in newest_child:
            leaf = newest_child[leaf]
        return leaf

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at every event, in order; returns what ends that."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def apply(self, chunk: Chunk, *, is_cut: bool = False) -> str:
        """Take one chunk of a stream; the id of its message ('' if transient).

        `is_cut` marks an end that was not meant to be: the message counts as interrupted.
        Raises ChunkOrderError when the chunk does not fit what is open.
        """
        if chunk.start:
            return self._add("started", self._assembler.start(chunk, self.leaf_id), chunk)
        if chunk.end:
            return self._end(chunk, is_cut)
        if chunk.type in _TRANSIENT:
            self._emit(ConversationEvent("transient", chunk=chunk))
            return ""
        if self._assembler.open_id is not None:
            message_id = self._assembler.grow(chunk)
            self._emit(ConversationEvent("grew", message_id, chunk=chunk))
            return message_id
        return self._add("added", self._assembler.single(chunk, self.leaf_id), chunk)

    def close_open(self) -> None:
        """Close what is still streaming, as interrupted."""
        if (message := self._assembler.open_message) is not None:
            end = Chunk(message.role, message.type, message.format, end=True)
            self.apply(end, is_cut=True)

    def change(self, command: Command) -> None:
        """Do what a user asked. Raises KeyError for a message that is not in the tree."""
        match command:
            case Rename(title):
                self.title = title
                self._emit(ConversationEvent("renamed", title=title))
            case RemoveFrom(message_id):
                self._remove(message_id)
            case MoveTo(message_id):
                self._path = self._path_to(message_id)
                self._emit(ConversationEvent("moved", message_id or ""))

    def _add(self, kind: EventKind, message: Message, chunk: Chunk) -> str:
        self._messages[message.id] = message
        self._path.append(message.id)
        self._emit(ConversationEvent(kind, message.id, message, chunk))
        return message.id

    def _end(self, chunk: Chunk, is_cut: bool) -> str:
        message = self._assembler.end(chunk, "interrupted" if is_cut else "complete")
        self._messages[message.id] = message
        self._emit(ConversationEvent("ended", message.id, message, chunk))
        return message.id

    def _path_to(self, message_id: str | None) -> list[str]:
        path: list[str] = []
        while message_id is not None:
            path.append(message_id)
            message_id = self._messages[message_id].parent_id
        path.reverse()
        return path

    def _remove(self, message_id: str) -> None:
        removed = {self._messages[message_id].id}
        for message in self._messages.values():  # parents stand before their children
            if message.parent_id in removed:
                removed.add(message.id)
        for gone in removed:
            del self._messages[gone]
        self._path = [kept for kept in self._path if kept not in removed]
        self._emit(ConversationEvent("removed", message_id))

    def _emit(self, event: ConversationEvent) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one broken view must not stop the others
                _log.exception("a listener of conversation %s failed at %s", self.id, event.kind)
