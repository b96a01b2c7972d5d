"""Processes that a run has started and that go on when it was stopped (Linux only).

A stop may end the code before any signal is sent, and who runs in the background ignores SIGINT.
Those of earlier runs, such as a server that was started on purpose, are left alone.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playhead.execution.processes import (
    all_processes,
    fields_of,
    has_variable,
    newest_pid,
    session_members,
)

_PROC = Path("/proc")
_STATE, _STARTED = 0, 19
"""Places in /proc/PID/stat, counted from after the process's name."""
_WATCHERS_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Leftover:
    """One process; `started` in clock ticks since boot tells it from a later one of its pid."""

    pid: int
    started: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """When a run began: the clock's tick and, within it, the process id given out last.

    `ticks` is 0 where nobody tells.
    """

    ticks: int = 0
    newest_pid: int = 0


def beginning() -> Beginning:
    """The moment from which on processes are the run's."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return Beginning()
    ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    newest = newest_pid()
    return Beginning(ticks, newest) if newest else Beginning()


def started_since(kernel: int, began: Beginning, family: str = "") -> list[Leftover]:
    """What a kernel has started since then, but its watcher.

    It is in the kernel's session or below it; or it was, and bears the family's variable still.
    """
    if not began.ticks:
        return []
    known = all_processes()
    members = set(session_members(kernel, known))
    found: list[Leftover] = []
    for pid, fields in known.items():
        started = int(fields[_STARTED])
        is_new = pid != kernel and (started, pid) > (began.ticks, began.newest_pid)
        if is_new and (pid in members or (family and has_variable(pid, family))):
            found.append(Leftover(pid, started))
    return [item for item in found if not _is_watcher(item.pid, kernel)]


def alive(leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Those that still are what they were, and have not ended."""
    return [item for item in leftovers if _is_alive(item)]


def send(leftovers: Iterable[Leftover], number: signal.Signals) -> None:
    """Signal those that still are what they were."""
    for item in alive(leftovers):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(item.pid, number)


def _is_alive(item: Leftover) -> bool:
    fields = fields_of(item.pid)
    return bool(fields) and fields[_STATE] not in "ZX" and int(fields[_STARTED]) == item.started


def _is_watcher(pid: int, kernel: int) -> bool:
    """Whether it is the kernel's own guard: a fork of it that no signal ends."""
    try:
        folder = _PROC / str(pid)
        if (folder / "cmdline").read_bytes() != (_PROC / str(kernel) / "cmdline").read_bytes():
            return False
        lines = (folder / "status").read_text(errors="replace").splitlines()
    except OSError:
        return False
    ignored = next((int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:")), 0)
    return all(ignored >> (number - 1) & 1 for number in _WATCHERS_SIGNALS)
