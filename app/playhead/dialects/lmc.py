"""Native chunks: Chunk ↔ the dictionaries of docs/wire-formats.md, sections 2 and 2a."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast, get_args

from playhead.conversation.chunk import Chunk, ChunkType, Recipient, Role
from playhead.conversation.payloads import (
    CodeError,
    Failure,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    Proposal,
    RunReport,
)

Wire = dict[str, Any]

EXTENDED = frozenset({"run", "error", "input", "timing"})
"""Types of computer chunks that only our own faces have words for."""

_ROLES = frozenset(get_args(Role))
_TYPES = frozenset(get_args(ChunkType))
_CALLS = frozenset({"code", "tool_call", "tool_result"})


def is_extended(chunk: Chunk) -> bool:
    """Whether a plain reader has no word for this chunk."""
    return chunk.role == "computer" and chunk.type in EXTENDED


def encode(chunk: Chunk) -> Wire:
    """One chunk as a JSON object; keys stand only where they say something."""
    wire: Wire = {"role": chunk.role, "type": chunk.type}
    if chunk.format is not None:
        wire["format"] = chunk.format
    if chunk.start and chunk.id is not None and chunk.type in _CALLS:
        wire["id"] = chunk.id
    if chunk.recipient is not None:
        wire["recipient"] = chunk.recipient
    wire |= _content_of(chunk)
    if chunk.start:
        wire["start"] = True
    if chunk.end:
        wire["end"] = True
    return wire


def decode(wire: Mapping[str, Any]) -> Chunk | None:
    """The chunk of a JSON object; None for what this version does not know."""
    if wire.get("role") not in _ROLES or wire.get("type") not in _TYPES:
        return None
    return Chunk(
        role=cast(Role, wire["role"]),
        type=cast(ChunkType, wire["type"]),
        format=_text_or_none(wire.get("format")),
        content=_decoded_content(wire),
        start=wire.get("start") is True,
        end=wire.get("end") is True,
        id=_text_or_none(wire.get("id")),
        recipient=cast("Recipient | None", _text_or_none(wire.get("recipient"))),
    )


def _content_of(chunk: Chunk) -> Wire:
    content = chunk.content
    if chunk.format == "active_line":
        return {"content": None if content is None else str(content)}
    match content:
        case None:
            return {}
        case str() | int():
            return {"content": content}
        case Failure():
            return {
                "content": " ".join(
                    part for part in (content.title, content.detail, content.remedy) if part
                ),
                "error": {"code": content.code, "message": content.title},
            }
        case Proposal():
            code = {"type": "code", "format": content.language, "content": content.code}
            return {"content": code}
        case RunReport() | CodeError() | InputRequest() | LineTiming():
            return {"content": _without_empty(asdict(content))}


def _without_empty(fields: Wire) -> Wire:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _decoded_content(wire: Mapping[str, Any]) -> str | int | Payload | None:
    content = wire.get("content")
    if wire.get("format") == "active_line":
        return int(content) if content is not None else None
    if wire["role"] == "server" and wire["type"] == "error":
        error = cast("Mapping[str, Any]", wire.get("error") or {})
        return Failure(str(error.get("code", "internal_error")), str(error.get("message", content)))
    if isinstance(content, Mapping):
        return _decoded_payload(str(wire["type"]), cast("Mapping[str, Any]", content))
    return content if isinstance(content, str | int) else None


def _decoded_payload(kind: str, fields: Mapping[str, Any]) -> Payload | None:
    match kind:
        case "confirmation":
            language = str(fields.get("format") or fields.get("language") or "")
            return Proposal(
                "", "", language, str(fields.get("content") or fields.get("code") or "")
            )
        case "run":
            return RunReport(**_known(RunReport, fields))
        case "error":
            frames = tuple(Frame(**_known(Frame, frame)) for frame in fields.get("frames", ()))
            return CodeError(str(fields["name"]), str(fields.get("message", "")), frames)
        case "input":
            return InputRequest(
                str(fields["id"]), str(fields.get("prompt", "")), fields.get("is_secret") is True
            )
        case "timing":
            return LineTiming(**_known(LineTiming, fields))
        case _:
            return None


def _known(payload: type, fields: Mapping[str, Any]) -> Wire:
    names = cast("Mapping[str, Any]", payload.__dict__)["__dataclass_fields__"]
    return {name: value for name, value in fields.items() if name in names}


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
