"""One native chunk ↔ its JSON object (docs/wire-formats.md, sections 2 and 2a)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from playhead.dialects.lmc_payloads import (
    PAYLOAD_TYPES,
    UnknownContentError,
    decode_failure,
    decode_payload,
    encode_payload,
)
from playhead.domain.conversation.chunk import Chunk, ChunkType, Content, Recipient, Role

Wire = dict[str, Any]

EXTENDED = frozenset(
    {
        ("computer", "run"),
        ("computer", "error"),
        ("computer", "input"),
        ("computer", "timing"),
        ("computer", "table"),
        ("computer", "files"),
        ("server", "usage"),
    }
)
"""Kinds of chunks that only our own faces have words for."""
_EXTENDED_FORMATS = {"image": frozenset({"svg"}), "code": frozenset({"markdown", "latex"})}

_ROLES = frozenset(get_args(Role))
_TYPES = frozenset(get_args(ChunkType))
CALLS = frozenset({"code", "tool_call", "tool_result"})
"""Types of chunks whose start carries the id of a call."""
_RECIPIENTS = frozenset(get_args(Recipient))


def is_extended(chunk: Chunk) -> bool:
    """Whether a plain reader has no word for this chunk."""
    if (chunk.role, chunk.type) in EXTENDED:
        return True
    return chunk.role == "computer" and chunk.format in _EXTENDED_FORMATS.get(chunk.type, ())


def encode(chunk: Chunk) -> Wire:
    """One chunk as a JSON object; keys stand only where they say something."""
    wire: Wire = {"role": chunk.role, "type": chunk.type}
    if chunk.format is not None:
        wire["format"] = chunk.format
    if chunk.start and chunk.id is not None and chunk.type in CALLS:
        wire["id"] = chunk.id
    if chunk.recipient is not None:
        wire["recipient"] = chunk.recipient
    content = chunk.content
    if chunk.format == "active_line":
        wire["content"] = None if content is None else str(content)
    elif isinstance(content, str | int):
        wire["content"] = content
    elif content is not None:
        wire |= encode_payload(content)
    if chunk.start:
        wire["start"] = True
    if chunk.end:
        wire["end"] = True
    return wire


def decode(wire: Mapping[str, Any]) -> Chunk | None:
    """The chunk of a JSON object; None for what this version does not know or cannot read."""
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
    """Raises UnknownContentError."""
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
    """The running line, written as a text or as a number. Raises UnknownContentError."""
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
