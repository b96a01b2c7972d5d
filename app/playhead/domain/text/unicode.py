"""Make text fit for UTF-8 (join split surrogate pairs, replace lone halves with U+FFFD), and
measure it in the units of UTF-8 and UTF-16.
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_characters(text: str) -> str:
    """Return the text with surrogate pairs joined and lone halves replaced by U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utf8_length(text: str) -> int:
    """Return how many bytes the text has in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def utf16_length(text: str) -> int:
    """Return the length of the text for Qt: characters beyond the first 65,536 count twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class SurrogateJoiner:
    """Holds a high surrogate at the end of a piece until the next one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return the piece with whole characters only."""
        if not self._held and (text.isascii() or not _SURROGATE.search(text)):
            return text
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held, text = text[-1], text[:-1]
        return whole_characters(text)

    def finish(self) -> str:
        """Return what is held back: U+FFFD for a lone surrogate."""
        held, self._held = self._held, ""
        return "\ufffd" if held else ""
