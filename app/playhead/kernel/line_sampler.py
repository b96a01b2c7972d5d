"""Says which line of the block runs: each statement as it begins, inside it 30 times a second.

Tracing every line costs 4 to 24 times the run time, injected prints more; looking at the main
thread's frame from another thread cannot be told apart from nothing.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from .interrupts import start_thread

if TYPE_CHECKING:
    from .channel import Channel

_PERIOD_S = 1 / 30


class LineSampler:
    """Owner of the sampling thread, which sleeps while nothing runs."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._is_running = threading.Event()
        self._main = threading.main_thread().ident
        self._file = ""
        self._line: int | None = None
        start_thread(self._sample_forever, "playhead-lines")

    def announce(self, file: str, line: int) -> None:
        """A statement of the block `file` begins."""
        with self._lock:
            self._file = file
            self._line = line
            self._channel.send("line", line=line)
        self._is_running.set()

    def forget(self) -> None:
        """Say the line again at the next sample if it still runs then (after an image)."""
        self._line = None

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
        if line is not None and self._file and line != self._line:
            self._line = line
            self._channel.send_unordered("line", line=line)


def _line_in(file: str, frame: Any) -> int | None:
    """The innermost line of the block on the stack: where the block is, not its libraries."""
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_lineno
        frame = frame.f_back
    return None
