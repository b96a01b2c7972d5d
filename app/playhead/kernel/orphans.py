"""Sees to it that a kernel and its children end when their parent does, however it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys

from .family import Family

_PR_SET_PDEATHSIG = 1


def end_group() -> None:
    """Kill this process with all that it started in its own group."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def die_with_parent() -> None:
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
    """Fork a process that ends everything as soon as nobody holds the other end of stdin.

    It covers what the other guards cannot: children of a kernel that has been killed, those with a
    session of their own included. Forked twice, so that `os.wait()` of user code never sees it, and
    in a session of its own, so that what kills the group leaves it; before any thread is started.
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
