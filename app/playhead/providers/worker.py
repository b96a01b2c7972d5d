"""The model worker as the app sees it: a process with its pipes, replaced when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import signal
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, assert_never

from playhead.domain.text.quantities import format_size
from playhead.errors import ProviderError, phrase
from playhead.model_worker.protocol import (
    MAX_LINE_BYTES,
    AboutModel,
    Ask,
    Cancel,
    Cancelled,
    Deltas,
    Done,
    Elsewhere,
    Failed,
    ListModels,
    ModelList,
    ProtocolError,
    Ready,
    Rehearsal,
    Retrying,
    ToWorker,
    decode,
    encode,
)
from playhead.providers.worker_start import (
    WORKER_FOLDER,
    take_early,
    worker_command,
    worker_environment,
)

_LAST_LINES = 200
_LINES_AT_ONCE = 8
LOG_LIMIT_BYTES = 2_000_000
"""The log and the one before it, at most, are kept."""

CLOSE_S = 2.0
"""Seconds that a worker may take to end after its stdin was closed."""

LITELLM = "litellm"
"""The argument that starts a worker with litellm, in place of one that asks by HTTP itself."""

Answer = Deltas | Retrying | Done | Failed | Cancelled | Elsewhere | ModelList

_log = logging.getLogger(__name__)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|key|hf)[-_][\w-]{8,}|(?i:bearer\s+)\S+")


class _EarlyProcess:
    """A worker that was started before there was a loop, with the face of asyncio's processes."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
    ) -> None:
        self._popen = popen
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.pid = popen.pid

    @classmethod
    async def adopt(cls, popen: subprocess.Popen[bytes]) -> _EarlyProcess:
        """Read and write its pipes in the running loop."""
        assert popen.stdout is not None  # noqa: S101 - it was started with pipes
        assert popen.stderr is not None  # noqa: S101
        out, err = await _reader(popen.stdout), await _reader(popen.stderr)
        loop = asyncio.get_running_loop()
        flow: Any = asyncio.streams.FlowControlMixin
        transport, protocol = await loop.connect_write_pipe(flow, popen.stdin)
        return cls(popen, asyncio.StreamWriter(transport, protocol, None, loop), out, err)

    @property
    def returncode(self) -> int | None:
        """Return the exit status, None while it runs."""
        return self._popen.poll()

    def kill(self) -> None:
        """End it by force."""
        self._popen.kill()

    async def wait(self) -> int:
        """Return the exit status."""
        return await asyncio.to_thread(self._popen.wait)


async def _reader(pipe: IO[bytes]) -> asyncio.StreamReader:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(MAX_LINE_BYTES, loop)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader, loop=loop), pipe)
    return reader


