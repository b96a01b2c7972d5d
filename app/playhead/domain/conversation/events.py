"""The events that a conversation emits, and the commands by which a user changes it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

from msgspec import Struct

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import OutputTail

_log = logging.getLogger(__name__)
_Event = TypeVar("_Event")

EventKind = Literal[
    "started", "grew", "tail", "ended", "added", "noted", "transient", "removed", "renamed",
    "moved", "put_aside", "put_back",
]  # fmt: skip
REARRANGED: frozenset[EventKind] = frozenset({"removed", "moved", "put_aside", "put_back"})
"""After these the active path is another one."""


class ConversationEvent(Struct, frozen=True, kw_only=True):
    """One change.

    started    a message opened; `message` (state streaming, content None), `chunk`
    grew       `chunk` was added to message `message_id`
    tail       the long output `message_id` goes on: `tail` has its last lines for now (not kept)
    ended      the open message closed; `message` is final, `chunk` is the end chunk
    added      a single chunk became a whole `message`
    noted      `chunk` is kept beside `message_id`, not among the messages (server/usage,
               or the lines of code that printed a console: no chunk then);
               `message` is the form in which it is kept
    transient  `chunk` is emitted but not kept (server/status)
    removed    message `message_id` and all below it are gone
    renamed    `title` is new
    moved      the active path changed; read `Conversation.messages` again
    put_aside  message `message_id` and all below it are hidden; they can still be put back
    put_back   they are where they were
    """

    kind: EventKind
    message_id: str = ""
    message: Message | None = None
    chunk: Chunk | None = None
    title: str = ""
    tail: OutputTail | None = None


Listener = Callable[[ConversationEvent], None]


class Rename(Struct, frozen=True):
    """Give the conversation a title."""

    title: str


class RemoveFrom(Struct, frozen=True):
    """Take a message and all below it out of the tree."""

    message_id: str


class MoveTo(Struct, frozen=True):
    """Make the path from the root to this message the active one (None: before the first)."""

    message_id: str | None


class PutAside(Struct, frozen=True):
    """Hide a message and all below it; the next change of the tree removes them."""

    message_id: str


class PutBack(Struct, frozen=True):
    """Show again what was put aside, if it was not removed since."""


class Settle(Struct, frozen=True):
    """Remove what was put aside."""


Command = Rename | RemoveFrom | MoveTo | PutAside | PutBack | Settle


class Listeners(Generic[_Event]):
    """Calls its listeners in order; one that fails is logged and does not stop the others."""

    def __init__(self, whose: str) -> None:
        self._whose = whose
        self._all: list[Callable[[_Event], None]] = []

    def add(self, listener: Callable[[_Event], None]) -> Callable[[], None]:
        """Call `listener` at every event; returns what ends that."""
        self._all.append(listener)

        def remove() -> None:
            if listener in self._all:
                self._all.remove(listener)

        return remove

    def emit(self, event: _Event) -> None:
        """Call all of them."""
        for listener in tuple(self._all):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one broken view must not stop the others
                _log.exception("a listener of %s failed", self._whose)
