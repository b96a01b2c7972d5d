"""Runs a recording from the top in an empty copy of its inputs, and compares what comes out."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Literal, Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.atomic_file import read_plain
from playhead.checking.check_report import CheckReport, EnvironmentChoice
from playhead.checking.input_files import find_inputs
from playhead.checking.judgement import InputState, Judgement
from playhead.checking.manifest import FileRecord, hash_of
from playhead.checking.recorded_cells import RecordedCell, Recording, cells_of
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import InputRequest, Proposal
from playhead.domain.execution import PYTHON, Interpreter, RunLimits, RunRequest
from playhead.domain.trust import Policy, Reach, is_below
from playhead.errors import ExecutionError
from playhead.execution.results import remove_left
from playhead.session.code_ports import Executor

_LARGEST_FILE = 500_000_000
CheckStage = Literal["inputs", "environment", "running", "comparing"]


class CheckExecutor(Executor, Protocol):
    """An executor of checks, whose supervisors are known."""

    def supervisors(self, folder: str = "") -> tuple[int, ...]:
        """Return the ids of the kernels' parents."""
        ...


class Environments(Protocol):
    """Makes environments with recorded versions."""

    async def make(
        self, place: Path, python: str, packages: Sequence[str], near: str
    ) -> Interpreter:
        """Make one in a new folder. Raises ExecutionError."""
        ...


class CheckPlan(Struct, frozen=True, kw_only=True):
    """Holds a recording and the way to run it; to approve it approves all of its code, once.

    `folder` has the inputs. `interpreter` is the present Python: the code runs with it, or with one
    made from it. `environment` "locked" is only possible where versions are recorded.
    """

    recording: Recording
    folder: str
    interpreter: str
    environment: EnvironmentChoice = "locked"
    policy: Policy = Policy()
    reach: Reach = Reach()
    limits: RunLimits = msgspec.field(default_factory=RunLimits)

    @property
    def needs_environment(self) -> bool:
        """Return whether an environment is made for it."""
        return self.environment == "locked" and bool(self.recording.manifest.packages)


class CheckProgress(Struct, frozen=True):
    """The stage of a check; `cell` of `total` while it runs."""

    stage: CheckStage
    cell: int = 0
    total: int = 0


class Checker:
    """Checks recordings, each in a folder of its own below `place` that is deleted at the end.

    `make_executor` returns an executor that keeps its files in a folder, and keeps nothing else.
    """

    def __init__(
        self,
        place: Path,
        make_executor: Callable[[Path], CheckExecutor],
        environments: Environments,
    ) -> None:
        self._place = place
        self._make_executor = make_executor
        self._environments = environments
        self._executors: set[CheckExecutor] = set()

    def supervisors(self) -> tuple[int, ...]:
        """Return the ids of the parents of the kernels of all checks."""
        return tuple(pid for one in self._executors for pid in one.supervisors())

    async def check(self, plan: CheckPlan) -> AsyncGenerator[CheckProgress | CheckReport, None]:
        """Yield how far the check is, at last its report. Raises ExecutionError.

        Closing the generator stops the check and what it has started.
        """
        place = self._place / f"{os.getpid()}-{uuid.uuid4().hex}"
        executor = self._make_executor(place)
        self._executors.add(executor)
        try:
            await asyncio.to_thread(_make_place, place)
            async with aclosing(_Check(plan, place, executor, self._environments).run()) as steps:
                async for step in steps:
                    yield step
        except OSError as error:
            detail = error.strerror or str(error)
            raise ExecutionError("The check could not be carried out.", detail=detail) from error
        finally:
            self._executors.discard(executor)
            await executor.close()
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def close(self) -> None:
        """End the kernels of all checks; who asked for them closes their generators."""
        for executor in tuple(self._executors):
            await executor.close()


def _make_place(place: Path) -> None:
    remove_left(place.parent.glob("*-*"))
    place.mkdir(mode=0o700, parents=True)
    (place / "work").mkdir()


