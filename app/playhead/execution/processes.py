"""Read from /proc (Linux only) the sessions and memory of processes, and what a run left behind.

A stop may end the code before any signal is sent, and a process in the background ignores SIGINT.
Processes of earlier runs, such as a server that was started on purpose, are left alone.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

_PROC = Path("/proc")
_STAT_BYTES = 4096
_PARENT, _SESSION = 1, 3
"""Places in /proc/PID/stat, counted from after the process's name."""


def fields_of(pid: int) -> list[str]:
    """Return the fields of its stat after the name, which may contain anything; [] if it ended."""
    try:
        # Not by a file object: all processes are read while a stop waits for them.
        fd = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return []
    try:
        data = os.read(fd, _STAT_BYTES)
    except OSError:
        return []
    finally:
        os.close(fd)
    return data.rpartition(b")")[2].decode("ascii", "replace").split()


def all_processes() -> dict[int, list[str]]:
    """Return the fields of each process of the system, by its id."""
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return {}
    known = {pid: fields_of(pid) for pid in pids}
    return {pid: fields for pid, fields in known.items() if fields}


def session_members(leader: int, known: Mapping[int, list[str]] | None = None) -> list[int]:
    """Return the processes of a session with its leader, and children that have left the session.

    A process that left the session and whose parent has ended is not found.
    """
    known = all_processes() if known is None else known
    found = {pid for pid, fields in known.items() if int(fields[_SESSION]) == leader}
    new = found
    while new:
        new = {pid for pid, fields in known.items() if int(fields[_PARENT]) in new} - found
        found |= new
    return sorted(found)


def has_variable(pid: int, entry: str) -> bool:
    """Return whether `NAME=value` was in the environment that a process was started with."""
    try:
        return entry.encode() in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False  # gone, or another user's


def newest_pid() -> int:
    """Return the process id that was assigned last; 0 if the system does not report it."""
    try:
        return int((_PROC / "loadavg").read_text().split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def resident_bytes(pid: int) -> int | None:
    """Return the memory of a process in bytes, if the system reports it."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def session_bytes(leader: int, limit: int) -> int:
    """Return the memory of a session's processes in bytes.

    Pages that they share (a fork shares all at first) are counted once, but counting them is slow:
    it is done only if the plain sum is over the limit.
    """
    members = session_members(leader)
    total = sum(resident_bytes(pid) or 0 for pid in members)
    if total <= limit or len(members) == 1:
        return total
    return sum(_own_share_bytes(pid) for pid in members)


def _own_share_bytes(pid: int) -> int:
    try:
        with (_PROC / str(pid) / "smaps_rollup").open() as file:
            for line in file:
                if line.startswith("Pss:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return resident_bytes(pid) or 0


_STATE, _STARTED = 0, 19
"""Places in /proc/PID/stat, counted from after the process's name."""
_WATCHERS_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Leftover(Struct, frozen=True):
    """One process; `started` (in clock ticks since boot) differs for a later one of its pid."""

    pid: int
    started: int


class RunStart(Struct, frozen=True):
    """The start of a run: the clock's tick and, within it, the process id assigned last.

    `ticks` is 0 if the system does not report it.
    """

    ticks: int = 0
    newest_pid: int = 0


def run_start() -> RunStart:
    """Return the moment from which on processes belong to the run."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return RunStart()
    ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    newest = newest_pid()
    return RunStart(ticks, newest) if newest else RunStart()


def started_since(kernel: int, began: RunStart, family: str = "") -> list[Leftover]:
    """Return the processes that a kernel has started since then, but its watcher.

    They are in the kernel's session or below it; or they were, and still have the family's
    variable.
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


def still_alive(leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Return the processes that still run and are the same ones."""
    return [item for item in leftovers if _is_alive(item)]


def send_signal(leftovers: Iterable[Leftover], number: signal.Signals) -> None:
    """Signal those that still are what they were."""
    for item in still_alive(leftovers):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(item.pid, number)


def _is_alive(item: Leftover) -> bool:
    fields = fields_of(item.pid)
    return bool(fields) and fields[_STATE] not in "ZX" and int(fields[_STARTED]) == item.started


def _is_watcher(pid: int, kernel: int) -> bool:
    """Return whether it is the kernel's watcher: a fork of it that no signal ends."""
    try:
        folder = _PROC / str(pid)
        if (folder / "cmdline").read_bytes() != (_PROC / str(kernel) / "cmdline").read_bytes():
            return False
        lines = (folder / "status").read_text(errors="replace").splitlines()
    except OSError:
        return False
    ignored = next((int(line.split()[1], 16) for line in lines if line.startswith("SigIgn:")), 0)
    return all(ignored >> (number - 1) & 1 for number in _WATCHERS_SIGNALS)
