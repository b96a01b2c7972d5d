"""Requests and readers of answers, as the formats of the HTTP lane have them in common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec import Struct

from playhead.model_worker.errors import (
    RefusedError,
    StreamFailure,
    no_stream,
    oversized,
    truncated,
    unreadable,
)
from playhead.model_worker.model_table import estimated_tokens, priced
from playhead.model_worker.protocol import Ask, Delta, Tokens, read_json

MAX_LINE_BYTES = 8_000_000
"""No event of a model's is as long; a line without an end would fill the memory."""

_MARK = b"\xef\xbb\xbf"
_END = b"[DONE]"


class HttpRequest(Struct, frozen=True):
    """A request to a model's server."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    def content(self) -> bytes:
        """Return the body as JSON; lone surrogates, which UTF-8 has not, are escaped."""
        try:
            return msgspec.json.encode(self.body)
        except (UnicodeEncodeError, msgspec.MsgspecError, TypeError):
            return json.dumps(self.body).encode("ascii")


class EventLines:
    """Cuts a stream of server-sent events into the data of its events, one a line.

    With `takes_bare_lines` a line may be JSON without a field's name, as some gateways write it.
    """

    def __init__(self, *, takes_bare_lines: bool = False) -> None:
        self._takes_bare_lines = takes_bare_lines
        self._held: list[bytes] = []
        self._held_bytes = 0

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the lines that have ended. Raises StreamFailure for an endless one."""
        if b"\r" in piece:
            piece = piece.replace(b"\r", b"\n")
        if b"\n" not in piece:
            self._hold(piece)
            return []
        first, *lines = piece.split(b"\n")
        lines.insert(0, b"".join((*self._held, first)))
        self._held, self._held_bytes = [], 0
        self._hold(lines.pop())
        return [data for line in lines if (data := self._data(line))]

    def finish(self) -> list[bytes]:
        """Return the data of the last line, which may have no end."""
        return self.feed(b"\n")

    def _hold(self, piece: bytes) -> None:
        self._held.append(piece)
        self._held_bytes += len(piece)
        if self._held_bytes > MAX_LINE_BYTES:
            raise oversized(MAX_LINE_BYTES)

    def _data(self, line: bytes) -> bytes:
        line = line.removeprefix(_MARK)
        if line.startswith(b"data:"):
            return line[5:].strip()
        return line.strip() if self._takes_bare_lines and line.startswith(b"{") else b""


T = TypeVar("T")


class EventDecoder(Generic[T]):
    """Decodes events as one type. Raises StreamFailure for what is not JSON of its form."""

    def __init__(self, shape: type[T]) -> None:
        self._shape = shape
        self._decoder = msgspec.json.Decoder(shape)

    def decode(self, data: bytes) -> T:
        """Return the event."""
        try:
            return self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._decode_slowly(data)

    def _decode_slowly(self, data: bytes) -> T:
        """Decode what msgspec refuses and Python does not: half a surrogate pair in a piece."""
        try:
            return msgspec.convert(read_json(data), self._shape)
        except json.JSONDecodeError as error:
            raise unreadable(str(error)) from error
        except (ValueError, msgspec.ValidationError) as error:
            raise misshapen() from error


def misshapen() -> StreamFailure:
    """Return the failure for an event of another form than a model's."""
    return unreadable("It has not the form of a model's answer.")


class Reader:
    """Reads one answer: bytes in, deltas out.

    `reason` is why the answer ended, as OpenAI says it; '' before. `is_over` is whether nothing
    can follow, `failure` what the bytes so far end with. `events` counts the events, and `unknown`
    by name the fields that were passed over.
    """

    def __init__(self, *, takes_bare_lines: bool = False) -> None:
        self.reason = ""
        self.is_over = False
        self.events = 0
        self.unknown: Counter[str] = Counter()
        self.failure: StreamFailure | RefusedError | None = None
        self._characters = 0
        self._lines = EventLines(takes_bare_lines=takes_bare_lines)

    def feed(self, piece: bytes) -> list[Delta]:
        """Return the deltas of a piece, up to the `failure` in it."""
        try:
            events = self._lines.feed(piece)
        except StreamFailure as error:
            self.failure = error
            return []
        return self._read_all(events)

    def finish(self) -> list[Delta]:
        """Return the deltas of what is left; an answer that is not whole is a `failure`."""
        deltas = [] if self.is_over else self._read_all(self._lines.finish())
        if not self.reason and self.failure is None:
            self.failure = truncated() if self.events else no_stream()
        return deltas

    def tokens(self, ask: Ask) -> Tokens:
        """Return the tokens that the provider counted, else an estimate, with their price."""
        count, written = self._counted()
        if not count.input_tokens and not count.output_tokens:
            return estimated_tokens(ask, self._characters)
        return priced(ask.model, count, written=written)

    def _read_all(self, events: Iterable[bytes]) -> list[Delta]:
        deltas: list[Delta] = []
        try:
            for data in events:
                if self.is_over or data == _END:
                    self.is_over = True
                    break
                self.events += 1
                delta = self._read(data)
                if delta is not None:
                    deltas.append(delta)
        except (StreamFailure, RefusedError) as error:
            self.failure = error
        return deltas

    def _read(self, data: bytes) -> Delta | None:
        raise NotImplementedError

    def _counted(self) -> tuple[Tokens, int]:
        """Return the provider's count, and how many tokens were written to its cache."""
        raise NotImplementedError


def fields_of(value: object) -> dict[str, Any]:
    """Return an object of JSON; {} for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def count_of(value: object) -> int:
    """Return a number of tokens, which some write as a float; 0 for anything else."""
    return int(value) if isinstance(value, int | float) and value > 0 else 0


class ThinkingEcho:
    """Gathers blocks of thinking until they are whole: their provider wants them back unchanged."""

    def __init__(self) -> None:
        self._thought: list[str] = []

    def add(self, blocks: object) -> str:
        """Return the blocks that are signed, or closed to us, as JSON; "" while there are none."""
        whole: list[dict[str, Any]] = []
        for block in map(fields_of, cast("list[Any]", blocks) if isinstance(blocks, list) else []):
            if block.get("type") == "redacted_thinking":
                whole.append(block)
                continue
            self._thought.append(str(block.get("thinking") or ""))
            if signature := block.get("signature"):
                thinking = "".join(self._thought)
                whole.append({"type": "thinking", "thinking": thinking, "signature": signature})
                self._thought.clear()
        return json.dumps(whole) if whole else ""
