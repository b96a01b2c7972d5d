"""Deltas leave in few lines: the first at once, then at most one line per interval."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playhead.model_worker.protocol import Delta

INTERVAL_S = 0.016


class Batcher:
    """Collects deltas and hands on lists of them; nothing is joined, nothing reordered."""

    def __init__(self, send: Callable[[tuple[Delta, ...]], None]) -> None:
        self._send = send
        self._waiting: list[Delta] = []
        self._sent_at = float("-inf")
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, delta: Delta) -> bool:
        """Take a delta; True when a line was sent for it."""
        self._waiting.append(delta)
        due_in = self._sent_at + INTERVAL_S - self._loop.time()
        if due_in <= 0:
            self.flush()
            return True
        if self._timer is None:
            self._timer = self._loop.call_later(due_in, self.flush)
        return False

    def flush(self) -> None:
        """Send what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            self._sent_at = self._loop.time()
            deltas, self._waiting = tuple(self._waiting), []
            self._send(deltas)
