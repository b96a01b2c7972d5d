"""Models through the worker process: a turn's request in, chunks out."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, assert_never

from playhead.conversation.chunk import Chunk
from playhead.conversation.payloads import Usage
from playhead.conversation.requests import ModelSettings, TurnRequest
from playhead.errors import ProviderError
from playhead.model_worker.protocol import Ask, Cancel, Cancelled, Delta, Deltas, Done, Failed
from playhead.providers.delta_parser import Canonical, CutOffError, DeltaParser
from playhead.providers.system_prompt import offered_tools, system_prompt
from playhead.providers.transcript import chat_messages
from playhead.providers.worker_process import (
    Answer,
    WorkerProcess,
    worker_command,
    worker_environment,
)

CANCEL_S = 2.0
"""How long the worker may take to close a connection before it is killed."""

WorkerStatus = Literal["absent", "starting", "ready", "failed"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds: for the connection, the first piece, and between two pieces."""

    connect_s: float = 10.0
    first_s: float = 60.0
    between_s: float = 30.0


class WorkerProvider:
    """Owns the worker: starts it, asks it, replaces it when it dies, ends it.

    `canonical` gives the language that a model's word names, or None (`Executor.canonical`).
    What the worker writes to stderr goes to `log_path`, without keys, or else to our own log.
    """

    def __init__(
        self,
        canonical: Canonical,
        *,
        command: Sequence[str] | None = None,
        environment: Mapping[str, str] | None = None,
        timeouts: Timeouts | None = None,
        log_path: Path | None = None,
    ) -> None:
        self._canonical = canonical
        self._command = tuple(command or worker_command())
        self._environment = worker_environment(os.environ if environment is None else environment)
        self._timeouts = timeouts or Timeouts()
        self._log_path = log_path
        self._worker: WorkerProcess | None = None
        self._watch: asyncio.Task[bool] | None = None
        self._start_lock = asyncio.Lock()
        self._listeners: list[Callable[[WorkerStatus], None]] = []
        self._status: WorkerStatus = "absent"
        self._is_closed = False

    @property
    def status(self) -> WorkerStatus:
        """How the worker stands; while it is starting, a request waits for it."""
        return self._status

    @property
    def worker_pid(self) -> int | None:
        """The worker's process number, if there is one."""
        return self._worker.pid if self._worker and not self._worker.has_ended else None

    def subscribe(self, listener: Callable[[WorkerStatus], None]) -> Callable[[], None]:
        """Tell `listener` of every change of `status`; call the result to end that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def start(self) -> None:
        """Start and warm the worker ahead of the first request; failures show there."""
        try:
            await self._ready_worker()
        except ProviderError as error:
            _log.info("The model worker did not start: %s", error.detail)

    async def stream(self, request: TurnRequest) -> AsyncGenerator[Chunk, None]:
        """The answer as chunks, at last what it cost.

        Raises ProviderError; closing it closes the connection.
        """
        messages = chat_messages(request.messages, _system(request), request.folder)
        ask = self._ask(request.model, messages, request)
        parser = DeltaParser(
            self._canonical,
            has_called_tools=request.has_called_tools,
            offers_execute=request.offers_execute,
            known_ids=(message.call_id or "" for message in request.messages),
        )
        async with aclosing(self._answer(ask)) as pieces:
            async for piece in pieces:
                for chunk in _parsed(parser, piece):
                    yield chunk

    async def check(self, model: ModelSettings) -> str:
        """One small request; a sentence that says what answered. Raises ProviderError."""
        question = "This is a test of the connection. Answer with the single word: ready"
        ask = self._ask(model, [{"role": "user", "content": question}], max_tokens=16)
        async with aclosing(self._answer(ask)) as pieces:
            async for _ in pieces:
                pass
        where = f" at {model.api_base}" if model.api_base else ""
        return f"{model.model}{where} answered."

    async def close(self) -> None:
        """End the worker process."""
        self._is_closed = True
        async with self._start_lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                await worker.close()
            if self._watch is not None:
                await self._watch
        self._set_status("absent")

    def _ask(
        self,
        model: ModelSettings,
        messages: list[dict[str, Any]],
        request: TurnRequest | None = None,
        max_tokens: int | None = None,
    ) -> Ask:
        """The question; without a `request` no tools are offered."""
        return Ask(
            turn=uuid.uuid4().hex,
            model=model.model,
            messages=messages,
            tools=_offered(request) if request else [],
            needs_tools=bool(request and request.tools),
            tool_choice="required" if request is not None and request.must_call else None,
            api_base=model.api_base or None,
            api_key=model.api_key.reveal() if model.api_key else None,
            temperature=model.temperature,
            max_tokens=max_tokens or model.max_tokens,
            top_p=model.top_p,
            stop=list(model.stop),
            supports_images=model.supports_images,
            connect_s=self._timeouts.connect_s,
            first_s=self._timeouts.first_s,
            between_s=self._timeouts.between_s,
        )

    async def _answer(self, ask: Ask) -> AsyncGenerator[Delta | Done, None]:
        worker = await self._ready_worker()
        queue = worker.open(ask.turn)
        has_ended = False
        try:
            await worker.send(ask)
            while not has_ended:
                answer = await queue.get()
                has_ended = not isinstance(answer, Deltas)
                if isinstance(answer, Deltas):
                    for delta in answer.deltas:
                        yield delta
                else:
                    yield await self._ended(worker, answer)
        finally:
            try:
                if not has_ended:
                    await self._cancel(worker, ask.turn, queue)
            finally:
                worker.forget(ask.turn)

    async def _ended(self, worker: WorkerProcess, answer: Done | Failed | Cancelled | None) -> Done:
        """The good end, or the ProviderError of a bad one."""
        match answer:
            case Done():
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
            remedy="Press Retry; a new one is started.",
        )

    async def _cancel(
        self, worker: WorkerProcess, turn: str, queue: asyncio.Queue[Answer | None]
    ) -> None:
        """Close the connection; a worker that does not say that it did is killed."""
        try:
            async with asyncio.timeout(CANCEL_S):
                await worker.send(Cancel(turn))
                while isinstance(await queue.get(), Deltas):
                    pass
        except TimeoutError:
            _log.info("The model worker %d did not stop in time and was killed", worker.pid)
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
        return worker

    async def _follow(self, worker: WorkerProcess) -> bool:
        """Wait for a start and tell how it ended; False when it failed."""
        is_ready = await worker.ready()
        if worker is self._worker:
            self._set_status("ready" if is_ready else "failed")
        return is_ready

    def _set_status(self, status: WorkerStatus) -> None:
        if status == self._status:
            return
        self._status = status
        for listener in tuple(self._listeners):
            listener(status)


def _system(request: TurnRequest) -> str:
    """Ours is about running code; without that, only what the request says itself."""
    if not request.offers_execute:
        return request.instructions.strip()
    return system_prompt(request.languages, request.folder, request.instructions)


def _offered(request: TurnRequest) -> list[dict[str, Any]]:
    return offered_tools(request.tools, request.languages, offers_execute=request.offers_execute)


def _usage(parser: DeltaParser, done: Done) -> Chunk:
    """What the answer cost and why it ended, in the words of OpenAI's finish reasons."""
    reason = done.finish_reason
    if reason not in ("length", "content_filter"):
        reason = "tool_calls" if parser.has_called else "stop"
    cost = done.usage
    usage = Usage(cost.input_tokens, cost.output_tokens, reason, cost.is_estimated)
    return Chunk("server", "usage", content=usage)


def _parsed(parser: DeltaParser, piece: Delta | Done) -> list[Chunk]:
    if isinstance(piece, Delta):
        return parser.feed(piece)
    try:
        return [*parser.finish(piece.finish_reason), _usage(parser, piece)]
    except CutOffError as error:
        is_limit = piece.finish_reason == "length"
        raise ProviderError(
            "The answer broke off in the middle of code.",
            detail="It reached the limit of its length." if is_limit else "The call was not whole.",
            remedy="Raise the maximum of tokens in the settings." if is_limit else "Press Retry.",
            code="upstream_truncated",
        ) from error


def _not_started(detail: str) -> ProviderError:
    return ProviderError(
        "The model worker could not be started.",
        detail=detail,
        remedy="Press Retry. If it happens again, install Playhead anew; the log says more.",
    )
