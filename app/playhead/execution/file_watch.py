"""The undo worker as the app sees it: it compares a folder around each run, and puts files back."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from playhead.domain.conversation.payloads import Coverage, FileChanges, UndoProblem
from playhead.domain.execution import RunRequest
from playhead.errors import ExecutionError, phrase
from playhead.undo_worker.protocol import (
    MAX_LINE_BYTES,
    Verb,
    decode,
    encode,
    is_unreported,
    mark_copies,
)

if TYPE_CHECKING:
    from playhead.execution.processes import PipeWorker

UNDO_FLAG = "--undo-worker"
"""The flag by which the packaged program serves as an undo worker itself."""
_STEP_S = 0.25
_STEPS = 240
BEFORE_LIMIT_S = 2.0
"""A run waits so long for its files to be read; they are read on while it runs."""
_ANSWER_LIMIT_S = 60.0
_CLOSE_S = 2.0
_NOTES: dict[UndoProblem, str] = {
    "too_many": "What it did to the files was not looked at, nor will it be for the next runs: "
    "there are more of them in this folder than can be looked at in a moment.",
    "too_slow": "What it did to the files was not looked at: "
    "that would have taken too long at this moment.",
    "no_worker": "What it did to the files was not looked at: "
    "the process that does this has ended.",
}
_OWN_PATH = str(Path(__file__).resolve().parents[2])

_log = logging.getLogger(__name__)


class FileWatch:
    """Owner of the undo worker, which is started when it is first needed.

    It keeps contents below `store`; changes below `without`, a folder of our own, are not reported.
    What is below the `supervisors` of a folder stands still while files are put back there.
    """

    def __init__(
        self,
        store: Path,
        without: Path,
        command: Sequence[str] = (),
        supervisors: Callable[[str], Sequence[int]] = lambda folder: (),
    ) -> None:
        self._supervisors = supervisors
        self._store = store
        self._command = (*(command or _worker_command()), str(store), str(without))
        self._numbers = itertools.count(1)
        self._noted: set[tuple[str, UndoProblem]] = set()
        self._waiting: dict[str, FileChanges] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    @cached_property
    def _worker(self) -> PipeWorker[dict[str, Any]]:
        from playhead.execution.processes import PipeWorker

        return PipeWorker("undo worker", self._command, _start_options, _numbered)

    @property
    def pid(self) -> int | None:
        """Return the worker's process id, if there is one."""
        return self._worker.pid

    def look(self, request: RunRequest) -> RunObservation:
        """Return what looks at the folder for one run."""
        return RunObservation(self, request)

    def look_ahead(self, folder: str) -> None:
        """Have the worker start, and begin to keep the files of a folder."""
        self.ask_later("cover", folder=folder, within_s=0)

    async def cover(self, folder: str) -> Coverage:
        """Keep the files of a folder as they are now; return what of it could be put back.

        In a folder that its first run makes nothing is to be kept.
        """
        if not await asyncio.to_thread(os.path.isdir, folder):
            return Coverage(folder=folder)
        coverage = Coverage(folder=folder, problem="no_worker")
        for _ in range(_STEPS):  # other requests come in between
            coverage = await self.coverage_by("cover", folder=folder, within_s=_STEP_S)
            if not coverage.is_reading:
                break
        return coverage

    async def undo(self, folder: str, effect_id: str, paths: Sequence[str] = ()) -> FileChanges:
        """Take back an effect, or what it did to these paths. Raises ExecutionError."""
        async with self._held(folder):
            found = await self.ask("undo", folder=folder, effect=effect_id, paths=list(paths))
        return _changes(_expect_done(found))

    async def settle(self, folder: str, effect_id: str, path: str, *, is_kept: bool) -> FileChanges:
        """Put a file that was set aside into its place, or delete it. Raises ExecutionError."""
        asked = {"folder": folder, "effect": effect_id, "path": path, "is_kept": is_kept}
        async with self._held(folder):
            found = await self.ask("settle", **asked)
        return _changes(_expect_done(found))

    async def copy(self, folder: str, conversation_id: str) -> tuple[str, str]:
        """Make the copy of a folder for a conversation, or return to it.

        Return the layer of its changes and a folder for its work. Raises ExecutionError.
        """
        found = _expect_done(await self.ask("copy", folder=folder, conversation=conversation_id))
        return found["upper"], found["work"]

    async def review(self, folder: str, conversation_id: str) -> FileChanges | None:
        """Return what would change if a copy were applied; None without one."""
        found = await self.ask("review", folder=folder, conversation=conversation_id)
        return _changes(found) if found is not None and "folder" in found else None

    async def apply(
        self, folder: str, conversation_id: str, paths: Sequence[str] = ()
    ) -> FileChanges:
        """Carry out what a copy has changed, or that of these paths. Raises ExecutionError."""
        asked = {"folder": folder, "conversation": conversation_id, "paths": list(paths)}
        return _changes(_expect_done(await self.ask("apply", **asked)))

    async def discard(self, folder: str, conversation_id: str) -> None:
        """Delete a copy in which no code works any more. Raises ExecutionError."""
        _expect_done(await self.ask("discard", folder=folder, conversation=conversation_id))

    async def forget(self, conversation_id: str) -> None:
        """Delete the copies of a deleted conversation, in which no code works any more."""
        self._waiting.pop(conversation_id, None)
        if await asyncio.to_thread(mark_copies, self._store, conversation_id):
            await self.ask("forget")  # else the worker does it when it has time

    @contextlib.asynccontextmanager
    async def _held(self, folder: str) -> AsyncGenerator[None]:
        """Have all code that works in a folder stand still (Linux only).

        It goes on in any case: with this process the kernels end, too.
        """
        roots = self._supervisors(folder)
        from playhead.execution import processes

        stopped = await asyncio.to_thread(processes.hold_below, roots) if roots else []
        try:
            yield
        finally:
            processes.send_signal(stopped, signal.SIGCONT)

    async def unreported(self, conversation_id: str) -> list[FileChanges]:
        """Return the effects of runs that ended with the program, once each."""
        if not is_unreported(self._store):
            return []
        found = await self.ask("unreported", conversation=conversation_id)
        return [_changes(one) for one in (found or {}).get("effects", ())]

    async def coverage_by(self, verb: Verb, **fields: Any) -> Coverage:
        """Return the answer to a request that reads files."""
        found = await self.ask(verb, **fields)
        if found is None or "error" in found:
            return Coverage(folder=fields["folder"], problem="no_worker")
        return msgspec.convert(found, Coverage)

    async def ask(self, verb: Verb, **fields: Any) -> dict[str, Any] | None:
        """Return the worker's answer; None if it has none: it could not be started, or ended."""
        answer = None
        for _ in range(2):  # again if it has ended meanwhile: what it had begun it finishes first
            number = next(self._numbers)
            line = encode({"number": number, "verb": verb, **fields})
            answer = await self._worker.ask(number, line, (_ANSWER_LIMIT_S,))
            if answer is not None:
                break
        if answer is not None and answer.get("error") == "bug":
            _log.error("The undo worker failed at %s: %s", verb, answer.get("detail"))
        return answer

    def ask_later(self, verb: Verb, **fields: Any) -> None:
        """Send a request whose answer nobody waits for."""
        task = asyncio.create_task(self.ask(verb, **fields), name="files of a run")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def note_once(self, folder: str, problem: UndoProblem) -> FileChanges | None:
        """Return that a folder is not looked at; None if that was said before."""
        note = _NOTES.get(problem, "")
        is_said = (folder, problem) in self._noted and problem == "too_many"
        self._noted.add((folder, problem))
        return (
            FileChanges(folder=folder, note=note, problem=problem) if note and not is_said else None
        )

    def note_waiting(self, conversation_id: str, waiting: FileChanges | None) -> FileChanges | None:
        """Return what waits in a copy after a run; None if that is what waited before."""
        before = self._waiting.get(conversation_id)
        if waiting is None or not waiting.listed:
            self._waiting.pop(conversation_id, None)
            return None
        self._waiting[conversation_id] = waiting
        same = before is not None and before.listed == waiting.listed
        return None if same else waiting

    async def close(self) -> None:
        """End the worker."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE_S)
        await self._worker.close()


class RunObservation:
    """One run's view: `before()`, the run, then `after()`; `give_up()` if nobody waits for that."""

    def __init__(self, files: FileWatch, request: RunRequest) -> None:
        self._files = files
        self._request = request
        self._is_open = False
        self.coverage = Coverage(folder=request.folder)
        """What of the folder can be put back after this run."""

    async def before(self) -> None:
        """Have the worker remember the folder as it is."""
        request = self._request
        self._is_open = True
        self.coverage = await self._files.coverage_by(
            "before",
            folder=request.folder,
            run=request.run_id,
            conversation=request.conversation_id,
            is_bounded=request.policy.is_bounded,
            within_s=BEFORE_LIMIT_S,
        )

    async def after(self) -> FileChanges | None:
        """Return the changes; None without any. What is not looked at is reported once."""
        request = self._request
        self._is_open = False
        found = await self._files.ask("after", run=request.run_id)
        if request.policy.is_reviewed:  # what others did meanwhile in the folder is no run's
            waiting = await self._files.review(request.folder, request.conversation_id)
            return self._files.note_waiting(request.conversation_id, waiting)
        if found is None or "error" in found:
            return self._files.note_once(request.folder, "no_worker")
        if "folder" in found:
            return _changes(found)
        return self._files.note_once(request.folder, self.coverage.problem)

    def give_up(self) -> None:
        """Have what the run did kept for a later start, if nobody has asked for it."""
        if self._is_open:
            self._is_open = False
            self._files.ask_later("after", run=self._request.run_id, is_reported=False)


