"""What /proc reports of processes (Linux only): sessions, memory, what a run left behind.

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
    """The fields of its stat after the name, which may hold anything; [] if it is gone."""
    try:
        # Not by a file object: all processes are asked while somebody waits for a stop.
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
    """The fields of each process of the system."""
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return {}
    known = {pid: fields_of(pid) for pid in pids}
    return {pid: fields for pid, fields in known.items() if fields}


def session_members(leader: int, known: Mapping[int, list[str]] | None = None) -> list[int]:
    """The processes of a session, its leader among them, and the children that have left it.

    Not found is who has left the session and whose parent has ended.
    """
    known = all_processes() if known is None else known
    found = {pid for pid, fields in known.items() if int(fields[_SESSION]) == leader}
    new = found
    while new:
        new = {pid for pid, fields in known.items() if int(fields[_PARENT]) in new} - found
        found |= new
    return sorted(found)


def has_variable(pid: int, entry: str) -> bool:
    """Whether `NAME=value` was in the environment that a process was started with."""
    try:
        return entry.encode() in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False  # gone, or another user's


def newest_pid() -> int:
    """The process id that was given out last; 0 where the system does not tell."""
    try:
        return int((_PROC / "loadavg").read_text().split()[-1])
    except (OSError, ValueError, IndexError):
        return 0


def resident_bytes(pid: int) -> int | None:
    """The memory of a process, where the system tells."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def session_bytes(leader: int, limit: int) -> int:
    """The memory of a session's processes.

    Pages that they share (a fork shares all at first) are counted once, but to tell that is slow:
    it is done only where the plain sum is over the limit.
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
    """One process; `started` in clock ticks since boot tells it from a later one of its pid."""

    pid: int
    started: int


class RunStart(Struct, frozen=True):
    """When a run began: the clock's tick and, within it, the process id given out last.

    `ticks` is 0 where nobody tells.
    """

    ticks: int = 0
    newest_pid: int = 0


def run_start() -> RunStart:
    """The moment from which on processes are the run's."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return RunStart()
    ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    newest = newest_pid()
    return RunStart(ticks, newest) if newest else RunStart()


def started_since(kernel: int, began: RunStart, family: str = "") -> list[Leftover]:
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


def still_alive(leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Those that still are what they were, and have not ended."""
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
