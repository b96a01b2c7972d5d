"""The worker's turns: tasks that ask a model, retry where that helps, and can be cancelled."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Protocol

from playhead.model_worker.connections import Connections
from playhead.model_worker.diagnosis import broken, describe, is_retryable, retry_after
from playhead.model_worker.model_lists import list_models
from playhead.model_worker.model_table import known_model
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Cancel,
    Cancelled,
    Delta,
    DeltaBatcher,
    Deltas,
    Done,
    Elsewhere,
    FromWorker,
    ListModels,
    Message,
    ModelList,
    Rehearsal,
    Retrying,
)


class Dispatcher:
    """Starts and cancels turns; their results are passed to `send`."""

    def __init__(self, models: ModelClient, send: Callable[[FromWorker], None]) -> None:
        self._models = models
        self._send = send
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def handle(self, message: Message) -> None:
        """Do what the app asks."""
        match message:
            case AboutModel():
                self._send(self._models.known(message))
            case Ask() | ListModels() if not self._models.serves(message):
                self._send(Elsewhere(message.turn))
            case Rehearsal():
                self._send(Done(message.turn))
            case Ask() | ListModels():
                task = asyncio.create_task(self._answer(message))
                self._tasks[message.turn] = task
                task.add_done_callback(lambda ended: self._on_ended(message.turn, ended))
            case Cancel():
                self._cancel(message.turn)
            case _:
                pass  # from a newer app

    def _cancel(self, turn: str) -> None:
        task = self._tasks.get(turn)
        if task is None:
            self._send(Cancelled(turn))  # it had just ended
        else:
            task.cancel()

    def _on_ended(self, turn: str, task: asyncio.Task[None]) -> None:
        """Remove an ended task; not in itself, since one cancelled before its start never runs."""
        self._tasks.pop(turn, None)
        if task.cancelled():
            self._send(Cancelled(turn))
        elif (error := task.exception()) is not None:  # of describing what went wrong, too
            traceback.print_exception(error)
            self._send(broken(turn))

    async def _answer(self, ask: Ask | ListModels) -> None:
        try:
            match ask:
                case Ask():
                    await self._stream(ask)
                case ListModels():
                    self._send(await self._models.listed(ask))
        # Any exception of a provider's code ends this turn and not the worker.
        except Exception as error:  # noqa: BLE001
            self._send(describe(error, ask))

    async def _stream(self, ask: Ask) -> None:
        batcher = DeltaBatcher(lambda deltas: self._send(Deltas(ask.turn, deltas)))
        try:
            async with aclosing(self._models.stream(ask)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Done | Retrying):
                        batcher.flush()
                        self._send(piece)
                    elif batcher.add(*piece):
                        await asyncio.sleep(0)  # a buffered stream never yields by itself
        finally:
            batcher.flush()


FIRST_WAIT_S = 1.0
MAX_WAIT_S = 120.0
"""A request to wait for longer is refused: the user may want to do something else."""


class Lane(Protocol):
    """A way to ask models."""

    def serves(self, question: Ask | ListModels) -> bool:
        """Return whether this lane answers a question."""
        ...

    def base_of(self, provider: str) -> str | None:
        """Return the address of a provider with OpenAI's format."""
        ...

    def stream(self, ask: Ask) -> AsyncGenerator[Sequence[Delta] | Done, None]:
        """Stream the deltas of the answer as they come, and last its end and cost."""
        ...


class ModelClient:
    """Answers all questions of the worker about models, and streams their answers."""

    def __init__(self, lane: Lane, connections: Connections) -> None:
        self._lane = lane
        self._connections = connections

    def serves(self, question: Ask | ListModels) -> bool:
        """Return whether the worker's lane answers a question."""
        return self._lane.serves(question)

    async def stream(self, ask: Ask) -> AsyncGenerator[Sequence[Delta] | Retrying | Done, None]:
        """Stream the pieces of the answer, and last its end and cost.

        Closing the generator closes the connection. Raises any exception of a provider's code.
        """
        for attempt in range(1, ask.retries + 2):
            has_begun = False
            try:
                async with aclosing(self._lane.stream(ask)) as pieces:
                    async for piece in pieces:
                        has_begun = True
                        yield piece
                return
            except Exception as error:
                is_last = has_begun or attempt > ask.retries
                seconds = _retry_wait_s(error, attempt)
                if is_last or seconds > MAX_WAIT_S or not is_retryable(error, ask):
                    raise
                reason = describe(error, ask).title
            yield Retrying(
                turn=ask.turn,
                seconds=round(seconds, 1),
                attempt=attempt,
                attempts=ask.retries,
                reason=reason,
            )
            await asyncio.sleep(seconds)

    async def listed(self, ask: ListModels) -> ModelList:
        """Return the models of a provider. Raises StreamFailure or what the HTTP client raises."""
        return ModelList(
            ask.turn, tuple(await list_models(ask, self._connections, self._lane.base_of))
        )

    def known(self, ask: AboutModel) -> ModelList:
        """Return the table's facts about a model."""
        return ModelList(ask.turn, (known_model(ask.model),))


def _retry_wait_s(error: Exception, attempt: int) -> float:
    """Return the server's wait; else a longer one each time, not the same for all clients."""
    backoff_s = FIRST_WAIT_S * 2 ** (attempt - 1)
    jitter_s = random.uniform(0, backoff_s / 2)  # noqa: S311 - nobody guesses it for gain
    asked_s = retry_after(error)
    return jitter_s / 4 + asked_s if asked_s is not None else backoff_s / 2 + jitter_s
