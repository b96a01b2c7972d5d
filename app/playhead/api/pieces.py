"""Chunks made fit for any wire: no piece too long for a line, no half of a character."""

from __future__ import annotations

import re
from dataclasses import replace

from playhead.conversation.chunk import Chunk

LONGEST_PIECE = 100_000
"""Escaped twice, a character of JSON inside JSON takes at most seven: still under a million."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class Pieces:
    """Cuts and mends the texts of a stream of chunks.

    `open` is the chunk that opened the message that is not yet closed.
    """

    def __init__(self, longest: int = LONGEST_PIECE) -> None:
        self._longest = longest
        self._held = ""
        self._last: Chunk | None = None
        self.open: Chunk | None = None

    def feed(self, chunk: Chunk) -> list[Chunk]:
        """What can be sent now; a high surrogate at a piece's end waits for the next piece."""
        if not isinstance(chunk.content, str) or not chunk.is_single:
            if chunk.start or chunk.end:
                self.open = chunk if chunk.start else None
            return [*(self.finish() if chunk.end else ()), chunk]
        if self.open is None:  # a message by itself stays one
            return [replace(chunk, content=mended(chunk.content))]
        if not self._held and len(chunk.content) <= self._longest and is_whole(chunk.content):
            return [chunk]
        self._last = chunk
        return self._cut(chunk, self._mended(chunk.content))

    def finish(self) -> list[Chunk]:
        """What was held back and found no other half."""
        held, self._held = self._held, ""
        return [replace(self._last, content="\ufffd")] if held and self._last else []

    def _mended(self, text: str) -> str:
        text, self._held = self._held + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return mended(text)

    def _cut(self, chunk: Chunk, text: str) -> list[Chunk]:
        starts = range(0, len(text), self._longest)
        return [replace(chunk, content=text[at : at + self._longest]) for at in starts]


def is_whole(text: str) -> bool:
    """Whether the text can be sent as it is."""
    return text.isascii() or _SURROGATE.search(text) is None


def mended(text: str) -> str:
    """The text with its pairs of surrogates joined and lone ones replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
