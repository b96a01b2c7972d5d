"""Inside a measured process: obeys commands, and times a 5 ms timer and the steps of its loops."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, QTimer

from tests.benchmarks.report import report

TICK_MS = 5


class StepMeter:
    """The longest step of each thread's event loop, in milliseconds of the thread's CPU time.

    A step is one callback of asyncio's; what Qt calls by itself is in `Ticker.longest_ms`.
    """

    def __init__(self) -> None:
        self.longest_ms: dict[str, float] = {}
        self._run = asyncio.Handle._run  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue, reportUnknownMemberType]

    def start(self) -> None:
        """Begin anew; the steps are measured until `stop`, which costs something, too."""
        self.longest_ms.clear()

        def run(handle: asyncio.Handle) -> None:
            began_s = time.thread_time()
            self._run(handle)
            self._note((time.thread_time() - began_s) * 1000)

        asyncio.Handle._run = run  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]

    def stop(self) -> None:
        """Measure no more steps."""
        asyncio.Handle._run = self._run  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]

    def _note(self, spent_ms: float) -> None:
        name = threading.current_thread().name
        if spent_ms > self.longest_ms.get(name, 0.0):
            self.longest_ms[name] = spent_ms


class Ticker(QObject):
    """How late a precise 5 ms timer comes, each time."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.longest_ms = 0.0
        """The most CPU time of this thread between two ticks."""
        self.busy_ms: list[float] = []
        """By how much the CPU time of all threads between two ticks was more than a tick: how late
        the ticks would be if the program had the machine for itself."""
        self._late_ms: list[float] = []
        self._last = time.perf_counter()
        self._last_cpu_s = time.thread_time()
        self._last_busy_s = time.process_time()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        """Begin anew."""
        self._late_ms, self.busy_ms, self.longest_ms = [], [], 0.0
        self._last, self._last_cpu_s = time.perf_counter(), time.thread_time()
        self._last_busy_s = time.process_time()
        self._timer.start(TICK_MS)

    def stop(self) -> list[float]:
        """The latenesses since `start`, in milliseconds, sorted."""
        self._timer.stop()
        return sorted(self._late_ms)

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self._late_ms.append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        self._last = now
        busy_s = time.process_time()
        self.busy_ms.append(max(0.0, (busy_s - self._last_busy_s) * 1000 - TICK_MS))
        self._last_busy_s = busy_s
        cpu_s = time.thread_time()
        self.longest_ms = max(self.longest_ms, (cpu_s - self._last_cpu_s) * 1000)
        self._last_cpu_s = cpu_s


class Commands(QObject):
    """Lines on stdin; `start` and `stop` the ticker, `quit`, and what else is handed in."""

    def __init__(self, others: dict[str, Callable[[str], None]], parent: QObject) -> None:
        super().__init__(parent)
        self._others = others
        self._ticker = Ticker(self)
        self._steps = StepMeter()
        self._cpu_s = 0.0
        self._rest = b""
        self._notifier = QSocketNotifier(0, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)

    def _on_readable(self) -> None:
        data = os.read(0, 65536)
        if not data:
            self._notifier.setEnabled(False)
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            word, _, argument = line.decode().partition(" ")
            self._obey(word, argument)

    def _obey(self, word: str, argument: str) -> None:
        match word:
            case "start":
                self._cpu_s = time.process_time()
                self._steps.start()
                self._ticker.start()
                report("start")
            case "stop":
                cpu_s = time.process_time() - self._cpu_s
                self._steps.stop()
                report(
                    "stop",
                    late_ms=self._ticker.stop(),
                    busy_ms=sorted(self._ticker.busy_ms),
                    cpu_s=cpu_s,
                    steps_ms={**self._steps.longest_ms, "Qt": self._ticker.longest_ms},
                )
            case "quit" if word not in self._others:
                QCoreApplication.quit()
            case _:
                self._others[word](argument)