def _worker_command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, UNDO_FLAG]
    return [sys.executable, "-P", "-S", "-m", "playhead.undo_worker"]


def _start_options() -> dict[str, Any]:
    known = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    own = {"PYTHONPATH": _OWN_PATH, "PYTHONUTF8": "1"}
    return {"env": known | own, "limit": MAX_LINE_BYTES}


def _numbered(line: bytes) -> tuple[int, dict[str, Any]]:
    answer = decode(line)
    return answer["number"], answer


def _changes(fields: dict[str, Any]) -> FileChanges:
    return msgspec.convert(fields, FileChanges)


def _expect_done(answer: dict[str, Any] | None) -> dict[str, Any]:
    """Return an answer. Raises ExecutionError if nothing could be done."""
    match (answer or {"error": ""}).get("error"):
        case None:
            return answer or {}
        case "not_kept":
            raise ExecutionError(
                "This can no longer be put back.",
                detail="The files as they were are not kept any more.",
            )
        case "vanished":
            raise ExecutionError(
                "The working folder is no longer there, or another one has its place.",
                remedy="Put the folder back where it was.",
            )
        case "unsupported":
            raise ExecutionError("Files cannot be put back on this system.")
        case "no_copy":
            raise ExecutionError(
                "There can be no copy of this folder.",
                detail="The file system of Playhead's data keeps no attributes of files.",
                remedy="Switch off the review before changes land.",
            )
        case "home":
            raise ExecutionError(
                "There can be no copy of your home folder.",
                remedy="Choose a folder of its own for this conversation.",
            )
        case "disk_full":
            raise ExecutionError(
                "There is not enough room on the disk to put these files back.",
                detail="What they are now is kept first, so that this can be redone.",
                remedy="Free some space, then try again.",
            )
        case problem:
            raise ExecutionError(
                "The files could not be put back.",
                detail=phrase("The process that does this has failed ({problem}).", problem=problem)
                if problem
                else "The process that does this has ended.",
                remedy="Try again.",
            )
