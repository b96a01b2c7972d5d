"""Cuts very long lines of streamed text for display and keeps the whole."""

from __future__ import annotations

import re

from playhead.ui.editor.code_editor import CUT_MARK, DISPLAY_LINE_LIMIT
from playhead.ui.wording import tr

_LINE_END = re.compile(r"[\r\n]")


class LineCutter:
    """Feed text in any pieces; get back what to show. `text` is all that was fed."""

    def __init__(self, limit: int = DISPLAY_LINE_LIMIT) -> None:
        self._limit = limit
        self._long = re.compile(rf"[^\r\n]{{{limit + 1}}}")
        self._parts: list[str] = []
        self._column = 0
        self.has_cut = False

    @property
    def text(self) -> str:
        """The whole text."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def feed(self, text: str) -> str:
        """Take the next piece; the part of it that is to be shown."""
        self._parts.append(text)
        if self._fits(text):
            ends = max(text.rfind("\n"), text.rfind("\r"))
            self._column = len(text) - ends - 1 + (self._column if ends < 0 else 0)
            return text
        return "".join(self._shown(piece) for piece in text.splitlines(keepends=True))

    def _fits(self, text: str) -> bool:
        """Whether no line becomes too long; a hundred thousand short ones are looked at at once."""
        if self._column + len(text) <= self._limit:
            return True
        first = _LINE_END.search(text)
        first_length = first.start() if first else len(text)
        return self._column + first_length <= self._limit and not self._long.search(text)

    def _shown(self, piece: str) -> str:
        line = piece.rstrip("\r\n")
        ending = piece[len(line) :]
        room = self._limit - self._column
        shown = line if len(line) <= room else line[: max(room, 0)]
        if len(line) > room >= 0:
            shown += tr(CUT_MARK)
            self.has_cut = True
        # One past the limit says that the mark of this line already stands.
        self._column = 0 if ending else min(self._column + len(line), self._limit + 1)
        return shown + ending
