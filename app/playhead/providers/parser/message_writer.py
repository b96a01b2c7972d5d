"""Pieces of text become assistant chunks: start, contents, end, one message at a time."""

from __future__ import annotations

from playhead.domain.conversation.chunk import Chunk, ChunkType

_LONGEST_LEAD = 1_000


class MessageWriter:
    """Opens and closes messages so that they never nest and content is never empty.

    What is written between two `cut()`s to one message becomes one chunk.
    """

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []
        self._open: tuple[ChunkType, str | None] | None = None
        self._piece: list[str] = []
        self._lead = ""
        self._prose: list[str] = []

    @property
    def latest_prose(self) -> str:
        """Return the text of the latest message, if that is prose."""
        return "".join(self._prose)

    def take(self) -> list[Chunk]:
        """Return the chunks since the last call."""
        self.cut()
        chunks, self._chunks = self._chunks, []
        return chunks

    def open(self, kind: ChunkType, format_: str | None = None, call_id: str | None = None) -> None:
        """Begin a message; the one that is open ends."""
        self.close()
        self._open = (kind, format_)
        self._prose.clear()
        self._chunks.append(
            Chunk(role="assistant", type=kind, format=format_, start=True, id=call_id)
        )

    def add(self, chunk: Chunk) -> None:
        """Add a chunk that is a whole message; the open message ends."""
        self.close()
        self._chunks.append(chunk)

    def write(self, text: str, kind: ChunkType, format_: str | None = None) -> None:
        """Add text to the open message of this kind, or to a new one."""
        if self._open != (kind, format_):
            if kind == "message" and not (text := self._without_lead(text)):
                return
            if text:
                self.open(kind, format_)
        self._piece.append(text)

    def cut(self) -> None:
        """Put what has been written into a chunk of its own."""
        if not self._piece:
            return
        piece = "".join(self._piece)
        if piece and self._open:
            kind, format_ = self._open
            self._chunks.append(Chunk(role="assistant", type=kind, format=format_, content=piece))
            if kind == "message":
                self._prose.append(piece)
        self._piece.clear()

    def close(self) -> None:
        """End the open message, if there is one."""
        self.cut()
        self._lead = ""
        if self._open:
            kind, format_ = self._open
            self._chunks.append(Chunk(role="assistant", type=kind, format=format_, end=True))
            self._open = None

    def _without_lead(self, text: str) -> str:
        """Return the text without leading blank lines; "" while there is nothing but space."""
        self._lead += text
        bare = self._lead.lstrip()
        if not bare:
            self._lead = self._lead[self._lead.rfind("\n") + 1 :][:_LONGEST_LEAD]
            return ""
        space = self._lead[: len(self._lead) - len(bare)]
        return space[space.rfind("\n") + 1 :] + bare
