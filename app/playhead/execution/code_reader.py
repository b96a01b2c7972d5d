"""The code worker as the app sees it: started at the first question, replaced when it hangs."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

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
from playhead.domain.execution import Candidate, CodePlace, Completions, Description
from playhead.execution import environment

WORKER_FLAG = "--code-worker"
"""The flag by which the packaged program serves as a code worker itself."""
_PROBE = "import sys; print(repr((tuple(sys.version_info[:2]), [p for p in sys.path if p])))"
_PROBE_LIMIT_S = 10
HANG_S = 2.0
"""Seconds that a question waits for the end of an older one, before the worker is killed."""
_ANSWER_LIMIT_S = 60.0
_CLOSE_S = 1.0
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
        self._cache_dir = cache_dir
        self._variables = dict(os.environ if variables is None else variables)
        self._drop = frozenset(drop)
        self._hang_s = hang_s
        self._command = tuple(command or _worker_command())
        self._numbers = itertools.count(1)
        self._newest: dict[Kind, int] = {"complete": 0, "describe": 0}
        self._worker: _Worker | None = None
        self._starting = asyncio.Lock()
        self._failed_starts = 0
        self._paths: dict[str, PythonPath] = {}
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """Return the worker's process id, if there is one."""
        return self._worker.pid if self._worker and not self._worker.has_ended else None

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
        self._is_closed = True
        async with self._starting:
            worker, self._worker = self._worker, None
            if worker is not None:
                await worker.close()

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
        worker = await self._running_worker()
        if worker is None:
            return None
        answer = await worker.ask(question)
        if answer is not None:
            self._failed_starts = 0
        return answer

    async def _running_worker(self) -> _Worker | None:
        async with self._starting:
            if self._worker is not None and self._worker.has_ended:
                await self._worker.close()
                self._worker = None
            if self._worker is None and not self._is_closed and self._failed_starts < _STARTS:
                self._failed_starts += 1
                self._worker = await self._start()
            return self._worker

    async def _start(self) -> _Worker | None:
        try:
            process = await asyncio.create_subprocess_exec(
                *(*self._command, str(self._cache_dir)),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd=environment.OWN_FOLDER,
                env=environment.kernel_environment("", self._variables, self._drop) | _OWN_PATH,
                limit=MAX_LINE_BYTES,
            )
        except OSError as error:
            _log.info("The code worker could not be started: %s", error)
            return None
        return _Worker(process, self._hang_s)

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
        if not interpreter or environment.is_bundled(interpreter):
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


async def _changes(folders: Sequence[str]) -> tuple[int, ...]:
    """Return when each folder was changed last; 0 for one that is not there."""

    def changed_at(folder: str) -> int:
        try:
            return os.stat(folder).st_mtime_ns
        except OSError:
            return 0

    return await asyncio.to_thread(lambda: tuple(changed_at(folder) for folder in folders))


class _Worker:
    """One running process, and the questions that it has not answered."""

    def __init__(self, process: Process, hang_s: float) -> None:
        self._process = process
        self._hang_s = hang_s
        self._waiting: dict[int, tuple[Question, asyncio.Future[Answer | None]]] = {}
        self._reader = asyncio.create_task(self._read(), name="code worker")

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Return whether no more answers come."""
        return self._reader.done()

    async def ask(self, question: Question) -> Answer | None:
        """Return the answer; None if the worker ended, or was killed as it hung."""
        if self._process.stdin is None or self.has_ended:
            return None
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting[question.number] = question, answer
        with contextlib.suppress(ConnectionError):  # it has just ended
            self._process.stdin.write(encode(question))
            await self._process.stdin.drain()
        for limit_s in (self._hang_s, _ANSWER_LIMIT_S):
            done, _ = await asyncio.wait([answer], timeout=limit_s)
            if done:
                return answer.result()
            if self._is_held_up(question) or limit_s == _ANSWER_LIMIT_S:
                _log.info("The code worker %d hangs and is killed", self.pid)
                self._kill()
                await asyncio.wait([self._reader])
                return None
        return None

    def _is_held_up(self, question: Question) -> bool:
        """Return whether a question is in work that this one has made outdated."""
        return any(
            older.number < question.number and question.kind in (older.kind, "complete")
            for older, _ in self._waiting.values()
        )

    async def close(self) -> None:
        """End it: by the end of its stdin, else by force."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        done, _ = await asyncio.wait([self._reader], timeout=_CLOSE_S)
        if not done:
            self._kill()
        await asyncio.wait([self._reader])
        await self._process.wait()

    def _kill(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        # Not Process.kill, which takes the exit status of one that has just ended from asyncio.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it was started with a pipe
        try:
            while line := await stdout.readline():
                self._take(line)
        except ValueError:
            _log.info("The code worker %d wrote a line that is too long", self.pid)
            self._kill()
        finally:
            for _, answer in self._waiting.values():
                if not answer.done():
                    answer.set_result(None)
            self._waiting.clear()

    def _take(self, line: bytes) -> None:
        try:
            answer = decode_answer(line)
        except ProtocolError as error:
            _log.info("%s", error)
            return
        if answer.problem:
            _log.info("The code worker could not answer: %s", answer.problem)
        _, waiting = self._waiting.pop(answer.number, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)
