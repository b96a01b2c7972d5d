"""Chunks on their way from the core's thread to one client."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, FileChanges, Table

LIMIT_BYTES = 8_000_000
JOIN_FROM = 64
"""Most chunks that may wait separately; further neighbouring pieces of a text are joined."""
_OVERHEAD_BYTES = 200
"""The cost of a chunk besides its text."""


class _QueuedChunk(Struct):
    """A chunk, and the texts that were joined to it."""

    chunk: Chunk
    texts: list[str] = msgspec.field(default_factory=list[str])

    def takes(self, chunk: Chunk) -> bool:
        own = self.chunk
        return (
            isinstance(own.content, str)
            and isinstance(chunk.content, str)
            and own.is_single
            and chunk.is_single
            and (own.role, own.type, own.format, own.recipient)
            == (chunk.role, chunk.type, chunk.format, chunk.recipient)
        )

    def joined(self) -> Chunk:
        if not self.texts:
            return self.chunk
        return replace(self.chunk, content="".join([str(self.chunk.content), *self.texts]))


class Outbox:
    """A queue that never blocks the core: a slow client delays only itself.

    Nothing is lost: when many chunks wait, neighbouring pieces of one message become one piece.
    Above `limit_bytes` the client is given up: the open message is closed, a failure follows,
    and `put` says False. `is_overrun` is then true and `on_overrun` called on the taker's loop.
    """

    def __init__(self, taker: asyncio.AbstractEventLoop, limit_bytes: int = LIMIT_BYTES) -> None:
        self.on_overrun: Callable[[], object] = _nothing
        self.is_overrun = False
        self._taker = taker
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._waiting: list[_QueuedChunk] = []
        self._waiting_bytes = 0
        self._open: Chunk | None = None
        self._is_closed = False
        self._is_woken = False
        self._arrived = asyncio.Event()

    def put(self, chunk: Chunk) -> bool:
        """Add a chunk, from any thread; return False if the client cannot be served any more."""
        with self._lock:
            if self._is_closed:
                return False
            self._add(chunk)
            is_over = self._waiting_bytes > self._limit_bytes
            if is_over:
                self._give_up()
        self._wake()
        if is_over:
            self._call(lambda: self.on_overrun())
        return not self._is_closed

    def close(self) -> None:
        """Mark the end: nothing follows."""
        with self._lock:
            self._is_closed = True
        self._wake()

    async def take(self) -> list[Chunk]:
        """Wait for chunks and return all of them; [] when the outbox is closed and empty."""
        while True:
            self._arrived.clear()
            with self._lock:
                self._is_woken = False
                waiting, self._waiting = self._waiting, []
                self._waiting_bytes = 0
                is_closed = self._is_closed
            if waiting or is_closed:
                return [item.joined() for item in waiting]
            await self._arrived.wait()

    def _add(self, chunk: Chunk) -> None:
        if chunk.start or chunk.end:
            self._open = chunk if chunk.start else None
        text = chunk.content
        size_bytes = _size_bytes(text)
        last = self._waiting[-1] if len(self._waiting) >= JOIN_FROM else None
        if last is not None and self._open is not None and last.takes(chunk):
            last.texts.append(str(text))
        else:
            self._waiting.append(_QueuedChunk(chunk))
            size_bytes += _OVERHEAD_BYTES
        self._waiting_bytes += size_bytes

    def _give_up(self) -> None:
        self._is_closed = self.is_overrun = True
        if self._open is not None:
            end = replace(self._open, content=None, start=False, end=True, id=None)
            self._waiting.append(_QueuedChunk(end))
        failure = Failure(
            code="client_too_slow",
            title="The answer was not read as fast as it came",
            remedy="Read the stream to its end while the turn runs.",
        )
        self._waiting.append(_QueuedChunk(Chunk(role="server", type="error", content=failure)))

    def _wake(self) -> None:
        """Wake the taker, once for all chunks until it takes them."""
        if not self._is_woken:
            self._is_woken = True
            self._call(self._arrived.set)

    def _call(self, call: Callable[[], object]) -> None:
        try:
            self._taker.call_soon_threadsafe(call)
        except RuntimeError:  # its loop has ended, and the client with it
            self._is_closed = True


def _size_bytes(content: object) -> int:
    """Return the approximate size of a content; for a payload that of its texts."""
    if isinstance(content, str):
        return sys.getsizeof(content)
    return len(repr(content)) if isinstance(content, Table | FileChanges) else 0


def _nothing() -> None:
    return None
