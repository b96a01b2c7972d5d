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
    FileChange,
    FileChanges,
    Frame,
    InputRequest,
    LineTiming,
    OutputTail,
    Payload,
    PrintedLines,
    Proposal,
    RunEnd,
    RunReport,
    Source,
    Table,
    Usage,
    Waiting,
)
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
    if text is None:
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
    """Return a payload of the fields that this version has; others are of a newer one."""
    fields = payload.__struct_fields__
    known = {name: value for name, value in values.items() if name in fields}
    if payload is CodeError:
        frames = cast("list[dict[str, Any]]", known.get("frames", []))
        known["frames"] = tuple(Frame(f["file"], f["line"], f["name"]) for f in frames)
    if payload is Failure:
        texts = cast("dict[str, tuple[str, dict[str, str]]]", known.get("phrases", {}))
        known["phrases"] = {name: (template, values) for name, (template, values) in texts.items()}
    if payload is RunReport:
        known["end"] = _run_end(values)
    if payload is Citation:
        sources = cast("list[dict[str, Any]]", known.get("sources", []))
        known["sources"] = tuple(Source(**source) for source in sources)
    if payload is Table:
        known["columns"], known["dtypes"] = tuple(known["columns"]), tuple(known["dtypes"])
        known["rows"] = tuple(tuple(row) for row in known["rows"])
        known["missing"] = tuple(known.get("missing", ()))
        known["positions"] = tuple(known.get("positions", ()))
    if payload is PrintedLines:
        known["starts"], known["lines"] = tuple(known["starts"]), tuple(known["lines"])
    if payload is FileChanges:
        for name in ("created", "changed", "deleted"):
            known[name] = tuple(FileChange(**change) for change in known.get(name, []))
    return payload(**known)


def _run_end(values: Mapping[str, Any]) -> RunEnd | None:
    """Return why a run ended; rows of earlier versions have it in words."""
    end = values.get("end")
    if end is None:
        return parse_run_end(values.get("reason", ""))
    return RunEnd(**{name: end[name] for name in RunEnd.__struct_fields__ if name in end})


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
