"""Read from /proc (Linux only) the descendants and memory of processes, and what a run has left.

The limits of a run are watched here, too, and the workers that are asked by pipes.

A stop may end the code before any signal is sent, and a process in the background ignores SIGINT.
Processes of earlier runs, such as a server that was started on purpose, are left alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct

from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import RunLimits
from playhead.supervisor.outside_view import is_later, most_pids

if sys.platform == "win32":
    import ctypes

_log = logging.getLogger(__name__)
_PROC = Path("/proc")
_SMALL_BYTES = 4096
_PARENT = 1
"""Places in /proc/PID/stat, counted from after the process's name."""


def fields_of(pid: int) -> list[str]:
    """Return the fields of its stat after the name, which may contain anything; [] if it ended."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].decode("ascii", "replace").split()


def _read(path: str) -> bytes:
    """Return what a small file of the system has; b"" if it is not there."""
    try:
        # Not by a file object: all processes are read while a stop waits for them.
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(fd, _SMALL_BYTES)
    except OSError:
        return b""
    finally:
        os.close(fd)


def all_processes() -> dict[int, list[str]]:
    """Return the fields of each process of the system, by its id."""
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdigit()]
    except OSError:
        return {}
    known = {pid: fields for pid in pids if (fields := fields_of(pid))}
    for pid, fields in known.items():
        if int(fields[_PARENT]) not in known:  # it ended while we read: they have another now
            known[pid] = fields_of(pid) or fields
    return known


def descendants(root: int, known: Mapping[int, list[str]] | None = None) -> set[int]:
    """Return all processes below one; below a supervisor nothing can leave that tree."""
    known = all_processes() if known is None else known
    children: dict[int, list[int]] = {}
    for pid, fields in known.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    found: set[int] = set()
    waiting = [root]
    while waiting:
        new = set(children.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def child_inside(parent: int, pid: int) -> int:
    """Return the child whose id in its own namespace is `pid`; 0 without one."""
    for child, fields in all_processes().items():
        if int(fields[_PARENT]) == parent and _innermost_pid(child) == pid:
            return child
    return 0


def _innermost_pid(pid: int) -> int:
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), "0")
    return int(line.split()[-1])


def newest_pid() -> int:
    """Return the process id that was assigned last; 0 if the system does not report it."""
    try:
        return int(_read("/proc/loadavg").split()[-1])
    except (ValueError, IndexError):
        return 0


def resident_bytes(pid: int) -> int | None:
    """Return the memory of a process in bytes, if the system reports it."""
    try:
        pages = int(_read(f"/proc/{pid}/statm").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def family_bytes(supervisor: int, limit: int) -> int:
    """Return the memory of all that a supervisor supervises in bytes.

    Pages that they share (a fork shares all at first) are counted once, but counting them is slow:
    it is done only if the plain sum is over the limit.
    """
    members = descendants(supervisor)
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


_HOLD_LIMIT_S, _HOLD_PAUSE_S = 0.5, 0.001


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


def started_since(supervisor: int, began: RunStart) -> list[Leftover]:
    """Return the processes below a supervisor that have been started since then, and still run."""
    if not began.ticks:
        return []
    known = all_processes()
    found = [
        Leftover(pid, int(known[pid][_STARTED]))
        for pid in descendants(supervisor, known)
        if known[pid][_STATE] not in "ZX"
    ]
    start, pids = (began.ticks, began.newest_pid), most_pids()
    return [item for item in found if is_later(item.started, item.pid, start, pids)]


def parent_of(pid: int) -> int:
    """Return the parent of a process; 0 if it has ended."""
    fields = fields_of(pid)
    return int(fields[_PARENT]) if fields else 0


def still_alive(leftovers: Iterable[Leftover]) -> list[Leftover]:
    """Return the processes that still run and are the same ones."""
    return [item for item in leftovers if _is_alive(item)]


def send_signal(leftovers: Iterable[Leftover], number: signal.Signals) -> None:
    """Signal those that still are what they were."""
    for item in still_alive(leftovers):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(item.pid, number)


def hold_below(supervisors: Iterable[int]) -> list[Leftover]:
    """Stop all processes below these, until SIGCONT; return those that were not stopped before."""
    roots, held = list(supervisors), set[Leftover]()
    end = time.monotonic() + _HOLD_LIMIT_S
    while time.monotonic() < end:  # each look finds what was started during the one before
        known = all_processes()
        running = {
            Leftover(pid, int(known[pid][_STARTED]))
            for root in roots
            for pid in descendants(root, known)
            if known[pid][_STATE] not in "TtZX"
        }
        if not running:
            break
        send_signal(running - held, signal.SIGSTOP)
        held |= running
        time.sleep(_HOLD_PAUSE_S)
    return list(held)


def _is_alive(item: Leftover) -> bool:
    fields = fields_of(item.pid)
    return bool(fields) and fields[_STATE] not in "ZX" and int(fields[_STARTED]) == item.started


_MEMORY_PERIOD_S = 0.2


class LimitWatch:
    """Owner of one run's clocks; `on_exceeded(end)` is called once, with the limit."""

    def __init__(self, limits: RunLimits, root: int, on_exceeded: Callable[[RunEnd], None]) -> None:
        self._limits = limits
        self._root = root
        self._on_exceeded = on_exceeded
        self._timer: asyncio.TimerHandle | None = None
        self._left_s = limits.seconds
        self._memory: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin with the run."""
        loop = asyncio.get_running_loop()
        self.count_time(is_on=True)
        if self._limits.memory_bytes > 0:
            self._memory = loop.create_task(self._watch_memory(), name="memory of a run")

    def count_time(self, *, is_on: bool) -> None:
        """Let the time pass, or stand still while the run is paused."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._left_s = self._timer.when() - loop.time()
            self._timer.cancel()
            self._timer = None
        if is_on and self._limits.seconds > 0:
            self._timer = loop.call_later(max(0.0, self._left_s), self._on_time)

    def stop(self) -> None:
        """Stop the limits: the run is over, or is being stopped."""
        if self._timer is not None:
            self._timer.cancel()
        if self._memory is not None and self._memory is not asyncio.current_task():
            self._memory.cancel()

    def _on_time(self) -> None:
        self._exceed(RunEnd(kind="time_limit", limit=self._limits.seconds))

    async def _watch_memory(self) -> None:
        limit = self._limits.memory_bytes
        while True:
            if await asyncio.to_thread(family_bytes, self._root, limit) > limit:
                break
            await asyncio.sleep(_MEMORY_PERIOD_S)
        self._exceed(RunEnd(kind="memory_limit", limit=limit))

    def _exceed(self, end: RunEnd) -> None:
        self.stop()
        self._on_exceeded(end)


