"""Takes values out of a request's JSON, or says in words which field is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, cast

from playhead.domain.text.unicode import whole_characters
from playhead.errors import RequestError

Fields = Mapping[str, Any]


def wrong(title: str, param: str, *, code: str = "invalid_messages") -> NoReturn:
    """Refuse the request. Raises RequestError."""
    raise RequestError(title, code=code, param=param)


def a_list(value: object, param: str, *, code: str = "invalid_messages") -> list[object]:
    """A list. Raises RequestError."""
    if not isinstance(value, list):
        wrong(f"{param} must be a list", param, code=code)
    return cast("list[object]", value)


def messages_of(value: object) -> list[tuple[str, Fields]]:
    """The messages of a request with their place in it. Raises RequestError."""
    if not isinstance(value, list) or not value:
        wrong("messages must be a non-empty list", "messages")
    items = cast("list[object]", value)
    return [
        (f"messages[{place}]", an_object(item, f"messages[{place}]"))
        for place, item in enumerate(items)
    ]


def an_object(value: object, param: str, *, code: str = "invalid_messages") -> Fields:
    """An object. Raises RequestError."""
    if not isinstance(value, Mapping):
        wrong(f"{param} must be an object", param, code=code)
    return cast(Fields, value)


def a_text(fields: Fields, name: str, param: str, *, code: str = "invalid_messages") -> str:
    """The text of a field that must be there. Raises RequestError."""
    value = fields.get(name)
    if not isinstance(value, str):
        wrong(f"{param}.{name} must be a string", f"{param}.{name}", code=code)
    return whole_characters(value)


def a_filled_text(fields: Fields, name: str, param: str) -> str:
    """The same, not empty. Raises RequestError."""
    text = a_text(fields, name, param)
    if not text:
        wrong(f"{param}.{name} must not be empty", f"{param}.{name}")
    return text


def a_text_or_none(
    fields: Fields, name: str, param: str, *, code: str = "invalid_messages"
) -> str | None:
    """The text of a field that may be missing or null. Raises RequestError."""
    return None if fields.get(name) is None else a_text(fields, name, param, code=code)
