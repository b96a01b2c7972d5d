"""Messages of @unternet/kernel, as programs make and send them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

Wire = dict[str, Any]

_TYPES = frozenset(
    {
        *("input", "system", "reply", "reasoning", "log", "error"),
        *("tool_calls", "tool_results", "tool-calls", "tool-results", "actionproposal"),
    }
)


def create_message(message: Mapping[str, Any] | None = None, /, **fields: Any) -> Wire:
    """Return a message with an id and the current time; fields that are given are kept.

    create_message({"type": "input", "text": "Hello!"}), or create_message(type="input", …).
    """
    made = {"id": uuid.uuid4().hex, "createdAt": time.time_ns() // 1_000_000}
    given = {**(message or {}), **fields}
    if not isinstance(given.get("type"), str):
        raise TypeError("a message needs a type, such as input")
    return {"type": given["type"], **made, **given}


def are_kernel_messages(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether these are the kernel's messages; native ones have a role or a content."""
    told = list(messages)
    return bool(told) and all(
        one.get("type") in _TYPES and not {"role", "content"} & one.keys() for one in told
    )
