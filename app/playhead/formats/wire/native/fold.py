"""Fold native events into whole messages, and compute the key by which a returned message is
recognised.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from playhead.domain.conversation.chunk import Chunk
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import Encoder

_NAMELESS = frozenset({"confirmation", "reasoning", "plan", "citation", "status", "command"})
"""Types that clients may leave out of a history."""
_FACES_OWN = frozenset({"run", "error", "input", "timing", "table", "files", "usage"})
_MAY_BE_EMPTY = frozenset({"code", "tool_call", "tool_result"})


def whole(chunks: Iterable[Chunk], extended: bool = False) -> list[Wire]:
    """The messages of an answer, without what only a stream needs.

    Confirmations are left out but for one that still waits, which is the last message; failures
    are for the caller to report.
    """
    encoder = Encoder(extended)
    fold = _Fold()
    for chunk in chunks:
        for wire in encoder.encode(chunk):
            fold.take(wire)
    for wire in encoder.finish():
        fold.take(wire)
    return fold.finish()


def answer_keys(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """The keys of an answer's messages as `read_messages` will see them, but for empty ones."""
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
    """One canonical text for a message; '' for what clients may leave out."""
    if kind in _NAMELESS or kind in _FACES_OWN or not isinstance(content, str):
        return ""
    if not content and kind not in _MAY_BE_EMPTY:
        return ""
    return json.dumps([role, kind, None if kind == "console" else format_, content])


class _Fold:
    """Joins start, contents and end into one message."""

    def __init__(self) -> None:
        self._messages: list[Wire] = []
        self._open: Wire | None = None
        self._texts: list[str] = []
        self._waiting: Wire | None = None

    def take(self, wire: Wire) -> None:
        if wire.get("start"):
            self._open = {name: value for name, value in wire.items() if name != "start"}
            self._texts = []
        elif wire.get("end"):
            self._close()
        elif self._open is not None:
            if wire.get("format") != "active_line":
                self._texts.append(wire["content"])
        else:
            self._take_single(wire)

    def finish(self) -> list[Wire]:
        if self._waiting is not None:
            self._messages.append(self._waiting)
        return self._messages

    def _take_single(self, wire: Wire) -> None:
        if wire["type"] == "confirmation":
            self._waiting = wire
        elif wire["role"] != "server":
            self._add(wire)
        elif wire["type"] == "error" or wire.get("content") in ("complete", "cancelled"):
            self._waiting = None

    def _close(self) -> None:
        message, self._open = self._open, None
        text = "".join(self._texts)
        if message is None or not (text or message["type"] in _MAY_BE_EMPTY):
            return
        if message["type"] == "console":
            message["format"] = "output"
        self._add({**message, "content": text})

    def _add(self, message: Wire) -> None:
        self._waiting = None
        self._messages.append(message)