class WorkerProcess:
    """One running worker. The queue of a turn gets its answers, and None when the worker ends."""

    def __init__(self, process: Process | _EarlyProcess, log_path: Path | None = None) -> None:
        self._process = process
        self._log_path = log_path
        self.last_lines = deque[str](maxlen=_LAST_LINES)
        """The end of what it has written to stderr, without keys."""
        self.is_stopping = False
        """Whether we end the worker ourselves."""
        self._turns: dict[str, asyncio.Queue[Answer | None]] = {}
        self._ready = asyncio.get_running_loop().create_future()
        self._reader = asyncio.create_task(self._read())
        self._logger = asyncio.create_task(self._log_stderr())

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], log_path: Path | None = None
    ) -> WorkerProcess:
        """Start a worker; it is usable when `ready` returns True. Raises OSError."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=WORKER_FOLDER,
            env=environment,
            limit=MAX_LINE_BYTES,
        )
        return cls(process, log_path)

    @classmethod
    async def adopt(
        cls, popen: subprocess.Popen[bytes], log_path: Path | None = None
    ) -> WorkerProcess:
        """Take over a worker that was started early."""
        return cls(await _EarlyProcess.adopt(popen), log_path)

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Return whether the worker's answers have ended."""
        return self._reader.done()

    async def ready(self) -> bool:
        """Wait until the worker is warm; False when it ended before."""
        return await asyncio.shield(self._ready)

    def open(self, turn: str) -> asyncio.Queue[Answer | None]:
        """Return the queue for the answers of a turn."""
        queue = self._turns[turn] = asyncio.Queue[Answer | None]()
        if self.has_ended:
            queue.put_nowait(None)
        return queue

    def forget(self, turn: str) -> None:
        """Drop the queue of a turn that was given up."""
        self._turns.pop(turn, None)

    async def send(self, message: ToWorker) -> None:
        """Write a question; a worker that has just died shows in the turn's queue.

        Raises ProviderError where it is larger than the worker takes.
        """
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - it was started with a pipe
        # A question carries the whole conversation: writing it as JSON can take long.
        is_large = isinstance(message, Ask) and len(message.messages) > 1
        line = await asyncio.to_thread(encode, message) if is_large else encode(message)
        if len(line) > MAX_LINE_BYTES:
            raise _too_large(len(line))
        try:
            stdin.write(line)
            await stdin.drain()
        except ConnectionError:
            _log.info("The model worker %d takes no more questions", self.pid)

    async def close(self) -> None:
        """End the worker: by the end of its stdin, else by force."""
        self.is_stopping = True
        if self._process.stdin is not None:
            self._process.stdin.close()
        read, _ = await asyncio.wait((self._reader,), timeout=CLOSE_S)
        if not read:
            self.kill()
        await self.wait()

    def kill(self) -> None:
        """End it by force."""
        if self._process.returncode is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
            return
        # Not Process.kill: it asks for the exit status first, and when the worker has just ended
        # it takes that away from asyncio, which then reports 255 and complains.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)

    async def wait(self) -> int:
        """Return the exit status, once process and pipes have ended."""
        # Not gather: a cancelled caller would cancel the two tasks, and fail all later callers.
        await asyncio.wait([self._reader, self._logger])
        return await self._process.wait()

    async def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it was started with a pipe
        try:
            count = 0
            while line := await stdout.readline():
                self._dispatch(line)
                count += 1
                if not count % _LINES_AT_ONCE:
                    await asyncio.sleep(0)  # very many lines may have come at once
        finally:
            if not self._ready.done():
                self._ready.set_result(False)
            for queue in self._turns.values():
                queue.put_nowait(None)

    def _dispatch(self, line: bytes) -> None:
        try:
            message = decode(line)
        except ProtocolError as error:
            _log.warning("%s", _KEY_LIKE.sub("…", str(error)))
            return
        if isinstance(message, Ready):
            if not self._ready.done():
                self._ready.set_result(True)
        elif isinstance(message, Answer) and message.turn in self._turns:
            self._turns[message.turn].put_nowait(message)

    async def _log_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - it was started with a pipe
        while line := await stderr.readline():
            text = _KEY_LIKE.sub("…", line.decode(errors="replace").rstrip())
            self.last_lines.append(text)
            if self._log_path is None:
                _log.info("model worker %d: %s", self.pid, text)
            else:
                await asyncio.to_thread(_append, self._log_path, text)


def _too_large(size: int) -> ProviderError:
    """Return the error of a conversation that is too long: it is then tried with less of it."""
    return ProviderError(
        "The conversation is too large to be sent.",
        detail=phrase("It has {size}, perhaps mostly pictures.", size=format_size(size)),
        remedy="Start a new conversation, or leave out pictures.",
        code="context_too_long",
    )


def _append(path: Path, text: str) -> None:
    try:
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
        with path.open("a", encoding="utf-8") as log:
            log.write(f"{text}\n")
    except OSError as error:
        _log.info("The model worker's log cannot be written: %s", error.strerror)


CANCEL_S = 2.0
"""Seconds that the worker may take to close a connection before it is killed."""

WorkerStatus = Literal["absent", "starting", "ready", "failed"]
Question = Ask | Rehearsal | ListModels | AboutModel
GoodAnswer = Deltas | Retrying | Done | ModelList
"""The answers to a question that did not fail."""


