"""The driver of the place worker for a kernel of a Jupyter server.

In a kernel of IPython our own parts write output and marks into a journal there, whose bytes have
offsets: what the link or the server loses is asked for again. Of other kernels the messages are
all there is; what may be missing is said with its time.
"""

from __future__ import annotations

import base64
import contextlib
import os
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from queue import Empty
from typing import Any

from playhead.kernel import boot, protocol
from playhead.kernel.driver import DriverContext, Job, Outcome
from playhead.kernel.interrupts import start_thread
from playhead.kernel.output_decoder import OutputDecoder, Piece
from playhead.place_worker.backlog import EXITED, LINK
from playhead.place_worker.http_requests import ServerError
from playhead.place_worker.jupyter_driver import JupyterDriver
from playhead.place_worker.jupyter_messages import Message, number_of, text_of
from playhead.place_worker.server_connection import ServerConnection

_ASK_AGAIN_S = 1.0
_RELEASE_BYTES, _RELEASE_S = 500_000, 0.5
_LOOK_S = 5.0
_END_LIMIT_S = 0.3
_STOP_LIMIT_S = 5.0
_FILE_LIMIT = 200_000_000
_PIECE_BYTES = 1_000_000
_PASSED = frozenset(
    ("line", "display", "show", "traceback", "error", "timings", "packages", "input", "answer")
)
_SOURCES = (
    *("__init__", "protocol", "errors", "channel", "driver", "interrupts", "run_timings"),
    *("streams", "working_folder", "python/__init__", "python/frames", "python/representations"),
    *("python/code_help", "python/cursor_context", "python/static_attributes"),
    *("python/short_text", "python/display_publisher", "python/variables"),
    *("python/interpreter_guard", "python/lines/__init__", "python/lines/block_lines"),
    *("python/jupyter/__init__", "python/jupyter/ipython_probe", "python/jupyter/server_probe"),
)
_MISSING = "\n[{count:,} bytes of output are missing here: {name} could not keep them.]\n"
_GAP = (
    "[The link to {name} was lost from {begin} to {end}: output of that time may be missing, since "
    "only a kernel of IPython can be asked for it.]\n"
)
_NOT_STOPPED = (
    "[The code has not stopped yet. Wait, stop it once more, or restart the kernel: then its names "
    "are gone.]\n"
)
_UNKNOWN_END = "[The link was lost, and with it how the block has ended.]\n"


class FarOutput:
    """Puts output together again: takes pieces in any order, gives each byte once, in its order."""

    def __init__(self, nonce: str, at: int = 0) -> None:
        self._nonce = nonce
        self._decoder = OutputDecoder(nonce)
        self.next = at
        """The offset of the next byte."""
        self.lost = 0
        """How many bytes could not be had."""

    def take(self, at: int, data: bytes) -> list[Piece] | None:
        """Return what is new of a piece; None where something before it is missing."""
        if at > self.next:
            return None
        new = data[self.next - at :]
        self.next += len(new)
        return self._decoder.feed(new) if new else []

    def skip_to(self, at: int) -> list[Piece]:
        """Give up what is before an offset; return what was held back."""
        if at <= self.next:
            return []
        self.lost += at - self.next
        self.next = at
        held, self._decoder = self._decoder.finish(), OutputDecoder(self._nonce)
        return held


