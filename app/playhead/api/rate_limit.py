"""How many requests a minute who holds the token may make."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from playhead.errors import AppError

WINDOW_S = 60.0


class TooManyRequests(AppError):
    """The server's own limit; `retry_after_s` says when the next request is let through."""

    default_code = "rate_limit_exceeded"

    def __init__(self, per_minute: int, retry_after_s: float) -> None:
        super().__init__(
            f"More than {per_minute} requests in a minute",
            remedy="Wait as long as Retry-After says, or raise the limit in the settings.",
        )
        self.retry_after_s = retry_after_s


class RateLimit:
    """A window that slides with the clock: never more than `per_minute` in any minute.

    `per_minute` may be changed at any time; 0 turns the limit off.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._clock = clock
        self._times: deque[float] = deque()

    def count(self) -> None:
        """Let a request through and count it, or raise TooManyRequests; a refused one is free."""
        limit = self.per_minute
        if limit <= 0:
            self._times.clear()
            return
        now = self._clock()
        while self._times and self._times[0] <= now - WINDOW_S:
            self._times.popleft()
        if len(self._times) >= limit:
            # The limit may have been lowered meanwhile: then more than one must leave first.
            raise TooManyRequests(limit, self._times[-limit] + WINDOW_S - now)
        self._times.append(now)
