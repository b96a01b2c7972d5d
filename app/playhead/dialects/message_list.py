"""A conversation as Open Interpreter's messages (docs/wire-formats.md, sections 2 and 2a)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from playhead.dialects.lmc_chunks import encode
from playhead.dialects.picture_data import SVG, ReadFile, no_files, picture_of
from playhead.dialects.pieces import whole_chunk
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message

Wire = dict[str, Any]

_TRANSIENT = frozenset({"status", "command", "usage", "retry", "echo"})
_MAY_BE_EMPTY = frozenset({"code", "tool_call", "tool_result"})
_PLAIN = frozenset({"message", "console", "file"})
_OF_CODE = frozenset({"html", "javascript"})


def write_messages(messages: Iterable[Message], read_file: ReadFile = no_files) -> list[Wire]:
    """The messages, whole; pictures that `read_file` gives are in the list itself.

    What a plain reader has no word for is marked as for the user alone: it is then passed over.
    """
    return [_wire(message, read_file) for message in messages if _says_something(message)]


def is_plain(role: str, kind: str, format_: str | None) -> bool:
    """Whether every reader of the format knows this kind."""
    match kind:
        case "code":
            return role != "computer" or (format_ or "").lower() in _OF_CODE
        case "image":
            return (format_ or "").partition(".")[0] in ("base64", "path", "description")
        case _:
            return kind in _PLAIN


def recipient_of(wire: Mapping[str, Any]) -> str | None:
    """To whom a message of a list goes; our own mark on what others do not know is none."""
    recipient = wire.get("recipient")
    format_ = wire.get("format")
    is_known = is_plain(
        str(wire.get("role")), str(wire.get("type")), format_ if isinstance(format_, str) else None
    )
    if recipient == "user" and not is_known:
        return None
    return recipient if recipient in ("user", "assistant") else None


def _says_something(message: Message) -> bool:
    if message.type in _TRANSIENT:
        return False
    return message.content not in (None, "") or message.type in _MAY_BE_EMPTY


def _wire(message: Message, read_file: ReadFile) -> Wire:
    chunk = whole_chunk(
        Chunk(
            message.role,
            message.type,
            "output" if message.type == "console" else message.format,
            message.content if message.content is not None else "",
            start=True,  # an id stands on starts
            id=message.call_id,
            recipient=message.recipient,
        )
    )
    if message.type == "image":
        chunk = _with_picture(chunk, message, read_file)
    if message.role == "assistant" and message.type == "code" and chunk.format is None:
        chunk = replace(chunk, format="python")
    wire = {name: value for name, value in encode(chunk).items() if name != "start"}
    if not is_plain(chunk.role, chunk.type, chunk.format):
        wire.setdefault("recipient", "user")
    if message.state != "complete":
        wire["state"] = "interrupted"
    return wire


def _with_picture(chunk: Chunk, message: Message, read_file: ReadFile) -> Chunk:
    """The picture itself in the place of its path."""
    picture = picture_of(message, read_file)
    if picture is None:
        return chunk
    if picture.mime == SVG:
        return replace(chunk, format="svg", content=picture.data.decode("utf-8", "replace"))
    return replace(chunk, format=f"base64.{picture.suffix}", content=picture.base64)
