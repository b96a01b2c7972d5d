"""A long text in parts that a keyring with a limit can hold, and the head that names them."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass

SYSTEM_LIMIT = 1200 if sys.platform == "win32" else None
"""A Windows credential holds 2,560 bytes of UTF-16: 1,280 units, less what is added to them."""

_MARK = "playhead-parts:"
_SUM_DIGITS = 16


@dataclass(frozen=True, slots=True)
class PartsHead:
    """What stands under the name of a text in parts; the parts lie under `names`.

    `set_` tells one writing from the next, so that neither can be mixed with the other. The
    first release had none of its own and no sum.
    """

    count: int
    set_: str = ""
    sum: str = ""

    @property
    def text(self) -> str:
        """The head as it is kept."""
        return _MARK + ":".join((str(self.count), self.set_, self.sum))

    def names(self, name: str) -> list[str]:
        """Where the parts of the text under `name` lie."""
        between = f"#{self.set_}." if self.set_ else "#"
        return [f"{name}{between}{number}" for number in range(self.count)]

    def fits(self, text: str) -> bool:
        """Whether the parts make up what was written."""
        return not self.sum or self.sum == _sum(text)


def head_of(text: str) -> PartsHead | None:
    """The head, if that is what the text is; ValueError for one that cannot be read."""
    if not text.startswith(_MARK):
        return None
    count, _, rest = text.removeprefix(_MARK).partition(":")
    set_, _, sum_ = rest.partition(":")
    return PartsHead(int(count), set_, sum_)


def head_for(text: str, count: int, before: PartsHead | None) -> PartsHead:
    """The head of a new writing, which shares no part with the one before."""
    return PartsHead(count, "b" if before is not None and before.set_ == "a" else "a", _sum(text))


def cut(text: str, limit: int) -> list[str]:
    """The text in parts of at most `limit` units of UTF-16, none of which begins or ends in the
    middle of a character."""
    parts: list[str] = []
    start = units = 0
    for at, character in enumerate(text):
        width = 2 if ord(character) > 0xFFFF else 1
        if units + width > limit and at > start:
            parts.append(text[start:at])
            start, units = at, 0
        units += width
    parts.append(text[start:])
    return parts


def length(text: str) -> int:
    """Units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SUM_DIGITS]
