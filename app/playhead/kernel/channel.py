"""Writes marks into the stream that the output goes to, each by one write."""

from __future__ import annotations

import os
import select
import sys
from typing import Any

from .protocol import encode_mark


class Channel:
    """The kernel's voice; only the process that made it is heard, a fork of user code is not."""

    def __init__(self, fd: int, nonce: str) -> None:
        self._fd = fd
        self._nonce = nonce
        self._pid = os.getpid()
        self.run = ""

    def send(self, kind: str, **fields: Any) -> None:
        """Write a mark after everything that was printed so far. Raises ValueError if too long."""
        flush_streams()
        self.send_unordered(kind, **fields)

    def send_unordered(self, kind: str, **fields: Any) -> None:
        """Write a mark without flushing first: the only way from another thread."""
        if os.getpid() != self._pid:
            return
        mark = encode_mark(self._nonce, kind, self.run, fields)
        while True:
            try:
                os.write(self._fd, mark)
                return
            except BlockingIOError:
                # A child (node does it) made the pipe that we share non-blocking.
                select.select([], [self._fd], [])


def flush_streams() -> None:
    """Flush what user code left in its streams, whatever they are by now."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            continue  # replaced by something else, its descriptor closed, or closed itself