class WorkerLane:
    """Owns the worker of one lane; a question that comes before it is warm waits for it.

    What the worker writes to stderr goes to `log_path`, without keys, or else to our own log.
    `emit_status` is called at each change of `status`, `emit_exit` with the exit status and the
    last lines of a worker that died.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log_path: Path | None,
        emit_status: Callable[[], None],
        emit_exit: Callable[[int, list[str]], None],
        *,
        takes_early: bool = False,
    ) -> None:
        self._takes_early = takes_early
        self._command = tuple(command)
        self._environment = environment
        self._log_path = log_path
        self._emit_status = emit_status
        self._emit_exit = emit_exit
        self._answering = 0
        self._idle = asyncio.Event()
        self._worker: WorkerProcess | None = None
        self._watch: asyncio.Task[bool] | None = None
        self._start_lock = asyncio.Lock()
        self._attended: asyncio.Task[None] | None = None
        self._status: WorkerStatus = "absent"
        self._is_closed = False

    @property
    def status(self) -> WorkerStatus:
        """Return the status of the worker; while it is starting, a question waits for it."""
        return self._status

    @property
    def pid(self) -> int | None:
        """Return the worker's process number, if there is one."""
        return self._worker.pid if self._worker and not self._worker.has_ended else None

    async def start(self) -> None:
        """Start and warm the worker ahead of the first question; failures show there."""
        try:
            await self._ready_worker()
        except ProviderError as error:
            _log.info("The model worker did not start: %s", error.detail)

    async def idle(self) -> None:
        """Wait until no answer is in progress."""
        while self._answering:
            await self._idle.wait()

    async def answers(self, question: Question) -> AsyncGenerator[GoodAnswer | Elsewhere, None]:
        """Yield the worker's answers to the end. Raises ProviderError.

        Closing the generator closes the worker's connection.
        """
        worker = await self._ready_worker()
        queue = worker.open(question.turn)
        has_ended = False
        self._answering += 1
        self._idle.clear()
        try:
            await worker.send(question)
            while not has_ended:
                answer = await queue.get()
                has_ended = not isinstance(answer, Deltas | Retrying)
                if isinstance(answer, Deltas | Retrying | Elsewhere):
                    yield answer
                else:
                    yield await self._ended(worker, answer)
        finally:
            self._answering -= 1
            if not self._answering:
                self._idle.set()
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
        """Return the last answer, or raise its failure as ProviderError."""
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
            detail=phrase("Its exit status was {status}.", status=status),
            remedy="Ask again; a new one is started.",
        )

    async def _cancel(
        self, worker: WorkerProcess, turn: str, queue: asyncio.Queue[Answer | None]
    ) -> None:
        """Close the connection; a worker that does not confirm it in time is killed."""
        try:
            async with asyncio.timeout(CANCEL_S):
                await worker.send(Cancel(turn))
                while isinstance(await queue.get(), Deltas | Retrying):
                    pass
        except TimeoutError:
            _log.info("The model worker %d did not stop in time and was killed", worker.pid)
            worker.is_stopping = True
            worker.kill()
            await worker.wait()

    async def _ready_worker(self) -> WorkerProcess:
        """Return the running worker, or start a new one if there is none or it has died."""
        async with self._start_lock:
            if self._is_closed:
                raise _not_started("The program is closing.")
            if self._worker is None or self._worker.has_ended:
                self._worker = await self._started()
            worker = self._worker
        if await self._follow(worker):
            return worker
        status = await worker.wait()
        raise _not_started(
            phrase("It ended with status {status} before it was ready.", status=status)
        )

    async def _started(self) -> WorkerProcess:
        if self._worker is not None:
            await self._worker.wait()  # reap the dead one
        self._set_status("starting")
        try:
            if self._takes_early and (early := take_early()) is not None:
                worker = await WorkerProcess.adopt(early, self._log_path)
            else:
                worker = await WorkerProcess.start(self._command, self._environment, self._log_path)
        except OSError as error:
            self._set_status("failed")
            raise _not_started(f"{self._command[0]}: {error.strerror}.") from error
        # A status task of its own: the request that caused the start may be stopped before it ends.
        self._watch = asyncio.create_task(self._follow(worker), name="model-worker-status")
        self._attended = asyncio.create_task(self._attend(worker), name="model-worker-end")
        return worker

    async def _follow(self, worker: WorkerProcess) -> bool:
        """Wait for a start and report its end; False when it failed."""
        is_ready = await worker.ready()
        if worker is self._worker:
            self._set_status("ready" if is_ready else "failed")
        return is_ready

    async def _attend(self, worker: WorkerProcess) -> None:
        status = await worker.wait()
        if status != 0 and not worker.is_stopping:
            self._emit_exit(status, list(worker.last_lines))

    def _set_status(self, status: WorkerStatus) -> None:
        if status == self._status:
            return
        self._status = status
        self._emit_status()