class _Check:
    """One check."""

    def __init__(
        self, plan: CheckPlan, place: Path, executor: CheckExecutor, environments: Environments
    ) -> None:
        self._plan = plan
        self._place = place
        self._work = place / "work"
        self._executor = executor
        self._environments = environments
        self._conversation = Conversation()

    async def run(self) -> AsyncGenerator[CheckProgress | CheckReport, None]:
        """Yield the stages and the report."""
        plan, recording = self._plan, self._plan.recording
        yield CheckProgress("inputs")
        hidden = plan.reach.hidden if plan.policy.is_bounded else ()
        inputs = await asyncio.to_thread(copy_inputs, recording, plan.folder, self._work, hidden)
        interpreter = plan.interpreter
        if plan.needs_environment:
            yield CheckProgress("environment")
            made = await self._environments.make(
                self._place / "environment",
                recording.manifest.python,
                recording.manifest.packages,
                plan.interpreter,
            )
            interpreter = made.path
        await self._executor.set_reach(self._conversation.id, plan.reach, plan.policy)
        total = len(recording.cells)
        for cell in recording.cells:
            yield CheckProgress("running", cell.number, total)
            if not cell.was_stopped:
                await self._run_cell(cell, interpreter)
        yield CheckProgress("comparing", total, total)
        yield await asyncio.to_thread(self._judge, inputs)

    async def _run_cell(self, cell: RecordedCell, interpreter: str) -> None:
        apply = self._conversation.apply
        written = Chunk(role="assistant", type="code", format=cell.language, start=True)
        apply(written)
        apply(replace(written, start=False, content=cell.code))
        message_id = apply(replace(written, start=False, end=True))
        language = self._executor.canonical(cell.language) or cell.language
        proposal = Proposal(
            id=uuid.uuid4().hex,
            message_id=message_id,
            language=language,
            code=cell.code,
            folder=str(self._work),
            interpreter=interpreter,
        )
        apply(Chunk(role="computer", type="confirmation", format="execution", content=proposal))
        request = RunRequest(
            run_id=uuid.uuid4().hex,
            conversation_id=self._conversation.id,
            language=language,
            code=cell.code,
            folder=str(self._work),
            interpreter=interpreter if language == PYTHON else self._plan.interpreter,
            limits=self._plan.limits,
            shows_lines=False,
            policy=replace(self._plan.policy, is_reviewed=False),
        )
        async with aclosing(self._executor.run(request)) as chunks:
            async for chunk in chunks:
                apply(chunk)
                if isinstance(chunk.content, InputRequest):  # what was typed is not recorded
                    await self._executor.send_text(self._conversation.id, "", is_end=True)

    def _judge(self, inputs: Sequence[InputState]) -> CheckReport:
        plan = self._plan
        cells = cells_of(self._conversation.messages, self._read_output)
        judgement = Judgement(plan.recording, cells, plan.folder, str(self._work))
        judgement.judge_inputs(inputs)
        judgement.judge_packages(self._conversation.messages)
        judgement.judge_cells()
        judgement.judge_files(inputs)
        python, packages = judgement.packages_now
        return CheckReport(
            document=plan.recording.name,
            at=time.time(),
            cells=tuple(judgement.cells),
            differences=tuple(judgement.differences),
            environment="locked" if plan.needs_environment else "present",
            python=python,
            packages=packages,
            inputs=tuple(one.path for one in inputs if one.is_there),
            notes=tuple(judgement.notes),
        )

    def _read_output(self, path: str) -> bytes | None:
        """Return a picture of a run, which is below our own folder."""
        try:
            is_ours = Path(path).is_relative_to(self._place)
            return read_plain(path, _LARGEST_FILE, str(self._place)) if is_ours else None
        except (OSError, ValueError):
            return None


def copy_inputs(
    recording: Recording, folder: str, work: Path, hidden: Sequence[str] = ()
) -> list[InputState]:
    """Copy the inputs of a recording into an empty folder; return what was found.

    What its code is denied, `hidden`, is not there for it.
    """
    known = {one.path: one for one in recording.manifest.inputs}
    paths = sorted(known) if recording.manifest.is_whole else _named(recording, folder)
    return [_copy_input(path, known.get(path), folder, work, hidden) for path in paths]


def _named(recording: Recording, folder: str) -> list[str]:
    """Return the files that the code names; the export itself does not count."""
    found = find_inputs([(cell.language, cell.code) for cell in recording.cells], folder)
    return [path for path in found if path != recording.name]


def _copy_input(
    path: str, record: FileRecord | None, folder: str, work: Path, hidden: Sequence[str]
) -> InputState:
    source, target = os.path.join(folder, path), work / path
    real = os.path.realpath(source)
    is_inside = is_below(real, [os.path.realpath(folder)])
    if not is_inside or is_below(real, hidden) or not os.path.isfile(real):
        return InputState(path=path, record=record)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(real, target)
    return InputState(path=path, record=record, sha256=hash_of(str(target)))
