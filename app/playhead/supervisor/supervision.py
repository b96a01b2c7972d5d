"""Fork the kernel's process and become its supervisor: reap, look, report, and end everything.

The supervisor sleeps until the app sends a line, a descendant ends, or something is to be looked at
again. It holds neither the kernel's input nor its output. As a subreaper it becomes the parent of
all that detaches itself, so that nothing below it is ever lost (Linux); on macOS, what has left its
group and its parent is. Windows has no fork: there the kernel is started alone.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import select
import signal
import struct
import sys
import time

from . import outside_view, protocol
from .outside_view import IS_LINUX, OutsideView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .sandbox_start import OwnSpace, SandboxStart

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36


def begin(sandbox: SandboxStart | None = None) -> tuple[int, int] | None:
    """Fork, and return in the child, which is the kernel: the pipe by which it is woken.

    The parent never returns. Without a descriptor from the app nothing is forked: None.
    With a sandbox the child is there already, and the kernel is found below it.
    """
    value = os.environ.pop(protocol.CONTROL, "")
    if not value.isdigit() or not hasattr(os, "fork"):
        return None
    control = int(value)
    os.set_inheritable(control, False)
    wake = os.pipe() if sandbox is None else sandbox.wake
    supervisor = os.getpid()
    # Before the fork: what the kernel starts must find it so. Other processes of the user's cannot
    # trace a process that is not dumpable, or open its descriptors.
    _control_process(_PR_SET_CHILD_SUBREAPER, 1)
    _control_process(_PR_SET_DUMPABLE, 0)
    kernel = os.fork() if sandbox is None else sandbox.child
    if kernel:
        _supervise(control, kernel, wake, sandbox)
    _control_process(_PR_SET_DUMPABLE, 1)  # its main thread is to be seen
    _control_process(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)
    os.setsid()
    inodes = {"pipe": os.fstat(1).st_ino, "wake": os.fstat(wake[0]).st_ino}
    os.write(control, protocol.encode("started", pid=os.getpid(), **inodes))
    os.close(control)
    for name in [name for name in sys.modules if name.startswith("_playhead_supervisor")]:
        del sys.modules[name]
    return wake


def _control_process(option: int, value: int) -> None:
    """Call prctl, where there is one; a Python without ctypes does without."""
    if not IS_LINUX:
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return


def _supervise(
    control: int, child: int, wake: tuple[int, int], sandbox: SandboxStart | None
) -> None:
    try:
        output = os.fstat(1).st_ino
        _let_go(wake[1] if sandbox is None else -1)
        inodes = {"pipe": output, "wake": os.fstat(wake[0]).st_ino}
        waker = -1 if sandbox is None else wake[1]
        found = [child] if sandbox is None else sandbox.find_kernel(outside_view.children)
        space = None if sandbox is None else sandbox.space
        supervision = Supervision(control, child, found, inodes["wake"], waker, space)
        if sandbox is not None and sandbox.has_kernel(found):
            supervision.say_started(pid=found[-1], **inodes)
        try:
            status = supervision.serve()
        finally:  # whatever was done to this process, nothing may be left
            supervision.end_all()
        _end_as(status)
    finally:
        os._exit(1)


def _let_go(waker: int) -> None:
    """Drop the kernel's descriptors, and take no signal that is meant for it."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    if waker >= 0:
        os.close(waker)  # the other end only keeps the pipe's number from being given again
    for number in signal.valid_signals() - {signal.SIGCHLD, signal.SIGCONT}:
        with contextlib.suppress(OSError, ValueError):  # SIGKILL, SIGSTOP, those of the C library
            signal.signal(number, signal.SIG_IGN)
    # If it has been stopped when the app ends, it has to see that.
    _control_process(_PR_SET_PDEATHSIG, signal.SIGCONT)
    os.chdir("/")


def _end_as(status: int) -> None:
    """End in the way in which the kernel has ended: the app takes our end for its end."""
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


_QUICK_LOOKS, _QUICK_PAUSE_S = 8, 0.0001
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.001, 0.1
_AT_ONCE_S = 0.03
"""Until then a main thread that has just ended a block may well be on its way to the wait."""
_SLEEP_S, _PROGRAM_SLEEP_S = 0.01, 0.001


