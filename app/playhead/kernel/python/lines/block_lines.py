"""Watch the lines of a block: the running one by samples, the time of each by bursts.

Tracing every line costs 4 to 24 times the run time, injected prints more; looking at the main
thread's frame from another thread, 30 times a second, costs nothing measurable. For the
times of single lines (Python 3.12 on) every event of `sys.monitoring` would cost 2 to 7 times the
run time; 200 events twenty times a second cost nothing that can be measured. Very short lines that
run very often are over-weighted a little.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from types import CodeType
from typing import TYPE_CHECKING, Any, Callable

from ...interrupts import start_thread
from ..interpreter_guard import Failure

if TYPE_CHECKING:
    from ...channel import Channel


_SAMPLE_PERIOD_S = 1 / 30


class LineSampler:
    """Owner of the sampling thread, which sleeps while nothing runs or no lines are wanted."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._is_running = threading.Event()
        self._main = threading.main_thread().ident
        self._file = ""
        self._line: int | None = None
        self._counts: dict[int, int] = {}
        self.is_on = True
        self.on_look: Callable[[int], None] = lambda line: None
        """Called with each line that was seen, in the sampling thread."""
        start_thread(self._sample_forever, "playhead-lines")
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._on_fork)

    def announce(self, file: str, line: int) -> None:
        """Announce a statement of the block `file` that begins."""
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
        """Report the line again at the next sample if it still runs then (after an image)."""
        self._line = None

    def counts(self) -> dict[int, int]:
        """Return how often each line has been seen since the last statement began."""
        with self._lock:
            return self._counts

    def rest(self) -> None:
        """Stop sampling after a run; no mark of a line follows."""
        self._is_running.clear()
        with self._lock:
            self._file = ""

    def hold(self, line: int) -> None:
        """Stop sampling while the block is paused before a line."""
        self._is_running.clear()
        self._line = line

    def go_on(self) -> None:
        """Sample again after a pause."""
        if self.is_on:
            self._is_running.set()

    def _sample_forever(self) -> None:
        pause = threading.Event()
        while self._is_running.wait():
            pause.wait(_SAMPLE_PERIOD_S)
            try:
                with self._lock:
                    self._sample()
            except Failure:  # the block has just taken away builtins: they come back
                continue

    def _sample(self) -> None:
        frames_of = sys._current_frames  # pyright: ignore[reportPrivateUsage] - documented
        # Its result in no variable: it has this frame too, and a cycle would keep the block's.
        line = _line_in(self._file, frames_of().get(self._main or 0))
        if line is None or not self._file:
            return
        self._counts[line] = self._counts.get(line, 0) + 1
        self.on_look(line)
        if line != self._line:
            self._line = line
            self._channel.send_unordered("line", line=line)

    def _on_fork(self) -> None:
        """Replace the lock in a forked child, where the thread that may hold it does not exist."""
        self._lock = threading.Lock()
        self.is_on = False


def _line_in(file: str, frame: Any) -> int | None:
    """Return the innermost line of the block on the stack, not a line of its libraries."""
    while frame is not None:
        if frame.f_code.co_filename == file:
            return frame.f_lineno
        frame = frame.f_back
    return None


_BURST_PERIOD_S = 1 / 20
_EVENTS_PER_BURST = 200
_FREE_TOOL_IDS = (4, 3)
"""Numbers that `sys.monitoring` leaves free: debuggers and profilers have their own."""


class LineTimes:
    """Owner of the tool number while a run wants its lines timed."""

    def __init__(self) -> None:
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool: int | None = None
        self._codes: list[CodeType] = []
        self._seconds: dict[int, float] = {}
        self._last: tuple[int, float] | None = None
        self._left = 0
        self._main = threading.main_thread().ident
        self._is_running = threading.Event()
        self._has_thread = False

    def begin(self, codes: list[CodeType]) -> None:
        """Time the lines of these code objects and of all inside them."""
        if self._monitoring is None or not self._take_tool():
            return
        events = self._monitoring.events
        self._monitoring.register_callback(self._tool, events.LINE, self._on_line)
        self._codes = [inner for code in codes for inner in with_inner(code)]
        for code in self._codes:
            self._monitoring.set_local_events(self._tool, code, events.LINE)
        self._left = _EVENTS_PER_BURST
        self._is_running.set()
        if not self._has_thread:
            self._has_thread = True
            start_thread(self._burst_forever, "playhead-times")

    def take(self) -> dict[int, float]:
        """Return the seconds by line since the last call."""
        seconds, self._seconds = self._seconds, {}
        self._last = None
        return seconds

    def end(self) -> None:
        """Leave everything as it was."""
        if self._tool is None:
            return
        self._is_running.clear()
        for code in self._codes:
            self._monitoring.set_local_events(self._tool, code, 0)
        self._monitoring.register_callback(self._tool, self._monitoring.events.LINE, None)
        self._monitoring.free_tool_id(self._tool)
        self._tool = None
        self._codes = []

    def _take_tool(self) -> bool:
        for tool in _FREE_TOOL_IDS:
            if self._monitoring.get_tool(tool) is None:
                self._monitoring.use_tool_id(tool, "playhead")
                self._tool = tool
                return True
        return False  # user code has both

    def _on_line(self, code: CodeType, line: int) -> Any:
        if self._left <= 0 or threading.get_ident() != self._main:
            return self._monitoring.DISABLE
        now = time.perf_counter()
        if self._last is not None:
            before, began = self._last
            self._seconds[before] = self._seconds.get(before, 0.0) + now - began
        self._left -= 1
        # What follows the burst's last event is not seen, so its time is unknown.
        self._last = (line, now) if self._left else None
        return None

    def _burst_forever(self) -> None:
        pause = threading.Event()
        while self._is_running.wait():
            pause.wait(_BURST_PERIOD_S)
            self._left = _EVENTS_PER_BURST
            self._monitoring.restart_events()


def with_inner(code: CodeType) -> list[CodeType]:
    """Return a code object with all that are defined in it."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(deeper for constant in inner for deeper in with_inner(constant))]
