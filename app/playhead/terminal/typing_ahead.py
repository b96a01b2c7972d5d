"""Hands what a person types while code runs to whatever of it reads standard input."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Generator

from playhead.terminal import asking

_READ_BYTES = 65_536
_END_S = 1.0


class Typing:
    """Owner of the thread that reads the terminal between `begin` and `end`.

    `send(text, is_end)` is called in that thread. Not on Windows, where nobody can wait for a
    console and for a word to stop at once.
    """

    def __init__(self, send: Callable[[str, bool], None]) -> None:
        self._send = send
        self._thread: threading.Thread | None = None
        self._stop = -1

    def begin(self) -> None:
        """From now on what is typed is for the code."""
        if self._thread is not None or sys.platform == "win32" or not asking.is_somebody_there():
            return
        stopped, self._stop = os.pipe()
        self._thread = threading.Thread(
            target=self._read, args=(stopped,), name="typing", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """From now on it is not."""
        thread, self._thread = self._thread, None
        if thread is not None:
            os.close(self._stop)
            thread.join(_END_S)

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """Somebody else reads the terminal meanwhile."""
        was_on = self._thread is not None
        self.end()
        try:
            yield
        finally:
            if was_on:
                self.begin()

    def _read(self, stopped: int) -> None:
        terminal = sys.stdin.fileno()
        try:
            while stopped not in select.select([terminal, stopped], [], [])[0]:
                data = os.read(terminal, _READ_BYTES)  # a line: the terminal hands out no less
                self._send(data.decode("utf-8", "replace"), not data)
        except (OSError, ValueError):
            return  # the terminal is gone
        finally:
            os.close(stopped)
