"""Read from the system, and never from the kernel, what its threads and descendants do.

On Linux all of it is in /proc. Where a kernel waits is the system call of its main thread, which a
parent may read unless the system forbids it (some containers, `ptrace_scope` 2 and 3); there, it
waits when it has slept a moment without any time on a processor: weaker, since code that sleeps
looks the same. Elsewhere nothing is known, and a kernel's own word is all there is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

IS_LINUX = sys.platform.startswith("linux")
_READ_CALLS = {"x86_64": 0, "aarch64": 63, "riscv64": 63, "loongarch64": 63}
"""The number of `read` by the machine; 3 on the others."""
_STATE, _PARENT, _GROUP, _USER_TICKS, _SYSTEM_TICKS, _STARTED = 0, 1, 2, 11, 12, 19
"""Places in /proc/PID/stat, counted from after the process's name."""
_ASLEEP = "SDTtIXZ"
_STAT_BYTES = 4096


def is_later(started: int, pid: int, since: tuple[int, int], most_pids: int) -> bool:
    """Return whether a process was started after a moment: a tick, and the id assigned last.

    Within the tick, its id is the next ones' of the system, which begin again after the last one.
    """
    tick, newest = since
    if started != tick:
        return started > tick
    return 0 < (pid - newest) % most_pids < most_pids // 2


def most_pids() -> int:
    """Return how many process ids the system has."""
    try:
        with open("/proc/sys/kernel/pid_max", "rb", buffering=0) as file:
            return int(file.read())
    except (OSError, ValueError):
        return 1 << 22


class OutsideView:
    """Reads what one kernel does, whose main thread waits by reading the pipe `wake`.

    `own` are the processes between this one and the kernel: those of its sandbox.
    """

    def __init__(
        self, kernel: int, wake: int, reads_calls: bool = True, own: Iterable[int] = ()
    ) -> None:
        self.kernel = kernel
        self._own = frozenset((kernel, *own))
        self._wake = wake
        self._reads_calls = reads_calls
        number = _READ_CALLS.get(os.uname().machine, 3)
        self._read_call = str(number).encode("ascii")

    def waits(self) -> bool | None:
        """Return whether the main thread waits for a command; None if the system hides it."""
        return self.waits_at(self._wake)

    def waits_at(self, pipe: int) -> bool | None:
        """Return whether the main thread waits by reading a pipe, of that number."""
        if not IS_LINUX:
            return True
        call = self._main_call()
        if call is None:
            return None
        fields = call.split()
        is_reading = len(fields) > 1 and fields[0] == self._read_call
        return is_reading and self._is_pipe(int(fields[1], 16), pipe)

    def _main_call(self) -> bytes | None:
        """Return the system call that the main thread is in; None where it may not be read."""
        if not self._reads_calls:
            return None
        try:
            return _read("/proc/%d/task/%d/syscall" % (self.kernel, self.kernel), 256)
        except OSError:
            return None

    def _is_pipe(self, fd: int, pipe: int) -> bool:
        try:
            return os.stat("/proc/%d/fd/%d" % (self.kernel, fd)).st_ino == pipe
        except OSError:
            return False

    def asleep_at(self, pid: int) -> int | None:
        """Return the nanoseconds that a process's main thread has used; None if it runs now.

        None too if that cannot be read, as when code has lowered the limits of this process.
        """
        fields = stat_fields(pid)
        if not fields or fields[_STATE] not in _ASLEEP:
            return None
        return thread_nanoseconds(pid, pid)

    def threads(self) -> dict[int, int]:
        """Return the nanoseconds that each thread of the kernel has used."""
        try:
            names = os.listdir("/proc/%d/task" % self.kernel)
        except OSError:
            return {}
        return {int(name): thread_nanoseconds(self.kernel, int(name)) for name in names}

    def processes(self) -> dict[tuple[int, int], int]:
        """Return the nanoseconds that each other descendant has used, by its id and its start."""
        found: dict[tuple[int, int], int] = {}
        for pid in descendants(os.getpid()):
            fields = stat_fields(pid)
            if pid not in self._own and fields and fields[_STATE] not in "XZ":
                ticks = int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
                found[pid, int(fields[_STARTED])] = ticks * _TICK_NS
        return found


_TICK_NS = 1_000_000_000 // (os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100)


def thread_nanoseconds(pid: int, tid: int) -> int:
    """Return the time that a thread has had on a processor; 0 if it has ended."""
    try:
        return int(_read("/proc/%d/task/%d/schedstat" % (pid, tid), 128).split()[0])
    except (OSError, ValueError, IndexError):
        fields = _fields("/proc/%d/task/%d/stat" % (pid, tid))
        if not fields:
            return 0
        return (int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])) * _TICK_NS


def stat_fields(pid: int) -> list[str]:
    """Return the fields of its stat after the name, which may contain anything; [] if it ended."""
    return _fields("/proc/%d/stat" % pid)


def descendants(root: int) -> set[int]:
    """Return the ids of all that descend from a process, zombies too."""
    found: set[int] = set()
    new = set(children(root))
    while new:
        found |= new
        new = {child for pid in new for child in children(pid)} - found
    return found


def own_group() -> set[int]:
    """Return the ids of all others in this process's group."""
    group, own = str(os.getpgrp()), os.getpid()
    found: set[int] = set()
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != own:
            fields = stat_fields(int(name))
            if fields[_GROUP : _GROUP + 1] == [group] and fields[_STATE] not in "XZ":
                found.add(int(name))
    return found


def children(pid: int) -> Iterable[int]:
    """Return the children of a process: of each of its threads, as the system keeps them."""
    if not IS_LINUX:
        return _listed_children(pid)
    found: list[int] = []
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            found += map(int, _read_all("/proc/%d/task/%s/children" % (pid, thread)).split())
    except FileNotFoundError:
        if not os.path.exists("/proc/self/task/%d/children" % os.getpid()):
            return _scanned_children(pid)
    except OSError:
        pass  # it has just ended
    return found


def _scanned_children(parent: int) -> list[int]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if stat_fields(pid)[_PARENT : _PARENT + 1] == [str(parent)]]


def _listed_children(pid: int) -> list[int]:
    """Return the children as macOS lists them."""
    import ctypes

    try:
        library = ctypes.CDLL("/usr/lib/libproc.dylib")
    except OSError:
        return []
    ids = (ctypes.c_int * 4096)()
    count = library.proc_listchildpids(pid, ids, ctypes.sizeof(ids))
    return list(ids[: max(count, 0)])


def _fields(path: str) -> list[str]:
    try:
        data = _read(path, _STAT_BYTES)
    except OSError:
        return []
    return data.rpartition(b")")[2].decode("ascii", "replace").split()


def _read(path: str, limit: int) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, limit)
    finally:
        os.close(fd)


def _read_all(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()
