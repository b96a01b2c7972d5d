"""One kernel's QProcess, which is its supervisor: its pipe, the supervisor's line, signals."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QProcess, QSocketNotifier, QTimer

from playhead.domain.conversation.payloads import RunEnd
from playhead.errors import ExecutionError
from playhead.execution import processes
from playhead.execution.processes import JobObject, resident_bytes
from playhead.execution.supervisors.supervisor_process import SupervisorProcess
from playhead.kernel.output_decoder import OutputDecoder, Piece
from playhead.kernel.protocol import new_nonce
from playhead.supervisor.outside_view import OutsideView

if sys.platform != "win32":
    import fcntl

_log = logging.getLogger(__name__)
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

    def learn(self, inode: int) -> None:
        """Learn which pipe it is: its number in the file system, 0 if that is unknown."""
        self._inode = inode
        notifier = self._own_notifier()
        if notifier is None:
            self._inode = 0
        elif sys.platform == "linux":
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
_LEFTOVERS_GRACE_MS = 250
_LEFTOVERS_LIMIT_MS = 500
_LEFTOVERS_PERIOD_MS = 10
_CLEAR_LIMIT_MS = 10_000
_REST_LIMIT_MS = 1000
_END_LIMIT_MS = 2000
_ANSWER_LIMIT_MS = 1000
_ASK_LIMIT_S = 10.0
_MOST_REFUSED = 200
"""Code can try 10,000 places a second, and a conversation keeps those of each run."""
_ANNOUNCE_MS = 250


class KernelProcess(QObject):
    """A kernel's process below its supervisor. Owned by its kernel, which provides callbacks:

    `on_pieces(pieces)` for what was read from the pipe, `on_tick()` once after `request_tick()`,
    `on_report(kind, report)` for what the supervisor has seen, `on_end(end)` last of all, with the
    reason.
    """

    def __init__(
        self,
        nonce: str,
        on_pieces: Callable[[list[Piece]], None],
        on_tick: Callable[[], None],
        on_end: Callable[[RunEnd], None],
        on_report: Callable[[str, dict[str, Any]], None] = lambda kind, report: None,
        supervisor: SupervisorProcess | None = None,
    ) -> None:
        super().__init__()
        self._on_pieces = on_pieces
        self._on_tick = on_tick
        self._on_end = on_end
        self._on_report = on_report
        self._decoder = OutputDecoder(nonce)
        self._has_ended = False
        self._pid = 0  # the kernel's
        self.root_pid = 0
        """The supervisor's, or the kernel's where there is none."""
        self.spared_pid = 0
        """The program of another language: no part of a run, it is stopped by its host."""
        self.secret = new_nonce()
        """For the first command, and before all others."""
        self._before_line = b""
        self._inode = 0
        self._is_cleared = self._awaits_clear = False
        self._family: list[processes.Leftover] = []
        self._looks = self._edge = 0
        self._is_running = False
        self._view: OutsideView | None = None
        self._misplaced: Callable[[int], str] = lambda pid: ""
        self._steps_wanted: tuple[str, ...] = ()
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._last_ask = 0
        self._refused: Counter[str] = Counter()
        self._refusal = ""
        self._announce = self._timer(
            lambda: self._line.send("run" if self._is_running else "rest", edge=self._edge)
        )
        self._supervisor = self._joined(supervisor or SupervisorProcess())
        self._line, self._process = self._supervisor.line, self._supervisor.process
        self._job = JobObject()
        self._unanswered = self._timer(self._on_unanswered)
        self._unended = self._timer(self._end_without_supervisor)
        self._window_began = 0.0
        self._budget_s = 0.0
        self._tick = self._timer(self._on_tick_timeout)
        self._steps: list[int] = []
        self._run_began = processes.RunStart()
        self._signal = self._timer(self._on_signal_timeout)
        self._kill = self._timer(self.kill_group)
        self._left: list[processes.Leftover] = []
        self._left_began: processes.RunStart | None = None
        self._find_left: Callable[[], list[processes.Leftover]] = list
        self._left_since, self._is_left_killed = 0.0, False
        self._on_cleared: Callable[[], None] = _do_nothing
        self._clear = self._timer(self._on_clear_timeout)
        self._pipe = OutputPipe(self._process)
        if supervisor is not None:
            self._on_start()

    def _joined(self, supervisor: SupervisorProcess) -> SupervisorProcess:
        """Return the supervisor, which is this one's from now on."""
        supervisor.setParent(self)
        supervisor.line.on_report = self._on_line
        supervisor.process.readyReadStandardOutput.connect(self._on_ready_read)
        supervisor.process.finished.connect(self._on_finished)
        supervisor.process.errorOccurred.connect(self._on_error)
        return supervisor

    @property
    def pid(self) -> int | None:
        """Return the process id while the kernel lives."""
        return None if self._has_ended else self._pid or None

    def resident_bytes(self) -> int | None:
        """Return the memory of the kernel in bytes, with that of its language's own program."""
        own = resident_bytes(self._pid)
        if own is None or not self.spared_pid:
            return own
        return own + (resident_bytes(self.spared_pid) or 0)

    def start(self, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Start it; a failure comes by `on_end`."""
        self._supervisor.start(command, environment, folder)
        self._on_start()

    def start_inside(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        misplaced: Callable[[int], str],
        steps: Sequence[str],
    ) -> None:
        """Have the supervisor, which has been started, start it in a sandbox.

        The kernel begins when nothing is `misplaced` in what its process sees, and the supervisor
        has done these `steps` for it. A failure comes by `on_end`.
        """
        self._misplaced = misplaced
        self._steps_wanted = tuple(steps)
        self._line.send_command(command, environment, folder)

    def _on_start(self) -> None:
        self._job.take(self._process.processId())
        self._pid = self.root_pid = self._process.processId()

    def learn_pipe(self) -> None:
        """Identify the pipe; to be called once the kernel runs, and before it runs foreign code."""
        self._line.read()
        self._pipe.learn(self._inode)

    @property
    def is_supervised(self) -> bool:
        """Return whether a supervisor answers."""
        return self._pid != self.root_pid

    @property
    def has_begun(self) -> bool:
        """Return whether the kernel could begin: in a sandbox once that is as it should be."""
        return self.is_supervised and not self._refusal

    def read_now(self) -> None:
        """Read what is in the pipe, without waiting for the notifier."""
        self._window_began = time.monotonic()
        self._budget_s = _BUDGET_S
        self._set_reading(True)
        self._read()

    def begin_run(self) -> None:
        """Let the supervisor know soon that a block runs; short ones do not disturb it."""
        self._set_running(True)

    def end_run(self) -> None:
        """Let it know soon that none runs."""
        self._unanswered.stop()
        self._set_running(False)

    def _set_running(self, is_running: bool) -> None:
        self._is_running = is_running
        self._edge += 1
        self._announce.start(_ANNOUNCE_MS)

    def sees_rest(self) -> bool:
        """Return whether the main thread is seen to wait for a command, now and from here.

        The supervisor is asked where this does not tell: another language's program must sleep.
        """
        if not self.is_supervised:
            return True
        return self._view is not None and not self.spared_pid and self._view.waits() is True

    def sees_wait(self, pipe: int) -> bool | None:
        """Return whether the main thread is seen to read that pipe; None if that is unknown."""
        return self._view.waits_at(pipe) if self.is_supervised and self._view is not None else None

    def look(self) -> None:
        """Ask the supervisor whether the main thread waits: `rests`, `runs` are its answers."""
        self._looks += 1
        self._line.send("look", look=self._looks, also=self.spared_pid)
        self._unanswered.start(_ANSWER_LIMIT_MS)

    def write(self, line: bytes) -> None:
        """Send a command."""
        if not self._has_ended:
            self._process.write(self._before_line + line)
            self._before_line = self.secret.encode("ascii")

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
        self._end_these(lambda: self._started_since(began), on_cleared, began)

    def end_processes(self, pids: Sequence[int]) -> None:
        """End some that go on after their run, in the same way."""
        left = [item for item in self._family if item.pid in pids]
        self._end_these(lambda: processes.still_alive(left), _do_nothing)

    def _end_these(
        self,
        find: Callable[[], list[processes.Leftover]],
        on_cleared: Callable[[], None],
        began: processes.RunStart | None = None,
    ) -> None:
        self._on_cleared = on_cleared
        self._left_since, self._is_left_killed = time.monotonic(), False
        self._left_began = began
        self._find_left = find
        self._left = find()
        processes.send_signal(self._left, signal.SIGINT)
        self._clear.start(0)  # the pipe has not been read to its end yet

    def end_soon(self, shutdown_command: bytes, grace_ms: int) -> None:
        """Let it end in an orderly way (exit handlers), and kill it if that takes too long."""
        self.write(shutdown_command)
        self._kill.start(grace_ms)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to the kernel and all of its group."""
        if not self._pid:
            return
        try:
            os.killpg(self._pid, number)  # it leads a session of its own, so also its group
        except ProcessLookupError:
            if number == signal.SIGKILL and not (self._has_ended or self.is_supervised):
                self._process.kill()  # before it had its session, or the leader alone is left
        except PermissionError:
            return  # macOS: only zombies are left in the group

    def kill_group(self) -> None:
        """Kill the kernel and all that it started."""
        if sys.platform == "win32":
            self._job.end()
            self._process.kill()
            return
        self.signal_group(signal.SIGKILL)
        if self.is_supervised and not self._has_ended:
            self._line.send("end")
            self._continue_supervisor()
            self._unended.start(_END_LIMIT_MS)

    def request_tick(self) -> None:
        """Request one `on_tick` within a frame."""
        if not self._tick.isActive() and not self._has_ended:
            self._tick.start(_TICK_MS)

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    def _on_ready_read(self) -> None:
        now = time.monotonic()
        if now - self._window_began >= _TICK_MS / 1000:
            self._window_began = now
            self._budget_s = _BUDGET_S
        self._read()

    def _on_tick_timeout(self) -> None:
        self.read_now()
        self._on_tick()

    def _on_signal_timeout(self) -> None:
        match self._steps:
            case [_, _] | [_]:
                self._signal_run()
                self._signal.start(self._steps.pop(0))
            case _:
                self._kill_started(self._run_began, self._started_since(self._run_began))

    def _signal_run(self) -> None:
        if not self._run_began.ticks or not self._pid:
            self.signal_group(signal.SIGINT)
            return
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self._pid, signal.SIGINT)
        processes.send_signal(self._started_since(self._run_began), signal.SIGINT)

    def _started_since(self, began: processes.RunStart) -> list[processes.Leftover]:
        own = (self._pid, self.spared_pid)
        return [
            item for item in processes.started_since(self.root_pid, began) if item.pid not in own
        ]

    def _on_clear_timeout(self) -> None:
        self._left = self._find_left() if self._left else []
        waited_ms = (time.monotonic() - self._left_since) * 1000
        if self._awaits_clear and waited_ms < _CLEAR_LIMIT_MS:
            self._clear.start(_LEFTOVERS_PERIOD_MS)  # else it would kill what the next run starts
            return
        # On a busy machine the first look may be the last one: what is left is killed even then.
        if self._left and (waited_ms < _LEFTOVERS_LIMIT_MS or not self._is_left_killed):
            if waited_ms >= _LEFTOVERS_GRACE_MS:
                self._is_left_killed = True
                self._kill_started(self._left_began, self._left)
            self._clear.start(_LEFTOVERS_PERIOD_MS)
            return
        self._on_tick_timeout()
        if self._budget_s > 0 or waited_ms > _REST_LIMIT_MS:  # all is read, or others print on
            self._on_cleared()
        else:
            self._clear.start(_PAUSE_MS)

    def _kill_started(
        self, began: processes.RunStart | None, left: list[processes.Leftover]
    ) -> None:
        """Kill what a run has started; the supervisor also finds what changes its id meanwhile."""
        processes.send_signal(left, signal.SIGKILL)
        if began is not None and began.ticks:
            spared = (self._pid, self.spared_pid)
            self._awaits_clear = self.is_supervised
            self._line.send("clear", since=[began.ticks, began.newest_pid], spare=spared)

    def _on_line(self, report: dict[str, Any]) -> None:
        match report["t"]:
            case "started":
                self._pid, self._inode = report["pid"], report["pipe"]
                self._view = OutsideView(self._pid, report["wake"])
                self._refusal = self._why_not_begin(report.get("steps", ()))
                if self._refusal:
                    self.kill_group()
                else:
                    self._line.send("begin")
            case "family":
                self._family = [processes.Leftover(*item) for item in report["pids"]]
            case "cleared" | "ended" as kind:
                self._awaits_clear, self._is_cleared = False, kind == "ended"
            case "answer":
                self._settle(report["ask"], report["problem"])
            case "refused":
                self._add_refused(report["places"])
            case "shut":
                _log.warning("the network of a sandbox is shut: its gate has ended")
            case "rests" | "runs" as kind if report["look"] == self._looks:
                self._unanswered.stop()
                self._on_report(kind, report)
            case "left" | "question" as kind if report.get("edge", self._edge) == self._edge:
                self._on_report(kind, report)
            case _:
                pass

    def _why_not_begin(self, steps: Sequence[str]) -> str:
        """Return why a kernel must not begin; "" if it may."""
        for step in self._steps_wanted:
            if step not in steps:
                return f"the supervisor has no {step} of its own"
        part = self._misplaced(self._pid)
        return f"{part} is not what it was" if part else ""

    async def ask_supervisor(self, kind: str, **fields: Any) -> None:
        """Have the supervisor do something. Raises ExecutionError if it could not, or has ended."""
        self._last_ask += 1
        number = self._last_ask
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        if self._has_ended:
            self._settle(number, "it has ended")
        else:
            self._line.send(kind, ask=number, **fields)
        try:
            async with asyncio.timeout(_ASK_LIMIT_S):
                problem = await answer
        except TimeoutError:
            problem = "it does not answer"
        finally:
            del self._asked[number]
        if problem:
            raise ExecutionError(
                "The sandbox of the running kernel could not be changed.",
                detail=problem,
                remedy="Restart the kernel.",
            )

    def reply(self, question_id: str, text: str | None) -> None:
        """Answer a question of what connects to another machine; None gives the connection up."""
        self._line.send("reply", id=question_id, text=text)

    def has_tried_network(self) -> bool:
        """Return whether code in a sandbox has tried a network of its supervisor's."""
        return self._line.has_sign()

    def _add_refused(self, places: dict[str, int]) -> None:
        for place, count in places.items():
            if place in self._refused or len(self._refused) < _MOST_REFUSED:
                self._refused[place] += count

    def take_refused(self) -> dict[str, int]:
        """Return how often places in the network were refused since this was called last."""
        found, self._refused = self._refused, Counter()
        return dict(found)

    def _settle(self, number: int, problem: str) -> None:
        answer = self._asked.get(number)
        if answer is not None and not answer.done():
            answer.set_result(problem)

    def _on_unanswered(self) -> None:
        """Continue a supervisor that code has stopped; the end of the block waits for it."""
        self._continue_supervisor()
        self._unanswered.start(_ANSWER_LIMIT_MS)
        self._on_report("runs", {})

    def _continue_supervisor(self) -> None:
        if self.is_supervised:
            with suppress(ProcessLookupError):
                os.kill(self.root_pid, signal.SIGCONT)

    def _end_without_supervisor(self) -> None:
        """Kill what the supervisor should have killed, and itself."""
        for pid in processes.descendants(self.root_pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()

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
        self._line.read()
        self._has_ended = True
        if not self._is_cleared:  # there is no supervisor, or it was killed
            self.signal_group(signal.SIGKILL)
            processes.send_signal(self._family, signal.SIGKILL)
        while data := self._process.read(READ_BYTES).data():
            self._on_pieces(self._decoder.feed(bytes(data)))
        self._on_pieces(self._decoder.finish())
        if self._refusal:
            self._end(RunEnd(kind="other", words=self._refusal))
            return
        is_crash = status == QProcess.ExitStatus.CrashExit
        self._end(
            RunEnd(kind="signalled", signal=code)
            if is_crash
            else RunEnd(kind="exited", exit_status=code)
        )

    def _end(self, end: RunEnd) -> None:
        self._has_ended = True
        for timer in self.findChildren(QTimer):
            timer.stop()
        self._line.close()
        self._job.end()
        for number in tuple(self._asked):
            self._settle(number, "it has ended")
        self._on_end(end)
        self.deleteLater()


def _do_nothing() -> None:
    """Do nothing."""
