"""Keeps a model worker alive: starts it, asks it, replaces it when it dies, ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, assert_never

from playhead.errors import ProviderError
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Cancel,
    Cancelled,
    Deltas,
    Done,
    Failed,
    ListModels,
    ModelList,
    Retrying,
)
from playhead.providers.worker_process import Answer, WorkerProcess

CANCEL_S = 2.0
"""How long the worker may take to close a connection before it is killed."""

WorkerStatus = Literal["absent", "starting", "ready", "failed"]
Question = Ask | ListModels | AboutModel
Good = Deltas | Retrying | Done | ModelList
"""What a question is answered with, when all goes well."""

_log = logging.getLogger(__name__)


class LiveWorker:
    """Owns the process; a question that comes before it is warm waits for it."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log_path: Path | None = None,
    ) -> None:
        self._command = tuple(command)
        self._environment = environment
        self._log_path = log_path
        self._worker: WorkerProcess | None = None
        self._watch: asyncio.Task[bool] | None = None
        self._start_lock = asyncio.Lock()
        self._listeners: list[Callable[[WorkerStatus], None]] = []
        self._mourners: list[Callable[[int, list[str]], None]] = []
        self._attended: asyncio.Task[None] | None = None
        self._status: WorkerStatus = "absent"
        self._is_closed = False

    @property
    def status(self) -> WorkerStatus:
        """How the worker stands; while it is starting, a question waits for it."""
        return self._status

    @property
    def pid(self) -> int | None:
        """The worker's process number, if there is one."""
        return self._worker.pid if self._worker and not self._worker.has_ended else None

    def subscribe(self, listener: Callable[[WorkerStatus], None]) -> Callable[[], None]:
        """Tell `listener` of every change of `status`; call the result to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def on_death(self, listener: Callable[[int, list[str]], None]) -> None:
        """Tell of a worker that ends unasked: its status, and its last lines on stderr."""
        self._mourners.append(listener)

    async def start(self) -> None:
        """Start and warm the worker ahead of the first question; failures show there."""
        try:
            await self._ready_worker()
        except ProviderError as error:
            _log.info("The model worker did not start: %s", error.detail)

    async def answers(self, question: Question) -> AsyncGenerator[Good, None]:
        """What the worker answers, to the end. Raises ProviderError.

        Closing the generator has the worker close its connection.
        """
        worker = await self._ready_worker()
        queue = worker.open(question.turn)
        has_ended = False
        try:
            await worker.send(question)
            while not has_ended:
                answer = await queue.get()
                has_ended = not isinstance(answer, Deltas | Retrying)
                if isinstance(answer, Deltas | Retrying):
                    yield answer
                else:
                    yield await self._ended(worker, answer)
        finally:
            try:
                if not has_ended:
                    await self._cancel(worker, question.turn, queue)
            finally:
                worker.forget(question.turn)

    async def close(self) -> None:
        """End the worker process."""
        self._is_closed = True
        async with self._start_lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                await worker.close()
            if self._watch is not None:
                await self._watch
            if self._attended is not None:
                await self._attended
        self._set_status("absent")

    async def _ended(
        self, worker: WorkerProcess, answer: Done | Failed | Cancelled | ModelList | None
    ) -> Done | ModelList:
        """The good end, or the ProviderError of a bad one."""
        match answer:
            case Done() | ModelList():
                return answer
            case Failed():
                raise ProviderError(
                    answer.title,
                    detail=answer.detail,
                    remedy=answer.remedy,
                    code=answer.code,
                    retry_after_s=answer.retry_after_s,
                )
            case Cancelled() | None:
                raise await self._crash(worker)
            case _:
                assert_never(answer)

    async def _crash(self, worker: WorkerProcess) -> ProviderError:
        worker.kill()
        status = await worker.wait()
        return ProviderError(
            "The model worker ended unexpectedly.",
            detail=f"Its exit status was {status}.",
            remedy="Ask again; a new one is started.",
        )

    async def _cancel(
        self, worker: WorkerProcess, turn: str, queue: asyncio.Queue[Answer | None]
    ) -> None:
        """Close the connection; a worker that does not say that it did is killed."""
        try:
            async with asyncio.timeout(CANCEL_S):
                await worker.send(Cancel(turn))
                while isinstance(await queue.get(), Deltas | Retrying):
                    pass
        except TimeoutError:
            _log.info("The model worker %d did not stop in time and was killed", worker.pid)
            worker.is_unwanted = True
            worker.kill()
            await worker.wait()

    async def _ready_worker(self) -> WorkerProcess:
        """A warm worker; a fresh one where there is none or it has died."""
        async with self._start_lock:
            if self._is_closed:
                raise _not_started("The program is closing.")
            if self._worker is None or self._worker.has_ended:
                self._worker = await self._started()
            worker = self._worker
        if await self._follow(worker):
            return worker
        raise _not_started(f"It ended with status {await worker.wait()} before it was ready.")

    async def _started(self) -> WorkerProcess:
        if self._worker is not None:
            await self._worker.wait()  # reap the dead one
        self._set_status("starting")
        try:
            worker = await WorkerProcess.start(self._command, self._environment, self._log_path)
        except OSError as error:
            self._set_status("failed")
            raise _not_started(f"{self._command[0]}: {error.strerror}.") from error
        # The request that caused the start may be stopped before it ends: told all the same.
        self._watch = asyncio.create_task(self._follow(worker), name="model-worker-status")
        self._attended = asyncio.create_task(self._attend(worker), name="model-worker-end")
        return worker

    async def _follow(self, worker: WorkerProcess) -> bool:
        """Wait for a start and tell how it ended; False when it failed."""
        is_ready = await worker.ready()
        if worker is self._worker:
            self._set_status("ready" if is_ready else "failed")
        return is_ready

    async def _attend(self, worker: WorkerProcess) -> None:
        status = await worker.wait()
        if status != 0 and not worker.is_unwanted:
            for listener in tuple(self._mourners):
                listener(status, list(worker.last_lines))

    def _set_status(self, status: WorkerStatus) -> None:
        if status == self._status:
            return
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)


def _not_started(detail: str) -> ProviderError:
    return ProviderError(
        "The model worker could not be started.",
        detail=detail,
        remedy="Try again. If it happens again, reinstall Playhead; the log says more.",
    )
