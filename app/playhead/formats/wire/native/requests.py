"""Read the messages of a native request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from playhead.domain.conversation.chunk import Chunk, ChunkType, Recipient, Role
from playhead.domain.execution import Approve, Decision, Deny
from playhead.formats.wire.codec import whole_chunk
from playhead.formats.wire.entry import Entry, check_entries, text_message, user_entry
from playhead.formats.wire.native.encode import CALLS
from playhead.formats.wire.native.fold import message_key
from playhead.formats.wire.native.objects import UnknownContentError, decode_payload
from playhead.formats.wire.request_fields import (
    Fields,
    image_of_base64,
    messages_of,
    read_filled_text,
    read_optional_text,
    read_text,
    refuse,
)

_TEXTS = frozenset(
    {
        ("user", "message"),
        ("user", "file"),
        ("assistant", "message"),
        ("assistant", "reasoning"),
        ("assistant", "plan"),
    }
)
_FORMATTED = frozenset(
    {
        ("assistant", "code"),
        ("assistant", "tool_call"),
        ("computer", "tool_result"),
        ("computer", "image"),
        ("computer", "code"),
    }
)
_PAYLOADS = frozenset(
    {
        ("computer", "confirmation"),
        ("computer", "run"),
        ("computer", "error"),
        ("computer", "timing"),
        ("computer", "table"),
        ("computer", "files"),
        ("assistant", "citation"),
    }
)
_DECISIONS: Mapping[str, Decision] = {"go": Approve(), "stop": Deny()}
_OF_A_LIVE_RUN = "input"
"""A command that answers a question of running code; it is not part of a history."""


def read_messages(raw: object) -> list[Entry]:
    """Read the messages of a request; unknown roles and types are skipped. Raises RequestError."""
    entries: list[Entry] = []
    for param, fields in messages_of(raw):
        entry = _entry(fields, param)
        if entry is not None:
            entries.append(entry)
    return check_entries(entries)


def messages_of_one(fields: Fields) -> list[Fields]:
    """Return the native messages of one that a client sent: its own, or one of OpenAI chat.

    That has no `type`, and a user's may have parts. A user's code is proposed as a model's is.
    Raises RequestError.
    """
    if fields.get("type") == "code":
        return [{**fields, "role": "assistant"}]
    if "type" in fields:
        return [fields]
    param = "messages[0]"
    if read_text(fields, "role", param) == "user":
        return [
            {"role": "user", "type": chunk.type, "format": chunk.format, "content": chunk.content}
            for chunk in user_entry(fields, param).chunks
        ]
    return [{"type": "message", **fields}]


def _entry(fields: Fields, param: str) -> Entry | None:
    kind = (read_text(fields, "role", param), read_text(fields, "type", param))
    recipient = _recipient(fields, param)
    if kind == ("user", "command"):
        return _command(fields, param)
    if kind == ("user", "image"):
        return _image(fields, param, recipient)
    if kind == ("computer", "console"):
        return _console(fields, param, recipient)
    if kind in _TEXTS:
        format_ = read_optional_text(fields, "format", param) if kind[1] == "file" else None
        return _text(kind, format_, fields, param, recipient)
    if kind in _FORMATTED:
        return _text(kind, read_filled_text(fields, "format", param), fields, param, recipient)
    if kind in _PAYLOADS:
        return _payload(kind, fields, param)
    return None


def _text(
    kind: tuple[str, str], format_: str | None, fields: Fields, param: str, to: Recipient | None
) -> Entry:
    read = read_filled_text if kind[0] == "user" else read_text
    text = read(fields, "content", param)
    call_id = read_optional_text(fields, "id", param) if kind[1] in CALLS else None
    chunks = text_message(
        cast(Role, kind[0]),
        cast(ChunkType, kind[1]),
        text,
        format_=format_,
        call_id=call_id or None,
        recipient=to,
    )
    return Entry(chunks=chunks, key=message_key(*kind, format_, text))


def _console(fields: Fields, param: str, to: Recipient | None) -> Entry | None:
    format_ = read_optional_text(fields, "format", param)
    if format_ not in (None, "output"):
        return None
    return _text(("computer", "console"), None, fields, param, to)


def _command(fields: Fields, param: str) -> Entry | None:
    word = read_text(fields, "content", param)
    if word == _OF_A_LIVE_RUN:
        return None
    if word not in _DECISIONS:
        refuse(f"{param}.content must be go or stop", f"{param}.content")
    return Entry(decision=_DECISIONS[word])


def _image(fields: Fields, param: str, to: Recipient | None) -> Entry:
    format_ = read_filled_text(fields, "format", param)
    content = read_filled_text(fields, "content", param)
    if format_ in ("base64", "base64.png", "base64.jpeg"):
        format_, content = image_of_base64(content, f"{param}.content")
    elif format_ != "path":
        known = "path, base64.png or base64.jpeg"
        refuse(f"{param}.format must be {known}", f"{param}.format")
    chunk = Chunk(role="user", type="image", format=format_, content=content, recipient=to)
    return Entry(chunks=(chunk,), key=message_key("user", "image", format_, content))


def _payload(kind: tuple[str, str], fields: Mapping[str, Any], param: str) -> Entry:
    try:
        payload = decode_payload(kind[1], fields.get("content"))
    except UnknownContentError as error:
        refuse(f"{param}.content cannot be read: {error}", f"{param}.content")
    format_ = "execution" if kind[1] == "confirmation" else None
    role, type_ = cast(Role, kind[0]), cast(ChunkType, kind[1])
    return Entry(
        chunks=(whole_chunk(Chunk(role=role, type=type_, format=format_, content=payload)),)
    )


def _recipient(fields: Fields, param: str) -> Recipient | None:
    value = read_optional_text(fields, "recipient", param)
    if value is not None and value not in get_args(Recipient):
        refuse(f"{param}.recipient must be user or assistant", f"{param}.recipient")
    return cast("Recipient | None", value)