class Look:
    """One question: does the main thread wait? It is looked at again, ever less often."""

    def __init__(self, view: OutsideView, number: int, also: int) -> None:
        self.number = number
        self.has_said_runs = False
        self.next_at = 0.0
        self._view = view
        self._also = also
        self._began = time.monotonic()
        self._pause_s = _FIRST_PAUSE_S
        self._asleep: dict[int, tuple[float, int]] = {}

    @property
    def is_late(self) -> bool:
        """Return whether it would have been seen by now if the block were over."""
        return time.monotonic() - self._began > _AT_ONCE_S

    def is_at_rest(self) -> bool:
        """Return whether it waits now, or a moment later, and the language's program sleeps."""
        for _ in range(_QUICK_LOOKS):
            if self._rests():
                return True
            if self.has_said_runs:
                break
            time.sleep(_QUICK_PAUSE_S)
        self.next_at = time.monotonic() + self._pause_s
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        return False

    def _rests(self) -> bool:
        waits = self._view.waits()
        if waits is None:
            waits = self._has_slept(self._view.kernel, _SLEEP_S)
        return waits and (not self._also or self._has_slept(self._also, _PROGRAM_SLEEP_S))

    def _has_slept(self, pid: int, seconds: float) -> bool:
        """Return whether its main thread has slept for so long, without any time in between."""
        used, now = self._view.asleep_at(pid), time.monotonic()
        if used is None:
            self._asleep.pop(pid, None)
            return False
        since, before = self._asleep.get(pid, (now, -1))
        if used != before:
            self._asleep[pid] = now, used
            return False
        return now - since >= seconds


_SAMPLE_S, _LONGEST_SAMPLE_S = 0.5, 5.0
_LEAST_SHARE = 0.02
_OWN_THREADS = 2
"""The main thread of a kernel and the one that reads its commands."""
_SETTLING_SAMPLES = 3


class Computing:
    """Finds the threads and processes that compute in two windows of time, one after the other.

    Threads that wait for work, as of a pool, take no time and do not count.
    """

    def __init__(self, view: OutsideView) -> None:
        self._view = view
        self.next_at: float | None = None
        self._period_s = _SAMPLE_S
        self._count = 0
        self._at = 0.0
        self._used: dict[tuple[int, int], int] = {}
        self._once: set[tuple[int, int]] = set()
        self.found: set[tuple[int, int]] = set()

    def begin(self) -> None:
        """Look from now on."""
        self._used, self._once, self.found, self._count = {}, set(), set(), 0
        self._period_s = _SAMPLE_S
        self.next_at = time.monotonic()

    def end(self) -> None:
        """Look no more."""
        self.next_at = None
        self.found = set()

    def sample(self, processes: dict[tuple[int, int], int]) -> None:
        """Compare with the last sample; stop where there is nothing but the kernel itself."""
        now = time.monotonic()
        threads = {(0, tid): used for tid, used in self._view.threads().items()}
        used = {**threads, **processes}
        least = (now - self._at) * 1e9 * _LEAST_SHARE
        busy = {key for key in used if used[key] - self._used.get(key, used[key]) >= least}
        self.found, self._once = busy & self._once, busy
        self._used, self._at = used, now
        self._count += 1
        has_others = len(threads) > _OWN_THREADS or processes
        if not busy and self._count > _SETTLING_SAMPLES:
            self._period_s = min(self._period_s * 2, _LONGEST_SAMPLE_S)
        is_settled = self._count > _SETTLING_SAMPLES and not busy and not has_others
        self.next_at = None if is_settled else now + self._period_s


_RUN_PERIOD_S = 1.0
_ASKED = ("give", "seen")
_END_LIMIT_S, _CLEAR_LIMIT_S = 3.0, 0.5
_END_PAUSE_S = 0.002


