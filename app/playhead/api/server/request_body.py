"""Reads the body of a request into its value, or says which field is at fault."""

from __future__ import annotations

import json
import re
from typing import NoReturn, TypeVar

import msgspec

from playhead.domain.text.json_text import is_too_deep, read_json
from playhead.domain.text.unicode import whole_characters
from playhead.errors import RequestError

T = TypeVar("T", bound=msgspec.Struct)

_WHERE = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]*)`")
_HALF_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_CODES = {
    "messages": "invalid_messages",
    "model": "invalid_model",
    "config.llm.model": "invalid_model",
    "tools": "invalid_tools",
    "tool_choice": "invalid_tools",
}
"""The word for what is wrong in a field; elsewhere it is invalid_request."""

_MESSAGES = "messages must be a non-empty list"
_MODEL = "model must name a model"


def read_body(raw: bytes, kind: type[T]) -> T:
    """Decode the body as a `kind`. Raises RequestError for invalid bytes."""
    try:
        body = _decoded(raw, kind)
        if is_too_deep(body):
            raise RecursionError
        return body
    except msgspec.ValidationError as error:
        _refuse(str(error), error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise RequestError(
            "The body must be a JSON object", code="invalid_json", detail=_reason(error)
        ) from error


def read_value(value: object, kind: type[T], code: str = "") -> T:
    """Return decoded JSON as a `kind`. Raises RequestError, with `code` if it is given."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        _refuse(str(error), error, code)


def _decoded(raw: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # JavaScript writes half a surrogate pair, left by a text cut in two, as an escape.
        if _HALF_SURROGATE.search(raw) is None:
            raise
        return msgspec.json.decode(_without_halves(raw), type=kind)


def _without_halves(raw: bytes) -> bytes:
    """Return the same JSON with U+FFFD for lone surrogates."""
    text = json.dumps(read_json(raw), ensure_ascii=False)
    return whole_characters(text).encode()


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "It is nested too deeply."
    if isinstance(error, UnicodeDecodeError):
        return "It is not UTF-8."
    return str(error)[:200]


def _refuse(problem: str, cause: Exception, code: str = "") -> NoReturn:
    """Raise the error with the code that belongs to the field at fault."""
    where = _WHERE.search(problem)
    path = where["path"] if where is not None else ""
    missing = _MISSING.match(problem)
    if missing is not None:
        path = f"{path}.{missing['name']}".lstrip(".")
    if not path:
        raise RequestError(
            "The body must be a JSON object", code="invalid_json", detail=problem
        ) from cause
    raise RequestError(
        _title(path, _WHERE.sub("", problem)), code=code or _code(path), param=path
    ) from cause


def _title(path: str, problem: str) -> str:
    if path == "messages":
        return _MESSAGES
    if path == "model":
        return _MODEL
    return f"{path}: {problem}"


def _code(path: str) -> str:
    field = path.partition("[")[0]
    if field in _CODES:
        return _CODES[field]
    return _CODES.get(field.partition(".")[0], "invalid_request")
