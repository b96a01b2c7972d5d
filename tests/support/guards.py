"""What a test must not leave behind: threads, processes, timers, windows, warnings in the log."""

from __future__ import annotations

import gc
import itertools
import logging
import os
import re
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import LIMIT_S, STEP_S

RUN_MARK = "PYTEST_RUN_MARK"
"""An environment variable that every descendant of this run inherits, orphans too."""
FULL_SEARCH_EVERY = 1000
"""After so many tests, garbage is also looked for among what was set aside."""
_KERNEL_THREAD = 0x00200000
_strangers: set[int] = set()
"""Running processes that are known to be none of ours."""
_lasting: set[int] = set()
"""Those of ours that live as long as the run."""
_PROC = Path("/proc")
_TOOLTIP_CLASSES = {"QTipLabel", "QShapedPixmapWidget"}
_tests = itertools.count(1)


class LogGuard(logging.Handler):
    """Collects warnings and worse; a test says beforehand which it expects."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines: list[str] = []
        self._expected: list[re.Pattern[str]] = []
        self._met: set[re.Pattern[str]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.levelname} {record.name}: {record.getMessage()}"
        if record.exc_info:
            line += "\n" + logging.Formatter().formatException(record.exc_info)
        self._lines.append(line)

    def expect(self, pattern: str) -> None:
        """Allow, and ask for, a warning that matches the regular expression."""
        self._expected.append(re.compile(pattern))

    def complaints(self) -> Iterator[str]:
        """Unexpected warnings, then expected ones that never came."""
        for line in self._lines:
            matching = {pattern for pattern in self._expected if pattern.search(line)}
            self._met |= matching
            if not matching:
                yield f"unexpected in the log: {line}"
        for pattern in self._expected:
            if pattern not in self._met:
                yield f"expected in the log but not there: {pattern.pattern}"


@contextmanager
def guarded(uses_qt: bool) -> Generator[LogGuard]:
    """Fail on leaving if the block left something behind."""
    set_aside_what_lasts()
    log = LogGuard()
    logging.getLogger().addHandler(log)
    counts = _Counts(uses_qt)
    try:
        yield log
    finally:
        logging.getLogger().removeHandler(log)
    complaints = [*counts.leaks(), *log.complaints()]
    gc.collect()  # what the test dropped complains here, not in another test
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


_PYTHON_PATH = "PYTHONPATH"


class _Counts:
    """What there was before the test."""

    def __init__(self, uses_qt: bool) -> None:
        self._uses_qt = uses_qt
        self._python_path = os.environ.get(_PYTHON_PATH)
        self._threads = set(threading.enumerate())
        self._processes = set(descendants())
        self._windows = {id(window) for window in live_windows()} if uses_qt else set[int]()

    def leaks(self) -> Iterator[str]:
        """What is there now and was not before, in words; processes are killed."""
        for thread in _persistent(lambda: set(threading.enumerate()) - self._threads):
            yield f"thread left behind: {thread!r}"
        before = self._processes
        left = _persistent(lambda: {pid for pid in descendants() if pid not in before})
        for pid in left:
            yield f"process left behind: {pid} {command_line(pid)}"
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if (found := os.environ.pop(_PYTHON_PATH, None)) != self._python_path:
            yield f"{_PYTHON_PATH} left behind, which processes of other tests would have: {found}"
        if self._python_path is not None:
            os.environ[_PYTHON_PATH] = self._python_path
        if self._uses_qt:
            yield from self._qt_leaks()

    def _qt_leaks(self) -> Iterator[str]:
        if live_timers() or self._new_windows():
            gc.collect()
            _run_deferred_deletes()
        for timer in live_timers():
            yield f"running timer left behind: {timer!r} of {timer.parent()!r}"
        for window in self._new_windows():
            yield f"window left behind: {window!r}"

    def _new_windows(self) -> list[Any]:
        return [window for window in live_windows() if id(window) not in self._windows]


def _persistent(look: Callable[[], set[Any]]) -> Iterable[Any]:
    """What is still there after a moment in which it may end by itself."""
    deadline = time.monotonic() + LIMIT_S
    while found := look():
        if time.monotonic() > deadline:
            return found
        time.sleep(STEP_S)
    return ()


def set_aside_what_lasts() -> None:
    """Keep what was there before a test out of the searches for garbage and for timers.

    They then take as long as the test has made objects, not as long as the run is old.
    """
    if next(_tests) % FULL_SEARCH_EVERY == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()


def mark_descendants() -> None:
    """Give this process's future children a mark by which `descendants` finds even orphans."""
    os.environ[RUN_MARK] = uuid.uuid4().hex
    _strangers.clear()


def keep_process(pid: int) -> None:
    """Let a process live as long as the run; `descendants` passes over it."""
    _lasting.add(pid)


def descendants() -> Iterator[int]:
    """Children of this process, and every process that carries the run's mark (Linux only)."""
    if not _PROC.is_dir():
        return
    mark = f"{RUN_MARK}={os.environ.get(RUN_MARK, '')}".encode()
    running = {int(name) for name in os.listdir(_PROC) if name.isdigit()} - _lasting - {os.getpid()}
    _strangers.intersection_update(running)
    for pid in running - _strangers:
        with suppress(OSError):
            if _parent(pid) == os.getpid() or mark in _environment(pid):
                yield pid
            else:
                _strangers.add(pid)


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _environment(pid: int) -> bytes:
    """What it was started with; empty for a thread of the system's and for what has ended."""
    deadline = time.monotonic() + LIMIT_S
    while not _has_none(pid):
        is_loaded = bool(_read(pid, "cmdline"))  # a program that is being loaded has neither yet
        if (environment := _read(pid, "environ")) or is_loaded or time.monotonic() > deadline:
            return environment
        time.sleep(0.001)
    return b""


def _has_none(pid: int) -> bool:
    stat = _stat(pid)
    return stat[0] in b"ZX" or bool(int(stat[6]) & _KERNEL_THREAD)


def _stat(pid: int) -> list[bytes]:
    # pid (any name) state ppid pgrp session tty tpgid flags …
    return _read(pid, "stat").rpartition(b")")[2].split()


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
        return file.read()


def command_line(pid: int) -> str:
    """How the process was started, as far as can be seen."""
    with suppress(OSError):
        words = _read(pid, "cmdline").split(b"\0")
        return b" ".join(words).decode(errors="replace")[:300] or "(ended, not reaped)"
    return "(gone)"


def live_timers() -> list[Any]:
    """Return the running QTimers that Python made since `set_aside_what_lasts`."""
    core = sys.modules.get("PySide6.QtCore")
    if core is None:
        return []
    import shiboken6

    things = gc.get_objects()
    # There are few types among very many things.
    types = {kind for kind in set(map(type, things)) if issubclass(kind, core.QTimer)}
    timers = [thing for thing in things if type(thing) in types] if types else []
    return [timer for timer in timers if shiboken6.isValid(timer) and timer.isActive()]


def live_windows() -> list[Any]:
    """Top-level widgets without an owner."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is None:
        return []
    return [
        window
        for window in widgets.QApplication.topLevelWidgets()
        if window.parent() is None and window.metaObject().className() not in _TOOLTIP_CLASSES
    ]


def _run_deferred_deletes() -> None:
    core = sys.modules["PySide6.QtCore"]
    core.QCoreApplication.sendPostedEvents(None, core.QEvent.Type.DeferredDelete.value)
