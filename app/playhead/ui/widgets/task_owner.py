"""Owns the coroutines that slots of the window start."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from playhead.errors import AppError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine

_Result = TypeVar("_Result")


class TaskOwner(QObject):
    """Keeps tasks alive and cancels them with the window.

    Signal: `failed(AppError)` when one ended with an error that a user can fix; any other error
    goes to the loop's exception handler.
    """

    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Future[Any]:
        """Run a coroutine; its result is ignored."""
        import asyncio

        if self._is_closed:
            work.close()
            closed = asyncio.get_running_loop().create_future()
            closed.cancel()
            return closed
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_done)
        return task

    async def close(self) -> None:
        """Cancel what is still running and wait for it; nothing can be started any more."""
        import asyncio

        tasks = list(self._tasks)
        self.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def cancel(self) -> None:
        """Cancel what is running without waiting; nothing can be started any more."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()

    async def settled(self) -> None:
        """Wait until nothing is running."""
        import asyncio

        while self._tasks:
            await asyncio.wait(list(self._tasks))

    def _on_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, AppError):
            self.failed.emit(error)
        elif error is not None:
            context = {"message": "a task of the window failed", "exception": error, "task": task}
            task.get_loop().call_exception_handler(context)


_FIRST_S, _TICK_S = 0.3, 1.0


async def timed(work: Coroutine[Any, Any, _Result], show: Callable[[float], None]) -> _Result:
    """Return what a coroutine returns; while it takes long, show the seconds so far."""
    import asyncio

    task = asyncio.get_running_loop().create_task(work)
    began = time.monotonic()
    pause_s = _FIRST_S
    try:
        while not (await asyncio.wait([task], timeout=pause_s))[0]:
            pause_s = _TICK_S
            show(time.monotonic() - began)
        return await task
    finally:
        task.cancel()
