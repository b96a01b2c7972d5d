"""One kernel below its supervisor on the far side: its pipes, its marks, Stop, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

from .. import protocol
from ..outside_view import IS_LINUX, OutsideView
from .far_files import FolderLook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_READ_BYTES = 262_144
_MARK_LIMIT = 4096
_CLOSE = b"\x1b\\"
_SPOOL_LIMIT = 64_000_000
_LEAD_S, _SECOND_S, _CHILDREN_S, _CLEAR_S = 0.1, 0.25, 0.5, 0.25
_END_LIMIT_S = 4.0
_READ_AGAIN = 64


class Timers:
    """Functions to be called later, each under a name: a later one takes the place of the first."""

    def __init__(self) -> None:
        self._due: dict[str, tuple[float, Callable[[], None]]] = {}

    def set(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        """Have something called once."""
        self._due[name] = time.monotonic() + seconds, call

    def cancel(self, *names: str) -> None:
        """Have some not called."""
        for name in names:
            self._due.pop(name, None)

    def pause_ms(self) -> float | None:
        """Return how long nothing is due."""
        first = min((at for at, _ in self._due.values()), default=None)
        return None if first is None else max(0.0, (first - time.monotonic()) * 1000 + 1)

    def run_due(self) -> None:
        """Call what is due."""
        now = time.monotonic()
        for name, (at, call) in list(self._due.items()):
            if at <= now and self._due.get(name) == (at, call):
                del self._due[name]
                call()


class MarkScanner:
    """Finds the marks that the far side itself acts on; all bytes come out as they went in.

    `feed` returns pieces in their order: bytes, and the fields of the mark that they are, if so.
    """

    _KINDS = ("show", "answer", "idle", "stopping")

    def __init__(self, prefix: bytes) -> None:
        self._prefix = prefix
        self._wanted = tuple(b'{"t":"%s",' % kind.encode("ascii") for kind in self._KINDS)
        self._held = b""

    def feed(self, data: bytes) -> list[tuple[bytes, dict[str, Any] | None]]:
        """Take bytes; what may be the beginning of a mark is held back."""
        if self._held:
            data, self._held = self._held + data, b""
        elif b"\x1b" not in data:
            return [(data, None)]
        return list(self._split(data))

    def finish(self) -> bytes:
        """Return what was held back."""
        held, self._held = self._held, b""
        return held

    def _split(self, data: bytes) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
        done = at = 0
        while (start := data.find(self._prefix, at)) >= 0:
            body = start + len(self._prefix)
            end = data.find(_CLOSE, body, start + _MARK_LIMIT)
            if end < 0 and len(data) - start < _MARK_LIMIT:
                break
            at = body if end < 0 else end + len(_CLOSE)
            if end >= 0 and data.startswith(self._wanted, body):
                fields = _object(data[body:end])
                if fields is not None:
                    if start > done:
                        yield data[done:start], None
                    yield data[start:at], fields
                    done = at
        else:
            start = self._possible_start(data, at)
        if start > done:
            yield data[done:start], None
        self._held = data[start:]

    def _possible_start(self, data: bytes, at: int) -> int:
        escape = data.rfind(b"\x1b", max(at, len(data) - len(self._prefix) + 1))
        is_start = escape >= 0 and self._prefix.startswith(data[escape:])
        return escape if is_start else len(data)


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        found: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if body[:1] == b"{" else None


class KeptKernel:
    """Owner of the supervisor's process and of the ends of its pipes.

    `send(kind, content)` takes what is for the client: "o" output, "r" a report, "b" bytes of a
    file of the spool, which a report announces.
    """

    def __init__(
        self,
        python: str,
        prefix: bytes,
        folder: str,
        spool: str,
        send: Callable[[bytes, bytes], None],
        timers: Timers,
    ) -> None:
        self.folder = folder
        self.run = ""
        self.has_ended = False
        self.was_used = False
        self._spool = spool
        self._send = send
        self._timers = timers
        self._scanner = MarkScanner(prefix)
        self._to_write = bytearray()
        self._reports = protocol.LineReader()
        self._view: OutsideView | None = None
        self._kernel = 0
        self._since = (0, 0)
        self._look: FolderLook | None = None
        self._looks = 0
        self._idle: bytes | None = None
        self._held: list[tuple[bytes, dict[str, Any] | None]] | None = None
        self._steps: list[float] = []
        self._is_stopped = self._is_clearing = self._is_disputed = False
        self._start(python)

    def _start(self, python: str) -> None:
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        supervisor = os.path.join(root, "supervisor", "boot.py")
        self.control, theirs = socket.socketpair()
        variables = {**os.environ, protocol.CONTROL: str(theirs.fileno())}
        variables.update(MPLBACKEND="Agg", PYTHONIOENCODING="utf-8")
        self._process = subprocess.Popen(
            [python, "-u", supervisor, os.path.join(root, "kernel", "boot.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            cwd=self.folder,
            env=variables,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        for one in (self.input, self.output, self.control.fileno()):
            os.set_blocking(one, False)

    @property
    def input(self) -> int:
        """Return the descriptor that commands are written to."""
        assert self._process.stdin is not None  # noqa: S101 - it was started with pipes
        return self._process.stdin.fileno()

    @property
    def output(self) -> int:
        """Return the descriptor that its output comes from."""
        assert self._process.stdout is not None  # noqa: S101
        return self._process.stdout.fileno()

    @property
    def has_to_write(self) -> bool:
        """Return whether the pipe of its commands was full."""
        return bool(self._to_write)

    def memory_bytes(self) -> int:
        """Return the memory of the kernel; 0 if that is not known."""
        try:
            with open("/proc/%d/statm" % self._kernel, "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, IndexError):
            return 0

    def write(self, data: bytes) -> None:
        """Give it commands; never waits."""
        self._to_write += data
        self.pour()

    def pour(self) -> None:
        """Write what the pipe takes."""
        try:
            while self._to_write:
                del self._to_write[: os.write(self.input, self._to_write[:65536])]
        except BlockingIOError:
            return
        except OSError:  # it has ended
            self._to_write.clear()

    def begin_run(self, run: str) -> None:
        """Take note of a run, whose command comes next."""
        self.run, self._idle, self._held = run, None, None
        self._is_stopped = self._is_clearing = self._is_disputed = False
        self.was_used = True
        self._since = _now()
        self._look = FolderLook(self.folder)

    def command(self, command: dict[str, Any]) -> None:
        """Carry out a command of the client's that is not the kernel's."""
        kind = command["t"]
        if kind in ("run", "rest"):
            self._tell(kind, edge=command["edge"])
        elif kind == "interrupt":
            self._interrupt(command["grace_ms"] / 1000)
        elif kind == "kill":
            left = self._below()
            self._signal_these(left, signal.SIGINT)
            self._timers.set("kill_left", _CLEAR_S, lambda: self._kill_left(left))
        elif kind == "end":
            self.end()

    def end(self) -> None:
        """Have the supervisor kill all of it."""
        self._tell("end")
        self._timers.set("end", _END_LIMIT_S, self._process.kill)

    def _tell(self, kind: str, **fields: Any) -> None:
        with contextlib.suppress(OSError):
            self.control.send(protocol.encode(kind, **fields))

    # Output

    def read(self) -> bool:
        """Take what it has printed; return whether there was something."""
        try:
            data = os.read(self.output, _READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        for piece, mark in self._scanner.feed(data) if data else ():
            self._take(piece, mark)
        return bool(data)

    def _take(self, piece: bytes, mark: dict[str, Any] | None) -> None:
        if self._held is not None:
            self._held.append((piece, mark))
        elif mark is None:
            self._send(b"o", piece)
        elif mark["t"] == "idle" and self.run and mark.get("run") == self.run:
            self._on_idle(piece)
        elif mark["t"] in ("show", "answer"):
            self._send_file(mark.get("file"))
            self._send(b"o", piece)
        else:
            if mark["t"] == "stopping" and len(self._steps) == 3:
                self._timers.set("signal", 0, self._on_signal)
            self._send(b"o", piece)

    def _on_idle(self, piece: bytes) -> None:
        """Believe the end of a block when its main thread is seen to wait."""
        self._idle = piece
        if self._is_disputed:  # the supervisor still looks
            return
        if self._view is None or self._view.waits() is True:
            self._on_rest()
            return
        self._held = []
        self._looks += 1
        self._tell("look", look=self._looks, also=0)

    def _release(self) -> None:
        held, self._held = self._held or [], None
        for piece, mark in held:
            self._take(piece, mark)

    def _on_rest(self) -> None:
        for _ in range(_READ_AGAIN if self._is_disputed else 0):
            if not self.read():  # what it has written before it came to its true end
                break
        left = self._started_since() if self._is_stopped else []
        if left and not self._is_clearing:
            self._is_clearing = True
            self._signal_these(left, signal.SIGINT)
            self._held = self._held or []
            self._timers.set("clear", _CLEAR_S, lambda: self._clear("cleared"))
            return
        self._end_run()

    def _end_run(self) -> None:
        """Pass on the end of the run, with what it has changed."""
        idle, self._idle = self._idle, None
        if idle is None:
            return
        self._timers.cancel("signal", "stop_limit", "clear")
        self._steps = []
        if self._look is not None:
            self.report("files", **self._look.changes())
        self._look = None
        self.run = ""
        self._send(b"o", idle)
        self._release()

    def report(self, kind: str, **fields: Any) -> None:
        """Send a report."""
        self._send(b"r", json.dumps({"t": kind, **fields}).encode("ascii"))

    def _send_file(self, name: object) -> None:
        """Send a file of the spool, and delete it; code can have put anything there."""
        if not isinstance(name, str) or os.path.basename(name) != name or name[:1] in ("", "."):
            return
        path = os.path.join(self._spool, name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except (OSError, ValueError):
            return
        with open(fd, "rb") as file:
            size = os.fstat(fd).st_size
            if size > _SPOOL_LIMIT:
                words = "\n[A result of %d bytes is too large to be sent.]\n" % size
                self._send(b"o", words.encode("ascii"))
                return
            with contextlib.suppress(OSError):
                data = file.read(size)
                os.unlink(path)
                self.report("file", name=name, size=len(data))
                if data:
                    self._send(b"b", data)

    # Stop

    def _interrupt(self, grace_s: float) -> None:
        if not self.run:
            return
        if self._is_stopped:  # the time that the code has is not given to it again
            self._signal_run()
            return
        self._is_stopped = True
        rest_s = grace_s / 2 - _SECOND_S
        self._steps = [_SECOND_S, max(0.0, min(_CHILDREN_S, rest_s)), 0.0]
        self._timers.set("signal", _LEAD_S, self._on_signal)
        self._timers.set("stop_limit", grace_s, self.end)

    def _on_signal(self) -> None:
        if len(self._steps) > 1:
            self._signal_run()
            self._timers.set("signal", self._steps.pop(0), self._on_signal)
        elif self._steps:
            self._steps = []
            self._clear("children")

    def _signal_run(self) -> None:
        if not IS_LINUX:
            with contextlib.suppress(OSError):
                os.killpg(self._kernel, signal.SIGINT)
            return
        with contextlib.suppress(OSError):
            os.kill(self._kernel, signal.SIGINT)
        self._signal_these(self._started_since(), signal.SIGINT)

    def _signal_these(self, found: list[tuple[int, int]], number: int) -> None:
        for pid, _ in found:
            with contextlib.suppress(OSError):
                os.kill(pid, number)

    def _below(self) -> list[tuple[int, int]]:
        return list(self._view.processes()) if self._view is not None else []

    def _started_since(self) -> list[tuple[int, int]]:
        return [one for one in self._below() if (one[1], one[0]) > self._since > (0, 0)]

    def _clear(self, why: str) -> None:
        """Kill what the run has started."""
        if self._started_since():
            self._tell("clear", since=self._since, spare=[self._kernel])
        elif why == "cleared":
            self._on_cleared()

    def _kill_left(self, left: list[tuple[int, int]]) -> None:
        self._signal_these([one for one in self._below() if one in left], signal.SIGKILL)

    def _on_cleared(self) -> None:
        if self._is_clearing:
            self._is_clearing = False
            while self.read():
                pass
            self._end_run()

    # The supervisor's reports, and the end

    def read_control(self) -> None:
        """Take what the supervisor says; its end is that of the kernel."""
        try:
            data = self.control.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        for report in self._reports.feed(data):
            self._on_report(report)
        if not data:
            self._on_end()

    def _on_report(self, report: dict[str, Any]) -> None:
        kind = report["t"]
        if kind == "started":
            self._kernel = report["pid"]
            own = (self._process.pid,)
            self._view = OutsideView(self._kernel, report["wake"], own=own)
        elif kind == "left":
            self._send(b"r", protocol.encode(**{"kind": kind, **_without_kind(report)}))
        elif kind == "cleared":
            self._on_cleared()
        elif kind in ("rests", "runs") and report["look"] == self._looks and self._idle:
            if kind == "rests":
                self._on_rest()
            else:
                self._is_disputed = True
                self._release()

    def _on_end(self) -> None:
        self.has_ended = True
        for name in ("signal", "stop_limit", "clear", "kill_left"):
            self._timers.cancel(name)
        os.set_blocking(self.output, False)
        self._release()
        while self.read():
            pass
        if self._idle is not None:
            self._send(b"o", self._idle)
        if rest := self._scanner.finish():
            self._send(b"o", rest)
        status = self._process.wait()
        self._timers.cancel("end")
        self.run = ""
        self.report("exit", code=max(status, 0), signal=max(-status, 0))
        for one in (self._process.stdin, self._process.stdout, self.control):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.close()


def _without_kind(report: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "t"}


def _now() -> tuple[int, int]:
    """Return the clock's tick and the process id that was given last; zeros if not known."""
    try:
        ticks = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
        with open("/proc/loadavg", "rb") as file:
            return ticks, int(file.read().split()[-1])
    except (AttributeError, OSError, ValueError, IndexError):
        return 0, 0


def find_python(path: str) -> str:
    """Return the first Python from 3.9 on that these folders have, as at a terminal; "" for none.

    Its kernel is then the one that a person gets who types `python3` over there.
    """
    check = "import sys; sys.exit(sys.version_info < (3, 9))"
    for name in ("python3", "python"):
        for folder in path.split(os.pathsep):
            program = os.path.join(folder, name)
            if os.path.isabs(folder) and os.access(program, os.X_OK):
                asked = [program, "-I", "-S", "-c", check]
                with contextlib.suppress(OSError, subprocess.SubprocessError):
                    if subprocess.run(asked, timeout=10, check=False).returncode == 0:
                        return program
    return sys.executable
