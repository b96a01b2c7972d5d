"""Watches what a run uses and says when that is more than the settings allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from playhead.domain.execution import RunLimits
from playhead.execution.processes import session_bytes

_MEMORY_PERIOD_S = 0.2


class LimitWatch:
    """Owner of one run's clocks; `on_exceeded(reason)` is called once, with the limit in words."""

    def __init__(self, limits: RunLimits, pid: int, on_exceeded: Callable[[str], None]) -> None:
        self._limits = limits
        self._pid = pid
        self._on_exceeded = on_exceeded
        self._timer: asyncio.TimerHandle | None = None
        self._memory: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with the run."""
        loop = asyncio.get_running_loop()
        if self._limits.seconds > 0:
            self._timer = loop.call_later(self._limits.seconds, self._on_time)
        if self._limits.memory_bytes > 0:
            self._memory = loop.create_task(self._watch_memory(), name="memory of a run")

    def stop(self) -> None:
        """The run is over, or is being stopped."""
        if self._timer is not None:
            self._timer.cancel()
        if self._memory is not None and self._memory is not asyncio.current_task():
            self._memory.cancel()

    def _on_time(self) -> None:
        self._exceed(f"stopped after {self._limits.seconds:g} s: the limit of the settings")

    async def _watch_memory(self) -> None:
        limit = self._limits.memory_bytes
        while True:
            if await asyncio.to_thread(session_bytes, self._pid, limit) > limit:
                break
            await asyncio.sleep(_MEMORY_PERIOD_S)
        self._exceed(f"stopped at {limit / 1e6:,.0f} MB of memory: the limit of the settings")

    def _exceed(self, reason: str) -> None:
        self.stop()
        self._on_exceeded(reason)
