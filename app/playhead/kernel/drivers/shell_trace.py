"""Follows the lines of a hot loop through the trace that the shell writes of its commands."""

from __future__ import annotations

import contextlib
import os
import select
import time
from typing import TYPE_CHECKING, Generator

from ..interrupts import start_thread

if TYPE_CHECKING:
    from ..channel import Channel

_SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ of Linux."""
_PIPE_BYTES = 1 << 20
_NAP_S = 0.033
_SHORT_NAP_S = 0.005
_START, _END = b"\x1e", b"\x1f"
"""Around file and line in the trace; commands do not hold them by chance."""


class ShellTrace:
    """Owner of the FIFO; reads it a few times a second, so that a loop costs no wake-ups."""

    def __init__(self, channel: Channel, path: str) -> None:
        self._channel = channel
        self._needle = b""
        self._line = 0
        os.mkfifo(path, 0o600)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # so that it never ends
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.fcntl(self._reader, _SET_PIPE_SIZE, _PIPE_BYTES)
        start_thread(self._follow, "playhead-trace")

    @contextlib.contextmanager
    def of_block(self, name: str) -> Generator[None, None, None]:
        """Tell the lines of this block meanwhile; what others have left is dropped."""
        self._line = 0
        self._needle = _START + name.encode("utf-8") + b":"
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Tell no more lines of the block."""
        self._needle = b""

    def _follow(self) -> None:
        data, told_at = b"", 0.0
        while True:
            select.select([self._reader], [], [], _NAP_S if data else None)
            data = self._read() or data
            now = time.monotonic()
            # A full pipe holds up the shell: it is read more often than anyone looks.
            nap = _SHORT_NAP_S if len(data) > _PIPE_BYTES // 4 else _NAP_S
            if now - told_at >= _NAP_S:
                self._tell(data)
                data, told_at = b"", now
            time.sleep(nap)

    def _read(self) -> bytes:
        parts: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._reader, _PIPE_BYTES):
                parts.append(part)
                if len(part) < 65536:
                    break
        return b"".join(parts)

    def _tell(self, data: bytes) -> None:
        needle = self._needle
        start = data.rfind(needle) if needle else -1
        if start < 0:
            return
        number, end, _ = data[start + len(needle) : start + len(needle) + 16].partition(_END)
        if end and number.isdigit() and int(number) != self._line:
            self._line = int(number)
            self._channel.send_unordered("line", line=self._line)
