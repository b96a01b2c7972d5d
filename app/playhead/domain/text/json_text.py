"""Read JSON that others wrote: what is nested too deeply is as invalid as a missing bracket."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from msgspec import Struct

MAX_DEPTH = 100
"""How many lists and objects may be inside each other; Python's stack ends at about 900."""


def read_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of a JSON text. Raises ValueError for any that is not to be used.

    The value can be gone through by functions that call themselves, and be written again.
    """
    try:
        found: Any = json.loads(text, parse_constant=parse_constant)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if is_too_deep(found):
        raise ValueError(_TOO_DEEP)
    return found


_TOO_DEEP = "It is nested too deeply."


def is_too_deep(value: object) -> bool:
    """Return whether lists, objects and structs in the value go down too far."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner += cast("dict[str, Any]", item).values()
            elif isinstance(item, list):
                inner += cast("list[Any]", item)
            elif isinstance(item, Struct):
                inner += [getattr(item, name) for name in item.__struct_fields__]
        if not inner:
            return False
        level = inner
    return True
