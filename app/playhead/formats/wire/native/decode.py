"""Decode native events, also of streams that lack a start or an end, into chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk, ChunkType, Content, Recipient, Role
from playhead.formats.wire.codec import TRUNCATED
from playhead.formats.wire.native.objects import (
    PAYLOAD_TYPES,
    UnknownContentError,
    decode_failure,
    decode_payload,
)

_ROLES = frozenset(get_args(Role))
_TYPES = frozenset(get_args(ChunkType))
_RECIPIENTS = frozenset(get_args(Recipient))


def decode_chunk(wire: Mapping[str, Any]) -> Chunk | None:
    """Return the chunk of a JSON object; None if this version does not know or cannot read it."""
    role, kind = wire.get("role"), wire.get("type")
    if not _is_one_of(role, _ROLES) or not _is_one_of(kind, _TYPES):
        return None
    try:
        content = _content(wire)
    except UnknownContentError:
        return None
    recipient = wire.get("recipient")
    return Chunk(
        role=cast(Role, role),
        type=cast(ChunkType, kind),
        format=_text_or_none(wire.get("format")),
        content=content,
        start=wire.get("start") is True,
        end=wire.get("end") is True,
        id=_text_or_none(wire.get("id")),
        recipient=cast(Recipient, recipient) if _is_one_of(recipient, _RECIPIENTS) else None,
    )


def _content(wire: Mapping[str, Any]) -> Content:
    """Return the decoded content. Raises UnknownContentError."""
    content = wire.get("content")
    if wire.get("format") == "active_line":
        return line_number(content)
    if (wire["role"], wire["type"]) == ("server", "error"):
        return decode_failure(wire)
    if wire["type"] in PAYLOAD_TYPES:
        return decode_payload(str(wire["type"]), content)
    if content is None or isinstance(content, str):
        return content or None
    raise UnknownContentError("content must be a text")


def line_number(content: object) -> int | None:
    """Return the running line, sent as a text or as a number. Raises UnknownContentError."""
    if content is None:
        return None
    if isinstance(content, str) and content.isdecimal() and len(content) < 20:
        return int(content)
    if isinstance(content, int) and not isinstance(content, bool):
        return content
    raise UnknownContentError("a line must be a number")


def _is_one_of(value: object, known: frozenset[str]) -> bool:
    return isinstance(value, str) and value in known


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None


_LAST = frozenset({("server", "status"), ("server", "error")})


class Decoder:
    """Lenient: mends a missing start or end; `skipped` counts what it does not know."""

    def __init__(self) -> None:
        self.skipped = 0
        self._open: Chunk | None = None
        self._is_over = False

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this event."""
        chunk = None if self._is_over else decode_chunk(event)
        if chunk is None or _says_nothing(chunk):
            self.skipped += chunk is None
            return []
        self._is_over = (chunk.role, chunk.type) in _LAST
        if not isinstance(chunk.content, str | int | None) or self._is_over:
            return [*self._closed(), replace(chunk, start=False, end=False)]
        return self._placed(chunk)

    def finish(self) -> list[Chunk]:
        """Return the chunks that close open messages; a stream without its last chunk was cut."""
        if self._is_over:
            return []
        return [*self._closed(), Chunk(role="server", type="error", content=TRUNCATED)]

    def _placed(self, chunk: Chunk) -> list[Chunk]:
        chunks: list[Chunk] = []
        is_ours = self._open is not None and _are_one(self._open, chunk)
        if chunk.start or not is_ours:
            chunks += self._closed()
        if chunk.start:
            self._open = replace(chunk, content=None, end=False)
            chunks.append(self._open)
        is_line = chunk.format == "active_line"
        if self._open is not None and (is_line or chunk.content is not None):
            chunks.append(replace(chunk, start=False, end=False, id=None))
        elif chunk.content is not None and not is_line:
            chunks.append(replace(chunk, end=False))  # a message by itself
        if chunk.end:
            chunks += self._closed(chunk)
        return chunks

    def _closed(self, end: Chunk | None = None) -> list[Chunk]:
        start, self._open = self._open, None
        if start is None:
            return []
        return [replace(end or start, content=None, start=False, end=True, id=None)]


def _are_one(start: Chunk, chunk: Chunk) -> bool:
    return (start.role, start.type) == (chunk.role, chunk.type)


def _says_nothing(chunk: Chunk) -> bool:
    return chunk.is_single and chunk.content is None and chunk.format != "active_line"
