"""Pieces of a model's text, and of what its code printed, become messages that never nest."""

from __future__ import annotations

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.text.unicode import SurrogateJoiner


class MessageGatherer:
    """Opens and closes messages of an assistant, and outputs; `take()` gives the chunks so far."""

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []
        self._open: tuple[ChunkType, str | None] | None = None
        self._joiner = SurrogateJoiner()

    @property
    def open_kind(self) -> ChunkType | None:
        """The type of the open message."""
        return self._open[0] if self._open else None

    def take(self) -> list[Chunk]:
        """The chunks since the last call."""
        chunks, self._chunks = self._chunks, []
        return chunks

    def add(self, chunk: Chunk) -> None:
        """A chunk that is a message by itself; the open one ends."""
        self.close()
        self._chunks.append(chunk)

    def open(self, kind: ChunkType, format_: str | None = None, call_id: str | None = None) -> None:
        """Begin a message; the open one ends."""
        self.close()
        self._open = (kind, format_)
        self._chunks.append(Chunk("assistant", kind, format_, start=True, id=call_id))

    def open_console(self) -> None:
        """Begin what code prints; the open message ends."""
        self.close()
        self._open = ("console", None)
        self._chunks.append(Chunk("computer", "console", start=True))

    def write(self, text: str) -> None:
        """Add to the open message."""
        self._append(self._joiner.feed(text))

    def close(self) -> None:
        """End the open message, if there is one."""
        if self._open is not None:
            self._append(self._joiner.finish())
            kind, format_ = self._open
            self._chunks.append(Chunk(_role(kind), kind, format_, end=True))
            self._open = None

    def _append(self, text: str) -> None:
        if text and self._open is not None:
            kind, format_ = self._open
            format_ = "output" if kind == "console" else format_
            self._chunks.append(Chunk(_role(kind), kind, format_, content=text))


def _role(kind: ChunkType) -> Role:
    return "computer" if kind == "console" else "assistant"