class ModelWorker:
    """Asks the models: by the worker of the HTTP lane, and by that of litellm whom only it serves.

    The second one is started when it is needed, and never while the first one is in an answer:
    the import of litellm takes seconds.
    """

    def __init__(
        self,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        log_path: Path | None = None,
    ) -> None:
        is_usual = command is None and environment is None
        command = tuple(command or worker_command())
        environment = worker_environment(os.environ if environment is None else environment)
        signals = (self._on_lane_status, self._on_lane_exit)
        self._http = WorkerLane(command, environment, log_path, *signals, takes_early=is_usual)
        self._litellm = WorkerLane((*command, LITELLM), environment, log_path, *signals)
        self._listeners: list[Callable[[WorkerStatus], None]] = []
        self._exit_listeners: list[Callable[[int, list[str]], None]] = []
        self._status: WorkerStatus = "absent"

    @property
    def status(self) -> WorkerStatus:
        """Return the status of the workers; while one is starting, a question waits for it."""
        return self._status

    @property
    def pid(self) -> int | None:
        """Return the process number of the first worker, if there is one."""
        return self._http.pid

    def subscribe(self, listener: Callable[[WorkerStatus], None]) -> Callable[[], None]:
        """Subscribe to changes of `status`; call the result to unsubscribe."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def on_exit(self, listener: Callable[[int, list[str]], None]) -> None:
        """Call the listener with the exit status and last stderr lines of a worker that died."""
        self._exit_listeners.append(listener)

    async def start(self, rehearsal: Rehearsal | None = None) -> None:
        """Start the workers that such a request needs ahead of it; failures show there."""
        await self._http.start()
        if rehearsal is None:
            return
        with contextlib.suppress(ProviderError):
            async with contextlib.aclosing(self._http.answers(rehearsal)) as answers:
                is_elsewhere = [one async for one in answers] == [Elsewhere(rehearsal.turn)]
            if is_elsewhere:
                await self._http.idle()
                await self._litellm.start()

    async def answers(self, question: Question) -> AsyncGenerator[GoodAnswer, None]:
        """Yield the worker's answers to the end. Raises ProviderError.

        Closing the generator closes the worker's connection.
        """
        for lane in (self._http, self._litellm):
            if lane is self._litellm and lane.pid is None:
                await self._http.idle()
            async with contextlib.aclosing(lane.answers(question)) as answers:
                async for answer in answers:
                    if isinstance(answer, Elsewhere):
                        break
                    yield answer
                else:
                    return

    async def close(self) -> None:
        """End the worker processes."""
        await asyncio.gather(self._http.close(), self._litellm.close())

    def _on_lane_status(self) -> None:
        lanes: tuple[WorkerStatus, ...] = (self._http.status, self._litellm.status)
        unusual: list[WorkerStatus] = [one for one in lanes if one in ("starting", "failed")]
        status = unusual[0] if unusual else self._http.status
        if status == self._status:
            return
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)

    def _on_lane_exit(self, status: int, lines: list[str]) -> None:
        for listener in tuple(self._exit_listeners):
            listener(status, lines)


def _not_started(detail: str) -> ProviderError:
    return ProviderError(
        "The model worker could not be started.",
        detail=detail,
        remedy="Try again. If it happens again, reinstall Playhead; the log says more.",
    )
