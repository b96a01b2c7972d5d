"""Contents of native chunks that are more than a text ↔ their JSON objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast, get_args

from playhead.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    Frame,
    InputRequest,
    LineTiming,
    Payload,
    Proposal,
    RunReport,
    RunState,
    Source,
    Usage,
)

Wire = dict[str, Any]

PAYLOAD_TYPES = frozenset({"confirmation", "run", "error", "input", "timing", "citation", "usage"})
"""Types of chunks whose content is an object; a server/error has a text and an `error` beside."""

_STATES = frozenset(get_args(RunState))


class UnknownContentError(ValueError):
    """A content that this version cannot read, or one that misses what it needs."""


def encode_payload(payload: Payload) -> Wire:
    """The fields that a chunk gets for its content."""
    match payload:
        case Failure():
            return _failure(payload)
        case Proposal():
            code = {"type": "code", "format": payload.language, "content": payload.code}
            return {"content": code}
        case Citation():
            sources = [_without_empty(asdict(source)) for source in payload.sources]
            return {"content": {**asdict(payload), "sources": sources}}
        case RunReport() | CodeError() | InputRequest() | LineTiming() | Usage():
            return {"content": _without_empty(asdict(payload))}


def decode_payload(kind: str, content: object) -> Payload:
    """The payload of a chunk of type `kind`. Raises UnknownContentError."""
    if not isinstance(content, Mapping):
        raise UnknownContentError(f"{kind} must be an object")
    fields = _Fields(cast("Mapping[str, Any]", content))
    match kind:
        case "confirmation":
            return _proposal(fields)
        case "run":
            return _run_report(fields)
        case "error":
            frames = tuple(
                Frame(frame.text("file", ""), frame.integer("line"), frame.text("name", ""))
                for frame in fields.objects("frames")
            )
            return CodeError(fields.text("name"), fields.text("message", ""), frames)
        case "input":
            is_secret = fields.values.get("is_secret") is True
            return InputRequest(fields.text("id"), fields.text("prompt", ""), is_secret)
        case "timing":
            return LineTiming(fields.integer("line"), fields.number("seconds"))
        case "citation":
            return _citation(fields)
        case "usage":
            return _usage(fields)
        case _:
            raise UnknownContentError(kind)


def decode_failure(wire: Mapping[str, Any]) -> Failure:
    """The failure of a server/error; what follows the title in its text is the detail."""
    content = wire.get("content")
    told = content if isinstance(content, str) else ""
    error = wire.get("error")
    fields = _Fields(cast("Mapping[str, Any]", error if isinstance(error, Mapping) else {}))
    title = fields.text_or("message", told) or "The stream failed."
    detail = told[len(title) :].strip() if told.startswith(title) else ""
    wait_s = fields.values.get("retry_after_s")
    return Failure(
        fields.text_or("code", "internal_error"),
        title,
        detail,
        retry_after_s=float(cast(float, wait_s)) if _is_number(wait_s) else None,
    )


class _Fields:
    """Typed access to an object that anybody may have written."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def text(self, name: str, default: str | None = None) -> str:
        value = self.values.get(name)
        value = default if value is None else value
        if not isinstance(value, str):
            raise UnknownContentError(f"{name} must be a string")
        return value

    def text_or(self, name: str, default: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else default

    def integer(self, name: str) -> int:
        value = self.values.get(name)
        if not isinstance(value, int) or not _is_number(value):
            raise UnknownContentError(f"{name} must be an integer")
        return value

    def integer_or_none(self, name: str) -> int | None:
        return None if self.values.get(name) is None else self.integer(name)

    def number(self, name: str, default: float | None = None) -> float:
        value = self.values.get(name)
        value = default if value is None else value
        if not _is_number(value):
            raise UnknownContentError(f"{name} must be a number")
        return float(cast(float, value))

    def objects(self, name: str) -> list[_Fields]:
        value = self.values.get(name)
        items = cast("list[object]", value if isinstance(value, list) else [])
        if not all(isinstance(item, Mapping) for item in items):
            raise UnknownContentError(f"{name} must be a list of objects")
        return [_Fields(cast("Mapping[str, Any]", item)) for item in items]


def _failure(failure: Failure) -> Wire:
    told = " ".join(part for part in (failure.title, failure.detail, failure.remedy) if part)
    error: Wire = {"code": failure.code, "message": failure.title}
    if failure.retry_after_s is not None:
        error["retry_after_s"] = failure.retry_after_s
    return {"content": told, "error": error}


def _proposal(fields: _Fields) -> Proposal:
    """Both forms are read: `{type, format, content}` and `{language, code}`."""
    language = fields.text_or("format", "") or fields.text("language", "")
    code = fields.values.get("content")
    return Proposal("", "", language, code if isinstance(code, str) else fields.text("code"))


def _run_report(fields: _Fields) -> RunReport:
    state = fields.text("state")
    if state not in _STATES:
        raise UnknownContentError(f"no run can be {state}")
    return RunReport(
        cast(RunState, state),
        fields.number("seconds", 0.0),
        fields.integer_or_none("line"),
        fields.integer_or_none("exit_status"),
        fields.text("output_path", "") or None,
        fields.text("reason", ""),
    )


def _citation(fields: _Fields) -> Citation:
    sources = tuple(
        Source(*(source.text(name, "") for name in ("id", "title", "url", "text")))
        for source in fields.objects("sources")
    )
    return Citation(
        fields.integer("start"), fields.integer("end"), fields.text("text", ""), sources
    )


def _usage(fields: _Fields) -> Usage:
    return Usage(
        fields.integer("input_tokens"),
        fields.integer("output_tokens"),
        fields.text("finish_reason", "stop"),
        fields.values.get("is_estimated") is True,
    )


def _without_empty(fields: Wire) -> Wire:
    return {name: value for name, value in fields.items() if value not in (None, "", ())}


def _is_number(value: object) -> bool:
    """Also not endless, not NaN, and small enough for every place that keeps numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63
