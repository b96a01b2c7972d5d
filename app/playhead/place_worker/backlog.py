"""Holds messages that have come and wait to be taken, beyond a bound on the disk."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import NamedTuple

EXITED = "exited"
"""The channel of the last message, which has no parts: the kernel has ended."""
LINK = "link"
"""The channel of what is said of the link to a server: its state, in one part."""
_MEMORY_BYTES = 32_000_000

Parts = Sequence[bytes]


class _Stored(NamedTuple):
    """The place of a message in the file, and the sizes of its parts."""

    place: int
    sizes: list[int]


class Backlog:
    """A queue of messages, in their order; putting never waits. One thread puts, one takes."""

    def __init__(self, folder: str, limit_bytes: int = _MEMORY_BYTES) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._held_bytes = 0
        self._queue: SimpleQueue[tuple[str, Parts | _Stored]] = SimpleQueue()
        self._file = -1
        self._end = 0
        self._waiting = 0

    @property
    def size_bytes(self) -> int:
        """Return how much it takes, in memory and on the disk."""
        return self._held_bytes + self._end

    def put(self, channel: str, parts: Parts) -> None:
        """Add a message of a channel. What the disk does not take stays in memory."""
        size = sum(map(len, parts))
        with self._lock:
            if self._held_bytes + size > self._limit_bytes and (place := self._write(parts)):
                self._queue.put((channel, place))
                return
            self._held_bytes += size
        self._queue.put((channel, parts))

    def get(self, timeout_s: float | None = None) -> tuple[str, Parts]:
        """Return the next message with its channel. Raises queue.Empty when none comes in time."""
        channel, found = self._queue.get(timeout=timeout_s)
        with self._lock:
            if isinstance(found, _Stored):
                return channel, self._read(found.place, found.sizes)
            self._held_bytes -= sum(map(len, found))
        return channel, found

    def _write(self, parts: Parts) -> _Stored | None:
        try:
            if self._file < 0:
                self._file, path = tempfile.mkstemp(dir=self._folder)
                os.unlink(path)
            data = b"".join(parts)
            if os.pwrite(self._file, data, self._end) < len(data):  # the disk is full
                return None
        except OSError:
            return None
        place, self._end = self._end, self._end + len(data)
        self._waiting += 1
        return _Stored(place, [len(part) for part in parts])

    def _read(self, place: int, sizes: list[int]) -> Parts:
        parts: list[bytes] = []
        for size in sizes:
            parts.append(os.pread(self._file, size, place))
            place += size
        self._waiting -= 1
        if not self._waiting:
            os.ftruncate(self._file, 0)
            self._end = 0
        return parts
