"""The carrier's process: the app's pipes at one side, at the other a connection that may be lost.

It takes a kernel's commands and prints a kernel's output. What is not for the kernel itself goes
over the line that a supervisor would have: Stop, the end, questions, and why it has failed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any, cast

from playhead.kernel import protocol
from playhead.place_worker.carrier.machine_connection import (
    ROOT,
    AskPass,
    Failure,
    MachineConnection,
    Question,
    command_of,
    far_script,
)
from playhead.place_worker.carrier.spool_files import SpoolFiles
from playhead.supervisor.keeper import door
from playhead.supervisor.keeper.resumable_stream import LinkError, ResumableStream, SentBytes
from playhead.supervisor.protocol import CONTROL, LineReader, encode

_READ_BYTES = 262_144
_MOST_UNREAD = 1 << 20
_PING_S, _LOST_S = 5.0, 10.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 5.0
_CONNECT_LIMIT_S = 60.0
_SLEPT_S, _AWAKE_S = 3.0, 1.0
_END_LIMIT_S = 1.0
_GRACE_MS = 2000
_STILL_RUNS = b"[What ran here before still runs; this begins when it has ended.]\n"
_FAR = ("run", "rest")
"""What goes on to the far side as it is."""
_FOR_GOOD = ("gone", "taken", "no_python", "no_folder")
_PERSONAL = ("cancelled", "refused", "host_key")
"""Failures after which a person has to do something: it is not tried again by itself."""
_OWN = ("link", "resume", "failed", "progress")
"""Marks that only this process writes: it signs them, since a kernel over there could write any."""
_MOST_LEFT, _LAST_OFFSET = 1000, 1 << 62
_SENSELESS = (
    *(LinkError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError),
)
_NO_ENDS = frozenset({"STOP", "TSTP", "TTIN", "TTOU", "CONT", "CHLD", "URG", "WINCH"})


class Carrier:
    """Owner of the pipes and of the connection."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._commands = LineReader()
        self._lines = b""
        self._has_input = True
        self._printing: deque[bytes] = deque()
        self._unprinted = 0
        self._hello: dict[str, Any] = {}
        self._secret = b""
        self._place: dict[str, Any] = {}
        self._folder: str | None = None
        self._stream = ResumableStream(SentBytes())
        self._connection: MachineConnection | None = None
        self._ask: AskPass | None = None
        self._questions: dict[str, Question] = {}
        self._numbers = itertools.count(1)
        self._retry_at: float | None = None
        self._pause_s = _FIRST_PAUSE_S
        self._attempts = 0
        self._began = self._heard = self._pinged = 0.0
        self._clock = time.time() - time.monotonic()
        self._ping_s, self._lost_s = _PING_S, _LOST_S
        self._state = ""
        self._end_at: float | None = None
        self._failure: Failure | None = None
        self._exit: tuple[int, int] | None = None
        self._marks = MarkNames(b"", b"")
        self._run = ""
        self._is_resuming = False
        self._early = b""
        self._earlier_run = ""
        self._awaiting: dict[str, Any] | None = None
        self._files = SpoolFiles(self._send, self._write_mark, "")
        self._is_leaving = False
        self._mark = protocol.new_nonce()
        self._far = {name: protocol.new_nonce() for name in ("id", "token", "nonce", "secret")}
        """What this kernel is known by over there, and what it takes to come back to it."""

    @property
    def _is_linked(self) -> bool:
        return self._connection is not None and self._connection.welcome is not None

    @property
    def _was_linked(self) -> bool:
        return self._folder is not None

    # The loop

    def serve(self) -> int:
        """Run until the app or the kernel has gone; return the exit status."""
        os.set_blocking(0, False)
        os.set_blocking(1, False)
        pipe = os.fstat(1).st_ino
        self._tell("started", pid=os.getpid(), pipe=pipe, wake=0, steps=[])
        try:
            while not self._is_over():
                self._serve_once()
        finally:
            self._end_connection()
            self._files.close()
            if self._ask is not None:
                self._ask.close()
        return self._end()

    def _is_over(self) -> bool:
        if self._failure is not None or self._exit is not None:
            is_held = self._connection is not None and self._exit is not None
            return not self._printing and not is_held
        return not self._has_input or (self._is_leaving and not self._printing)

    def _end(self) -> int:
        code, number = self._exit or (0, 0)
        if _is_end(number):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        return 1 if self._failure is not None else code

    def _serve_once(self) -> None:
        poll = select.poll()
        table: dict[int, Callable[[], None]] = {}

        def watch(fd: int, call: Callable[[], None], events: int = select.POLLIN) -> None:
            table[fd] = call
            poll.register(fd, events)

        watch(0, self._read_lines)
        watch(self._control.fileno(), self._read_control)
        if self._printing:
            watch(1, self._print, select.POLLOUT)
        if self._ask is not None:
            watch(self._ask.bell, self._read_questions)
        if self._connection is not None:
            self._watch_connection(self._connection, watch)
        was = self._connection
        for fd, _ in poll.poll(self._wait_ms()):
            if was is self._connection or fd in (0, 1):  # else it may be another's by now
                table[fd]()
        self._on_time()
        self._pour()

    def _watch_connection(self, one: MachineConnection, watch: Callable[..., None]) -> None:
        is_awaited = self._is_resuming and self._is_linked  # the app is not ready for it
        if self._unprinted < _MOST_UNREAD and not is_awaited:
            watch(one.output, self._read_link)
        if one.has_words:
            watch(one.errors, one.read_words)
        if one.has_to_write or (self._is_linked and not self._stream.is_all_sent):
            watch(one.input, self._pour, select.POLLOUT)

    def _wait_ms(self) -> float | None:
        now = time.monotonic()
        times = [at for at in (self._retry_at, self._end_at) if at is not None]
        if self._is_linked:
            times += [self._pinged + self._ping_s, self._heard + self._lost_s]
        elif self._connection is not None:
            times.append(self._began + _CONNECT_LIMIT_S)
        return max(0.0, (min(times) - now) * 1000 + 1) if times else None

    def _on_time(self) -> None:
        now = time.monotonic()
        drift = time.time() - now - self._clock
        self._clock += drift
        if self._retry_at is not None and now >= self._retry_at:
            self._connect()
        if self._end_at is not None and now >= self._end_at:
            self._end_at = None
            if self._exit is not None:
                self._end_connection()
            else:
                self._command("end")  # its exit handlers take too long
        if self._is_linked:
            self._watch_link(now, has_slept=drift > _SLEPT_S)
        elif self._connection is not None and now >= self._began + _CONNECT_LIMIT_S:
            if self._questions:
                self._began = now  # a person takes their time
            else:
                self._on_lost()

    def _watch_link(self, now: float, *, has_slept: bool) -> None:
        """Ask for a sign of life; give a link up that has given none."""
        if has_slept:  # this computer has: the link has a moment to prove that it holds
            self._heard = min(self._heard, now - self._lost_s + _AWAKE_S)
        if has_slept or now >= self._pinged + self._ping_s:
            self._pinged = now
            self._stream.ping(int(now))
        if self._unprinted >= _MOST_UNREAD:
            self._heard = now  # nothing is read: it is not to blame
        elif now - self._heard > self._lost_s:
            self._on_lost()

    # The app's side

    def _tell(self, kind: str, **fields: Any) -> None:
        with contextlib.suppress(OSError):
            self._control.send(encode(kind, **fields))

    def _read_lines(self) -> None:
        try:
            data = os.read(0, _READ_BYTES)
        except BlockingIOError:
            return
        self._has_input = bool(data)
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            if not self._hello:
                self._begin(json.loads(line))
            else:
                self._take_line(line)

    def _begin(self, hello: dict[str, Any]) -> None:
        self._hello = hello
        self._secret = hello["secret"].encode("ascii")
        self._place = hello.pop("place")
        self._ping_s = self._place.get("ping_s", _PING_S)
        self._lost_s = self._place.get("lost_s", _LOST_S)
        self._files = SpoolFiles(self._send, self._write_mark, hello["spool"])
        self._place["resume"] = self._place.get("resume") or {}
        known = cast("dict[str, Any]", self._place["resume"])
        if self._far.keys() <= known.keys():
            self._far = {name: str(known[name]) for name in self._far}
            self._is_resuming = True
        self._marks = MarkNames(
            protocol.mark_prefix(self._far["nonce"]), protocol.mark_prefix(hello["nonce"])
        )
        if self._place["kind"] == "ssh":
            with contextlib.suppress(OSError):  # then ssh has nobody to ask, and says so
                self._ask = AskPass(hello["spool"])
                os.environ.update(self._ask.variables)
        self._connect()

    def _take_line(self, line: bytes) -> None:
        """Pass a command on to the kernel, under the secret that it knows."""
        _, found, command = line.rpartition(self._secret)
        if not found:
            return
        fields = cast("dict[str, Any]", json.loads(command))
        kind = fields["t"]
        if kind == "exit":
            self._on_exit(fields.get("how") or "", command)
        elif kind == "continue":
            self._run, self._earlier_run = fields["run"], ""
            self._end_resuming()
        elif kind == "execute" and self._earlier_run:
            self._awaiting = fields
            self._put_out(_STILL_RUNS)
            self._end_resuming()
        elif kind == "execute":
            self._execute(fields)
        elif kind == "put":
            self._files.put(fields["ask"], fields["path"], fields["name"])
        elif kind == "get":
            self._files.get(fields["ask"], fields["path"], fields["file"])
        elif kind != "give_up" or not self._files.give_up(fields["ask"]):
            if kind == "stop":
                self._stop(fields["run"])
            self._pass_on(command)
        self._on_wish()

    def _stop(self, run: str) -> None:
        """Stop a run, or what goes on from earlier ones; without a link as soon as there is one."""
        if run:
            self._command("interrupt", grace_ms=_GRACE_MS)
            self._drop_awaiting()
        else:
            self._command("kill")

    def _execute(self, fields: dict[str, Any]) -> None:
        if self._is_resuming:
            self._end_resuming()
        self._run = fields["run"]
        self._command("begin", run=self._run)
        self._pass_on(json.dumps({**fields, "folder": self._folder or ""}).encode("ascii"))

    def _drop_awaiting(self) -> None:
        """Report a block as stopped that still waits."""
        fields, self._awaiting = self._awaiting, None
        if fields is not None:
            self._write_mark("idle", run=fields["run"], state="interrupted", line=None)

    def _on_earlier_end(self) -> None:
        """Go on with the block that has waited for the end of an earlier one."""
        self._earlier_run = ""
        fields, self._awaiting = self._awaiting, None
        if fields is not None:
            self._execute(fields)

    def _pass_on(self, command: bytes) -> None:
        secret = self._far["secret"].encode("ascii")
        self._stream.send(b"i", secret + command + b"\n")

    def _on_exit(self, how: str, command: bytes) -> None:
        """Leave the kernel, or end it; without a link that is left to the next connection."""
        if how == "leave" or not self._is_linked:
            self._is_leaving = True
            if how != "leave":
                self._write_mark(
                    "resume", facts={"ends": f"{self._far['id']} {self._far['token']}"}
                )
        elif self._run:
            self._command("end")
        else:
            self._pass_on(command)
            self._end_at = time.monotonic() + _END_LIMIT_S

    def _send(self, kind: bytes, content: bytes) -> None:
        self._stream.send(kind, content)

    def _command(self, kind: str, **fields: Any) -> None:
        self._stream.send(b"c", json.dumps({"t": kind, **fields}).encode("ascii"))

    def _on_wish(self) -> None:
        """Connect now if it is not tried any more: somebody wants something."""
        is_waiting = self._connection is None and self._was_linked
        if is_waiting and (self._retry_at is None or self._pause_s >= _LONGEST_PAUSE_S):
            self._connect()

    def _read_control(self) -> None:
        try:
            data = self._control.recv(65536)
        except OSError:
            data = b""
        self._has_input = self._has_input and bool(data)
        for command in self._commands.feed(data):
            kind = command["t"]
            if kind in _FAR:
                self._stream.send(b"c", json.dumps(command).encode("ascii"))
            elif kind == "reply":
                self._reply(command["id"], command["text"])

    def _write_mark(self, kind: str, run: str = "", **fields: Any) -> None:
        signed = {"key": self._place.get("key", "")} if kind in _OWN else {}
        self._put_out(protocol.encode_mark(self._hello["nonce"], kind, run, {**fields, **signed}))

    def _put_out(self, data: bytes) -> None:
        self._printing.append(data)
        self._unprinted += len(data)
        self._print()

    def _print(self) -> None:
        try:
            while self._printing:
                data = self._printing[0]
                count = os.write(1, data)
                self._unprinted -= count
                if count < len(data):
                    self._printing[0] = data[count:]
                else:
                    self._printing.popleft()
        except BlockingIOError:
            return
        except OSError:  # the app has gone
            self._printing.clear()
            self._has_input = False

    # Questions

    def _read_questions(self) -> None:
        if self._ask is None:
            return
        for question in self._ask.questions():
            name = f"{os.getpid()}-{next(self._numbers)}"
            self._questions[name] = question
            self._tell(
                "question",
                id=name,
                text=question.text,
                is_secret=question.is_secret,
                is_choice=question.is_choice,
            )

    def _reply(self, name: str, text: str | None) -> None:
        question = self._questions.pop(name, None)
        if question is None or self._ask is None:
            return
        if text is not None:
            self._ask.answer(question, text)
            return
        self._end_connection()
        self._on_failure(Failure("cancelled", ""))

    def _take_back_questions(self) -> None:
        while self._questions:
            name, _ = self._questions.popitem()
            self._tell("question", id=name, text="", is_secret=False, is_choice=False)

    # The link

    def _connect(self) -> None:
        self._retry_at = None
        self._attempts += 1
        self._set_state("lost" if self._was_linked else "connecting")
        is_known = self._was_linked or self._is_resuming
        request: dict[str, Any] = {
            "id": self._far["id"],
            "token": self._far["token"],
            "version": door.tree_hash(str(ROOT)),
            "mode": "attach" if is_known else "start",
            "ends": str(self._place["resume"].get("ends") or ""),
            "received": self._stream.received if self._was_linked or not is_known else None,
            "start": {
                "python": self._place["program"],
                "folder": self._place["folder"],
                "prefix": protocol.mark_prefix(self._far["nonce"]).decode("latin-1"),
                "idle_s": self._place.get("idle_s"),
            },
        }
        is_alone = self._was_linked and self._attempts % 2 == 0
        address = self._place["address"]
        self._began = time.monotonic()
        try:
            script = far_script(self._mark, self._place["program"])
            command = command_of(address, self._place["kind"], script, is_alone=is_alone)
            self._connection = MachineConnection(command, self._mark, request)
        except ValueError as error:
            self._on_failure(Failure("no_name", str(error)))
        except OSError as error:
            name = command_of(address, self._place["kind"], "")[0]
            is_missing = isinstance(error, FileNotFoundError)
            words = name if is_missing else error.strerror or ""
            self._on_failure(Failure("no_program" if is_missing else "other", words))

    def _read_link(self) -> None:
        one = self._connection
        if one is None:
            return
        was_linked = self._is_linked
        data = one.read()
        if data is None:
            self._on_lost()
            return
        self._heard = time.monotonic()
        try:
            if not was_linked and one.welcome is not None:
                self._on_welcome(one.welcome)
            if self._is_resuming and self._is_linked:
                self._early = data  # the app is not ready for it
            else:
                self._take_bytes(data)
        except _SENSELESS:
            self._on_lost()
            return
        if self._stream.is_taken and self._exit is None:
            self._end_connection()
            self._fail(Failure("taken", ""))

    def _take_bytes(self, data: bytes) -> None:
        for kind, content in self._stream.feed(data) if data else ():
            self._take(kind, content)

    def _end_resuming(self) -> None:
        """Print what comes, from now on."""
        self._is_resuming = False
        early, self._early = self._early, b""
        self._take_bytes(early)

    def _on_welcome(self, welcome: dict[str, Any]) -> None:
        self._take_back_questions()
        if self._ask is not None:
            self._ask.forget()
        was_linked = self._was_linked
        received, begins = _offset(welcome["received"]), _offset(welcome["from"])
        self._folder = str(welcome["folder"])
        if self._is_resuming and not was_linked:
            self._stream = ResumableStream(SentBytes(received))
            self._stream.join(begins)
            self._earlier_run = str(welcome["run"])
            self._write_mark("ready", pid=0, version="", pauses=0, lines=True)
        elif not was_linked:
            own = {"nonce": self._far["nonce"], "secret": self._far["secret"]}
            own |= {"spool": welcome["spool"], "uv": welcome["uv"]}
            self._stream.send(b"i", json.dumps({**self._hello, **own}).encode("ascii") + b"\n")
        if not was_linked:
            self._write_mark("resume", facts=self._far)
        self._stream.begin(received)
        self._pinged = time.monotonic()
        self._pause_s, self._attempts = _FIRST_PAUSE_S, 0
        self._set_state("")

    def _pour(self) -> None:
        one = self._connection
        if one is None:
            return
        self._files.go_on(lambda: self._stream.unacknowledged)
        try:
            one.write(b"")
            while self._is_linked and not one.has_to_write and not self._stream.is_all_sent:
                one.write(self._stream.next_bytes())
        except OSError:
            if self._is_linked:
                self._on_lost()  # else it says why, or ends

    def _on_lost(self) -> None:
        one = self._connection
        if one is None:
            return
        if self._exit is not None:  # the far side knows that we know
            self._end_connection()
            return
        failure = one.failure()
        was_linked = one.welcome is not None
        self._end_connection()
        if was_linked:
            self._set_state("lost")
            self._retry_at = time.monotonic() + self._pause_s
        else:
            self._on_failure(failure)

    def _on_failure(self, failure: Failure) -> None:
        if not self._was_linked or failure.what in _FOR_GOOD:
            self._fail(failure)
            return
        self._set_state("lost")
        if failure.what in _PERSONAL:
            return
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        self._retry_at = time.monotonic() + self._pause_s

    def _fail(self, failure: Failure) -> None:
        self._failure = failure
        if failure.what == "gone":
            self._write_mark("resume", facts={})
        self._write_mark("failed", **failure.fields(self._place["kind"], self._place["address"]))

    def _end_connection(self) -> None:
        one, self._connection = self._connection, None
        self._take_back_questions()
        if one is not None:
            one.close()
        if self._ask is not None:
            self._ask.forget()

    def _set_state(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._write_mark("link", state=state)

    # What comes from there

    def _take(self, kind: bytes, content: bytes) -> None:
        if kind == b"o":
            if data := self._marks.feed(content):
                self._put_out(data)
        elif kind == b"b":
            self._files.take(content)
        elif kind == b"f":
            self._files.take_piece(content)
        elif kind == b"r":
            self._take_report(json.loads(content))

    def _take_report(self, report: dict[str, Any]) -> None:
        kind = report["t"]
        if kind == "exit":
            self._put_out(self._marks.finish())
            self._write_mark("resume", facts={})
            self._exit = int(report["code"]) & 0xFF, int(report["signal"])
            self._end_at = time.monotonic() + _END_LIMIT_S
        elif kind == "file":
            self._files.begin(str(report["name"]), int(report["size"]))
        elif kind in ("put", "get"):
            self._files.take_report(report)
        elif kind == "left":
            left = [int(one) for one in report["processes"][:_MOST_LEFT]]
            main, threads = report["main"] is True, int(report["threads"])
            self._tell(kind, main=main, threads=threads, processes=left)
        elif kind == "files":
            self._write_mark("files", run=self._run, file=self._files.keep_new(report))
            self._run = ""
            if self._earlier_run:
                self._on_earlier_end()


def _offset(value: object) -> int:
    """Return an offset in bytes as the far side says it. Raises LinkError."""
    if isinstance(value, int) and 0 <= value <= _LAST_OFFSET:
        return value
    raise LinkError(f"an offset of {value!r:.100}")


def _is_end(number: int) -> bool:
    """Return whether a process may end by a signal: others would stop this one for ever."""
    found = next((one for one in signal.Signals if one == number), None)
    return found is not None and found.name[3:] not in _NO_ENDS


class MarkNames:
    """Gives the marks of the kernel the name by which the app knows them, however they are cut."""

    def __init__(self, theirs: bytes, ours: bytes) -> None:
        self._theirs, self._ours = theirs, ours
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what is certain."""
        if not self._held and b"\x1b" not in data:
            return data
        data = (self._held + data).replace(self._theirs, self._ours)
        escape = data.rfind(b"\x1b", max(0, len(data) - len(self._theirs) + 1))
        is_start = escape >= 0 and self._theirs.startswith(data[escape:])
        self._held = data[escape:] if is_start else b""
        return data[:escape] if is_start else data

    def finish(self) -> bytes:
        """Return what was held back."""
        held, self._held = self._held, b""
        return held


def serve() -> int:
    """Run as the child of the app that has made the line."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    value = os.environ.pop(CONTROL, "")
    if not value.isdigit():
        sys.stderr.write("This is started by Playhead.\n")
        return 2
    control = socket.socket(fileno=int(value))
    os.set_inheritable(control.fileno(), False)
    return Carrier(control).serve()
