"""Give a block that runs in another process its input: the file with its code, standard input."""

from __future__ import annotations

import contextlib
import os
import re
import select
import threading

from ..streams import InputPipe


class BlockInput:
    """A FIFO for each block, or one for all blocks of a program that cannot change its input.

    Text is taken at once. The end waits until the program has opened the FIFO: who opened it after
    the last writer is gone would wait for ever.
    """

    def __init__(self, spool: str) -> None:
        self._spool = spool
        self._count = 0
        self._lock = threading.Lock()
        self._is_open = False
        self._has_end = False
        self.path = ""
        self._pipe = self._make()

    @property
    def reader(self) -> int:
        """Return the descriptor for reading, for a program that cannot open the path."""
        return self._pipe.reader

    def renew(self) -> None:
        """Replace the pipe by a new one, without the unread text of the old one."""
        with self._lock:
            self._pipe.close()
            os.close(self._pipe.reader)
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            self._pipe = self._make()

    def revive(self) -> None:
        """Reuse the pipe for another block: unread text is dropped, an end is undone."""
        with self._lock:
            self._pipe.close()
            reader = self._pipe.reader
            # Not by making it non-blocking: the program has the same open file.
            while select.select([reader], [], [], 0)[0] and os.read(reader, 65536):
                pass
            self._is_open = self._has_end = False
            self._pipe = InputPipe((reader, os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)))

    def feed(self, text: str, is_end: bool) -> None:
        """Put text in, and the end behind it."""
        with self._lock:
            self._has_end = self._has_end or is_end
            self._pipe.feed(text.encode("utf-8", "surrogatepass"), self._has_end and self._is_open)

    def read_bytes(self) -> int:
        """Return how much of the text for this block has been read."""
        return self._pipe.read_bytes()

    def opened(self) -> None:
        """Record that the program has opened it."""
        with self._lock:
            self._is_open = True
            if self._has_end:
                self._pipe.feed(b"", is_end=True)

    def _make(self) -> InputPipe:
        self._count += 1
        self._is_open = self._has_end = False
        self.path = os.path.join(self._spool, "input-%d" % self._count)
        os.mkfifo(self.path, 0o600)
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        writer = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)
        return InputPipe((reader, writer))


_HALVES = re.compile(r"[\ud800-\udc7f\udd00-\udfff]")
"""Lone surrogates that do not encode a byte: they cannot be written."""


def write_block(path: str, text: str) -> None:
    """Write UTF-8; a surrogate that encodes a byte becomes that byte again."""
    data = _HALVES.sub("\ufffd", text).encode("utf-8", "surrogateescape")
    with open(path, "wb") as file:
        file.write(data)
