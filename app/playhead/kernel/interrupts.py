"""Turns SIGINT into KeyboardInterrupt, but only while user code runs."""

from __future__ import annotations

import _thread
import contextlib
import signal
import threading
import time
from typing import Any, Callable, Generator

_SAME_STOP_S = 0.2
_AGAIN_S = 0.5


class Interrupts:
    """Owner of the SIGINT handler; one press of Stop may arrive both as signal and as command."""

    def __init__(self) -> None:
        self._is_armed = False
        self._raised_at = 0.0
        self._diversion: Callable[[], None] | None = None
        self._given_up = threading.Event()
        self.before: Callable[[Any], bool] = lambda frame: False
        """Called first at a signal, with the frame; True if the signal was for that alone."""

    @property
    def has_signal(self) -> bool:
        """Return whether SIGINT still comes here (any thread)."""
        return signal.getsignal(signal.SIGINT) == self._on_signal

    @contextlib.contextmanager
    def diverted(self, function: Callable[[], None]) -> Generator[None, None, None]:
        """Call `function` at an interrupt of the block, in the place of raising anything here."""
        self._diversion = function
        try:
            yield
        finally:
            self._diversion = None

    def call(self, function: Callable[[], None]) -> None:
        """Call user code so that it can be interrupted. Raises its exceptions."""
        signal.signal(signal.SIGINT, self._on_signal)  # user code may have put its own in place
        self._raised_at = 0.0
        was_armed = self._is_armed  # by a block that is paused
        try:
            self._is_armed = True
            function()
        finally:
            self._is_armed = was_armed

    def call_within(self, seconds: float | None, function: Callable[[], None]) -> None:
        """Call something that may hang, out of a run; None is no limit, and `give_up` ends it.

        Raises KeyboardInterrupt when time is up, or it was given up.
        """
        done, ended = threading.Event(), threading.Event()
        if seconds is None:
            self._given_up = ended

        def watch() -> None:
            ended.wait(seconds)
            while not done.is_set():
                interrupt_main_thread()
                done.wait(_AGAIN_S)  # for what swallows it

        watcher = start_thread(watch, "playhead-limit")
        try:
            self.call(function)
        finally:
            done.set()
            ended.set()
            watcher.join()  # else its signal could reach the block that comes next

    def give_up(self) -> None:
        """End the call without a limit, if there is one (any other thread)."""
        self._given_up.set()

    def _on_signal(self, number: int, frame: Any) -> None:
        if self.before(frame):
            return
        if self._diversion is not None:
            self._diversion()
            return
        now = time.monotonic()
        if self._is_armed and now - self._raised_at > _SAME_STOP_S:
            self._raised_at = now
            raise KeyboardInterrupt

    def install(self) -> None:
        """Take SIGINT; an idle kernel ignores it."""
        signal.signal(signal.SIGINT, self._on_signal)


def interrupt_main_thread() -> None:
    """Wake the main thread even out of a blocking call, where threads can be sent signals."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


def leave_signals_to_main_thread() -> None:
    """Keep SIGINT from this thread, so that it wakes the main one out of a blocking call."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def start_thread(target: Callable[[], None], name: str) -> threading.Thread:
    """Start one of the kernel's own threads."""

    def body() -> None:
        leave_signals_to_main_thread()
        target()

    thread = threading.Thread(target=body, name=name, daemon=True)
    thread.start()
    return thread
