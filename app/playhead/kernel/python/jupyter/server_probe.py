"""The parts of this kernel beside the shell of IPython, in a Jupyter kernel of a server.

They are those of a kernel on this computer, with a pipe of their own in the place of the place
worker's. What comes through it goes into a journal and from there in messages of the kernel;
requests come by the control channel, which is served while a block runs.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import select
import shutil
import sys
import tempfile
import threading
import time
from queue import SimpleQueue
from typing import Any, Callable

from ...interrupts import start_thread
from .ipython_probe import IPythonProbe

OUTPUT, REQUEST, REPLY = "playhead_output", "playhead_request", "playhead_reply"
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ on Linux
_PIPE_BYTES = 1 << 20
_READ_BYTES = 1 << 18
_BURST, _PER_S = 60, 100.0
"""Servers drop messages beyond 1,000 a second."""
_FILE_BYTES = 1_000_000
_MOST_PUT_BYTES = 4_000_000_000


LIMIT_BYTES = 64_000_000
WINDOW_BYTES = 4_000_000
"""So much is sent ahead of what the reader has said to have: a server keeps it in its memory."""
MESSAGE_BYTES = 256_000
_AWAY_S = 15.0
_LONGEST_WAIT_S = 0.5


class OutputJournal:
    """The last bytes that were written; any thread may write, read and release them.

    A writer waits while all of it is needed by a reader that is there. While nobody has asked for
    a while, what is oldest goes.
    """

    def __init__(self, limit_bytes: int = LIMIT_BYTES, away_s: float = _AWAY_S) -> None:
        self._limit_bytes = limit_bytes
        self._away_s = away_s
        self._data = bytearray()
        self._changed = threading.Condition()
        self._heard_at = time.monotonic()
        self.start = 0
        """The offset of the first byte that is still here."""
        self._sent = self._released = 0

    @property
    def end(self) -> int:
        """Return the offset behind the last byte."""
        return self.start + len(self._data)

    def append(self, data: bytes) -> None:
        """Add bytes at the end, when there is room for them."""
        with self._changed:
            while len(self._data) + len(data) > self._limit_bytes and self._data:
                if time.monotonic() - self._heard_at > self._away_s:
                    self._drop(self.end + len(data) - self._limit_bytes)
                else:
                    self._changed.wait(_LONGEST_WAIT_S)
            self._data += data

    def next_piece(self, most: int = MESSAGE_BYTES) -> tuple[int, bytes]:
        """Return what is to be sent next, with its offset; b"" if there is nothing, or no room."""
        with self._changed:
            at = self._sent = max(self._sent, self.start)
            size = min(most, self._released + WINDOW_BYTES - at)
            data = bytes(self._data[at - self.start : at - self.start + max(0, size)])
            self._sent += len(data)
            return at, data

    def release(self, at: int) -> None:
        """Forget the bytes up to an offset: the reader has them."""
        with self._changed:
            self._heard_at = time.monotonic()
            self._released = max(self._released, min(at, self.end))
            self._drop(self._released)
            self._changed.notify_all()

    def resume(self, at: int) -> int:
        """Send from an offset on; return the first one there is."""
        self.release(at)
        with self._changed:
            self._sent = self._released = max(min(at, self.end), self.start)
            return self._sent

    @property
    def sent(self) -> int:
        """Return the offset up to which bytes were sent."""
        return self._sent

    def _drop(self, at: int) -> None:
        count = min(at, self.end) - self.start
        if count > 0:
            del self._data[:count]
            self.start += count


class JournalSender:
    """Owner of the pipe that output goes to; sends what comes through it, at a bounded pace."""

    def __init__(self, send: Callable[[int, bytes], None]) -> None:
        self._send = send
        self.journal = OutputJournal()
        self._lock = threading.Lock()
        self._left, self._filled_at = float(_BURST), time.monotonic()
        self._reader, self.writer = os.pipe()
        with contextlib.suppress(OSError, ValueError):
            fcntl.fcntl(self.writer, _SET_PIPE_SIZE, _PIPE_BYTES)
        start_thread(self._read, "playhead-journal")

    def pump(self) -> bool:
        """Send what can be sent now; return whether there is more, for which it is too early."""
        with self._lock:
            now = time.monotonic()
            self._left = min(_BURST, self._left + (now - self._filled_at) * _PER_S)
            self._filled_at = now
            while self._left >= 1:
                at, data = self.journal.next_piece()
                if not data:
                    return False
                self._left -= 1
                self._send(at, data)
        return True

    def _read(self) -> None:
        is_early = False
        while True:
            ready, _, _ = select.select([self._reader], [], [], 2 / _PER_S if is_early else None)
            if ready:
                self.journal.append(os.read(self._reader, _READ_BYTES))
            is_early = self.pump()


class ServerProbe(IPythonProbe):
    """Owner of what is hooked into one shell for one place worker, which may come back."""

    def __init__(self, shell: Any, nonce: str) -> None:
        self._kernel = shell.kernel
        self._nonce = nonce
        self._sender = JournalSender(self._publish)
        self._spool = tempfile.mkdtemp(prefix="playhead-")
        atexit.register(shutil.rmtree, self._spool, ignore_errors=True)
        self._typed: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._asked = ""
        self._count = 0
        self._begun: list[str] = []
        self._put_at = ("", 0)
        self._plain = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__
        self._plain_descriptors = os.dup(1), os.dup(2)
        super().__init__(shell, self._sender.writer, nonce, self._spool)
        self._leave_streams()
        kernel = self._kernel
        kernel.control_handlers[REQUEST] = self._on_request
        for name, is_secret in (("raw_input", False), ("getpass", True)):
            setattr(kernel, name, self._asking(getattr(kernel, name), is_secret))
        self._do_execute = kernel.do_execute
        kernel.do_execute = self._execute_once

    def take(self, nonce: str) -> None:
        """Belong to another place worker from now on."""
        self._nonce = self._channel.nonce = nonce

    def _open_descriptors(self) -> None:
        super()._open_descriptors()
        if hasattr(self, "_complaints"):
            self._set_streams()

    def _leave_streams(self) -> None:
        """Give the kernel its own ones back: others may run code in it."""
        sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__ = self._plain  # type: ignore[misc]
        for number, plain in enumerate(self._plain_descriptors, 1):
            os.dup2(plain, number)

    async def _execute_once(self, code: str, silent: bool, *given: Any, **named: Any) -> Any:
        """Run a block unless it is one that was sent twice, because its link was cut."""
        run = self._wanted().get("run", "")
        if run and run in self._begun:
            return {"status": "ok", "execution_count": 0, "payload": [], "user_expressions": {}}
        if run and not silent:
            self._begun = [*self._begun[-50:], run]
        return await self._do_execute(code, silent, *given, **named)

    def _send_end(self, end: dict[str, Any]) -> None:
        with contextlib.suppress(ValueError):  # the name of a folder may be very long
            self._channel.send("end", **end)
            return
        self._channel.send("end", line=end["line"])

    def _publish(self, at: int, data: bytes) -> None:
        kernel = self._kernel
        content = {"at": at, "nonce": self._nonce}
        kernel.session.send(kernel.iopub_socket, OUTPUT, content, buffers=[data])

    def _asking(self, plain: Callable[..., str], is_secret: bool) -> Callable[..., str]:
        """Return what asks by a mark while a block of ours runs."""

        def ask(prompt: Any = "", *given: Any, **named: Any) -> str:
            if not self._is_running:
                return plain(prompt, *given, **named)
            self._count += 1
            self._asked = "%s-%d" % (self._channel.run, self._count)
            while not self._typed.empty():
                self._typed.get()
            said = str(prompt)[:500]
            self._channel.send("input", id=self._asked, prompt=said, secret=is_secret)
            while True:
                name, text = self._typed.get()
                if name == self._asked:
                    break
            self._asked = ""
            if text is None:
                raise EOFError
            return text

        return ask

    async def _on_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Answer a request of the place worker, in the thread of the control channel."""
        asked: dict[str, Any] = parent["content"]
        buffers: list[Any] = parent.get("buffers") or []
        reply: dict[str, Any]
        data = b""
        try:
            if asked.get("nonce") != self._nonce:
                reply = {"error": "taken"}
            else:
                reply, data = self._answer_request(asked, b"".join(map(bytes, buffers)))
        except OSError as error:
            reply = {"error": error.strerror or str(error)}
        found = {"buffers": [data]} if data else {}
        self._kernel.session.send(stream, REPLY, reply, parent, ident=ident, **found)

    def _answer_request(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        journal = self._sender.journal
        operation, at = asked["op"], asked.get("at", -1)
        if operation == "resume":
            journal.resume(at if at >= 0 else journal.end)
        elif operation == "release":
            journal.release(at)
        elif operation == "input":
            self._typed.put((asked["id"], asked["text"]))
        elif operation == "file":
            return self._read_file(self._in_spool(asked["name"]), asked)
        elif operation == "get":
            return self._read_file(os.path.expanduser(asked["name"]), asked)
        elif operation == "put":
            return self._write_file(asked, data), b""
        elif operation == "remove":
            os.unlink(self._in_spool(asked["name"]))
        self._sender.pump()
        begun = self._begun[-1] if self._begun else ""
        state = {"start": journal.start, "sent": journal.sent, "end": journal.end}
        return {**state, "begun": begun, "is_running": self._is_running, "asked": self._asked}, b""

    def _in_spool(self, name: str) -> str:
        return os.path.join(self._spool, os.path.basename(name))

    def _read_file(self, path: str, asked: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(asked["at"])
            return {"size": size}, file.read(_FILE_BYTES)

    def _write_file(self, asked: dict[str, Any], data: bytes) -> dict[str, Any]:
        """Add a piece to a new file of the working folder, which gets its name with the last."""
        folder = os.getcwd()
        path, at = os.path.join(folder, os.path.basename(asked["name"])), asked["at"]
        part = path + ".playhead-part"
        with open(part, "wb" if at == 0 else "r+b") as file:
            file.seek(at)
            file.write(data)
            file.truncate()
        if asked["last"]:
            path = _free_path(path)
            os.replace(part, path)
        return {"path": path}


def _free_path(path: str) -> str:
    stem, suffix = os.path.splitext(path)
    number = 1
    while os.path.exists(path):
        number += 1
        path = "%s-%d%s" % (stem, number, suffix)
    return path


_probes: list[ServerProbe] = []


def install(shell: Any, nonce: str) -> None:
    """Hook everything into a shell; a place worker that comes later takes the place of another."""
    if _probes:
        _probes[0].take(nonce)  # that of before, if it is the same place worker's
    else:
        _probes.append(ServerProbe(shell, nonce))


def answer(command: dict[str, Any]) -> None:
    """Answer a question about its namespace."""
    _probes[-1].answer(command)
