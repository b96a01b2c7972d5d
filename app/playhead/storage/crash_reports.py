"""Crash reports: a file for each, on this computer alone, until the user deletes it.

A report holds types and places, without keys or text of the user.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import re
import signal
import sys
import traceback
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from playhead import __version__
from playhead.domain.app_data import CrashReport
from playhead.errors import AppError, StorageError
from playhead.storage import paths
from playhead.storage.process_lock import ProcessLock

_MOST_FRAMES = 60
_LEFT_OUT = "(What the error says is left out: it could hold words of a conversation.)"
_TRACE_LINE = re.compile(
    r'\s*File "|Fatal Python error: |Windows fatal exception: |Thread 0x|Current thread 0x'
    r"|Traceback \(most recent|\s*\.\.\.|Extension modules: "
)
_ERROR_LINE = re.compile(r"((?:\w+\.)*\w+(?:Error|Exception|Exit|Interrupt))(?::|$)")


def report_header(program: str) -> str:
    """Return the beginning of a report; cheap, because every start writes one."""
    machine = " ".join(os.uname()[i] for i in (0, 2, 4)) if hasattr(os, "uname") else sys.platform
    form = " (packaged)" if getattr(sys, "frozen", False) else ""
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    python = sys.version.split()[0]
    return f"Playhead {__version__}{form} · {program}\n{now}\nPython {python} · {machine}\n\n"


def exception_report(error: BaseException) -> str:
    """Return the types and places of an error and of its causes, never their messages."""
    return "\n".join([*_chain(error, set()), "", _LEFT_OUT, ""])


def worker_report(status: int, lines: Iterable[str]) -> str:
    """Return how a child of the program ended, with the trace that it may have left."""
    kept = list(_trace(lines))
    return "\n".join([f"It {_ending(status)}.", "", *(kept or ["It left no trace."]), ""])


def without_home(text: str) -> str:
    """Return the text with the user's folder as `~`, since its name is a person's."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _chain(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _chain(before, seen)
        yield "\nwhich led to\n"
    yield f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    for frame in traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]:
        yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
        if frame.line:
            yield f"    {frame.line}"


