"""Halves of a character that arrive in different pieces are joined; lone ones become U+FFFD."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


class SurrogateJoiner:
    """Holds a high surrogate at the end of a piece until the next one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The piece with whole characters only."""
        if not self._held and not _SURROGATE.search(text):
            return text
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held, text = text[-1], text[:-1]
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def finish(self) -> str:
        """What is left: a lone half."""
        held, self._held = self._held, ""
        return "\ufffd" if held else ""