class Supervision:
    """Owner of the loop; `serve` returns the status with which the kernel has ended."""

    def __init__(
        self,
        control: int,
        child: int,
        chain: Sequence[int],
        wake: int,
        waker: int = -1,
        space: OwnSpace | None = None,
    ) -> None:
        self._control = control
        self._child = child
        self._is_inside = len(chain) > 1
        self._is_sandboxed = waker >= 0
        self._waker = waker
        self._kernel = chain[-1]
        self._space = space
        self._is_network_used = False
        self._signs = None if space is None else _watched(space.signs)
        helpers = () if space is None else space.processes
        self._view = OutsideView(self._kernel, wake, own=(*chain[:-1], *helpers))
        self._from_gate = protocol.LineReader()
        self._lines = protocol.LineReader()
        self._status: int | None = None
        self._is_wanted = True
        self._look: Look | None = None
        self._edge = 0
        self._computing = Computing(self._view)
        self._family_at: float | None = None
        self._sent_family: list[tuple[int, int]] = []
        self._sent_left: dict[str, Any] = {}

    def say_started(self, **fields: int) -> None:
        """Report the kernel to the app, with the descriptor of the network's signs."""
        steps = [] if self._space is None else self._space.steps
        signs = [] if self._signs is None else [self._signs.fileno()]
        line = _socket.socket(fileno=os.dup(self._control))
        given = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", one)) for one in signs]
        line.sendmsg([protocol.encode("started", steps=steps, **fields)], given)
        line.close()

    def serve(self) -> int:
        """Run until the kernel or the app has ended."""
        woken, waking = os.pipe()
        for fd in (woken, waking):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        poll = select.poll()
        poll.register(woken, select.POLLIN)
        poll.register(self._control, select.POLLIN)
        gate, used = -1, -1
        if self._space is not None:
            gate, used = self._space.line.fileno(), self._space.woken
            poll.register(gate, select.POLLIN)
            poll.register(used, select.POLLIN)
        while self._reap() and self._status is None and self._is_wanted:
            for fd, _ in poll.poll(self._pause_ms()):
                if fd == woken:
                    os.read(woken, 4096)
                elif fd == used:
                    poll.unregister(used)
                    self._on_network_used()
                elif fd == gate:
                    if not self._read_gate():
                        poll.unregister(gate)
                else:
                    self._read()
            self._on_time()
        return 0 if self._status is None else self._status

    def _pause_ms(self) -> float | None:
        times = [self._family_at, self._computing.next_at]
        if self._look is not None:
            times.append(self._look.next_at)
        known = [at for at in times if at is not None]
        return max(0.0, (min(known) - time.monotonic()) * 1000) if known else None

    def _reap(self) -> bool:
        """Take the ends of all children that have ended; return whether there are others."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            if pid == self._child:
                self._status = _signalled(status) if self._is_inside else status

    def _read(self) -> None:
        try:
            data = os.read(self._control, 65536)
        except OSError:
            data = b""
        self._is_wanted = bool(data)
        for command in self._lines.feed(data):
            self._take(command)

    def _take(self, command: dict[str, Any]) -> None:
        kind = command["t"]
        if kind == "look":
            self._look = Look(self._view, command["look"], command["also"])
            self._answer(self._look)
        elif kind == "run":
            self._edge = command["edge"]
            self._computing.end()
            self._sent_left = {}
            self._family_at = time.monotonic() + _RUN_PERIOD_S
        elif kind == "rest":
            self._edge = command["edge"]
            self._family_at = None
            self._computing.begin()
        elif kind == "clear":
            self._clear((command["since"][0], command["since"][1]), command["spare"])
        elif kind == "begin" and self._is_sandboxed:
            os.write(self._waker, b"b")
        elif kind in _ASKED:
            self._answer_asked(command)
        elif kind == "end":
            self._is_wanted = False

    def _answer_asked(self, command: dict[str, Any]) -> None:
        """Do what was asked for, and answer; the catcher answers where the network is used."""
        space, ask = self._space, command["ask"]
        try:
            if space is None:
                raise OSError(0, "the supervisor has no namespaces of its own")
            if command["t"] == "give":
                space.mounts.give(command["mounts"])
                space.names |= {name: command[name] for name in ("network", "hosts")}
                if not space.signs and command["network"] != "off":
                    raise OSError(0, "the network is shut, since its gate has ended")
            is_tried = space.signs and self._signs is not None and self._signs.poll(0)
            if space.signs and self._is_network_used and command["t"] == "give":
                space.send("names", ask, **space.names)
            elif is_tried and command["t"] == "seen":
                self._on_network_used()
                space.send("seen", ask)
            else:
                self._send("answer", ask=ask, problem="")
        except OSError as error:
            where = "%s: " % error.filename if error.filename else ""
            self._send("answer", ask=ask, problem=where + (error.strerror or ""))

    def _on_network_used(self) -> None:
        """Give the gate the names that may be reached: it and the catcher load now."""
        if self._space is not None and not self._is_network_used:
            self._is_network_used = True
            with contextlib.suppress(OSError):  # it has ended: that is read, too
                self._space.send("names", 0, **self._space.names)

    def _read_gate(self) -> bool:
        """Take what the gate and the catcher say; return whether there will be more."""
        space = self._space
        try:
            data = b"" if space is None else space.line.recv(65536, _socket.MSG_DONTWAIT)
        except BlockingIOError:  # it has been taken already
            return True
        except OSError:
            data = b""
        for report in self._from_gate.feed(data):
            if report["t"] == "refused":
                self._send("refused", places=report["places"])
            elif report["ask"]:
                self._send("answer", ask=report["ask"], problem="")
        if not data and space is not None:
            space.shut()
            self._send("shut")
        return bool(data)

    def _answer(self, look: Look) -> None:
        if look.is_at_rest():
            self._look = None
            self._send("rests", look=look.number)
        elif look.is_late and not look.has_said_runs:
            look.has_said_runs = True
            self._send("runs", look=look.number)

    def _on_time(self) -> None:
        now = time.monotonic()
        if self._look is not None and now >= self._look.next_at:
            self._answer(self._look)
        if self._family_at is not None and now >= self._family_at:
            self._family_at = now + _RUN_PERIOD_S
            self._report_family(self._view.processes())
        if self._computing.next_at is not None and now >= self._computing.next_at:
            processes = self._view.processes()
            self._computing.sample(processes)
            self._report_family(processes)
            self._report_left(self._computing.found)

    def _report_family(self, processes: dict[tuple[int, int], int]) -> None:
        family = sorted(processes)
        if family != self._sent_family:
            self._sent_family = family
            self._send("family", pids=family)

    def _report_left(self, found: set[tuple[int, int]]) -> None:
        threads = [tid for pid, tid in found if not pid and tid != self._kernel]
        left: dict[str, Any] = {
            "edge": self._edge,
            "main": (0, self._kernel) in found,
            "threads": len(threads),
            "processes": sorted(pid for pid, _ in found if pid),
        }
        if found or self._sent_left:
            self._sent_left = left if found else {}
            self._send("left", **left)

    def _send(self, kind: str, **fields: Any) -> None:
        with contextlib.suppress(OSError):  # the app has gone: that is read, too
            os.write(self._control, protocol.encode(kind, **fields))

    def end_all(self) -> None:
        """Kill all descendants, and report that."""
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource  # code may have lowered our limits

            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        if not IS_LINUX:
            _send_signal(-self._kernel, signal.SIGKILL)
        if self._is_sandboxed:  # who was killed while it made one has left a child to the system
            for pid in outside_view.own_group():
                _send_signal(pid, signal.SIGKILL)
        self._kill_until_gone(lambda: outside_view.descendants(os.getpid()), _END_LIMIT_S)
        if self._space is not None:
            with contextlib.suppress(OSError):
                self._space.mounts.give([])  # their empty places, too
        self._send("ended")

    def _clear(self, since: tuple[int, int], spared: list[int]) -> None:
        """Kill what has been started since then."""

        def started() -> set[int]:
            known = self._view.processes()
            is_later = outside_view.is_later
            return {
                pid
                for pid, at in known
                if is_later(at, pid, since, most_pids) and pid not in spared
            }

        most_pids = outside_view.most_pids()
        self._kill_until_gone(started, _CLEAR_LIMIT_S)
        self._send("cleared")

    def _kill_until_gone(self, find: Callable[[], set[int]], limit_s: float) -> None:
        """Kill processes; all are stopped first, so that none of them starts another meanwhile."""
        deadline = time.monotonic() + limit_s
        stopped: set[int] = set()
        spared: set[int] = set()  # other users' processes
        while self._reap() and time.monotonic() < deadline:
            found = find() - spared
            if not found:
                return
            new = found - stopped
            number = signal.SIGSTOP if new else signal.SIGKILL
            spared |= {pid for pid in new or found if not _send_signal(pid, number)}
            stopped |= found
            if not new:
                time.sleep(_END_PAUSE_S)


def _watched(signs: Sequence[int]) -> select.epoll:
    """Return what can be read as soon as one of these can be."""
    watched = select.epoll()
    for sign in signs:
        watched.register(sign, select.EPOLLIN)
    return watched


def _signalled(status: int) -> int:
    """Return the status of a kernel in a sandbox: a signal comes as 128 and its number."""
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
    return code - 128 if 128 < code <= 128 + 64 else status


def _send_signal(pid: int, number: int) -> bool:
    """Send a signal; return whether that is allowed."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True
