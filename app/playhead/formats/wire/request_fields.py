"""Read the fields of a request's JSON, images included, or raise a RequestError that names the
wrong field.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, NoReturn, cast

from playhead.domain.text.unicode import whole_characters
from playhead.errors import RequestError

Fields = Mapping[str, Any]


def refuse(title: str, param: str, *, code: str = "invalid_messages") -> NoReturn:
    """Refuse the request. Raises RequestError."""
    raise RequestError(title, code=code, param=param)


def read_list(value: object, param: str, *, code: str = "invalid_messages") -> list[object]:
    """Return the value as a list. Raises RequestError."""
    if not isinstance(value, list):
        refuse(f"{param} must be a list", param, code=code)
    return cast("list[object]", value)


def messages_of(value: object) -> list[tuple[str, Fields]]:
    """Return the messages of a request with their place in it. Raises RequestError."""
    if not isinstance(value, list) or not value:
        refuse("messages must be a non-empty list", "messages")
    items = cast("list[object]", value)
    return [
        (f"messages[{place}]", read_object(item, f"messages[{place}]"))
        for place, item in enumerate(items)
    ]


def read_object(value: object, param: str, *, code: str = "invalid_messages") -> Fields:
    """Return the value as an object. Raises RequestError."""
    if not isinstance(value, Mapping):
        refuse(f"{param} must be an object", param, code=code)
    return cast(Fields, value)


def read_text(fields: Fields, name: str, param: str, *, code: str = "invalid_messages") -> str:
    """Return the text of a required field. Raises RequestError."""
    value = fields.get(name)
    if not isinstance(value, str):
        refuse(f"{param}.{name} must be a string", f"{param}.{name}", code=code)
    return whole_characters(value)


def read_filled_text(fields: Fields, name: str, param: str) -> str:
    """Return the text of a required field that must not be empty. Raises RequestError."""
    text = read_text(fields, name, param)
    if not text:
        refuse(f"{param}.{name} must not be empty", f"{param}.{name}")
    return text


def read_optional_text(
    fields: Fields, name: str, param: str, *, code: str = "invalid_messages"
) -> str | None:
    """Return the text of a field that may be missing or null. Raises RequestError."""
    return None if fields.get(name) is None else read_text(fields, name, param, code=code)


_MARKS = {b"\x89PNG\r\n\x1a\n": "base64.png", b"\xff\xd8\xff": "base64.jpeg"}


def image_of_base64(data: str, param: str) -> tuple[str, str]:
    """Return (format, data) of an image, by its content and not its name. Raises RequestError."""
    data = "".join(data.split())
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        refuse(f"{param} is not an image in base64", param)
    for mark, format_ in _MARKS.items():
        if content.startswith(mark):
            return format_, data
    refuse(f"{param} must be a PNG or a JPEG image", param)


def image_of_data_url(url: str, param: str) -> tuple[str, str]:
    """Return (format, data) of a `data:image/…;base64,…` address. Raises RequestError."""
    head, comma, data = url.partition(",")
    if not head.lower().startswith("data:"):
        refuse(f"{param} must be a data: URL: images are not fetched from addresses", param)
    if not comma or not head.lower().endswith(";base64"):
        refuse(f"{param} must be a data: URL in base64", param)
    return image_of_base64(data, param)