class ServerDriver(JupyterDriver):
    """Owner of the link to one kernel, which lives on where that is wanted."""

    def __init__(self, context: DriverContext) -> None:
        self._resumed: Mapping[str, Any] = context.place.get("resume") or {}
        self._nonce = text_of(self._resumed.get("nonce")) or protocol.new_nonce()
        self._far = FarOutput(self._nonce)
        self._released, self._released_at = 0, 0.0
        self._end: dict[str, Any] | None = None
        self._asked = ""
        self._files = 0
        self._lost_at = 0.0
        self._kernel_session: object = None
        self._answered: set[str] = set()
        super().__init__(context)

    def start(self) -> str:
        """Find or start the kernel; return its version. Raises SystemExit where that fails."""
        version = super().start()
        self._remember()
        return version

    def execute(self, job: Job) -> Outcome:
        """Have the kernel run a block."""
        if not self._has_probe:
            return super().execute(job)
        self._is_stopped, self._end, self._asked = False, None, ""
        run = self.context.channel.run
        with contextlib.suppress(Empty):
            while True:
                self._take_late(*self._server.receive(0))
        marks = {"run": run, "lines": job.lines, "folder": ""}
        with self._awaited(), self.context.interrupts.diverted(self.interrupt):
            return self._follow(job, run, {"playhead": marks})

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the namespace, where our parts are beside it."""
        if not self._has_probe or command["t"] in ("save", "restore"):
            self.refuse(command, f"{self.name} tells nothing of its names.")
            return
        asked = self._execute(_call("answer", command), is_silent=True)
        while command["ask"] not in self._answered:
            channel, message = self._server.receive()
            if channel == LINK and message is not None and message.kind == "lost":
                self.refuse(command, f"The link to {self.name} is lost.")
                self._on_link(message)
                return
            if channel == "shell" and message is not None and message.parent == asked:
                self._pass_missing()
                if message.content.get("status") != "ok":
                    self.refuse(command, f"{self.name} tells nothing of its names.")
                    return
                continue
            self._take_late(channel, message)
        self._answered.discard(command["ask"])

    def control(self, command: dict[str, Any]) -> None:
        """Copy a file to the server or from there, beside what runs."""
        if command["t"] in ("put", "get"):
            start_thread(lambda: self._carry(command), "playhead-file")

    def _carry(self, command: dict[str, Any]) -> None:
        copy = self._put if command["t"] == "put" else self._get
        try:
            found = copy(command)
        except ServerError as error:
            found = {"error": error.title, "remedy": error.remedy}
        except OSError as error:
            found = {"error": error.strerror or str(error)}
        self.answers.send(command["ask"], found)

    def _put(self, command: dict[str, Any]) -> dict[str, Any]:
        name, path, at = command["name"], "", 0
        with open(command["path"], "rb") as file:
            size = os.fstat(file.fileno()).st_size
            while at < size or not path:
                data = file.read(_PIECE_BYTES)
                is_last = at + len(data) >= size
                path = self._put_piece(name, at, data, is_last=is_last)
                at += len(data)
                self._report_progress(command, at, size)
        return {"path": path}

    def _put_piece(self, name: str, at: int, data: bytes, *, is_last: bool) -> str:
        if not self._has_probe:
            return self._server.put_piece(name, at // _PIECE_BYTES + 1, data, is_last=is_last)
        state, _ = self._request("put", data, name=name, at=at, last=is_last)
        if "error" in state:
            raise ServerError("place_failed", f"The file could not be kept: {state['error']}.")
        return text_of(state.get("path"))

    def _get(self, command: dict[str, Any]) -> dict[str, Any]:
        at, size = 0, -1
        with open(os.path.join(self.context.spool, command["file"]), "wb") as file:
            while at != size:
                if not self._has_probe:
                    data = self._server.get_file(command["path"])
                    state: dict[str, Any] = {"size": len(data)}
                else:
                    state, data = self._request("get", name=command["path"], at=at)
                if "error" in state or (at and not data):
                    raise ServerError(
                        "place_failed",
                        f"The file cannot be read: {state.get('error', 'it changes')}.",
                    )
                file.write(data)
                at, size = at + len(data), int(state.get("size") or 0)
                self._report_progress(command, at, size)
        return {"file": command["file"], "size": at}

    def _report_progress(self, command: dict[str, Any], done: int, total: int) -> None:
        self.context.channel.send_unordered("progress", ask=command["ask"], done=done, total=total)

    def end(self, how: str) -> None:
        """End, restart or leave the kernel."""
        self._is_waiting = True  # its end is wanted
        self._server.close(how)

    def end_busy(self, how: str) -> None:
        """Do that at once, and end this process with it."""
        self.end(how)
        os._exit(0)

    @property
    def _server(self) -> ServerConnection:
        assert isinstance(self._connection, ServerConnection)  # noqa: S101 - made below
        return self._connection

    def _start_kernel(self, *, is_tcp: bool = False) -> Any:
        facts = {**self.context.place, **self._resumed}
        return ServerConnection(facts, self.context.spool, self._on_lost)

    def _meet(self) -> bool:
        """Ask who it is until it has answered; where that fails, report it and end this process."""
        self._say_link("connecting")
        asked_at = 0.0
        while not self._info:
            if time.monotonic() - asked_at > _ASK_AGAIN_S:
                asked_at = time.monotonic()
                for one in ("shell", "control"):  # the latter is served while it is busy
                    self._server.send(one, "kernel_info_request", {})
            with contextlib.suppress(Empty):
                channel, message = self._server.receive(_ASK_AGAIN_S)
                if channel == EXITED:
                    self._end_with_kernel()
                if message is not None and message.kind == "kernel_info_reply":
                    self._info = message.content
                    self._kernel_session = message.header.get("session")
        self._say_link("")
        return True

    def _install_probe(self) -> bool:
        """Put our parts beside its shell, unless they are there; False where that cannot be."""
        is_busy = self._server.is_busy and bool(self._resumed)  # it takes no code now
        if not is_busy:
            reply = self._wait_for_reply(self._execute(_load_code(self._nonce), is_silent=True))
            if reply is None or reply.content.get("status") != "ok":
                return False
        given = self._resumed.get("at")
        at = given if isinstance(given, int) else -1
        try:
            state, _ = self._request("resume", at=at)
        except ServerError:
            return False
        end = number_of(state.get("end"))
        is_same = 0 <= at <= end  # else it was restarted
        self._far = FarOutput(self._nonce, at if is_same else end)
        self._pass(self._far.skip_to(number_of(state.get("start"))))
        return True

    def _request(self, operation: str, data: bytes = b"", **fields: Any) -> Any:
        return self._server.request({"op": operation, "nonce": self._nonce, **fields}, data)

    def _follow(self, job: Job, run: str, metadata: dict[str, Any]) -> Outcome:
        """Pass on what the block says until its end has come."""
        name = self._execute(job.code, metadata)
        moved_at, seen = time.monotonic(), self._far.next
        has_replied = has_complained = False
        while self._end is None:
            wait_s = _END_LIMIT_S if has_replied else _LOOK_S
            channel, message = self._next_message(min(wait_s, self._release_wait_s()))
            if channel == LINK and message is not None:
                if self._on_link(message) and not self._has_begun(run):
                    name = self._execute(job.code, metadata)
            elif channel == "shell" and message is not None and message.parent == name:
                has_replied, moved_at = True, time.monotonic()
            elif channel:
                self._take_late(channel, message)
            self._release()
            if self._far.next > seen:
                seen, moved_at = self._far.next, time.monotonic()
            if self._end is None and time.monotonic() - moved_at > wait_s:
                moved_at = time.monotonic()
                self._look_for_end(has_replied)
            has_complained = has_complained or self._complain_of_stop()
        self._release(is_all=True)
        return self._far_outcome(self._end)

    def _next_message(self, wait_s: float) -> tuple[str, Message | None]:
        try:
            return self._server.receive(wait_s)
        except Empty:
            return "", None

    def _look_for_end(self, has_replied: bool) -> None:
        """Ask for what is missing; there is no end to wait for where nothing is."""
        state = self._pass_missing()
        if has_replied and state.get("end") == self._far.next and self._end is None:
            self.context.channel.complain(_UNKNOWN_END)
            self._end = {}

    def _complain_of_stop(self) -> bool:
        is_late = self._is_stopped and time.monotonic() - self._stopped_at > _STOP_LIMIT_S
        if is_late:
            self.context.channel.complain(_NOT_STOPPED)
        return is_late

    def _far_outcome(self, end: dict[str, Any]) -> Outcome:
        line = end.get("line")
        self._elsewhere = ""
        state = "interrupted" if end.get("is_stopped") else "finished"
        is_known = state == "interrupted" and isinstance(line, int)
        return Outcome(state, line if is_known else None)

    def _has_begun(self, run: str) -> bool:
        """Return whether the kernel knows the block, and ask for what is missing."""
        state = self._pass_missing()
        return not state or state.get("begun") == run

    def _take_late(self, channel: str, message: Message | None) -> None:
        """Take what comes, whatever it belongs to."""
        if channel == LINK and message is not None:
            self._on_link(message)
        elif channel == "iopub" and message is not None and message.kind == "playhead_output":
            self._take_output(message)
        elif channel == "iopub" and message is not None and message.kind == "status":
            self._look_for_restart(message)
        else:
            super()._take_late(channel, message)

    def _take_output(self, message: Message) -> None:
        at = message.content.get("at")
        if message.content.get("nonce") != self._nonce or not isinstance(at, int):
            return
        pieces = self._far.take(at, b"".join(message.buffers))
        if pieces is None:
            self._pass_missing()
        else:
            self._pass(pieces)

    def _pass_missing(self) -> dict[str, Any]:
        """Have what is missing sent again; return the state of our parts in the kernel."""
        try:
            state, _ = self._request("resume", at=self._far.next)
        except ServerError:
            return {}
        if state.get("error") == "taken":
            self._fail(
                "place_taken",
                "Another window has taken this kernel over.",
                "Its output goes there now.",
                "Go on there, or start a kernel of its own for this conversation.",
            )
        start, end = number_of(state.get("start")), number_of(state.get("end"))
        if start > self._far.next:
            count = start - self._far.next
            self._pass(self._far.skip_to(start))
            self.context.channel.complain(_MISSING.format(count=count, name=self.name))
        deadline = time.monotonic() + _END_LIMIT_S
        while self._far.next < end and time.monotonic() < deadline:
            with contextlib.suppress(Empty):
                channel, message = self._server.receive(_END_LIMIT_S)
                before = self._far.next
                self._take_late(channel, message)
                if self._far.next > before:
                    deadline = time.monotonic() + _END_LIMIT_S
        return state

    def _pass(self, pieces: list[Any]) -> None:
        for piece in pieces:
            if isinstance(piece, bytes):
                self.context.channel.pass_on(piece)
            else:
                self._pass_mark(piece)

    def _pass_mark(self, mark: protocol.Mark) -> None:
        fields = {name: one for name, one in mark.fields.items() if name not in ("t", "run")}
        if mark.kind == "end":
            if mark.run == self.context.channel.run:
                self._end = fields
            return
        if mark.kind not in _PASSED:
            return
        if mark.kind in ("show", "answer"):
            fields["file"] = self._fetch(mark.text("file"))
            if not fields["file"]:
                return
        if mark.kind == "input":
            with self._input:
                self._asked = mark.text("id")
                if self._answer_input():
                    return
        with contextlib.suppress(ValueError):  # a mark that our parts did not write
            self.context.channel.send_unordered(mark.kind, **fields)
        if mark.kind == "answer":
            self._answered.add(mark.text("ask"))

    def _fetch(self, name: str) -> str:
        """Fetch a file of our parts over there into the spool; return its name here."""
        self._files += 1
        suffix = "".join(one for one in os.path.splitext(name)[1][1:] if one.isalnum())[:8]
        own = f"{os.getpid()}-far-{self._files}.{suffix or 'bin'}"
        at, size = 0, 1
        try:
            with open(os.path.join(self.context.spool, own), "wb") as file:
                while at < size:
                    state, data = self._request("file", name=name, at=at)
                    if "error" in state or not data:
                        break
                    file.write(data)
                    at, size = at + len(data), min(number_of(state.get("size")), _FILE_LIMIT)
        except (ServerError, OSError) as error:
            reason = error.title if isinstance(error, ServerError) else error.strerror
            self.context.channel.complain(f"[A result is not shown: {reason}]\n")
            return ""
        self._server.post({"op": "remove", "nonce": self._nonce, "name": name})
        return own

    def _release_wait_s(self) -> float:
        if self._far.next == self._released:
            return _LOOK_S
        return max(0.0, self._released_at + _RELEASE_S - time.monotonic())

    def _release(self, *, is_all: bool = False) -> None:
        """Report which bytes have come, now and then."""
        new = self._far.next - self._released
        now = time.monotonic()
        is_due = new > _RELEASE_BYTES or now - self._released_at > _RELEASE_S
        if new and (is_all or is_due):
            self._released, self._released_at = self._far.next, now
            self._server.post({"op": "release", "nonce": self._nonce, "at": self._far.next})
            if not is_all:
                self._remember()

    def _remember(self) -> None:
        """Report what it takes to come back to this kernel."""
        self.context.channel.send_unordered(
            "resume",
            facts={
                "kernel_id": self._server.kernel_id,
                "session_id": self._server.session_id,
                "nonce": self._nonce if self._has_probe else "",
                "at": self._far.next,
                "is_joined": self._server.is_joined,
            },
        )

    def _send_answer(self, value: str | None) -> None:
        if not self._has_probe:
            super()._send_answer(value)
            return
        self._server.post({"op": "input", "nonce": self._nonce, "id": self._asked, "text": value})
        self._asked = ""

    @property
    def _is_asked(self) -> bool:
        return bool(self._asked) or super()._is_asked

    def _on_link(self, message: Message) -> bool:
        """Report a link that is back; return whether it is."""
        if message.kind == "lost":
            return False
        missing = ""
        if not self._has_probe:
            begin, end = (
                time.strftime("%H:%M:%S", time.localtime(one))
                for one in (self._lost_at, time.time())
            )
            missing = _GAP.format(name=self.name, begin=begin, end=end)
            self.context.channel.complain(missing)
        self._say_link("", missing)
        return True

    def _on_lost(self) -> None:
        """Report that the link is lost (the connection's thread)."""
        self._lost_at = time.time()
        self._say_link("lost")

    def _say_link(self, state: str, missing: str = "") -> None:
        self.context.channel.send_unordered("link", state=state, missing=missing.strip("[]\n"))

    def _look_for_restart(self, message: Message) -> None:
        """End if it is another kernel that speaks now, or will."""
        state, session = message.content.get("execution_state"), message.header.get("session")
        is_other = state in ("starting", "busy", "idle") and session != self._kernel_session
        if is_other or state in ("restarting", "dead"):
            self._end_restarted()

    def _end_restarted(self) -> None:
        self._remember()
        self._fail(
            "place_restarted",
            f"The kernel of {self.name} was restarted by somebody else, or by itself.",
            "Its names are gone.",
            "Run the code again.",
        )

    def _fail(self, *words: str) -> None:
        error = ServerError(*words)
        self.context.channel.send_unordered("failed", **error.fields)
        os._exit(1)

    def _end_with_kernel(self) -> None:
        error = self._server.failure or ServerError("place_failed", "The kernel has ended.")
        if error.code == "place_culled":
            self.context.channel.send_unordered("resume", facts={})
        self.context.channel.send_unordered("failed", **error.fields)
        os._exit(1)


def _load_code(nonce: str) -> str:
    """Return code that installs our parts, with their sources, and leaves no name."""
    root = Path(boot.__file__).parent
    sources = {f"{one}.py": (root / f"{one}.py").read_text("utf-8") for one in _SOURCES}
    loader = (root / "source_loader.py").read_text("utf-8")
    packed = base64.b64encode(zlib.compress(repr((loader, sources)).encode(), 9)).decode("ascii")
    return _LOAD % (packed, nonce)


_LOAD = (
    "(lambda p, g: (exec(compile(p[0], '<playhead>', 'exec'), g), g['load'](p[1],"
    " 'python.jupyter.server_probe')))(__import__('ast').literal_eval(__import__('zlib')"
    ".decompress(__import__('base64').b64decode(%r)).decode()), {'__name__': '_playhead_loader'})"
    "[1].install(get_ipython(), %r)"
)


def _call(name: str, command: dict[str, Any]) -> str:
    module = "_playhead_kernel.python.jupyter.server_probe"
    return f"__import__('sys').modules[{module!r}].{name}({command!r})"
