"""Run work on the core's loop for the server's thread: the one way to the sessions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar, TypeVarTuple

from playhead.errors import AppError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Bridge:
    """Runs coroutines and calls on the core's loop for handlers on the server's."""

    def __init__(self, core: asyncio.AbstractEventLoop) -> None:
        self._core = core

    async def ask(
        self, work: Coroutine[Any, Any, T], undo: Callable[[T], object] | None = None
    ) -> T:
        """Run `work` on the core's loop and return its result.

        Cancelling the caller cancels the work. If the work was done at the same moment and its
        result is not taken, the core calls `undo(result)`.
        """
        question = _CoreCall(self._core, work, undo)
        try:
            self._core.call_soon_threadsafe(question.begin)
        except RuntimeError:
            work.close()
            raise _closing_error() from None
        try:
            return await question.answer
        except asyncio.CancelledError:
            self.post(question.give_up)
            raise

    def post(self, call: Callable[[*Ts], object], *args: *Ts) -> None:
        """Have the core make this call, after all that was posted or asked before it."""
        with contextlib.suppress(RuntimeError):  # the core has ended, and all it would concern
            self._core.call_soon_threadsafe(call, *args)


class _CoreCall(Generic[T]):
    """One coroutine on its way to the core and its result on the way back.

    `answer` belongs to the asker's loop, all else to the core's. A plain
    `run_coroutine_threadsafe` would lose a result that crosses a cancellation.
    """

    def __init__(
        self,
        core: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, T],
        undo: Callable[[T], object] | None,
    ) -> None:
        self._core = core
        self._work = work
        self._undo = undo
        self._asker = asyncio.get_running_loop()
        self._task: asyncio.Task[T] | None = None
        self.answer: asyncio.Future[T] = self._asker.create_future()

    def begin(self) -> None:
        """Start the work; called on the core's loop."""
        self._task = self._core.create_task(self._work)
        self._task.add_done_callback(self._send)

    def give_up(self) -> None:
        """Cancel the work because its caller was cancelled; called on the core's loop."""
        if self._task is not None:
            self._task.cancel()

    def _send(self, task: asyncio.Task[T]) -> None:
        try:
            self._asker.call_soon_threadsafe(self._settle, task)
        except RuntimeError:  # the server's loop has ended
            self._take_back(task)

    def _settle(self, task: asyncio.Task[T]) -> None:
        """Settle the result; called on the caller's loop."""
        if self.answer.done():
            with contextlib.suppress(RuntimeError):
                self._core.call_soon_threadsafe(self._take_back, task)
        elif task.cancelled():
            self.answer.set_exception(_closing_error())
        elif error := task.exception():
            self.answer.set_exception(error)
        else:
            self.answer.set_result(task.result())

    def _take_back(self, task: asyncio.Task[T]) -> None:
        if not task.cancelled() and task.exception() is None and self._undo is not None:
            self._undo(task.result())


def _closing_error() -> AppError:
    return AppError("Playhead is being closed.")
