"""qasync's loop with exact timers, kept context and a time slice; works with or without a display.

What stock qasync 0.28 does otherwise, each measured: a cancelled `call_later(600)` keeps its Qt
timer for 600 s; delays are cut to whole milliseconds, so that sleeps end early;
`call_soon_threadsafe` and readers drop the context; async generators are not closed at shutdown; a
chain of ready callbacks can hold up painting for as long as it lasts; and what is ready when the
loop ends still runs, though no loop is running then, which Python 3.14 refuses
(https://github.com/CabbageDevelopment/qasync/issues/176).
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import math
import os
import signal
import socket
import sys
import threading
import time
from asyncio import BaseEventLoop
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_SLICE_S = 0.001
"""Longest time for ready callbacks before Qt gets its turn, which waits for other threads too."""
_LONGEST_TIMER_MS = 24 * 3600 * 1000
_PURGE_FROM = 100
"""The heap is rebuilt only with more cancelled timers than this, as in asyncio."""


@contextlib.contextmanager
def _without_widgets() -> Generator[None]:
    """Replace libraries that qasync imports but does not need when it is given an app.

    This keeps QtGui and QtWidgets (and a display's libraries) out of headless processes and off the
    way to the first paint; code that needs them imports them afterwards.
    """
    absent = [name for name in ("QtGui", "QtWidgets") if f"PySide6.{name}" not in sys.modules]
    for name in absent:
        stand_in = ModuleType(f"PySide6.{name}")
        stand_in.__dict__["QApplication"] = QCoreApplication
        sys.modules[stand_in.__name__] = stand_in
    binding = os.environ.get("QT_API")
    os.environ["QT_API"] = "pyside6"  # else a PyQt on the machine would be taken
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[f"PySide6.{name}"]
        if binding is None:
            del os.environ["QT_API"]
        else:
            os.environ["QT_API"] = binding


if TYPE_CHECKING:  # qasync's types are unknown; this is its type
    _QtLoop = asyncio.SelectorEventLoop
else:
    with _without_widgets():
        from qasync import QEventLoop as _QtLoop

_WAKE = QEvent.Type(QEvent.registerEventType())


class _Waker(QObject):
    """Turns posted events, from any thread, into calls in the loop's thread."""

    def __init__(self, on_wake: Callable[[], None]) -> None:
        super().__init__()
        self._on_wake = on_wake

    def event(self, event: QEvent) -> bool:
        if event.type() != _WAKE:
            return super().event(event)
        self._on_wake()
        return True


class EventLoop(_QtLoop):
    """asyncio on Qt's loop of the calling thread.

    Ready callbacks are drained in one posted event, at most 1 ms at a time; timers are kept in a
    heap behind a single precise QTimer. Closing windows never ends the loop: its main task does.
    """

    # BaseEventLoop's own, unknown to the type checker:
    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]
    _timer_cancelled_count: int
    _csock: socket.socket
    _check_closed: Callable[[], None]
    _asyncgen_firstiter_hook: Callable[[Any], None]
    _asyncgen_finalizer_hook: Callable[[Any], None]

    def __init__(self, app: QCoreApplication) -> None:
        self._is_wake_posted = False
        self._fatal: BaseException | None = None
        self._waker: _Waker | None = _Waker(self._drain)
        self._alarm: QTimer | None = QTimer()
        self._alarm.setSingleShot(True)
        self._alarm.setTimerType(Qt.TimerType.PreciseTimer)
        self._alarm.timeout.connect(self._on_alarm)
        self._alarm_at = math.inf
        super().__init__(app)  # pyright: ignore[reportArgumentType]
        keep_open = getattr(app, "setQuitOnLastWindowClosed", None)
        if keep_open is not None:
            keep_open(False)

    # Ready callbacks

    def call_soon(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Run `callback` in its turn, in order."""
        handle = BaseEventLoop.call_soon(self, callback, *args, context=context)
        self._wake()
        return handle

    def call_soon_threadsafe(
        self,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Schedule a callback from any thread."""
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        self._wake()
        return handle

    def _add_callback(self, handle: asyncio.Handle, delay: float = 0) -> asyncio.Handle:
        """Add a callback for asyncio's own signal handlers."""
        self._ready.append(handle)
        self._wake()
        return handle

    def _wake(self) -> None:
        waker = self._waker
        if not self._is_wake_posted and waker is not None:
            self._is_wake_posted = True
            QCoreApplication.postEvent(waker, QEvent(_WAKE))

    def _drain(self) -> None:
        self._is_wake_posted = False  # before the first look: another thread may just have appended
        if not self.is_running():  # qasync's last look at Qt's events: they wait for the next run
            return
        until = time.monotonic() + _SLICE_S
        with self._set_aside_task():
            while self._ready and self.is_running() and time.monotonic() < until:
                self._run_batch(until)
        if self._ready:
            self._wake()

    def _run_batch(self, until: float) -> None:
        """Run the callbacks that are ready; those they schedule run in the next batch, as in
        asyncio.
        """
        for _ in range(len(self._ready)):
            if not self._ready:  # a nested Qt loop ran the rest
                return
            handle: asyncio.Handle = self._ready.popleft()
            if self._ready:
                self._wake()  # a nested Qt loop inside the callback must not starve the others
            if not handle.cancelled():
                self._run_handle(handle)
            if time.monotonic() >= until:
                return

    def _run_handle(self, handle: asyncio.Handle) -> None:
        try:
            handle._run()  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportAttributeAccessIssue]
        except (SystemExit, KeyboardInterrupt) as stop:
            # They cannot travel through Qt's C++ frames; run_forever raises them again.
            self._fatal = stop
            self.stop()

    @contextlib.contextmanager
    def _set_aside_task(self) -> Generator[None]:
        """Leave the current task while a nested Qt loop (a native dialog, a drag) runs others."""
        current = asyncio.current_task(self)
        if current is None:
            yield
            return
        asyncio.tasks._leave_task(self, current)  # pyright: ignore[reportPrivateUsage]
        try:
            yield
        finally:
            asyncio.tasks._enter_task(self, current)  # pyright: ignore[reportPrivateUsage]

    # Timers

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run `callback` after `delay` seconds, never before."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[*Ts], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run `callback` at `when` of the loop's clock, never before."""
        handle = BaseEventLoop.call_at(self, when, callback, *args, context=context)
        if when < self._alarm_at:
            self._set_alarm(when)
        return handle

    def _set_alarm(self, when: float) -> None:
        alarm = self._alarm
        if alarm is not None:
            delay_ms = math.ceil((when - self.time()) * 1000)
            alarm.start(min(max(delay_ms, 0), _LONGEST_TIMER_MS))
            self._alarm_at = when

    def _on_alarm(self) -> None:
        """Move what is due to the ready ones; Qt may wake a little early, then wait on."""
        self._alarm_at = math.inf
        now = self.time()
        while self._scheduled:
            head = self._scheduled[0]
            if not head.cancelled() and head.when() > now:
                self._set_alarm(head.when())
                break
            heapq.heappop(self._scheduled)
            self._retire(head)
        if self._ready:
            self._wake()

    def _retire(self, handle: asyncio.TimerHandle) -> None:
        handle._scheduled = False  # pyright: ignore[reportAttributeAccessIssue]
        if handle.cancelled():
            self._timer_cancelled_count -= 1
        else:
            self._ready.append(handle)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        BaseEventLoop._timer_handle_cancelled(self, handle)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        count = self._timer_cancelled_count
        if count > _PURGE_FROM and count * 2 > len(self._scheduled):
            live = [timer for timer in self._scheduled if not timer.cancelled()]
            for timer in self._scheduled:
                timer._scheduled = not timer.cancelled()  # pyright: ignore[reportAttributeAccessIssue]
            heapq.heapify(live)
            self._scheduled = live
            self._timer_cancelled_count = 0

    # Descriptors

    def _add_reader(
        self, fd: Any, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> None:
        """Call in the context of now, or the one that asyncio gives from Python 3.15 on."""
        run = (context or copy_context()).run
        super()._add_reader(fd, run, callback, *args)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]

    def _add_writer(
        self, fd: Any, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> None:
        """Call back whenever the descriptor can be written."""
        run = (context or copy_context()).run
        super()._add_writer(fd, run, callback, *args)  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]

    # Threads: asyncio's own pool, started as needed and joined by shutdown_default_executor

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        """Run a function in an executor, as asyncio does.

        qasync's own would start ten threads at once and lose the context.
        """
        return BaseEventLoop.run_in_executor(self, executor, func, *args)

    def set_default_executor(self, executor: Any) -> None:
        """Set the default executor, as asyncio does."""
        BaseEventLoop.set_default_executor(self, executor)

    # Life

    def run_forever(self) -> None:
        """Run until `stop()`; a KeyboardInterrupt or SystemExit of a callback comes out here."""
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(
            firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook
        )
        if self._ready:
            self._wake()
        try:
            with self._woken_by_signals():
                super().run_forever()
        finally:
            sys.set_asyncgen_hooks(*hooks)
        if self._fatal is not None:
            fatal, self._fatal = self._fatal, None
            raise fatal

    @contextlib.contextmanager
    def _woken_by_signals(self) -> Generator[None]:
        """Let Ctrl+C reach Python while Qt waits in C++ (its handler only runs on bytecode)."""
        is_main = threading.current_thread() is threading.main_thread()
        if os.name == "nt" or not is_main:
            yield
            return
        before = signal.set_wakeup_fd(self._csock.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)

    def close(self) -> None:
        """Release everything that is queued, and the Qt objects."""
        if self.is_closed():
            return
        super().close()
        if self._alarm is not None:
            self._alarm.stop()
        self._alarm = self._waker = None


def run(main: Coroutine[Any, Any, T], app: QCoreApplication) -> T:
    """Run `main` on Qt's loop to its end, then close tasks, generators and threads."""
    with asyncio.Runner(loop_factory=lambda: EventLoop(app)) as runner:
        return runner.run(main)
