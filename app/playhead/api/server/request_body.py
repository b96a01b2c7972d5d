"""Reads the body of a request into its value, or says which field is at fault."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

import msgspec

from playhead.domain.text.json_text import is_too_deep, read_json
from playhead.domain.text.unicode import whole_characters
from playhead.errors import RequestError

T = TypeVar("T", bound=msgspec.Struct)
V = TypeVar("V")

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


_LARGE_BYTES = 16 * 1024
"""About a millisecond's work; what is larger is read in a thread."""
_MOST_VALUES = 1_000_000
"""The lists and objects that a body may have: 10 million empty ones fit into 32 MB."""


class BodyReader:
    """Reads bodies with a function each, large ones in a thread: other clients go on meanwhile.

    `max_messages` is how many messages a request may bring; the calls and the parts in them count.
    """

    def __init__(self, max_messages: int) -> None:
        self.max_messages = max_messages
        self._thread = asyncio.Lock()  # several would only take the interpreter from the others

    async def read(self, raw: bytes, read: Callable[[bytes], V]) -> V:
        """Return what the function makes of the body. Raises RequestError."""
        if len(raw) < _LARGE_BYTES:
            return self._read(raw, read)
        async with self._thread:
            return await asyncio.to_thread(self._read, raw, read)

    def _read(self, raw: bytes, read: Callable[[bytes], V]) -> V:
        check_size(raw, self.max_messages)
        return read(raw)


def check_size(raw: bytes, max_messages: int) -> None:
    """Raise RequestError for a body with too many messages, or lists and objects.

    Nothing is made of the values for that: they are only passed over.
    """
    openings = raw.count(b"{") + raw.count(b"[")
    if openings <= min(max_messages, _MOST_VALUES):
        return
    if (count := _count_messages(raw, max_messages)) > max_messages:
        raise RequestError(
            f"The request has {count:,} messages, counting their tool calls and parts; "
            f"{max_messages:,} is the most",
            remedy="Send fewer, or only the new ones with the session_id of a kept conversation.",
            code="too_many_messages",
            param="messages",
        )
    if openings > _MOST_VALUES and _count_openings(raw) > _MOST_VALUES:
        raise RequestError(
            f"The body has more than {_MOST_VALUES:,} lists and objects", code="body_too_large"
        )


class _Messages(msgspec.Struct):
    """The places of messages in a body, none of them decoded."""

    messages: msgspec.Raw = msgspec.Raw()
    additional_messages: msgspec.Raw = msgspec.Raw()
    input: msgspec.Raw = msgspec.Raw()


class _Body(_Messages):
    """With those of the new thread of a run."""

    thread: msgspec.Raw = msgspec.Raw()


def _count_messages(raw: bytes, enough: int) -> int:
    """Return the number of messages; a body that cannot be read has none, and is refused later."""
    try:
        body = msgspec.json.decode(raw, type=_Body)
        lists = [body.messages, body.additional_messages, body.input]
        if bytes(body.thread)[:1] == b"{":
            lists.append(msgspec.json.decode(body.thread, type=_Messages).messages)
        messages = [one for found in lists for one in _items(found)]
        if len(messages) > enough:
            return len(messages)
        return sum(map(_weight, messages))
    except (msgspec.DecodeError, RecursionError):
        return 0


def _weight(message: msgspec.Raw) -> int:
    """Return how many messages of a conversation become of one of a request, at most."""
    if bytes(message)[:1] != b"{":
        return 1
    fields = msgspec.json.decode(message, type=dict[str, msgspec.Raw]).values()
    return max(1, sum(len(_items(field)) for field in fields))


def _items(raw: msgspec.Raw) -> list[msgspec.Raw]:
    """Return the items of a list; of any other value none."""
    is_list = bytes(raw)[:1] == b"["
    return msgspec.json.decode(raw, type=list[msgspec.Raw]) if is_list else []


def _count_openings(raw: bytes) -> int:
    """Return the number of lists and objects, without the brackets inside texts."""
    outside = raw.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    return sum(part.count(b"{") + part.count(b"[") for part in outside)


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
