"""The worker's turns: many at once, each a task that can be cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Protocol

from playhead.model_worker.batcher import Batcher
from playhead.model_worker.failures import describe
from playhead.model_worker.protocol import (
    AboutModel,
    Ask,
    Cancel,
    Cancelled,
    Delta,
    Deltas,
    Done,
    FromWorker,
    ListModels,
    Message,
    ModelList,
    Retrying,
)


class Models(Protocol):
    """What streams answers: deltas, then how it ended; and what knows of models."""

    def stream(self, ask: Ask) -> AsyncGenerator[Delta | Retrying | Done, None]:
        """The answer; closing the generator closes the connection."""
        ...

    async def listed(self, ask: ListModels) -> ModelList:
        """The models of a provider."""
        ...

    def known(self, ask: AboutModel) -> ModelList:
        """What the table of models says about one."""
        ...


class Turns:
    """Starts and cancels turns; what comes of them goes out by `send`."""

    def __init__(self, models: Models, send: Callable[[FromWorker], None]) -> None:
        self._models = models
        self._send = send
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def handle(self, message: Message) -> None:
        """Do what the app asks."""
        match message:
            case AboutModel():
                self._send(self._models.known(message))
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
        """Here and not in the task: one that is cancelled before its first step never runs."""
        self._tasks.pop(turn, None)
        if task.cancelled():
            self._send(Cancelled(turn))

    async def _answer(self, ask: Ask | ListModels) -> None:
        try:
            match ask:
                case Ask():
                    await self._stream(ask)
                case ListModels():
                    self._send(await self._models.listed(ask))
        # Whatever a provider's code raises ends this turn and not the worker.
        except Exception as error:  # noqa: BLE001
            self._send(describe(error, ask))

    async def _stream(self, ask: Ask) -> None:
        batcher = Batcher(lambda deltas: self._send(Deltas(ask.turn, deltas)))
        try:
            async with aclosing(self._models.stream(ask)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Done | Retrying):
                        batcher.flush()
                        self._send(piece)
                    elif batcher.add(piece):
                        await asyncio.sleep(0)  # a buffered stream never yields by itself
        finally:
            batcher.flush()
