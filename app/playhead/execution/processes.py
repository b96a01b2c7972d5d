"""What /proc tells of processes: their sessions, their memory (Linux only)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

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
