"""The seconds on the card of the code that runs."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer

from playhead.ui.durations import format_seconds
from playhead.ui.timeline.canvas import Canvas

_TICK_MS = 1_000
_SHOWN_FROM_S = 0.9


class RunClock:
    """Ticks only while code runs. Owner: the view."""

    def __init__(self, view: Canvas) -> None:
        self._view = view
        self._timer = QTimer(view)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    def follow(self) -> None:
        """Something happened: a run may have begun or ended."""
        is_running = self._view.model.running is not None
        if is_running != self._timer.isActive():
            self._timer.start() if is_running else self._timer.stop()

    def _on_tick(self) -> None:
        row = self._view.model.running
        if row is None:
            self._timer.stop()
            return
        seconds = time.time() - row.began_at
        if seconds >= _SHOWN_FROM_S:
            row.detail = format_seconds(round(seconds)).replace(".0 s", " s")
            self._view.row_changed(row.key)
