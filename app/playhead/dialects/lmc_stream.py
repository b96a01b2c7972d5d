"""A stream of chunks ↔ a stream of native events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from playhead.dialects.codec import TRUNCATED, Wire
from playhead.dialects.lmc_chunks import decode, encode, is_extended
from playhead.dialects.pieces import Pieces
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.text.summaries import run_end_as_output

_LAST = frozenset({("server", "status"), ("server", "error")})


class Encoder:
    """One event a chunk; `extended` also lets out the kinds of our own faces and what it cost."""

    def __init__(self, extended: bool = False) -> None:
        self._is_extended = extended
        self._pieces = Pieces()

    def encode(self, chunk: Chunk) -> list[Wire]:
        """The events that are certain after this chunk."""
        shown = (
            run_end_as_output(chunk) if is_extended(chunk) and not self._is_extended else [chunk]
        )
        return [encode(piece) for one in shown for piece in self._pieces.feed(one)]

    def finish(self) -> list[Wire]:
        """The end of a message that is still open."""
        return [encode(piece) for piece in self._pieces.finish()]


class Decoder:
    """Lenient: mends a missing start or end; `skipped` counts what it does not know."""

    def __init__(self) -> None:
        self.skipped = 0
        self._open: Chunk | None = None
        self._is_over = False

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """The chunks that are certain after this event."""
        chunk = None if self._is_over else decode(event)
        if chunk is None or _says_nothing(chunk):
            self.skipped += chunk is None
            return []
        self._is_over = (chunk.role, chunk.type) in _LAST
        if not isinstance(chunk.content, str | int | None) or self._is_over:
            return [*self._closed(), replace(chunk, start=False, end=False)]
        return self._placed(chunk)

    def finish(self) -> list[Chunk]:
        """Closes what is open; a stream without its last chunk was cut."""
        if self._is_over:
            return []
        return [*self._closed(), Chunk("server", "error", content=TRUNCATED)]

    def _placed(self, chunk: Chunk) -> list[Chunk]:
        chunks: list[Chunk] = []
        is_ours = self._open is not None and _are_one(self._open, chunk)
        if chunk.start or not is_ours:
            chunks += self._closed()
        if chunk.start:
            self._open = replace(chunk, content=None, end=False)
            chunks.append(self._open)
        is_line = chunk.format == "active_line"
        if self._open is not None and (is_line or chunk.content is not None):
            chunks.append(replace(chunk, start=False, end=False, id=None))
        elif chunk.content is not None and not is_line:
            chunks.append(replace(chunk, end=False))  # a message by itself
        if chunk.end:
            chunks += self._closed(chunk)
        return chunks

    def _closed(self, end: Chunk | None = None) -> list[Chunk]:
        start, self._open = self._open, None
        if start is None:
            return []
        return [replace(end or start, content=None, start=False, end=True, id=None)]


def _are_one(start: Chunk, chunk: Chunk) -> bool:
    return (start.role, start.type) == (chunk.role, chunk.type)


def _says_nothing(chunk: Chunk) -> bool:
    return chunk.is_single and chunk.content is None and chunk.format != "active_line"
