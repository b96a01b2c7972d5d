"""A conversation: a tree of messages with one active path and the versions at its forks.

It changes only by `apply` and `change`.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Sequence

import msgspec
from msgspec import Struct

from playhead.domain.conversation.assembler import Assembler
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.events import (
    Command,
    ConversationEvent,
    EventKind,
    Listener,
    MoveTo,
    PutAside,
    PutBack,
    RemoveFrom,
    Rename,
    Settle,
)
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import OutputTail, PrintedLines, Usage
from playhead.domain.conversation.usage import ConversationUsage, sum_usages, usage_by_turn
from playhead.domain.history import ConversationSummary
from playhead.domain.settings import ConversationConfig


class StoredConversation(Struct, frozen=True, kw_only=True):
    """A conversation as the history holds it: the whole tree, parents before children.

    `beside` are usages and the like: each has for its parent the message that it belongs to.
    """

    summary: ConversationSummary
    messages: tuple[Message, ...]
    leaf_id: str | None = None
    folder: str = ""
    interpreter: str = ""
    config: ConversationConfig = msgspec.field(default_factory=ConversationConfig)
    beside: tuple[Message, ...] = ()


class Versions(Struct, frozen=True):
    """The messages that are alternatives at one place, and which of them is shown."""

    ids: tuple[str, ...]
    shown: int

    @property
    def number(self) -> int:
        """Return the number of the version that is shown, counted from 1."""
        return self.shown + 1

    @property
    def previous(self) -> str:
        """Return the version before the one that is shown, '' at the first."""
        return self.ids[self.shown - 1] if self.shown else ""

    @property
    def following(self) -> str:
        """Return the version after the one that is shown, '' at the last."""
        return self.ids[self.shown + 1] if self.number < len(self.ids) else ""


class Forks:
    """The children of every message, in order of age. Owner: the conversation."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        # Tuples of texts are no work for the garbage collector, in which lists of 10,000 show.
        self._children: dict[str | None, tuple[str, ...]] = {}
        self._used: dict[str | None, str] = {}
        for message in messages:
            self.add(message)

    def add(self, message: Message) -> None:
        """Add a new message."""
        beside = self._children.get(message.parent_id, ())
        self._children[message.parent_id] = (*beside, message.id)

    def remove(self, message: Message) -> None:
        """Remove a message from its parent."""
        beside = self._children[message.parent_id]
        self._children[message.parent_id] = tuple(one for one in beside if one != message.id)
        if self._used.get(message.parent_id) == message.id:
            del self._used[message.parent_id]

    def forget(self, message_id: str) -> None:
        """Forget the children of a message."""
        self._children.pop(message_id, None)
        self._used.pop(message_id, None)

    def use(self, path: Sequence[str]) -> None:
        """Remember a path as the one that was looked at last."""
        parent: str | None = None
        for message_id in path:
            self._used[parent] = message_id
            parent = message_id

    def children(self, message_id: str | None) -> tuple[str, ...]:
        """Return the direct children of a message, the oldest first."""
        return self._children.get(message_id, ())

    def leaf_below(self, message_id: str) -> str:
        """Return the end of the branch that was shown last, else of the newest one."""
        leaf = message_id
        while children := self._children.get(leaf):
            used = self._used.get(leaf)
            leaf = used if used is not None else children[-1]
        return leaf

    def versions(self, path: Sequence[str]) -> dict[str, Versions]:
        """Return the versions of each message of a path that has alternatives, by its id."""
        found: dict[str, Versions] = {}
        parent: str | None = None
        for message_id in path:
            beside = self._children[parent]
            if len(beside) > 1:
                found[message_id] = Versions(beside, beside.index(message_id))
            parent = message_id
        return found


_log = logging.getLogger(__name__)

_TRANSIENT = frozenset({"status", "command", "usage", "retry"})


class _Aside(Struct, frozen=True):
    """A branch that was put aside: its root, and the tree as it was."""

    message_id: str
    messages: dict[str, Message]
    path: list[str]


