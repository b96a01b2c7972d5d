"""Pieces of text and of calls become messages that never nest."""

from __future__ import annotations

from playhead.conversation.chunk import Chunk, ChunkType
from playhead.conversation.requests import EXECUTE
from playhead.dialects.json_arguments import ArgumentReader
from playhead.dialects.surrogates import SurrogateJoiner


class MessageGatherer:
    """Opens and closes an assistant's messages; `take()` gives the chunks so far."""

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

    def write(self, text: str) -> None:
        """Add to the open message."""
        self._append(self._joiner.feed(text))

    def close(self) -> None:
        """End the open message, if there is one."""
        if self._open is not None:
            self._append(self._joiner.finish())
            kind, format_ = self._open
            self._chunks.append(Chunk("assistant", kind, format_, end=True))
            self._open = None

    def _append(self, text: str) -> None:
        if text and self._open is not None:
            kind, format_ = self._open
            self._chunks.append(Chunk("assistant", kind, format_, content=text))


class IncomingCall:
    """One call: code if it is a proper `execute`, else a tool_call with its arguments' text."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.waiting: list[str] = []
        self.kind: ChunkType | None = None
        """What it turned out to be, once that is known."""
        self._reader = ArgumentReader()
        self._raw: list[str] = []
        self._language: list[str] = []
        self._code: list[str] = []

    @property
    def is_whole(self) -> bool:
        """Whether its arguments have ended."""
        return self._reader.is_complete

    @property
    def is_half_code(self) -> bool:
        """Whether code has begun and not ended."""
        return self.kind == "code" and "code" not in self._reader.closed

    def advance(self, messages: MessageGatherer) -> bool:
        """Write what can be written; True when the call is whole."""
        if not self.name:
            return False
        if self.name != EXECUTE:
            self.become_plain(messages)
        waiting, self.waiting = self.waiting, []
        for piece in waiting:
            self._take(piece, messages)
        if not self.is_whole:
            return False
        self.become_plain(messages)
        messages.close()
        return True

    def become_plain(self, messages: MessageGatherer) -> None:
        """A call of another tool, or one whose arguments are no code; nothing if it is code."""
        if self.kind is None:
            self.kind = "tool_call"
            messages.open("tool_call", self.name or "unknown", self.id or None)
            for piece in self._raw:
                messages.write(piece)

    def _take(self, piece: str, messages: MessageGatherer) -> None:
        found = self._reader.feed(piece)
        piece = piece[: len(piece) - self._reader.overhang]  # nothing may follow the arguments
        if self.kind == "tool_call":
            messages.write(piece)
            return
        self._raw.append(piece)
        self._language += [text for key, text in found if key == "language"]
        self._code += [text for key, text in found if key == "code"]
        if self.kind is None and self._reader.is_broken:
            self.become_plain(messages)
        elif "language" in self._reader.closed and "code" in self._reader.begun:
            self._write_code(messages)

    def _write_code(self, messages: MessageGatherer) -> None:
        if self.kind is None:
            self.kind = "code"
            messages.open("code", "".join(self._language) or None, self.id or None)
        for text in self._code:
            messages.write(text)
        self._code.clear()
