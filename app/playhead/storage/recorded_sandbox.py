"""The sandbox with its last boundary test, kept in the data folder for this machine as it is."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from playhead import __version__
from playhead.atomic_file import read_plain, write_private
from playhead.domain.trust import BoundaryReport, Policy, Reach
from playhead.errors import AppError, ExecutionError

_log = logging.getLogger(__name__)
_LIMIT_BYTES = 1_000_000
_MACHINE_FILES = (
    "/etc/machine-id",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/user/max_user_namespaces",
)


class Bounds(Protocol):
    """A sandbox that knows its report only since the start of the program."""

    @property
    def report(self) -> BoundaryReport:
        """Return what the last test found."""
        ...

    async def test(self) -> BoundaryReport:
        """Make the attempts now."""
        ...

    def why_not(self, policy: Policy, folder: str) -> AppError | None:
        """Return why code of a folder cannot be run under a policy; None if it can be."""
        ...

    def why_not_reach(self, reach: Reach, folder: str) -> AppError | None:
        """Return why code of a folder cannot be given this beyond its policy; None if it can be."""
        ...

    def subscribe(self, listener: Callable[[BoundaryReport], None]) -> Callable[[], None]:
        """Call the listener with each new report."""
        ...


class KeptReport(Struct, frozen=True, kw_only=True):
    """A report with the mark of the machine that it is about."""

    machine: str
    report: BoundaryReport


class RecordedSandbox:
    """Knows the last report from the start on, once it is loaded; owned by `bootstrap`.

    A report of another version, kernel, bubblewrap or computer does not count: what it found may
    not hold here. One without a sandbox is not kept, since looking again costs nothing.
    """

    def __init__(
        self, sandbox: Bounds, path: Path, machine: Callable[[], str] | None = None
    ) -> None:
        self._sandbox = sandbox
        self._path = path
        self._machine = machine or machine_mark
        self._kept = BoundaryReport()
        self._known = asyncio.Event()
        self._known.set()
        self._tests_at_need = False
        self._listeners: list[Callable[[BoundaryReport], None]] = []

    @property
    def report(self) -> BoundaryReport:
        """Return what the last test found, in this run of the program or an earlier one."""
        found = self._sandbox.report
        return self._kept if found.status == "untested" else found

    def expect_test(self) -> None:
        """Have first runs wait: a report will be loaded, or a test made by `test_if_due`."""
        self._known.clear()

    def expect_nothing(self) -> None:
        """Have no run wait any more."""
        self._known.set()

    def test_at_need(self) -> None:
        """Have the first run that is kept to the sandbox wait for a test of its own."""
        self._tests_at_need = True

    def is_awaited(self, *, is_needed: bool) -> bool:
        """Return whether `settled` has something to wait for."""
        return self._is_due(is_needed) or not self._known.is_set()

    async def settled(self, *, is_needed: bool) -> None:
        """Wait for the report that is expected, if one is; make the test that is needed first."""
        if self._is_due(is_needed):
            await self.test()
        await self._known.wait()

    def _is_due(self, is_needed: bool) -> bool:
        return is_needed and self._tests_at_need and self._sandbox.report.status == "untested"

    async def load(self) -> None:
        """Read the report of an earlier run, if it is about this machine as it is now."""
        self._kept = await asyncio.to_thread(self._read)
        if self._kept.status != "untested":
            self._emit(self._kept)

    async def test(self) -> BoundaryReport:
        """Make the attempts now, and keep what they found."""
        report = await self._sandbox.test()
        await asyncio.to_thread(self._write, report)
        self._emit(report)
        return report

    async def test_if_due(self) -> None:
        """Make the attempts unless this machine as it is was tested already."""
        try:
            if self.report.status == "untested":
                await self.test()
        finally:
            self.expect_nothing()

    def why_not(self, policy: Policy, folder: str) -> AppError | None:
        """Return why code of a folder cannot be run under a policy; None if it can be."""
        report = self.report
        if policy.is_bounded and report.problem:
            title = "There is no sandbox on this computer."
            return ExecutionError(title, detail=report.problem, remedy=report.remedy)
        return self._sandbox.why_not(policy, folder)

    def why_not_reach(self, reach: Reach, folder: str) -> AppError | None:
        """Return why code of a folder cannot be given this beyond its policy; None if it can be."""
        return self._sandbox.why_not_reach(reach, folder)

    def subscribe(self, listener: Callable[[BoundaryReport], None]) -> Callable[[], None]:
        """Call the listener with each new report."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _emit(self, report: BoundaryReport) -> None:
        for listener in tuple(self._listeners):
            listener(report)

    def _read(self) -> BoundaryReport:
        try:
            data = read_plain(self._path, _LIMIT_BYTES)
            kept = msgspec.json.decode(data or b"", type=KeptReport)
        except FileNotFoundError:
            return BoundaryReport()
        except (OSError, msgspec.DecodeError) as error:
            _log.info("the report of the boundary test cannot be used: %s", error)
            return BoundaryReport()
        return kept.report if kept.machine == self._machine() else BoundaryReport()

    def _write(self, report: BoundaryReport) -> None:
        try:
            if report.problem:
                self._path.unlink(missing_ok=True)
                return
            kept = KeptReport(machine=self._machine(), report=report)
            write_private(self._path, msgspec.json.encode(kept).decode())
        except OSError as error:  # it is tested again at the next start
            _log.info("the report of the boundary test could not be kept: %s", error)


def machine_mark() -> str:
    """Return a mark of what a report depends on: this program, this system, its bubblewrap."""
    parts = [__version__, platform.release(), platform.machine(), platform.node(), _bubblewrap()]
    parts += [str(os.getuid()) if hasattr(os, "getuid") else "", *map(_content, _MACHINE_FILES)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _bubblewrap() -> str:
    """Return which program builds the view, so that a newer one is tested again."""
    path = shutil.which("bwrap")
    if path is None:
        return ""
    try:
        found = os.stat(path)
    except OSError:
        return path
    return f"{path} {found.st_size} {found.st_mtime_ns} {found.st_mode}"


def _content(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace").strip()
    except OSError:
        return ""
