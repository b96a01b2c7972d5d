"""The interface of every wire format, and the parts that all encoders and all decoders share.

An `Encoder` takes chunks and returns events, a `Decoder` does the reverse. `Pieces` prepares chunks
for an encoder; `MessageGatherer` collects the text that a decoder reads into messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Protocol, cast

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.closing_code import ClosingCode
from playhead.domain.conversation.payloads import Failure
from playhead.domain.text.fences import fenced
from playhead.domain.text.unicode import SurrogateJoiner, whole_characters

Wire = dict[str, Any]

TRUNCATED = Failure(
    code="upstream_truncated", title="The stream broke off before its end.", remedy="Ask again."
)
"""The failure of a stream that has no last event."""


class Encoder(Protocol):
    """Turns one answer's chunks into the events of a format, without I/O.

    It closes messages that are open, joins halves of characters and splits long contents by itself
    (`Pieces`). Feeding it all chunks and then calling `finish()` makes a whole, valid stream of the
    format. The framing of the events (names, `data:`, an end mark that is not JSON) is the writer's
    task.
    """

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk; [] if the format cannot express
        it.
        """
        ...

    def finish(self) -> list[Wire]:
        """Return the remaining events."""
        ...


class Decoder(Protocol):
    """Turns the events of a format into chunks, without I/O; unknown events are skipped.

    `skipped` counts them, for diagnosis.
    """

    skipped: int

    def decode(self, event: Mapping[str, Any]) -> list[Chunk]:
        """Return the chunks that are certain after this event."""
        ...

    def finish(self) -> list[Chunk]:
        """Return the chunks that close what is open; a stream that was cut ends in a
        server/error.
        """
        ...


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
        """Return the chunks that are certain after this one."""
        if self._open is not None and _continues(self._open, chunk):
            return self._finish_message(chunk) if chunk.end else self._grown(chunk)
        before = self.finish()
        if chunk.start:
            self._open, self._format = chunk, chunk.format
        return [*before, whole_chunk(chunk)]

    def finish(self) -> list[Chunk]:
        """Return the end of the open message, if any."""
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
        return [Chunk(role=end.role, type=end.type, format=self._format, content=rest), end]


class ProposedCode:
    """Lets fenced code pass once it is certain that it is proposed; other code becomes prose.

    For the formats in which code is a call: what was sent as one could not be taken back, and a
    call has no prose after it, so that code comes after the closing prose.
    """

    def __init__(self) -> None:
        self._code = ClosingCode()
        self._held: list[tuple[str, Chunk]] = []

    def feed(self, chunk: Chunk, message_id: str) -> list[tuple[str, Chunk]]:
        """Return the chunks that are certain after this one, with the ids of their messages."""
        if chunk.role in ("user", "computer") or chunk.type in ("status", "error"):
            self._end()
        elif chunk.type == "message":
            self._code.add_prose(chunk.content if isinstance(chunk.content, str) else "")
        elif chunk.start and chunk.type == "code" and not chunk.id:
            self._code.add_code(message_id)
        elif chunk.start and chunk.type in ("code", "tool_call"):
            self._code.give_up()
        self._held.append((message_id, chunk))
        return self._certain()

    def _end(self) -> None:
        proposed = set(self._code.waiting)
        self._held.sort(key=lambda pair: pair[0] in proposed)
        self._code.end()

    def _certain(self) -> list[tuple[str, Chunk]]:
        first = self._code.waiting[:1]
        ids = [message_id for message_id, _chunk in self._held]
        count = ids.index(first[0]) if first else len(ids)
        certain, self._held = self._held[:count], self._held[count:]
        found: list[tuple[str, Chunk]] = []
        for (message_id, kind), group in groupby(certain, lambda pair: (pair[0], pair[1].type)):
            pairs = list(group)
            is_prose = kind == "code" and message_id in self._code.drafts
            found += _as_prose(message_id, [c for _, c in pairs]) if is_prose else pairs
        return found


def _as_prose(message_id: str, chunks: Sequence[Chunk]) -> list[tuple[str, Chunk]]:
    """Return a whole code message as prose."""
    code = "".join(str(chunk.content) for chunk in chunks if chunk.content)
    start = Chunk(role="assistant", type="message", start=True)
    text = Chunk(role="assistant", type="message", content=fenced(code, chunks[0].format or ""))
    end = Chunk(role="assistant", type="message", end=True)
    return [(message_id, chunk) for chunk in (start, text, end)]


def split(text: str) -> list[str]:
    """Return the text in pieces that fit; [] for an empty text."""
    if len(text) <= PIECE_CHARACTERS:
        return [text] if text else []
    return [text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS)]


def joined(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return the same stream with neighbouring contents of a message joined."""
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
    return not chunk.start and start.role == chunk.role and start.type == chunk.type


def whole_chunk(chunk: Chunk) -> Chunk:
    """Return the chunk with lone surrogates replaced in all its texts."""
    whole = cast(Chunk, _whole(chunk))
    return chunk if whole == chunk else whole


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, tuple):
        return tuple(_whole(item) for item in cast("tuple[Any, ...]", value))
    if isinstance(value, Struct):
        names = value.__struct_fields__
        return type(value)(**{name: _whole(getattr(value, name)) for name in names})
    return value


class MessageGatherer:
    """Opens and closes messages of an assistant, and outputs; `take()` gives the chunks so far."""

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []
        self._open: tuple[ChunkType, str | None] | None = None
        self._joiner = SurrogateJoiner()

    @property
    def open_kind(self) -> ChunkType | None:
        """Return the type of the open message."""
        return self._open[0] if self._open else None

    def take(self) -> list[Chunk]:
        """Return the chunks that were added since the last call."""
        chunks, self._chunks = self._chunks, []
        return chunks

    def add(self, chunk: Chunk) -> None:
        """Add a chunk that is a complete message; the open one ends."""
        self.close()
        self._chunks.append(chunk)

    def open(self, kind: ChunkType, format_: str | None = None, call_id: str | None = None) -> None:
        """Begin a message; the open one ends."""
        self.close()
        self._open = (kind, format_)
        self._chunks.append(
            Chunk(role="assistant", type=kind, format=format_, start=True, id=call_id)
        )

    def open_console(self) -> None:
        """Begin what code prints; the open message ends."""
        self.close()
        self._open = ("console", None)
        self._chunks.append(Chunk(role="computer", type="console", start=True))

    def write(self, text: str) -> None:
        """Add to the open message."""
        self._append(self._joiner.feed(text))

    def close(self) -> None:
        """End the open message, if there is one."""
        if self._open is not None:
            self._append(self._joiner.finish())
            kind, format_ = self._open
            self._chunks.append(Chunk(role=_role(kind), type=kind, format=format_, end=True))
            self._open = None

    def _append(self, text: str) -> None:
        if text and self._open is not None:
            kind, format_ = self._open
            format_ = "output" if kind == "console" else format_
            self._chunks.append(Chunk(role=_role(kind), type=kind, format=format_, content=text))


def _role(kind: ChunkType) -> Role:
    return "computer" if kind == "console" else "assistant"
