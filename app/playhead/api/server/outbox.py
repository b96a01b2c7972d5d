"""Chunks on their way from the core's thread to one client."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, FileChanges, Table

LIMIT_BYTES = 8_000_000
JOIN_FROM = 4_096
"""Most chunks that may wait separately; further neighbouring pieces of a text are joined."""
_OVERHEAD_BYTES = 200
"""The cost of a chunk besides its text."""


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
        self._waiting: list[Chunk] = []
        self._texts: list[str] = []
        """The texts that are to be joined to the last of those."""
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
                self._join()
                waiting, self._waiting = self._waiting, []
                self._waiting_bytes = 0
                is_closed = self._is_closed
            if waiting or is_closed:
                return waiting
            await self._arrived.wait()

    def _add(self, chunk: Chunk) -> None:
        if chunk.start or chunk.end:
            self._open = chunk if chunk.start else None
        text = chunk.content
        size_bytes = sys.getsizeof(text) if isinstance(text, str) else _size_bytes(text)
        is_many = len(self._waiting) >= JOIN_FROM and self._open is not None
        if is_many and isinstance(text, str) and _are_of_one(self._waiting[-1], chunk):
            self._texts.append(text)
        else:
            self._join()
            self._waiting.append(chunk)
            size_bytes += _OVERHEAD_BYTES
        self._waiting_bytes += size_bytes

    def _join(self) -> None:
        """Join what neighbours the last chunk to it."""
        if self._texts:
            last = self._waiting[-1]
            self._waiting[-1] = replace(last, content="".join([str(last.content), *self._texts]))
            self._texts.clear()

    def _give_up(self) -> None:
        self._is_closed = self.is_overrun = True
        self._join()
        if self._open is not None:
            end = replace(self._open, content=None, start=False, end=True, id=None)
            self._waiting.append(end)
        failure = Failure(
            code="client_too_slow",
            title="The answer was not read as fast as it came",
            remedy="Read the stream to its end while the turn runs.",
        )
        self._waiting.append(Chunk(role="server", type="error", content=failure))

    def _wake(self) -> None:
        """Wake the taker, once for all chunks until it takes them.

        In a loop's thread that is after its step: woken in the middle of it, the taker's thread
        would make it wait at the first chunk of each batch.
        """
        if self._is_woken:
            return
        self._is_woken = True
        try:
            asyncio.get_running_loop().call_soon(self._call, self._arrived.set)
        except RuntimeError:
            self._call(self._arrived.set)

    def _call(self, call: Callable[[], object]) -> None:
        try:
            self._taker.call_soon_threadsafe(call)
        except RuntimeError:  # its loop has ended, and the client with it
            self._is_closed = True


def _are_of_one(last: Chunk, chunk: Chunk) -> bool:
    """Return whether both are pieces of one text."""
    return (
        isinstance(last.content, str)
        and last.is_single
        and chunk.is_single
        and (last.role, last.type, last.format, last.recipient)
        == (chunk.role, chunk.type, chunk.format, chunk.recipient)
    )


def _size_bytes(content: object) -> int:
    """Return the approximate size of a payload's texts."""
    return len(repr(content)) if isinstance(content, Table | FileChanges) else 0


def _nothing() -> None:
    return None