_Answer = TypeVar("_Answer")
_CLOSE_S = 2.0


class PipeWorker(Generic[_Answer]):
    """Owner of a child process that answers numbered questions, by lines on its pipes.

    It is started when it is first asked, and again when it has ended, but only `most_starts` times
    in a row without any answer (0: always). `options` are those of its start. `read` returns the
    number and the answer of a line, None for one to be dropped; ValueError ends the process.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        options: Callable[[], dict[str, Any]],
        read: Callable[[bytes], tuple[int, _Answer] | None],
        most_starts: int = 0,
    ) -> None:
        self._name = name
        self._command = tuple(command)
        self._options = options
        self._read = read
        self._most_starts = most_starts
        self._starts = 0
        self._starting = asyncio.Lock()
        self._process: Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[_Answer | None]] = {}
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """Return the process id, if there is a process."""
        has_ended = self._reader is None or self._reader.done()
        return None if self._process is None or has_ended else self._process.pid

    @property
    def waiting(self) -> Collection[int]:
        """Return the numbers of the questions that it has not answered."""
        return self._waiting.keys()

    async def ask(
        self,
        number: int,
        line: bytes,
        limits_s: Sequence[float],
        is_held_up: Callable[[], bool] = lambda: False,
    ) -> _Answer | None:
        """Return the answer; None if there is no process, or it ended, or was killed as it hung.

        It hangs at the last limit, and at an earlier one if another question holds this one up.
        """
        process = await self._running()
        if process is None or process.stdin is None or self._reader is None:
            return None
        reader = self._reader
        answer: asyncio.Future[_Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        process.stdin.write(line)  # not drained: one that hangs may not read, either
        for limit_s in limits_s:
            done, _ = await asyncio.wait([answer], timeout=limit_s)
            if done:
                break
            is_last = limit_s == limits_s[-1]
            if is_last or is_held_up():
                level = logging.WARNING if is_last else logging.INFO
                _log.log(level, "The %s %d hangs and is killed", self._name, process.pid)
                _kill(process)
                await asyncio.wait([reader])
        return answer.result()

    async def close(self) -> None:
        """End it, for good."""
        self._is_closed = True
        async with self._starting:
            await self._end()

    async def _running(self) -> Process | None:
        async with self._starting:
            if self._reader is not None and self._reader.done():
                await self._end()
            is_wanted = self._starts < self._most_starts or not self._most_starts
            if self._process is None and not self._is_closed and is_wanted:
                self._starts += 1
                await self._start()
            return self._process

    async def _start(self) -> None:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, **self._options()
            )
        except OSError as error:
            _log.info("The %s could not be started: %s", self._name, error)
            return
        self._reader = asyncio.create_task(self._read_lines(self._process), name=self._name)

    async def _end(self) -> None:
        """End the process: by the end of its stdin, else by force."""
        process, reader = self._process, self._reader
        self._process = self._reader = None
        if process is None or reader is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        limit_s = 0 if reader.done() else _CLOSE_S  # it may live without its stdout
        try:
            await asyncio.wait_for(process.wait(), limit_s)
        except TimeoutError:
            _kill(process)
            await process.wait()
        await asyncio.wait([reader])

    async def _read_lines(self, process: Process) -> None:
        stdout = process.stdout
        assert stdout is not None  # noqa: S101 - it was started with a pipe
        try:
            while line := await stdout.readline():
                self._settle(self._read(line))
        except ValueError as error:
            _log.info("The %s %d wrote what cannot be read: %s", self._name, process.pid, error)
            _kill(process)
        finally:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_result(None)
            self._waiting.clear()

    def _settle(self, found: tuple[int, _Answer] | None) -> None:
        if found is None:
            return
        self._starts = 0
        waiting = self._waiting.pop(found[0], None)
        if waiting is not None and not waiting.done():
            waiting.set_result(found[1])


def _kill(process: Process) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # Not Process.kill, which takes the exit status of one that has just ended from asyncio.
    with suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)


class JobObject:
    """Holds a process and all that it starts from now on, where there is no supervisor (Windows).

    The system ends them when this program ends, and so its handle. Written after Microsoft's
    documentation of job objects, and not run yet.
    """

    _LIMITS, _KILL_ON_CLOSE = 9, 0x2000
    """JobObjectExtendedLimitInformation, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE"""
    _QUOTA_AND_TERMINATE = 0x0101
    _SIZE, _FLAGS_AT = (144, 16) if sys.maxsize > 2**32 else (112, 16)
    """Of JOBOBJECT_EXTENDED_LIMIT_INFORMATION, and where its LimitFlags are."""

    def __init__(self) -> None:
        self._job: Any = None

    def take(self, pid: int) -> None:
        """Take a process that has just been started."""
        if sys.platform != "win32":
            return
        system = ctypes.WinDLL("kernel32")
        for call in (system.CreateJobObjectW, system.OpenProcess):
            call.restype = ctypes.c_void_p
        self._job = ctypes.c_void_p(system.CreateJobObjectW(None, None))
        limits = ctypes.create_string_buffer(self._SIZE)
        limits[self._FLAGS_AT : self._FLAGS_AT + 4] = self._KILL_ON_CLOSE.to_bytes(4, "little")
        system.SetInformationJobObject(self._job, self._LIMITS, limits, self._SIZE)
        process = ctypes.c_void_p(system.OpenProcess(self._QUOTA_AND_TERMINATE, False, pid))
        system.AssignProcessToJobObject(self._job, process)
        system.CloseHandle(process)

    def end(self) -> None:
        """End all of them."""
        if sys.platform == "win32" and self._job is not None:
            ctypes.WinDLL("kernel32").TerminateJobObject(self._job, 1)
            ctypes.WinDLL("kernel32").CloseHandle(self._job)
            self._job = None
