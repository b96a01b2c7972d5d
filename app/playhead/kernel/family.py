"""Find and end all processes that a kernel has started, even if they left its group and session.

A child that takes a session of its own, or that forks and lets its parent end, is in no group and
under no parent any more. On Linux it keeps two marks: a variable in the environment, which programs
inherit, and for a fork that never started a program the address where the system has put its
arguments, which is random for each program. Not found is a process that empties its
environment and detaches itself (`env -i setsid …`), what a service starts on request (docker,
systemd-run, at), and everything outside of the group where there is no /proc (macOS).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

VARIABLE = "PLAYHEAD_KERNEL_ID"
_ROUNDS = 50
_PAUSE_S = 0.05
_ARGUMENTS, _ENVIRONMENT = 45, 47
"""Places in /proc/PID/stat, counted from after the process's name."""
_FIXED_ADDRESSES = 0x0040000


def mark() -> str:
    """Return the entry in the environment of all that this process starts; "" without a watcher."""
    value = os.environ.get(VARIABLE)
    return f"{VARIABLE}={value}" if value else ""


class Family:
    """The marks of one kernel's processes."""

    def __init__(self, mark: bytes, place: tuple[str, str] | None) -> None:
        self._mark = mark
        self._place = place

    @classmethod
    def of_this_process(cls) -> Family:
        """Mark this process; what it starts from now on belongs to it."""
        value = os.urandom(16).hex()
        os.environ[VARIABLE] = value
        place = _place(os.getpid()) if _are_addresses_random() else None
        return cls(f"{VARIABLE}={value}".encode("ascii"), place)

    def members(self) -> list[int]:
        """Return the ids of the current processes, without this one."""
        try:
            names = os.listdir("/proc")
        except OSError:
            return []
        own = os.getpid()
        pids = [int(name) for name in names if name.isdigit() and int(name) != own]
        return [pid for pid in pids if self._has(pid)]

    def end(self) -> None:
        """Kill them, and those that they start meanwhile.

        A process that becomes another program just then has no mark for a moment: they have all
        ended when none is found twice.
        """
        is_sure = False
        for _ in range(_ROUNDS):
            found = self.members()
            if not found and is_sure:
                return
            is_sure = not found
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    continue  # gone, or another user's
            time.sleep(_PAUSE_S)  # on a busy machine what was killed takes a moment to go

    def _has(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if self._mark in file.read().split(b"\0"):
                    return True
        except OSError:
            return False
        return self._place is not None and _place(pid) == self._place


def _place(pid: int) -> tuple[str, str] | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].decode("ascii").split()
        place = fields[_ARGUMENTS], fields[_ENVIRONMENT]
    except (OSError, IndexError, ValueError):
        return None
    return None if "0" in place else place


def _are_addresses_random() -> bool:
    """Return whether programs get random addresses, which differ from each other."""
    try:
        with open("/proc/sys/kernel/randomize_va_space", encoding="ascii") as file:
            is_on = file.read().strip() != "0"
        with open("/proc/self/personality", encoding="ascii") as file:
            return is_on and not int(file.read(), 16) & _FIXED_ADDRESSES
    except (OSError, ValueError):
        return False


_PR_SET_PDEATHSIG = 1


def end_group() -> None:
    """Kill this process with all that it started in its own group."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def exit_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends.

    The one guard that works while C code holds the interpreter's lock; it is not inherited.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        return  # a Python without ctypes: the watcher and the command reader remain


def start_watcher() -> None:
    """Fork a process that ends everything as soon as the other end of stdin is closed.

    It covers what the other guards cannot: children of a kernel that has been killed, also with a
    session of their own. Forked twice, so that `os.wait()` of user code never sees it, and in a
    session of its own, so that a signal to the group does not end it; before any thread starts.
    """
    if not hasattr(os, "fork") or os.getpgrp() != os.getpid():
        return
    family = Family.of_this_process()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        group = os.getpgrp()
        if os.fork() == 0:
            os.setsid()
            _watch(group, family)
    finally:
        os._exit(0)


def _watch(group: int, family: Family) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for fd in (1, 2):
        os.close(fd)  # else the output would never end
    poll = select.poll()
    poll.register(0, 0)  # no events: only the hang-up wakes it, no command is read
    poll.poll()
    with contextlib.suppress(ProcessLookupError):  # the rest may still be there
        os.killpg(group, signal.SIGKILL)
    family.end()
