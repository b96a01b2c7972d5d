"""One kernel's QProcess: its pipe read within a time budget, its group stopped and killed."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QSocketNotifier, QTimer

from playhead.domain.conversation.payloads import RunEnd
from playhead.execution import processes
from playhead.execution.output_decoder import OutputDecoder, Piece
from playhead.execution.processes import resident_bytes

if sys.platform != "win32":
    import fcntl

READ_BYTES = 262_144
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Python names from 3.10 on, on Linux only
_PIPE_BYTES = 1 << 20


class OutputPipe:
    """The standard output of a QProcess, which remains its owner.

    QProcess reads all there is into a buffer without limit. So its notifier is switched off when
    there is no time to take more: the pipe fills and the program waits. What is in the pipe
    beyond that buffer is read from it directly, in the same order: two copies less.

    The notifiers belong to QProcess and are looked up each time, since a kept one may have
    been deleted, and its descriptor given to another file.
    """

    def __init__(self, process: QProcess) -> None:
        self._process = process
        self._inode = 0

    def learn(self) -> None:
        """Find out which pipe it is, as long as only the kernel itself writes to it (Linux)."""
        try:
            self._inode = Path(f"/proc/{self._process.processId()}/fd/1").stat().st_ino
        except OSError:
            return
        notifier = self._own_notifier()
        if notifier is not None and sys.platform == "linux":
            try:
                fcntl.fcntl(int(notifier.socket()), _SET_PIPE_SIZE, _PIPE_BYTES)
            except OSError:
                return  # the user has many large pipes already: the usual size does as well

    def read(self) -> bytes:
        """Return the next bytes; b"" when there are none now."""
        data = self._process.read(READ_BYTES).data()
        if data or not self._inode:
            return bytes(data)
        notifier = self._own_notifier()
        if notifier is None:
            return b""
        try:
            return os.read(int(notifier.socket()), READ_BYTES)
        except BlockingIOError:
            return b""

    def set_reading(self, is_wanted: bool) -> None:
        """Pause or resume reading; the notifier of the process's end is not changed."""
        for notifier in self._process.findChildren(QSocketNotifier):
            if notifier.type() == QSocketNotifier.Type.Read and _is_pipe(notifier):
                notifier.setEnabled(is_wanted)

    def _own_notifier(self) -> QSocketNotifier | None:
        for notifier in self._process.findChildren(QSocketNotifier):
            is_reader = notifier.type() == QSocketNotifier.Type.Read and _is_pipe(notifier)
            if is_reader and os.fstat(int(notifier.socket())).st_ino == self._inode:
                return notifier
        return None


def _is_pipe(notifier: QSocketNotifier) -> bool:
    return stat.S_ISFIFO(os.fstat(int(notifier.socket())).st_mode)


_TICK_MS = 16
_BUDGET_S = 0.010
_PAUSE_MS = 6
"""Ten of sixteen milliseconds are for reading, when there is so much to be read."""
_COMMAND_LEAD_LIMIT_MS = 100
_INTERRUPTS = 2
_SECOND_INTERRUPT_MS = 250
_CHILDREN_GRACE_MS = 500
_EXIT_GRACE_MS = 500
_LEFTOVERS_GRACE_MS = 250
_LEFTOVERS_LIMIT_MS = 500
_LEFTOVERS_PERIOD_MS = 10
_REST_LIMIT_MS = 1000


