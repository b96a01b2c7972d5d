"""Serves `playhead replay`: an export from the top, with no window, no model and no key."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QCoreApplication

from playhead.atomic_file import read_plain, replacing
from playhead.checking.check_report import CheckReport, EnvironmentChoice, report_rows, report_wire
from playhead.checking.checker import Checker, CheckPlan, CheckProgress
from playhead.checking.document_edit import takes_report, with_report
from playhead.checking.recorded_cells import Recording, recording_of
from playhead.domain.text.terminal import visible
from playhead.domain.trust import Policy, PolicyWish
from playhead.errors import AppError, phrase
from playhead.event_loop import run
from playhead.storage import log_file, paths

if TYPE_CHECKING:
    from playhead.bootstrap.core import Core

_log = logging.getLogger(__name__)
SAME, DIFFERENT, USAGE, NOT_APPROVED, NOT_CHECKED, STOPPED = 0, 1, 2, 3, 4, 130
_FILE_LIMIT = 500_000_000


class ReplayOptions(Struct, frozen=True, kw_only=True):
    """Options of `playhead replay`; `folder` has the inputs; its paths are absolute."""

    file: str
    folder: str
    interpreter: str = ""
    environment: EnvironmentChoice = "locked"
    is_json: bool = False
    is_approved: bool = False
    writes_report: bool = False
    policy: PolicyWish = PolicyWish()
    log_level: str = "warning"


def run_replay(options: ReplayOptions) -> int:
    """Check an export and print what differs; the exit status is the result."""
    log_file.begin(paths.logs_dir(), options.log_level)
    app = QCoreApplication([sys.argv[0]])
    try:
        data = _read(options.file)
        recording = recording_of(data, os.path.basename(options.file))
        return run(_replay(options, recording, data), app)
    except AppError as error:
        _fail(options, str(error), error.code)
        return NOT_CHECKED
    except KeyboardInterrupt:
        return STOPPED
    except Exception as error:  # noqa: BLE001 - Python's own status would be that of a difference
        _log.exception("the check failed")
        _fail(options, f"It could not be checked: {error!r}", "internal_error")
        return NOT_CHECKED


def _read(path: str) -> bytes:
    try:
        data = read_plain(path, _FILE_LIMIT)
    except OSError as error:
        words = phrase("{path} could not be read.", path=path)
        raise AppError(words, detail=error.strerror or "", code="invalid_request") from error
    if data is None:
        words = phrase("{path} is too large, or no regular file.", path=path)
        raise AppError(words, code="invalid_request")
    return data


async def _replay(options: ReplayOptions, recording: Recording, data: bytes) -> int:
    from playhead.bootstrap.core import Overrides, build_core, close_on_signals

    core = build_core(Overrides(keeps_history=False, policy=options.policy))
    is_stopped = asyncio.Event()
    try:
        await core.settings.load()
        await core.boundary.load()
        plan = await _plan(core, options, recording)
        if not options.is_approved and not approved_by_person(plan):
            _fail(
                options, "Nothing was run: nobody approved it. --yes approves it.", "not_approved"
            )
            return NOT_APPROVED
        with close_on_signals(is_stopped.set):
            report = await _until(is_stopped, _checked(core.checker, plan, options))
        if report is None:
            return STOPPED
        _print(options, report)
        is_wanted = options.writes_report and takes_report(options.file)
        if is_wanted and not _write(Path(options.file), with_report(data, options.file, report)):
            return NOT_CHECKED
        return SAME if report.is_same else DIFFERENT
    finally:
        await core.close()


async def _plan(core: Core, options: ReplayOptions, recording: Recording) -> CheckPlan:
    from playhead.domain.conversation.conversation import Conversation
    from playhead.session.session import Session
    from playhead.session.turn_settings import limits_of

    session = Session(Conversation(), core.ports, options.folder)
    if (problem := session.policy.problem) is not None:
        raise problem
    interpreter = options.interpreter or session.settings.interpreter
    if not interpreter:
        interpreter = (await core.interpreters.default()).path
    return CheckPlan(
        recording=recording,
        folder=options.folder,
        interpreter=interpreter,
        environment=options.environment,
        policy=session.grants.in_force(),
        reach=session.grants.reach,
        limits=limits_of(session.settings),
    )


async def _checked(checker: Checker, plan: CheckPlan, options: ReplayOptions) -> CheckReport:
    async with aclosing(checker.check(plan)) as steps:
        async for step in steps:
            if isinstance(step, CheckReport):
                return step
            if not options.is_json:
                _print_progress(step)
    raise AssertionError  # the report is the last


async def _until(
    is_stopped: asyncio.Event, work: Coroutine[None, None, CheckReport]
) -> CheckReport | None:
    """Return the report; None if it was stopped before."""
    checking = asyncio.create_task(work)
    stopping = asyncio.create_task(is_stopped.wait())
    try:
        await asyncio.wait({checking, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return checking.result() if checking.done() else None
    finally:
        for task in (checking, stopping):
            task.cancel()
        await asyncio.gather(checking, stopping, return_exceptions=True)


def approved_by_person(plan: CheckPlan) -> bool:
    """Show all code to the person at the terminal and ask once; ^C, in the main thread, is a no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # asyncio's goes on reading
    try:
        sys.stderr.write(_question(plan))
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        return False
    finally:
        signal.signal(signal.SIGINT, before)


def _question(plan: CheckPlan) -> str:
    parts = [
        f"\n[{cell.number}] {_on_one_line(cell.language)}\n{visible(cell.code)}\n"
        for cell in plan.recording.cells
    ]
    parts.append(f"\n{bounds_words(plan.policy)}\n")
    if plan.needs_environment:
        packages = ", ".join(plan.recording.manifest.packages)
        parts.append(f"Packages are installed: {_on_one_line(packages)}.\n")
    return "".join([*parts, "Run all of it? [y/N] "])


def _on_one_line(text: str) -> str:
    """Return a text that a file holds so that it cannot pass for one of ours."""
    return visible(" ".join(text.split()))


def bounds_words(policy: Policy) -> str:
    """Return what the code may do."""
    if not policy.is_bounded:
        return "It runs without a sandbox, in a copy of its inputs: as you, with all your files."
    network = {"off": "without the network", "on": "with the network"}.get(
        policy.network, f"with {', '.join(policy.hosts)} of the network"
    )
    return f"It runs in the sandbox, in a copy of its inputs, {network}."


def _print_progress(step: CheckProgress) -> None:
    words = {
        "inputs": "Copying the inputs",
        "environment": "Making an environment with the recorded versions",
        "running": f"Running cell {step.cell} of {step.total}",
        "comparing": "Comparing",
    }[step.stage]
    sys.stderr.write(f"{words} …\n")
    sys.stderr.flush()


def _print(options: ReplayOptions, report: CheckReport) -> None:
    if options.is_json:
        text = json.dumps(report_wire(report))
    else:
        text = "\n".join(visible(row) for row in report_rows(report))
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _fail(options: ReplayOptions, words: str, code: str) -> None:
    if options.is_json:
        sys.stdout.write(json.dumps({"result": "not_checked", "code": code, "error": words}) + "\n")
        sys.stdout.flush()
    sys.stderr.write(f"{visible(words)}\n")


def _write(path: Path, data: bytes) -> bool:
    """Write the report into the file; False, said, if that cannot be done."""
    try:
        with replacing(path, path.stat().st_mode & 0o777) as file:
            file.write(data)
    except OSError as error:
        sys.stderr.write(f"The report could not be written: {error.strerror or error}\n")
        return False
    return True
