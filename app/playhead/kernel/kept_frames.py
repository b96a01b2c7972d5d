"""Keeps the frames that were shown last, so that all of their rows can be read later."""

from __future__ import annotations

import os
from typing import Any

from . import frames
from .short_text import class_of, library

_COUNT_LIMIT = 12
_BYTES_LIMIT = 256_000_000
_GONE = (
    "The kernel does not hold this table any more: it was started anew, or many others were shown"
    " since. Run the code again to see all of it."
)


class KeptFrames:
    """Owner of the last frames, by names that no variable has; the oldest go when many come.

    The one that came last is kept however large it is: `_` holds it too.
    """

    def __init__(self) -> None:
        self._prefix = "shown-%s-" % os.urandom(4).hex()
        self._count = 0
        self._kept: dict[str, tuple[Any, int]] = {}

    def keep(self, value: Any) -> str:
        """Hold on to a frame as it is now; the name under which `find` knows it."""
        self._count += 1
        name = self._prefix + str(self._count)
        self._kept[name] = _as_it_is(value), frames.size(value)
        while len(self._kept) > 1 and self._is_too_much():
            del self._kept[next(iter(self._kept))]
        return name

    def has_name(self, name: str) -> bool:
        """Whether it is a name of a kept frame, of this kernel or of one before."""
        return name.startswith("shown-")

    def find(self, name: str) -> Any:
        """The frame of that name. Raises LookupError in words."""
        if name not in self._kept:
            raise LookupError(_GONE)
        return self._kept[name][0]

    def _is_too_much(self) -> bool:
        is_large = sum(size for _, size in self._kept.values()) > _BYTES_LIMIT
        return is_large or len(self._kept) > _COUNT_LIMIT


def _as_it_is(value: Any) -> Any:
    """A copy that shares the values: columns that are added or dropped later are not its own."""
    kind = library(class_of(value))  # that of a subclass is none of these: it copies as it likes
    if kind == "polars" and hasattr(value, "clone"):
        return value.clone()
    return value.copy(deep=False) if kind == "pandas" and hasattr(value, "copy") else value