class Conversation:
    """Holds the tree of messages; `apply` adds streams, `change` makes the user's changes.

    Both emit events to the listeners.
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
        self._forks = Forks()
        self._beside: dict[str, list[Message]] = {}
        self._aside: _Aside | None = None
        self._listeners: tuple[Listener, ...] = ()

    @classmethod
    def restore(cls, stored: StoredConversation) -> Conversation:
        """Return the conversation as it was stored, its active path ending at `stored.leaf_id`."""
        summary = stored.summary
        conversation = cls(summary.id, summary.title, summary.created_at)
        conversation._messages = {message.id: message for message in stored.messages}
        conversation._forks = Forks(stored.messages)
        for kept in stored.beside:
            conversation._keep(kept)
        last = stored.messages[-1].id if stored.messages else None
        known = stored.leaf_id in conversation._messages
        conversation._path = conversation._path_to(stored.leaf_id if known else last)
        return conversation

    @property
    def messages(self) -> list[Message]:
        """Return the active path, oldest first, with the text so far of the streaming message."""
        return self.since(0)

    @property
    def everything(self) -> list[Message]:
        """Return the messages of all branches, the oldest first."""
        return list(self._messages.values())

    def since(self, place: int) -> list[Message]:
        """Return the messages of the active path from this place on, like `messages`."""
        path = [self._messages[message_id] for message_id in self._path[place:]]
        if (streaming := self._assembler.open_message) is not None and path:
            path[-1] = streaming
        return path

    @property
    def length(self) -> int:
        """Return the number of messages of the active path."""
        return len(self._path)

    @property
    def leaf_id(self) -> str | None:
        """Return the last message of the active path."""
        return self._path[-1] if self._path else None

    @property
    def open_id(self) -> str | None:
        """Return the message that is streaming, if one is."""
        return self._assembler.open_id

    @property
    def tail(self) -> OutputTail | None:
        """Return the last lines of the open console that are not part of its text yet."""
        return self._assembler.tail

    def message(self, message_id: str) -> Message | None:
        """Return any message of the tree, or None."""
        if message_id == self._assembler.open_id:
            return self._assembler.open_message
        return self._messages.get(message_id)

    def leaf_below(self, message_id: str) -> str:
        """Return the end of the branch through a message that was shown last, else of the newest.

        Raises KeyError.
        """
        return self._forks.leaf_below(self._messages[message_id].id)

    def versions(self) -> dict[str, Versions]:
        """Return the versions of each message of the active path with alternatives, by its id."""
        return self._forks.versions(self._path)

    def siblings(self, message_id: str) -> tuple[str, ...]:
        """Return a message and its alternatives, the oldest first. Raises KeyError."""
        return self._forks.children(self._messages[message_id].parent_id)

    @property
    def roots(self) -> tuple[str, ...]:
        """Return the first messages, one of each branch that has its own; the oldest first."""
        return self._forks.children(None)

    def path_to(self, message_id: str | None) -> list[Message]:
        """Return the messages from the first one to this one, oldest first."""
        return [self._messages[name] for name in self._path_to(message_id)]

    def below(self, message_id: str) -> list[Message]:
        """Return a message and all below it, in any branch. Raises KeyError."""
        waiting, found = [message_id], [self._messages[message_id]]
        while waiting:
            children = self._forks.children(waiting.pop())
            waiting += children
            found += [self._messages[child] for child in children]
        return found

    @property
    def usages(self) -> ConversationUsage:
        """Return the costs of the model's answers so far, without those that were removed."""
        usages = {id_: told for id_, told in self._beside.items() if id_ in self._messages}
        if not usages:
            return ConversationUsage()
        path = [self._messages[message_id] for message_id in self._path]
        contents = (one.content for told in usages.values() for one in told)
        total = sum_usages(content for content in contents if isinstance(content, Usage))
        return ConversationUsage(tuple(usage_by_turn(path, usages)), total)

    @property
    def beside(self) -> list[Message]:
        """Return the notes kept beside messages; the parent of each is its message."""
        return [one for id_, told in self._beside.items() if id_ in self._messages for one in told]

    def printed(self, message_id: str) -> PrintedLines | None:
        """Return the lines of code that printed a console; None if they are not known."""
        if message_id == self._assembler.open_id:
            return self._assembler.printed
        contents = (one.content for one in self._beside.get(message_id, ()))
        return next((found for found in contents if isinstance(found, PrintedLines)), None)

    @property
    def aside_id(self) -> str | None:
        """Return the root of what was put aside and can still be put back."""
        return self._aside.message_id if self._aside else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at every event, in order; returns what ends that."""
        self._listeners += (listener,)

        def unsubscribe() -> None:
            self._listeners = tuple(one for one in self._listeners if one is not listener)

        return unsubscribe

    def apply(self, chunk: Chunk, *, is_cut: bool = False, at: float | None = None) -> str:
        """Take one chunk of a stream; the id of its message ('' if transient).

        `is_cut` marks an end that was not meant to be: the message counts as interrupted. A new
        message has the time `at` (in seconds since the epoch), or that of now.
        Raises ChunkOrderError when the chunk does not fit what is open.
        """
        if chunk.start:
            self._settle()
            return self._add("started", self._assembler.start(chunk, self.leaf_id, at), chunk)
        if chunk.end:
            return self._end(chunk, is_cut)
        if chunk.type in _TRANSIENT:
            self._emit_transient(chunk)
            return ""
        if self._assembler.open_id is not None:
            message_id = self._assembler.grow(chunk)
            if isinstance(chunk.content, OutputTail):
                self._emit(
                    ConversationEvent(kind="tail", message_id=message_id, tail=chunk.content)
                )
            else:
                self._emit(ConversationEvent(kind="grew", message_id=message_id, chunk=chunk))
            return message_id
        self._settle()
        return self._add("added", self._assembler.single(chunk, self.leaf_id, at), chunk)

    def close_open(self) -> None:
        """Close what is still streaming, as interrupted."""
        if (message := self._assembler.open_message) is not None:
            end = Chunk(role=message.role, type=message.type, format=message.format, end=True)
            self.apply(end, is_cut=True)

    def forget(self) -> None:
        """Drop all messages, without an event: nobody looks at them any more.

        The session, its listeners and the conversation refer to each other, so that the garbage
        collector would find them much later.
        """
        self._messages, self._path, self._beside = {}, [], {}
        self._forks, self._aside = Forks(), None

    def change(self, command: Command) -> None:
        """Do what a user asked. Raises KeyError for a message that is not in the tree."""
        match command:
            case Rename(title):
                self.title = title
                self._emit(ConversationEvent(kind="renamed", title=title))
            case RemoveFrom(message_id):
                self._settle()
                gone = self._cut(message_id)
                self._path = [kept for kept in self._path if kept not in gone]
                self._emit(ConversationEvent(kind="removed", message_id=message_id))
            case MoveTo(message_id):
                self._settle()
                self._go_to(message_id)
            case PutAside(message_id):
                self._settle()
                self._put_aside(message_id)
            case PutBack():
                self._put_back()
            case Settle():
                self._settle()

    def _emit_transient(self, chunk: Chunk) -> None:
        """Emit a chunk that is not kept; a usage is kept beside the message before it instead."""
        if not isinstance(chunk.content, Usage) or self.leaf_id is None:
            self._emit(ConversationEvent(kind="transient", chunk=chunk))
            return
        usage = self._assembler.beside(chunk, self.leaf_id)
        self._keep(usage)
        self._emit(
            ConversationEvent(kind="noted", message_id=self.leaf_id, message=usage, chunk=chunk)
        )

    def _emit_printed(self, console: Message) -> None:
        """Keep the lines of code that printed a console beside it."""
        if (printed := self._assembler.printed) is not None:
            chunk = Chunk(role="computer", type="console", format="active_line", content=printed)
            kept = self._assembler.beside(chunk, console.id)
            self._keep(kept)
            self._emit(ConversationEvent(kind="noted", message_id=console.id, message=kept))

    def _keep(self, message: Message) -> None:
        if message.parent_id is not None:
            self._beside.setdefault(message.parent_id, []).append(message)

    def _go_to(self, message_id: str | None) -> None:
        path = self._path_to(message_id)
        self._forks.use(self._path)
        self._path = path
        self._forks.use(path)
        self._emit(ConversationEvent(kind="moved", message_id=message_id or ""))

    def _add(self, kind: EventKind, message: Message, chunk: Chunk) -> str:
        self._messages[message.id] = message
        self._forks.add(message)
        self._path.append(message.id)
        self._emit(
            ConversationEvent(kind=kind, message_id=message.id, message=message, chunk=chunk)
        )
        return message.id

    def _end(self, chunk: Chunk, is_cut: bool) -> str:
        message = self._assembler.end(chunk, "interrupted" if is_cut else "complete")
        self._messages[message.id] = message
        self._emit(
            ConversationEvent(kind="ended", message_id=message.id, message=message, chunk=chunk)
        )
        if message.type == "console":
            self._emit_printed(message)
        return message.id

    def _path_to(self, message_id: str | None) -> list[str]:
        path: list[str] = []
        while message_id is not None:
            path.append(message_id)
            message_id = self._messages[message_id].parent_id
        path.reverse()
        return path

    def _cut(self, message_id: str) -> set[str]:
        """Take a message and all below it out of the tree; their ids."""
        gone = {message.id for message in self.below(message_id)}
        self._forks.remove(self._messages[message_id])
        self._messages = {id_: one for id_, one in self._messages.items() if id_ not in gone}
        for id_ in gone:
            self._forks.forget(id_)
        return gone

    def _put_aside(self, message_id: str) -> None:
        """Hide a branch; the version next to it is shown instead, if there is one."""
        siblings = self.siblings(message_id)
        self._aside = _Aside(message_id, self._messages, self._path)
        self._forks.use(self._path)
        gone = self._cut(message_id)
        if self._path and self._path[-1] in gone:
            at = siblings.index(message_id)
            beside = siblings[at - 1] if at else "".join(siblings[1:2])
            parent = self._aside.messages[message_id].parent_id
            self._path = self._path_to(self.leaf_below(beside) if beside else parent)
        self._emit(ConversationEvent(kind="put_aside", message_id=message_id))

    def _put_back(self) -> None:
        if (aside := self._aside) is None:
            return
        self._aside = None
        self._messages, self._path = aside.messages, aside.path
        self._forks = Forks(self._messages.values())
        self._forks.use(self._path)
        self._emit(ConversationEvent(kind="put_back", message_id=aside.message_id))

    def _settle(self) -> None:
        """Delete for good what was put aside."""
        if (aside := self._aside) is None:
            return
        self._aside = None
        self._emit(ConversationEvent(kind="removed", message_id=aside.message_id))
        if self.leaf_id != aside.messages[aside.message_id].parent_id:
            self._emit(ConversationEvent(kind="moved", message_id=self.leaf_id or ""))

    def _emit(self, event: ConversationEvent) -> None:
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one broken view must not stop the others
                _log.exception("a listener of conversation %s failed at %s", self.id, event.kind)
