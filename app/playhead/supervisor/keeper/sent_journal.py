"""Keeps the bytes that were sent until they have arrived: the newest in memory, older on the disk.

What has arrived is kept, too, as long as there is room in memory and it belongs to the run that
goes on: who comes back later begins with the start of that run.
"""

from __future__ import annotations

import contextlib
import os

_SEGMENT_BYTES = 1 << 20
MEMORY_BYTES, DISK_BYTES = 8 << 20, 512 << 20


class _Segment:
    def __init__(self, start: int) -> None:
        self.start = start
        self.size = 0
        self.data = bytearray()
        self.path = ""

    @property
    def end(self) -> int:
        return self.start + self.size


class SentJournal:
    """Owner of the files in a folder; `problem` says why it takes no more on the disk."""

    def __init__(
        self, folder: str, memory_bytes: int = MEMORY_BYTES, disk_bytes: int = DISK_BYTES
    ) -> None:
        self._folder = folder
        self._memory_bytes = memory_bytes
        self._disk_bytes = disk_bytes
        self._segments = [_Segment(0)]
        self._wanted_from = 0
        self._arrived = 0
        self._on_disk = 0
        self.problem = ""

    @property
    def start(self) -> int:
        """Return the offset of the first byte that has not arrived."""
        return self._arrived

    @property
    def first(self) -> int:
        """Return the offset of the first byte that is there."""
        return self._segments[0].start

    @property
    def end(self) -> int:
        """Return the offset after the last byte."""
        return self._segments[-1].end

    @property
    def is_full(self) -> bool:
        """Return whether more would only fill memory: the disk takes nothing."""
        return bool(self.problem) or self._on_disk >= self._disk_bytes

    def begin_run(self) -> None:
        """Keep what comes from here on for who comes back; no longer what was before."""
        self._wanted_from = self.end
        self._make_room()

    @property
    def run_start(self) -> int:
        """Return the offset where the run began, or the first that is kept of it."""
        return max(self._wanted_from, self.first)

    def append(self, data: bytes) -> None:
        """Add whole messages at the end; also beyond what is kept, for the last words of a run."""
        last = self._segments[-1]
        if last.size >= _SEGMENT_BYTES:
            last = _Segment(last.end)
            self._segments.append(last)
            self._make_room()
        last.data += data
        last.size += len(data)

    def read(self, at: int, limit: int) -> bytes:
        """Return some bytes from a place on; b"" at the end."""
        for segment in reversed(self._segments):
            if segment.start <= at < segment.end:
                begin = at - segment.start
                return self._content(segment, begin, limit)
        return b""

    def forget(self, before: int) -> None:
        """Drop what has arrived, unless who comes back would want it."""
        self._arrived = before
        if self._segments[0].path or self._wanted_from > self.first:
            self._make_room()

    def rewind(self) -> int:
        """Take all that is kept of the run as not arrived; return its offset."""
        self._arrived = self.run_start
        return self._arrived

    def close(self) -> None:
        """Delete the files."""
        for segment in self._segments:
            self._drop(segment)

    def _content(self, segment: _Segment, begin: int, limit: int) -> bytes:
        if not segment.path:
            return bytes(segment.data[begin : begin + limit])
        with open(segment.path, "rb") as file:
            file.seek(begin)
            return file.read(limit)

    def _make_room(self) -> None:
        """Drop what nobody wants; write the oldest to the disk while too much is in memory."""
        while len(self._segments) > 1 and self._is_unwanted(self._segments[0]):
            self._drop(self._segments.pop(0))
        in_memory = [one for one in self._segments[:-1] if not one.path]
        while in_memory and (len(in_memory) + 1) * _SEGMENT_BYTES > self._memory_bytes:
            if not self._write(in_memory.pop(0)):
                return

    def _is_unwanted(self, segment: _Segment) -> bool:
        if segment.end > self._arrived:
            return False
        is_old = segment.end <= self._wanted_from
        held = sum(one.size for one in self._segments if not one.path)
        return is_old or bool(segment.path) or held > self._memory_bytes

    def _write(self, segment: _Segment) -> bool:
        if self.is_full:
            return False
        path = os.path.join(self._folder, "journal-%d" % segment.start)
        try:
            with open(path, "wb") as file:
                file.write(segment.data)
        except OSError as error:
            self.problem = error.strerror or str(error)
            with contextlib.suppress(OSError):
                os.unlink(path)
            return False
        segment.path, segment.data = path, bytearray()
        self._on_disk += segment.size
        return True

    def _drop(self, segment: _Segment) -> None:
        if segment.path:
            self._on_disk -= segment.size
            with contextlib.suppress(OSError):
                os.unlink(segment.path)
