"""Writes marks into the stream that the output goes to, each by one write."""

from __future__ import annotations

import os
import sys
from typing import Any

from .protocol import encode_mark


class Channel:
    """Writes the kernel's marks; only in the process that made it, not in a fork of user code."""

    def __init__(self, fd: int, nonce: str) -> None:
        self._fd = fd
        self.nonce = nonce
        self._pid = os.getpid()
        self.run = ""

    def send(self, kind: str, /, **fields: Any) -> None:
        """Write a mark after everything that was printed so far. Raises ValueError if too long."""
        self.flush()
        self.send_unordered(kind, **fields)

    def send_unordered(self, kind: str, /, **fields: Any) -> None:
        """Write a mark without flushing first: the only way from another thread."""
        if os.getpid() != self._pid:
            return
        self._write(encode_mark(self.nonce, kind, self.run, fields))

    def complain(self, text: str) -> int:
        """Write text for the user, even if Python's streams were replaced or closed.

        Return how many characters it is to who reads it.
        """
        self.flush()
        data = text.encode("utf-8", "backslashreplace")
        length = len(data.decode("utf-8"))
        while data:
            data = data[self._write(data) :]
        return length

    def pass_on(self, data: bytes) -> None:
        """Write output that is not ours as it is."""
        while data:
            data = data[self._write(data) :]

    def flush(self) -> None:
        """Flush the current streams, which user code may have replaced."""
        for stream in (sys.stdout, sys.stderr):
            try:
                try:
                    stream.flush()
                except BlockingIOError:
                    os.set_blocking(self._fd, True)
                    stream.flush()
            except (AttributeError, OSError, ValueError):
                continue  # replaced by something else, its descriptor closed, or closed itself

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            # User code or a child (node does it) made the pipe that we share non-blocking.
            os.set_blocking(self._fd, True)
            return os.write(self._fd, data)
