"""A daemon thread that makes blocking calls one after the other."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class WorkerThread:
    """Starts with the first call; a call that never returns does not hold up the program's end.

    (A ThreadPoolExecutor's threads are joined at exit, so a hung keyring would hang the exit.)
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = (
            queue.SimpleQueue()
        )
        self._thread: threading.Thread | None = None

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queue a call."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        future: Future[T] = Future()
        self._calls.put((future, call))
        return future

    def close(self, timeout_s: float = 1.0) -> None:
        """End the thread after what is queued, waiting for it no longer than the time given."""
        if self._thread is not None:
            self._calls.put(None)
            self._thread.join(timeout_s)
            self._thread = None

    def _work(self) -> None:
        while (item := self._calls.get()) is not None:
            future, call = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - it reaches the waiting caller
                future.set_exception(error)
            else:
                future.set_result(result)
            del item, future, call  # a waiting thread must not keep a key alive
