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

_PROC = Path("/proc")
_SESSION, _STARTED = 3, 19
"""Places in /proc/PID/stat, counted from after the process's name."""
_WATCHERS_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Leftover:
    """One process; `started` in clock ticks since boot tells it from a later one of its pid."""

    pid: int
    started: int


def now_in_ticks() -> int:
    """The time as /proc tells starts of processes; 0 where it does not."""
    if not _PROC.is_dir() or not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))


def started_since(kernel: int, ticks: int) -> list[Leftover]:
    """What has been started in a kernel's session since then, but its watcher."""
    if not ticks:
        return []
    found: list[Leftover] = []
    for name in os.listdir(_PROC):
        if name.isdigit() and int(name) != kernel:
            fields = _stat(int(name))
            if fields and int(fields[_SESSION]) == kernel and int(fields[_STARTED]) >= ticks:
                found.append(Leftover(int(name), int(fields[_STARTED])))
    return [item for item in found if not _is_watcher(item.pid, kernel)]


def send(leftovers: Iterable[Leftover], number: signal.Signals) -> None:
    """Signal those that still are what they were."""
    for item in leftovers:
        fields = _stat(item.pid)
        if fields and int(fields[_STARTED]) == item.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(item.pid, number)


def _stat(pid: int) -> list[str]:
    """The fields after the name, which may hold anything; [] if the process is gone."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


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
