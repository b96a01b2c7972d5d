"""Limits the memory of a run, so that a huge allocation is a MemoryError and not a dead machine."""

from __future__ import annotations

import os
import sys
from typing import Any

_LEAST_GROWTH = 64_000_000
"""So much is always allowed, or names could not even be deleted once the limit is reached."""
_RESERVED = 256_000_000
"""Threads and libraries reserve addresses that they never use."""


class MemoryLimit:
    """Owner of the limit on addresses while a run goes on, where the system has one (Linux).

    What a run really uses is watched from outside; this is for the one step that is too large.
    """

    def __init__(self) -> None:
        self._old: tuple[int, int] | None = None
        self.bytes = 0

    def begin(self, limit: int) -> None:
        """From now on let allocations fail that would take this process over the limit."""
        self.bytes = limit
        used = _used() if limit > 0 else None
        if used is None:
            return
        import resource

        addresses, resident = used
        wanted = addresses + max(limit - resident, _LEAST_GROWTH) + _RESERVED
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY and soft <= wanted:
            return
        try:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
            self._old = (soft, hard)
        except (OSError, ValueError):
            return  # user code has lowered the hard limit

    def end(self) -> None:
        """Put things back."""
        old, self._old = self._old, None
        if old is None:
            return
        import resource

        try:
            resource.setrlimit(resource.RLIMIT_AS, old)
        except (OSError, ValueError):
            return

    def remark(self, error: BaseException) -> str:
        """What to say of an error that the limit explains."""
        if not self.bytes or not _is_memory_error(error):
            return ""
        return (
            f"This run may take {self.bytes / 1e6:,.0f} MB of memory: the limit in Settings, under"
            " “Running code”. Work in smaller parts, or raise the limit there.\n"
        )


def _is_memory_error(error: Any) -> bool:
    return issubclass(type(error), MemoryError)


def _used() -> tuple[int, int] | None:
    """Addresses and resident bytes of this process, where the system tells."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with open("/proc/self/statm", "rb") as file:
            addresses, resident = file.read().split()[:2]
    except (OSError, ValueError):
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return int(addresses) * page, int(resident) * page