def _trace(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines with places and types; lines that could be text of the user are left out."""
    for line in lines:
        if _TRACE_LINE.match(line):
            yield line
        elif found := _ERROR_LINE.match(line):
            yield found.group(1)


def _ending(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal has no name
        return f"was ended by signal {-status}"


_log = logging.getLogger(__name__)
_RUNNING, _NEW, _TOLD = ".running", ".new.txt", ".txt"
_FATAL = ("Fatal Python error", "Windows fatal exception")
_CRASH_MARK = "It ended this program."
_KILLED = "It left no trace: it was ended by force, for want of memory, or with the computer.\n"
_MOST_KEPT = 20
WINDOW = "window"
"""What a window's process is called in the names of files."""
_LONGEST_CHARS = 200_000


class CrashWatch:
    """Writes reports of errors in this process. Owned by `bootstrap`.

    While the process runs it has a file, into which a fatal signal writes the trace; a normal
    end deletes that file, and a killed process leaves it without a trace: of a window, the next
    start says that, for nobody ends one so on purpose.
    """

    def __init__(self, folder: Path, program: str) -> None:
        self._folder = folder
        self._program = program
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        self._stem = f"{stamp}-{program.replace(' ', '-')}-{os.getpid()}"
        self._path = folder / f"{self._stem}{_RUNNING}"
        self._lock = ProcessLock(self._path)
        self._file: IO[str] | None = None
        self._noted: set[tuple[object, ...]] = set()
        self._count = 0

    def begin(self) -> None:
        """Prepare for a hard crash, unless `-X faulthandler` is in use.

        A folder that cannot be written to does not prevent the start.
        """
        if faulthandler.is_enabled():
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._path.open("a", encoding="utf-8")
            file.write(report_header(self._program))
            file.flush()
            self._lock.acquire()  # after the header: Windows locks the first byte for all others
        except OSError as error:
            _log.info("no file for a crash report: %s", error)
            return
        self._file = file
        faulthandler.enable(file)

    def record(self, error: BaseException) -> None:
        """Write a report of an unhandled error, once."""
        trace = error.__traceback__
        last = (0, "")
        while trace is not None:
            last, trace = (trace.tb_lineno, trace.tb_frame.f_code.co_filename), trace.tb_next
        key = (type(error), *last)
        if key not in self._noted:
            self._noted.add(key)
            self._write(report_header(self._program) + exception_report(error))

    def record_worker(self, status: int, lines: Sequence[str]) -> None:
        """Write down that the model worker has died."""
        self._write(report_header("model worker") + worker_report(status, lines))

    def end(self) -> None:
        """Delete the file after a normal end."""
        if self._file is None:
            return
        faulthandler.disable()
        self._file.close()
        self._file = None
        self._lock.release()
        with suppress(OSError):
            self._path.unlink()

    def _write(self, text: str) -> None:
        self._count += 1
        path = self._folder / f"{self._stem}-{self._count}{_NEW}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _put(path, without_home(text))
        except OSError as error:
            _log.info("a crash report could not be written: %s", error)


class StoredCrashes:
    """The reports in a folder, and the traces that dead processes left there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> str:
        """Return the folder of the reports."""
        return str(self._folder)

    async def new_reports(self) -> list[CrashReport]:
        """Return the reports that were not shown yet, the newest first, and mark them as shown."""
        import asyncio

        return await asyncio.to_thread(self._new_reports)

    async def found(self) -> list[CrashReport]:
        """Return all reports, the newest first."""
        import asyncio

        return await asyncio.to_thread(self._found)

    async def delete(self, names: Sequence[str]) -> None:
        """Delete reports. Raises StorageError."""
        import asyncio

        await asyncio.to_thread(self._delete, names)

    def _new_reports(self) -> list[CrashReport]:
        self._collect()
        new: list[CrashReport] = []
        for report in self._found():
            if report.name.endswith(_NEW):
                new.append(self._marked(report))
        return new

    def _marked(self, report: CrashReport) -> CrashReport:
        """Rename a report as shown and return it; in a locked folder it stays new."""
        name = report.name.removesuffix(_NEW) + _TOLD
        try:
            (self._folder / report.name).rename(self._folder / name)
        except OSError:
            return report
        return replace(report, name=name)

    def _found(self) -> list[CrashReport]:
        """Return the reports, the newest first; the oldest of very many are deleted."""
        reports = sorted(self._read(), key=lambda one: (one.at, one.name), reverse=True)
        for old in reports[_MOST_KEPT:]:
            with suppress(OSError):
                (self._folder / old.name).unlink()
        return reports[:_MOST_KEPT]

    def _read(self) -> Iterator[CrashReport]:
        for path in self._folder.glob(f"*{_TOLD}"):
            with suppress(OSError):
                text = path.read_text("utf-8", "replace")[:_LONGEST_CHARS]
                yield CrashReport(
                    name=path.name, at=path.stat().st_mtime, is_fatal=_CRASH_MARK in text, text=text
                )

    def _collect(self) -> None:
        """Make reports of the files of processes that have ended."""
        for path in self._folder.glob(f"*{_RUNNING}"):
            lock = ProcessLock(path)
            try:
                if not lock.acquire():
                    continue  # it lives
                lock.release()
                text = path.read_text("utf-8", "replace")[:_LONGEST_CHARS]
                if any(word in text for word in _FATAL):
                    self._keep(path, text)
                elif f"-{WINDOW}-" in path.name:
                    self._keep(path, text.rstrip("\n") + f"\n\n{_KILLED}")
                path.unlink()
            except OSError as error:
                _log.info("a crash report could not be kept: %s", error)

    def _keep(self, path: Path, text: str) -> None:
        at = path.stat().st_mtime
        report = path.with_name(path.name.removesuffix(_RUNNING) + _NEW)
        head, gap, trace = text.partition("\n\n")
        words = without_home(f"{head}{gap}{_CRASH_MARK}\n\n{trace}")
        _put(report, words)
        os.utime(report, (at, at))

    def _delete(self, names: Sequence[str]) -> None:
        for name in names:
            for one in {name, name.replace(_NEW, _TOLD)}:  # shown since it was read
                path = self._folder / Path(one).name
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise StorageError(
                        "The report could not be deleted.",
                        detail=f"{path}: {error.strerror or error}",
                        remedy="Delete that file by hand.",
                    ) from error


def _put(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def record_crashes(program: str) -> Generator[CrashWatch]:
    """Record crashes; `program` names the process in reports. Errors that end it are re-raised."""
    watch = CrashWatch(paths.crashes_dir(), program)
    watch.begin()
    try:
        yield watch
    except AppError:  # not a defect, and reported already
        raise
    except Exception as error:
        watch.record(error)
        raise
    finally:
        watch.end()