class KernelProcess(QObject):
    """A kernel's process. Owned by its kernel, which provides three callbacks:

    `on_pieces(pieces)` for what was read from the pipe, `on_tick()` once after `request_tick()`,
    `on_end(end)` last of all, with the reason.
    """

    def __init__(
        self,
        nonce: str,
        on_pieces: Callable[[list[Piece]], None],
        on_tick: Callable[[], None],
        on_end: Callable[[RunEnd], None],
    ) -> None:
        super().__init__()
        self._on_pieces = on_pieces
        self._on_tick = on_tick
        self._on_end = on_end
        self._decoder = OutputDecoder(nonce)
        self._has_ended = False
        self._pid = 0
        self.spared_pid = 0
        """The program of another language: no part of a run, it is stopped by its host."""
        self.family = ""
        """`NAME=value` in the environment of all that it starts."""
        self._window_began = 0.0
        self._budget_s = 0.0
        self._tick = self._timer(self._on_tick_timeout)
        self._steps: list[int] = []
        self._run_began = processes.RunStart()
        self._signal = self._timer(self._on_signal_timeout)
        self._kill = self._timer(self.kill_group)
        self._left: list[processes.Leftover] = []
        self._left_since = 0.0
        self._on_cleared: Callable[[], None] = _do_nothing
        self._clear = self._timer(self._on_clear_timeout)
        self._process = self._make_process()
        self._pipe = OutputPipe(self._process)

    @property
    def pid(self) -> int | None:
        """Return the process id while the kernel lives."""
        return None if self._has_ended else self._pid or None

    def resident_bytes(self) -> int | None:
        """Return the memory of the kernel in bytes, with that of its language's own program."""
        own = resident_bytes(self._pid)
        return own if own is None else own + (resident_bytes(self.spared_pid) or 0)

    def start(self, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Start it; a failure comes by `on_end`."""
        variables = QProcessEnvironment()
        for name, value in environment.items():
            variables.insert(name, value)
        self._process.setProcessEnvironment(variables)
        self._process.setWorkingDirectory(folder)
        self._process.start(command[0], list(command[1:]))
        self._pid = self._process.processId()

    def learn_pipe(self) -> None:
        """Identify the pipe; to be called once the kernel runs, and before it runs foreign code."""
        self._pipe.learn()

    def write(self, line: bytes) -> None:
        """Send a command."""
        if not self._has_ended:
            self._process.write(line)

    def interrupt(self, grace_ms: int, began: processes.RunStart) -> None:
        """Send SIGINT to the kernel and the processes of the run, again a moment later.

        Then SIGKILL to the processes of the run: code that waits for a child that ignores SIGINT
        returns, and its variables are kept. SIGKILL to the whole group after the grace. Processes
        from before the run (a server) are left alone if the system can identify them; else the
        whole group is signalled.
        The caller has written a stop command; the signals wait a moment for `signal_now()`, so that
        code which a signal only returns from a child (`os.system`) finds itself stopped and
        does not continue.
        """
        self._run_began = began
        rest_ms = grace_ms // 2 - _SECOND_INTERRUPT_MS  # of the first half, so that code comes back
        self._steps = [_SECOND_INTERRUPT_MS, max(0, min(_CHILDREN_GRACE_MS, rest_ms))]
        self._signal.start(_COMMAND_LEAD_LIMIT_MS)
        self._kill.start(grace_ms)

    def signal_now(self) -> None:
        """Send the first signal without further delay: the kernel has taken the stop command."""
        if self._signal.isActive() and len(self._steps) == _INTERRUPTS:
            self._signal.start(0)

    def cancel_stop(self) -> None:
        """Send no more signals: the run has stopped."""
        self._signal.stop()
        self._kill.stop()

    def end_started(self, began: processes.RunStart, on_cleared: Callable[[], None]) -> None:
        """End what has been started since then: the interrupt first, the kill a moment later.

        `on_cleared()` once it is gone and all that it has printed has been given.
        """
        self._on_cleared = on_cleared
        self._left_since = time.monotonic()
        self._left = self._started_since(began)
        processes.send_signal(self._left, signal.SIGINT)
        self._clear.start(0)  # the pipe has not been read to its end yet

    def end_soon(self, shutdown_command: bytes) -> None:
        """Let it end in an orderly way (exit handlers), and kill it if that takes too long."""
        self.write(shutdown_command)
        self._kill.start(_EXIT_GRACE_MS)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the kernel and all that it started."""
        if not self._pid:
            return
        try:
            os.killpg(self._pid, number)  # it leads a session of its own, so also its group
        except ProcessLookupError:
            if number == signal.SIGKILL and not self._has_ended:
                self._process.kill()  # before it had its session, or the leader alone is left
        except PermissionError:
            return  # macOS: only zombies are left in the group

    def kill_group(self) -> None:
        """Kill the kernel and all that it started."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            self.signal_group(signal.SIGKILL)

    def request_tick(self) -> None:
        """Request one `on_tick` within a frame."""
        if not self._tick.isActive() and not self._has_ended:
            self._tick.start(_TICK_MS)

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    def _make_process(self) -> QProcess:
        process = QProcess(self)
        process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        if sys.platform != "win32":
            parameters = QProcess.UnixProcessParameters()
            parameters.flags = (
                QProcess.UnixProcessFlag.CreateNewSession
                | QProcess.UnixProcessFlag.ResetSignalHandlers
            )
            process.setUnixProcessParameters(parameters)
        process.readyReadStandardOutput.connect(self._on_ready_read)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        return process

    def _on_ready_read(self) -> None:
        now = time.monotonic()
        if now - self._window_began >= _TICK_MS / 1000:
            self._window_began = now
            self._budget_s = _BUDGET_S
        self._read()

    def _on_tick_timeout(self) -> None:
        self._window_began = time.monotonic()
        self._budget_s = _BUDGET_S
        self._set_reading(True)
        self._read()
        self._on_tick()

    def _on_signal_timeout(self) -> None:
        match self._steps:
            case [_, _] | [_]:
                self._signal_run()
                self._signal.start(self._steps.pop(0))
            case _:
                processes.send_signal(self._started_since(self._run_began), signal.SIGKILL)

    def _signal_run(self) -> None:
        if not self._run_began.ticks or not self._pid:
            self.signal_group(signal.SIGINT)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, signal.SIGINT)
        processes.send_signal(self._started_since(self._run_began), signal.SIGINT)

    def _started_since(self, began: processes.RunStart) -> list[processes.Leftover]:
        found = processes.started_since(self._pid, began, self.family)
        return [item for item in found if item.pid != self.spared_pid]

    def _on_clear_timeout(self) -> None:
        self._left = processes.still_alive(self._left)
        waited_ms = (time.monotonic() - self._left_since) * 1000
        if self._left and waited_ms < _LEFTOVERS_LIMIT_MS:
            if waited_ms >= _LEFTOVERS_GRACE_MS:
                processes.send_signal(self._left, signal.SIGKILL)
            self._clear.start(_LEFTOVERS_PERIOD_MS)
            return
        self._on_tick_timeout()
        if self._budget_s > 0 or waited_ms > _REST_LIMIT_MS:  # all is read, or others print on
            self._on_cleared()
        else:
            self._clear.start(_PAUSE_MS)

    def _read(self) -> None:
        while self._budget_s > 0:
            began = time.perf_counter()
            data = self._pipe.read()
            if not data:
                return
            self._on_pieces(self._decoder.feed(data))
            self._budget_s -= time.perf_counter() - began
        self._set_reading(False)
        self._tick.start(_PAUSE_MS)

    def _set_reading(self, is_wanted: bool) -> None:
        if not self._has_ended:
            self._pipe.set_reading(is_wanted)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart and not self._has_ended:
            self._end(RunEnd(kind="other", words=self._process.errorString()))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        self.signal_group(signal.SIGKILL)  # processes that it leaves behind
        while data := self._process.read(READ_BYTES).data():
            self._on_pieces(self._decoder.feed(bytes(data)))
        self._on_pieces(self._decoder.finish())
        is_crash = status == QProcess.ExitStatus.CrashExit
        self._end(
            RunEnd(kind="signalled", signal=code)
            if is_crash
            else RunEnd(kind="exited", exit_status=code)
        )

    def _end(self, end: RunEnd) -> None:
        self._has_ended = True
        for timer in (self._tick, self._signal, self._kill, self._clear):
            timer.stop()
        self._on_end(end)
        self.deleteLater()


def _do_nothing() -> None:
    """Do nothing."""
