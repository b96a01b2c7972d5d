"""Makes a stream of chunks fit for any wire, before a format's encoder sees it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.text.unicode import SurrogateJoiner, whole_characters

PIECE_CHARACTERS = 32_768
"""The longest content of one chunk: a character takes up to 12 on the wire (`\\ud83d\\ude00`), an
event may hold it twice, and no event line may be longer than a million."""


class Pieces:
    """Whole characters only, contents of limited length, no message left open."""

    def __init__(self) -> None:
        self._joiner = SurrogateJoiner()
        self._open: Chunk | None = None
        self._format: str | None = None

    def feed(self, chunk: Chunk) -> list[Chunk]:
        """The chunks that are certain after this one."""
        if self._open is not None and _continues(self._open, chunk):
            return self._finish_message(chunk) if chunk.end else self._grown(chunk)
        before = self.finish()
        if chunk.start:
            self._open, self._format = chunk, chunk.format
        return [*before, whole_chunk(chunk)]

    def finish(self) -> list[Chunk]:
        """The end of the message that is open, if one is."""
        if self._open is None:
            return []
        return self._finish_message(replace(self._open, start=False, id=None))

    def _grown(self, chunk: Chunk) -> list[Chunk]:
        if not isinstance(chunk.content, str):
            return [chunk]
        self._format = chunk.format
        text = self._joiner.feed(chunk.content)
        if text is chunk.content and len(text) <= PIECE_CHARACTERS:
            return [chunk]
        return [replace(chunk, content=piece) for piece in split(text)]

    def _finish_message(self, end: Chunk) -> list[Chunk]:
        self._open = None
        end = whole_chunk(replace(end, end=True))
        rest = self._joiner.finish()
        if not rest:
            return [end]
        return [Chunk(end.role, end.type, self._format, content=rest), end]


def split(text: str) -> list[str]:
    """The text in pieces that fit; none for an empty text."""
    return [text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS)]


def joined(chunks: Iterable[Chunk]) -> list[Chunk]:
    """The same stream with neighbouring contents of a message in one chunk."""
    result: list[Chunk] = []
    texts: list[str] = []
    is_open = False

    def settle() -> None:
        if len(texts) > 1:
            result[-1] = replace(result[-1], content="".join(texts))
        texts.clear()

    for chunk in chunks:
        is_text = is_open and isinstance(chunk.content, str) and chunk.is_single
        if not (is_text and texts):
            settle()
            result.append(chunk)
        if is_text:
            texts.append(str(chunk.content))
        is_open = chunk.start or (is_open and not chunk.end)
    settle()
    return result


def _continues(start: Chunk, chunk: Chunk) -> bool:
    return not chunk.start and (start.role, start.type) == (chunk.role, chunk.type)


def whole_chunk(chunk: Chunk) -> Chunk:
    """The chunk with whole characters in all its texts."""
    whole = cast(Chunk, _whole(chunk))
    return chunk if whole == chunk else whole


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, tuple):
        return tuple(_whole(item) for item in cast("tuple[Any, ...]", value))
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(
            **{item.name: _whole(getattr(value, item.name)) for item in fields(value)}
        )
    return value
