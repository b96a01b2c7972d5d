"""Crash reports: a file for each, on this computer alone, until the user deletes it."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from playhead.domain.app_data import CrashReport
from playhead.errors import StorageError
from playhead.storage import crash_text
from playhead.storage.process_lock import ProcessLock

_log = logging.getLogger(__name__)
_RUNNING, _NEW, _TOLD = ".running", ".new.txt", ".txt"
_FATAL = ("Fatal Python error", "Windows fatal exception")
_CRASH_MARK = "It ended this program."
_MOST_KEPT = 20
_LONGEST_CHARS = 200_000


class CrashWatch:
    """Notes what goes wrong in this process. Owned by `bootstrap`.

    While the process runs it has a file, into which the system's last signal writes the trace; an
    end in order takes that file away, and of a killed process there is no trace in it.
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
        """Be ready for a hard crash, unless somebody wants its trace elsewhere (`-X faulthandler`).

        A folder that cannot be written to is no reason not to start.
        """
        if faulthandler.is_enabled():
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._path.open("a", encoding="utf-8")
            file.write(crash_text.header(self._program))
            file.flush()
            self._lock.acquire()  # after the header: Windows locks the first byte for all others
        except OSError as error:
            _log.info("no file for a crash report: %s", error)
            return
        self._file = file
        faulthandler.enable(file)

    def note(self, error: BaseException) -> None:
        """Write down an error that nobody has caught, once."""
        trace = error.__traceback__
        last = (0, "")
        while trace is not None:
            last, trace = (trace.tb_lineno, trace.tb_frame.f_code.co_filename), trace.tb_next
        key = (type(error), *last)
        if key not in self._noted:
            self._noted.add(key)
            self._write(crash_text.header(self._program) + crash_text.of_exception(error))

    def note_worker(self, status: int, lines: Sequence[str]) -> None:
        """Write down that the model worker has died."""
        self._write(crash_text.header("model worker") + crash_text.of_worker(status, lines))

    def end(self) -> None:
        """All went well."""
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
            _put(path, crash_text.without_home(text))
        except OSError as error:
            _log.info("a crash report could not be written: %s", error)


class StoredCrashes:
    """The reports in a folder, and the traces that dead processes left there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> str:
        """Where the files lie."""
        return str(self._folder)

    async def news(self) -> list[CrashReport]:
        """Those that have not been told of, the newest first; from now on they have."""
        return await asyncio.to_thread(self._news)

    async def found(self) -> list[CrashReport]:
        """All that are there, the newest first."""
        return await asyncio.to_thread(self._found)

    async def delete(self, names: Sequence[str]) -> None:
        """Delete reports. Raises StorageError."""
        await asyncio.to_thread(self._delete, names)

    def _news(self) -> list[CrashReport]:
        self._collect()
        told: list[CrashReport] = []
        for report in self._found():
            if report.name.endswith(_NEW):
                told.append(self._marked(report))
        return told

    def _marked(self, report: CrashReport) -> CrashReport:
        """The report under the name of one that was told of; in a locked folder it stays new."""
        name = report.name.removesuffix(_NEW) + _TOLD
        try:
            (self._folder / report.name).rename(self._folder / name)
        except OSError:
            return report
        return replace(report, name=name)

    def _found(self) -> list[CrashReport]:
        """Of very many, the oldest go."""
        reports = sorted(self._read(), key=lambda one: (one.at, one.name), reverse=True)
        for old in reports[_MOST_KEPT:]:
            with suppress(OSError):
                (self._folder / old.name).unlink()
        return reports[:_MOST_KEPT]

    def _read(self) -> Iterator[CrashReport]:
        for path in self._folder.glob(f"*{_TOLD}"):
            with suppress(OSError):
                text = path.read_text("utf-8", "replace")[:_LONGEST_CHARS]
                yield CrashReport(path.name, path.stat().st_mtime, _CRASH_MARK in text, text)

    def _collect(self) -> None:
        """Make reports of the files of processes that are no more."""
        for path in self._folder.glob(f"*{_RUNNING}"):
            lock = ProcessLock(path)
            try:
                if not lock.acquire():
                    continue  # it lives
                lock.release()
                text = path.read_text("utf-8", "replace")[:_LONGEST_CHARS]
                if any(word in text for word in _FATAL):
                    self._keep(path, text)
                path.unlink()
            except OSError as error:
                _log.info("a crash report could not be kept: %s", error)

    def _keep(self, path: Path, text: str) -> None:
        at = path.stat().st_mtime
        report = path.with_name(path.name.removesuffix(_RUNNING) + _NEW)
        head, gap, trace = text.partition("\n\n")
        words = crash_text.without_home(f"{head}{gap}{_CRASH_MARK}\n\n{trace}")
        _put(report, words)
        os.utime(report, (at, at))

    def _delete(self, names: Sequence[str]) -> None:
        for name in names:
            for one in {name, name.replace(_NEW, _TOLD)}:  # told of since it was read
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
