"""Joins updates that arrive faster than frames: the first at once, then one per frame."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer

FRAME_MS = 33
LONGEST_MS = 120
SHARE = 0.3
"""The largest share of the time that is spent on drawing streamed text."""


class Coalescer(QObject):
    """Calls `flush` at most once a frame while something is `due()`. Owner: the view."""

    def __init__(self, flush: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flush = flush
        self._is_due = False
        self._is_running = False
        self._is_held = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def due(self) -> None:
        """Schedule a flush: immediately if the last frame is over, else at its end."""
        if self._is_due:
            return  # as for all but the first chunk of a frame
        self._is_due = True
        if not self._timer.isActive() and not self._is_running and not self._is_held:
            self._run()

    def hold(self, is_held: bool) -> None:
        """Flush nothing while nobody can see it; what was due then is flushed at the end."""
        self._is_held = is_held
        if not is_held:
            self.flush_now()

    def soon(self) -> None:
        """Flush in the next frame, not at once."""
        self._is_due = True
        if not self._timer.isActive():
            self._timer.start(FRAME_MS)

    def flush_now(self) -> None:
        """Flush what is due without waiting for the frame."""
        if self._is_due:
            self._run()

    def _on_timeout(self) -> None:
        if self._is_due and not self._is_held:
            self._run()

    def _run(self) -> None:
        self._is_due = False
        began = time.perf_counter()
        self._is_running = True
        try:
            self._flush()
        finally:
            self._is_running = False
            spent_ms = (time.perf_counter() - began) * 1000
            self._timer.start(max(FRAME_MS, min(LONGEST_MS, round(spent_ms / SHARE))))
