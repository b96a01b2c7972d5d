"""Limits the memory of a run, so that a huge allocation is a MemoryError and not a dead machine."""

from __future__ import annotations

import os
import sys
from typing import Any

_LEAST_GROWTH = 64_000_000
"""So much is always allowed, or names could not even be deleted once the limit is reached."""
_RESIDENT, _DATA = 1, 5
"""Places in /proc/PID/statm."""
_RESERVED = 256_000_000
"""The stacks of threads are counted as data, and hardly used."""


class MemoryLimit:
    """Owner of the limit on the data of a process during a run (Linux).

    The memory that a run uses is watched from outside; this stops one step that is too large. It
    does not limit addresses: programs that the process starts inherit it, and Java and others
    reserve more of those than they will ever use.
    """

    def __init__(self, pid: int = 0) -> None:
        self._pid = pid
        self._old: tuple[int, int] | None = None
        self.bytes = 0

    def begin(self, limit: int) -> None:
        """Make allocations fail from now on that would take this process over the limit."""
        self.bytes = limit
        used = _used(self._pid) if limit > 0 else None
        if used is None:
            return
        import resource

        data, resident = used
        wanted = data + max(limit - resident, _LEAST_GROWTH) + _RESERVED
        try:
            soft, hard = resource.prlimit(self._pid, resource.RLIMIT_DATA)
        except OSError:
            return  # it has just ended
        if soft != resource.RLIM_INFINITY and soft <= wanted:
            return
        if self._set((wanted, hard)):
            self._old = (soft, hard)

    def end(self) -> None:
        """Put things back."""
        old, self._old = self._old, None
        if old is not None:
            self._set(old)

    def _set(self, limits: tuple[int, int]) -> bool:
        """Set the limits; False if code has lowered the hard limit, or has ended."""
        import resource

        try:
            resource.prlimit(self._pid, resource.RLIMIT_DATA, limits)
        except (OSError, ValueError):
            return False
        return True

    def remark(self, error: BaseException) -> str:
        """Return a remark on an error that the limit explains."""
        return f"{self.explanation()}\n" if self.bytes and _is_memory_error(error) else ""

    def explanation(self) -> str:
        """Return a sentence with the limit's origin and the remedy."""
        return (
            f"This run may take {self.bytes / 1e6:,.0f} MB of memory: the limit in the"
            " settings. Work in smaller parts, or raise it there."
        )


def _is_memory_error(error: Any) -> bool:
    return issubclass(type(error), MemoryError)


def _used(pid: int) -> tuple[int, int] | None:
    """Return the bytes of data and the resident bytes of a process (0: this one), or None."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            fields = file.read().split()
        resident, data = int(fields[_RESIDENT]), int(fields[_DATA])
    except (OSError, ValueError, IndexError):
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    return data * page, resident * page
