"""Says which line of the block runs: each statement as it begins, inside it 30 times a second.

Tracing every line costs 4 to 24 times the run time, injected prints more; looking at the main
thread's frame from another thread cannot be told apart from nothing.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from .interrupts import start_thread

if TYPE_CHECKING:
    from .channel import Channel

_PERIOD_S = 1 / 30


class LineSampler:
    """Owner of the sampling thread, which sleeps while nothing runs or nobody wants lines."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._is_running = threading.Event()
        self._main = threading.main_thread().ident
        self._file = ""
        self._line: int | None = None
        self._counts: dict[int, int] = {}
        self.is_on = True
        start_thread(self._sample_forever, "playhead-lines")
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._on_fork)

    def announce(self, file: str, line: int) -> None:
        """A statement of the block `file` begins."""
        if not self.is_on:
            return
        with self._lock:
            self._file = file
            self._line = line
            self._counts = {}
            self._channel.send("line", line=line)
        if not self._is_running.is_set():  # cheaper than to set it again for each statement
            self._is_running.set()

    def forget(self) -> None:
        """Say the line again at the next sample if it still runs then (after an image)."""
        self._line = None

    def counts(self) -> dict[int, int]:
        """How often each line has been seen since the last statement began."""
        with self._lock:
            return self._counts

    def rest(self) -> None:
        """Nothing runs any more; no mark of a line follows."""
        self._is_running.clear()
        with self._lock:
            self._file = ""

    def _sample_forever(self) -> None:
        pause = threading.Event()
        while self._is_running.wait():
            pause.wait(_PERIOD_S)
            with self._lock:
                self._sample()

    def _sample(self) -> None:
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - documented
        line = _line_in(self._file, frames.get(self._main or 0))
        if line is None or not self._file:
            return
        self._counts[line] = self._counts.get(line, 0) + 1
        if line != self._line:
            self._line = line
            self._channel.send_unordered("line", line=line)

    def _on_fork(self) -> None:
        """The thread that holds the lock at this moment is not there in the child."""
        self._lock = threading.Lock()
        self.is_on = False


def _line_in(file: str, frame: Any) -> int | None:
    """The innermost line of the block on the stack: where the block is, not its libraries."""
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_lineno
        frame = frame.f_back
    return None
