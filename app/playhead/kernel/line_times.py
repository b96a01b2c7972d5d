"""Times single lines by short bursts of `sys.monitoring` (Python 3.12 on), else not at all.

Every event would cost 2 to 7 times the run time; 200 events twenty times a second cost nothing that
can be measured. Very short lines that run very often are over-weighted a little.
"""

from __future__ import annotations

import sys
import threading
import time
from types import CodeType
from typing import Any

from .interrupts import start_thread

_PERIOD_S = 1 / 20
_EVENTS_PER_BURST = 200
_FREE_TOOLS = (4, 3)
"""Numbers that `sys.monitoring` leaves to anybody: debuggers and profilers have their own."""


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
        self._codes = [inner for code in codes for inner in _with_inner(code)]
        for code in self._codes:
            self._monitoring.set_local_events(self._tool, code, events.LINE)
        self._left = _EVENTS_PER_BURST
        self._is_running.set()
        if not self._has_thread:
            self._has_thread = True
            start_thread(self._burst_forever, "playhead-times")

    def take(self) -> dict[int, float]:
        """Seconds by line since it was last asked."""
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
        for tool in _FREE_TOOLS:
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
        # What follows the burst's last event is not seen, so nothing is known of its time.
        self._last = (line, now) if self._left else None
        return None

    def _burst_forever(self) -> None:
        pause = threading.Event()
        while self._is_running.wait():
            pause.wait(_PERIOD_S)
            self._left = _EVENTS_PER_BURST
            self._monitoring.restart_events()


def _with_inner(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(deeper for constant in inner for deeper in _with_inner(constant))]
