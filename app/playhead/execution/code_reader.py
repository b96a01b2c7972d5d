"""The code worker as the app sees it: started at the first question, replaced when it hangs."""

from __future__ import annotations

import ast
import asyncio
import itertools
import logging
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from playhead.code_worker.protocol import (
    MAX_LINE_BYTES,
    Answer,
    Kind,
    ProtocolError,
    Question,
    decode_answer,
    encode,
)
from playhead.domain.execution import Candidate, CodePlace, Completions, Description, is_place
from playhead.execution import environment
from playhead.execution.processes import PipeWorker

WORKER_FLAG = "--code-worker"
"""The flag by which the packaged program serves as a code worker itself."""
_PROBE = "import sys; print(repr((tuple(sys.version_info[:2]), [p for p in sys.path if p])))"
_PROBE_LIMIT_S = 10
HANG_S = 2.0
"""Seconds that a question waits for the end of an older one, before the worker is killed."""
_ANSWER_LIMIT_S = 60.0
_STARTS = 3
"""A worker that ends so often before any answer is not started again."""

_OWN_PATH = {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}

_log = logging.getLogger(__name__)


class PythonPath(Struct, frozen=True):
    """The version of an interpreter and the folders that it imports from, as they were."""

    version: tuple[int, int] | None = None
    folders: tuple[str, ...] = ()
    changed_at: tuple[int, ...] = ()


class CodeReader:
    """Owner of the worker. A later question takes the place of an older one, whose answer is empty.

    The worker has `variables` (by default this process's environment) without keys and what is in
    `drop`, and keeps parsed files in `cache_dir`. One that does not let go of an outdated question
    within `hang_s` seconds is killed.
    """

    def __init__(
        self,
        cache_dir: Path,
        variables: Mapping[str, str] | None = None,
        drop: Collection[str] = (),
        command: Sequence[str] | None = None,
        hang_s: float = HANG_S,
    ) -> None:
        self._variables = dict(os.environ if variables is None else variables)
        self._drop = frozenset(drop)
        self._hang_s = hang_s
        command = (*(command or _worker_command()), str(cache_dir))
        self._worker = PipeWorker("code worker", command, self._start_options, _numbered, _STARTS)
        self._asked: list[Question] = []
        self._numbers = itertools.count(1)
        self._newest: dict[Kind, int] = {"complete": 0, "describe": 0}
        self._paths: dict[str, PythonPath] = {}

    @property
    def pid(self) -> int | None:
        """Return the worker's process id, if there is one."""
        return self._worker.pid

    async def complete(
        self, place: CodePlace, folder: str, interpreter: str, *, is_asked: bool
    ) -> Completions:
        """Return what can follow a code; nothing once a later question has come."""
        answer = await self._ask("complete", place, folder, interpreter, is_asked)
        found = (Candidate(text, kind) for text, kind in answer.candidates)
        return Completions(answer.length, tuple(found))

    async def describe(
        self, place: CodePlace, folder: str, interpreter: str, *, is_call: bool
    ) -> Description:
        """Return what is known of the end of a code; nothing once a later question has come."""
        answer = await self._ask("describe", place, folder, interpreter, is_call)
        return Description(
            name=answer.name,
            is_callable=answer.parameters is not None,
            parameters=answer.parameters or (),
            argument=answer.argument,
            type=answer.type,
            documentation=answer.documentation,
        )

    async def close(self) -> None:
        """End the worker."""
        await self._worker.close()

    async def _ask(
        self, kind: Kind, place: CodePlace, folder: str, interpreter: str, is_wanted: bool
    ) -> Answer:
        number = self._newest[kind] = next(self._numbers)
        path = await self._path_of(interpreter)
        question = Question(
            number=number,
            kind=kind,
            before=place.before,
            after=place.after,
            is_wanted=is_wanted,
            folder=folder,
            sys_path=path.folders,
            version=path.version,
        )
        answer = None
        for _ in range(2):  # again if an older one had to be killed
            if answer is None and not self._is_outdated(question):
                answer = await self._answer(question)
        return answer or Answer(number=number)

    def _is_outdated(self, question: Question) -> bool:
        return question.number < max(self._newest[question.kind], self._newest["complete"])

    async def _answer(self, question: Question) -> Answer | None:
        """Return the answer; None if there is no worker, or it was killed."""
        number, limits_s = question.number, (self._hang_s, _ANSWER_LIMIT_S)
        self._asked.append(question)
        try:
            return await self._worker.ask(
                number, encode(question), limits_s, lambda: self._is_held_up(question)
            )
        finally:  # later ones may not have been sent yet
            open_ones = self._worker.waiting
            self._asked = [
                one for one in self._asked if one.number in open_ones or one.number > number
            ]

    def _is_held_up(self, question: Question) -> bool:
        """Return whether a question is in work that this one has made outdated."""
        return any(
            older.number < question.number and question.kind in (older.kind, "complete")
            for older in self._asked
            if older.number in self._worker.waiting
        )

    def _start_options(self) -> dict[str, Any]:
        variables = environment.kernel_environment("", self._variables, self._drop) | _OWN_PATH
        return {"env": variables, "cwd": environment.OWN_FOLDER, "limit": MAX_LINE_BYTES}

    async def _path_of(self, interpreter: str) -> PythonPath:
        """Return where an interpreter imports from; found again when something was installed."""
        known = self._paths.get(interpreter)
        if known is None or (known.folders and await _changes(known.folders) != known.changed_at):
            known = await self._probe(interpreter)
            if known is None:  # it may be there for the next question
                return PythonPath()
            self._paths[interpreter] = known
        return known

    async def _probe(self, interpreter: str) -> PythonPath | None:
        """Ask an interpreter; None if it could not be started."""
        if not interpreter or is_place(interpreter) or environment.is_bundled(interpreter):
            return PythonPath()
        try:
            process = await asyncio.create_subprocess_exec(
                *(interpreter, "-c", _PROBE),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd=environment.OWN_FOLDER,
                env=environment.kernel_environment(interpreter, self._variables, self._drop),
            )
        except OSError:
            return None  # said where code is run
        try:
            async with asyncio.timeout(_PROBE_LIMIT_S):
                written, _ = await process.communicate()
            version, folders = ast.literal_eval(written.decode())
        except (TimeoutError, ValueError, SyntaxError):
            return PythonPath()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return PythonPath(version, tuple(folders), await _changes(folders))


def _worker_command() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable, WORKER_FLAG]
    return [sys.executable, "-P", "-m", "playhead.code_worker"]


def _numbered(line: bytes) -> tuple[int, Answer] | None:
    try:
        answer = decode_answer(line)
    except ProtocolError as error:
        _log.info("%s", error)
        return None
    if answer.problem:
        _log.info("The code worker could not answer: %s", answer.problem)
    return answer.number, answer


async def _changes(folders: Sequence[str]) -> tuple[int, ...]:
    """Return when each folder was changed last; 0 for one that is not there."""

    def changed_at(folder: str) -> int:
        try:
            return os.stat(folder).st_mtime_ns
        except OSError:
            return 0

    return await asyncio.to_thread(lambda: tuple(changed_at(folder) for folder in folders))
