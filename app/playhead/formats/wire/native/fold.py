"""Fold native events into whole messages, and compute the key by which a returned message is
recognised.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from playhead.domain.conversation.chunk import Chunk
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import Encoder

_NAMELESS = frozenset({"confirmation", "reasoning", "plan", "citation", "status", "command"})
"""Types that clients may leave out of a history."""
_FACES_OWN = frozenset({"run", "error", "input", "timing", "table", "files", "usage"})
_MAY_BE_EMPTY = frozenset({"code", "tool_call", "tool_result"})


def whole(chunks: Iterable[Chunk], extended: bool = False) -> list[Wire]:
    """Return the messages of an answer, without what only a stream needs.

    Confirmations are left out except one that still waits, which is the last message; failures are
    for the caller to report.
    """
    encoder = Encoder(extended)
    answer = _Answer()
    for chunk in chunks:
        for wire in encoder.encode(chunk):
            answer.take(wire)
    for wire in encoder.finish():
        answer.take(wire)
    return answer.finish()


def answer_keys(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of an answer's messages as `read_messages` computes them, except empty
    ones.
    """
    keys = (
        message_key(
            str(message["role"]),
            str(message["type"]),
            message.get("format"),
            message.get("content"),
        )
        for message in messages
    )
    return [key for key in keys if key]


def message_key(role: str, kind: str, format_: str | None, content: object) -> str:
    """Return one canonical text for a message; '' for what clients may leave out."""
    if kind in _NAMELESS or kind in _FACES_OWN or not isinstance(content, str):
        return ""
    if not content and kind not in _MAY_BE_EMPTY:
        return ""
    return json.dumps([role, kind, None if kind == "console" else format_, content])


class MessageFold:
    """Joins the start, the contents and the end of native chunks into one message.

    Of messages without a text only those of the types in `may_be_empty` say anything.
    """

    def __init__(self, may_be_empty: Collection[str] = _MAY_BE_EMPTY) -> None:
        self._may_be_empty = may_be_empty
        self._head: Wire | None = None
        self._texts: list[str] = []

    @property
    def open(self) -> Wire | None:
        """Return the message that has not ended, with its text so far."""
        if self._head is None:
            return None
        if len(self._texts) > 1:
            self._texts = ["".join(self._texts)]
        return {**self._head, "content": self._texts[0] if self._texts else ""}

    def take(self, wire: Wire) -> Wire | None:
        """Take a chunk; return the message that it ends or is by itself, if that says anything."""
        if wire.get("start"):
            self._head = {name: value for name, value in wire.items() if name != "start"}
            if wire["type"] == "console":
                self._head["format"] = "output"
            self._texts = []
        elif wire.get("end"):
            message, self._head = self.open, None
            if message and (message["content"] or message["type"] in self._may_be_empty):
                return message
        elif self._head is None:
            return wire
        elif wire.get("format") != "active_line":
            self._texts.append(str(wire.get("content", "")))
        return None


class _Answer:
    """The messages of an answer, and the confirmation that still waits at its end."""

    def __init__(self) -> None:
        self._messages: list[Wire] = []
        self._fold = MessageFold()
        self._waiting: Wire | None = None

    def take(self, wire: Wire) -> None:
        message = self._fold.take(wire)
        if message is None:
            return
        if message["type"] == "confirmation":
            self._waiting = message
        elif message["role"] != "server":
            self._waiting = None
            self._messages.append(message)
        elif message["type"] == "error" or message.get("content") in ("complete", "cancelled"):
            self._waiting = None

    def finish(self) -> list[Wire]:
        if self._waiting is not None:
            self._messages.append(self._waiting)
        return self._messages
