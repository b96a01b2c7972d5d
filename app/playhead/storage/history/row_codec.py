"""Contents of messages and configurations of conversations ↔ what a database row holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec

from playhead.domain.conversation.chunk import Content
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Echo,
    Failure,
    FileChanges,
    InputRequest,
    LineTiming,
    OutputTail,
    Payload,
    PrintedLines,
    Proposal,
    RunReport,
    Table,
    Usage,
    Waiting,
)
from playhead.domain.grants import Grant
from playhead.domain.settings import ConversationConfig, ValueReader, given_fields
from playhead.domain.text.json_text import read_json
from playhead.domain.text.run_ends import parse_run_end
from playhead.domain.text.unicode import whole_characters

TEXT = "text"
_NOTHING = "nothing"
_NUMBER = "number"
_PAYLOADS: Mapping[str, type[Payload]] = {
    "proposal": Proposal,
    "run": RunReport,
    "code_error": CodeError,
    "input": InputRequest,
    "timing": LineTiming,
    "table": Table,
    "files": FileChanges,
    "failure": Failure,
    "waiting": Waiting,
    "echo": Echo,
    "usage": Usage,
    "printed": PrintedLines,
    "tail": OutputTail,
    "citation": Citation,
}


def is_undecodable(error: Exception) -> bool:
    """Return whether a text in the database is not UTF-8: some of its bytes are damaged."""
    return str(error).startswith("Could not decode to UTF-8")


def readable_text(data: bytes) -> str:
    """Return a text of the database with signs in place of what is not UTF-8."""
    return data.decode("utf-8", "replace")


_YEAR_9999 = 253_370_764_800


class UnknownContentError(ValueError):
    """A kind of content that this version does not know, or one that misses what it needs."""


def encode(content: Content) -> tuple[str, str | None]:
    """Return the kind tag and the text for a row. Raises TypeError for another type."""
    if content is None:
        return _NOTHING, None
    if isinstance(content, str):
        return TEXT, whole_characters(content)
    if isinstance(content, int):
        return _NUMBER, str(content)
    kinds = [kind for kind, payload in _PAYLOADS.items() if isinstance(content, payload)]
    if not kinds:
        raise TypeError(f"no kind for {type(content).__name__}")
    return kinds[0], whole_characters(json.dumps(msgspec.to_builtins(content), ensure_ascii=False))


def decode(kind: str, text: str | None) -> Content:
    """Return the content of a row. Raises UnknownContentError."""
    if kind == _NOTHING:
        return None
    if not isinstance(text, str):
        raise UnknownContentError(f"{kind} without a text")
    if kind == TEXT:
        return text
    if kind != _NUMBER and kind not in _PAYLOADS:
        raise UnknownContentError(kind)
    try:
        return int(text) if kind == _NUMBER else _payload(_PAYLOADS[kind], read_json(text))
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise UnknownContentError(f"{kind}: {error}") from error


def _payload(payload: type[Payload], values: Mapping[str, Any]) -> Payload:
    """Return a payload of the fields that this version has; others are of a newer one.

    Raises ValueError where one is not what it should be: the row is damaged.
    """
    if payload is RunReport:
        values = {**values, "end": _run_end(values)}
    return msgspec.convert(values, payload)


def _run_end(values: Mapping[str, Any]) -> Any:
    """Return why a run ended; rows of earlier versions have it in words."""
    end = values.get("end")
    return msgspec.to_builtins(parse_run_end(values.get("reason", ""))) if end is None else end


def stored_text(value: object) -> str:
    """Return a text of a row; '' for what a damaged one has in its place."""
    return value if isinstance(value, str) else ""


def stored_time(value: object) -> float:
    """Return a time of a row that a date can be made of; 0.0 for another value."""
    return float(value) if isinstance(value, int | float) and 0 <= value < _YEAR_9999 else 0.0


def decode_config(text: str) -> ConversationConfig:
    """Return the settings of a conversation; empty ones if the text is invalid."""
    try:
        raw: object = read_json(text or "{}")
    except ValueError:
        return ConversationConfig()
    if not isinstance(raw, dict):
        return ConversationConfig()
    return ValueReader().read(ConversationConfig, cast("dict[str, object]", raw))


def encode_config(config: ConversationConfig) -> str:
    """Return the conversation's own settings as JSON; `{}` without any."""
    return json.dumps(given_fields(config))


def encode_grant(grant: Grant) -> str:
    """Return a grant as JSON."""
    return msgspec.json.encode(grant).decode()


def decode_grant(text: str) -> Grant | None:
    """Return a grant; None if the text is invalid: what is not understood grants nothing."""
    try:
        return msgspec.json.decode(text, type=Grant)
    except (msgspec.DecodeError, UnicodeError):
        return None
