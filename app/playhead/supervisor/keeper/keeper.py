"""The keeper's process: serves one client at a time, and lives on while there is none."""

from __future__ import annotations

import array
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import time

from .far_files import PUT_LIMIT, Incoming, Outgoing
from .kept_kernel import KeptKernel, Timers, find_python
from .resumable_stream import TAKEN, LinkError, ResumableStream
from .sent_journal import MEMORY_BYTES, SentJournal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_READ_BYTES = 262_144
_MOST_UNARRIVED = MEMORY_BYTES // 2
_FILE_AHEAD = 1 << 20
_TAIL_BYTES = 1 << 20
_SILENCE_S = 15.0
"""A client sends a ping each 5 s: one that is silent for so long is gone."""
_REQUEST_BYTES = 65536
_IDLE_S, _UNUSED_S = 24 * 3600.0, 120.0


class Client:
    """The descriptors of one connection, and what is still to be written to it."""

    def __init__(self, door: socket.socket, reader: int, writer: int) -> None:
        self.reader, self.writer = reader, writer
        self.waiting = b""
        self.heard_at = time.monotonic()
        self._door = door
        for fd in (reader, writer):
            os.set_blocking(fd, False)

    def close(self) -> None:
        """Close it: the door, which waits for that, ends."""
        for fd in {self.reader, self.writer}:
            with contextlib.suppress(OSError):
                os.close(fd)
        self._door.close()


class Keeper:
    """Owner of a kernel and of the stream to its client."""

    def __init__(self, folder: str, listener: socket.socket, request: dict[str, Any]) -> None:
        self._folder = folder
        self._listener = listener
        self._token = request["token"]
        start = request["start"]
        self._idle_s = float(start.get("idle_s") or _IDLE_S)
        spool = os.path.join(folder, "spool")
        os.mkdir(spool, 0o700)
        self._timers = Timers()
        self._journal = SentJournal(folder)
        self._stream = ResumableStream(self._journal)
        self._client: Client | None = None
        self._gone_at = time.monotonic()
        self._left_out, self._tail = 0, b""
        self._is_ending = False
        self._incoming: dict[int, Incoming] = {}
        self._outgoing: dict[int, Outgoing] = {}
        python = start["python"] or find_python(os.environ.get("PATH", ""))
        self._facts = {"spool": spool, "folder": start["folder"], "uv": shutil.which("uv") or ""}
        self._kernel = KeptKernel(
            python,
            start["prefix"].encode("latin-1"),
            start["folder"],
            spool,
            self._send,
            self._timers,
        )
        self._timers.set("idle", min(self._idle_s, _UNUSED_S), lambda: None)  # it looks then

    # The loop

    def serve(self) -> None:
        """Run until nobody wants it any more."""
        try:
            while not self._is_over():
                self._serve_once()
        finally:
            self._end_client()
            if not self._kernel.has_ended:
                self._kernel.end()
                until = time.monotonic() + 5.0
                while not self._kernel.has_ended and time.monotonic() < until:
                    select.select([self._kernel.control], [], [], 1.0)
                    self._kernel.read_control()

    def _is_over(self) -> bool:
        limit_s = self._idle_s if self._kernel.was_used else min(self._idle_s, _UNUSED_S)
        is_left = self._client is None and time.monotonic() - self._gone_at >= limit_s
        if self._kernel.has_ended:
            has_all = self._journal.end == self._journal.start and not self._left_out
            return is_left or (has_all and self._has_said_end()) or self._is_unwanted()
        return is_left and not self._kernel.run

    def _is_unwanted(self) -> bool:
        """Return whether it was to end, and nobody is there who waits for the end."""
        return self._is_ending and self._client is None

    def _has_said_end(self) -> bool:
        return self._client is None or self._stream.is_all_sent

    def _serve_once(self) -> None:
        client, kernel = self._client, self._kernel
        ready = self._wait(client, kernel)
        if not kernel.has_ended and kernel.output in ready and not kernel.read():
            # Its end comes by the control line; until then the pipe would be ready all the time.
            time.sleep(0.001)
        if not kernel.has_ended and kernel.input in ready:
            kernel.pour()
        if not kernel.has_ended and kernel.control.fileno() in ready:
            kernel.read_control()
        if client is not None and client is self._client:
            self._serve_client(client, ready)
        if self._listener.fileno() in ready:
            self._accept()
        self._timers.run_due()
        self._pour()

    def _wait(self, client: Client | None, kernel: KeptKernel) -> set[int]:
        """Wait until something is to be done; return the descriptors that are ready."""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        if client is not None:
            poll.register(client.reader, select.POLLIN)
            if client.waiting or not self._stream.is_all_sent:
                poll.register(client.writer, select.POLLOUT)
        if not kernel.has_ended:
            poll.register(kernel.control, select.POLLIN)
            if not self._is_throttled():
                poll.register(kernel.output, select.POLLIN)
            if kernel.has_to_write:
                poll.register(kernel.input, select.POLLOUT)
        return {fd for fd, _ in poll.poll(self._timers.pause_ms())}

    def _is_throttled(self) -> bool:
        is_behind = self._stream.unacknowledged > _MOST_UNARRIVED
        return is_behind and self._client is not None

    # What goes out

    def _send(self, kind: bytes, content: bytes) -> None:
        if kind != b"r" and self._is_leaving_out():
            if kind == b"o":
                self._tail += content
                dropped = max(0, len(self._tail) - _TAIL_BYTES)
                self._tail = self._tail[dropped:]
                self._left_out += dropped
            return
        self._stream.send(kind, content)

    def _is_leaving_out(self) -> bool:
        """Return whether output is left out: nobody takes it, and the disk is full."""
        is_full = self._journal.is_full and self._stream.unacknowledged > MEMORY_BYTES
        if not is_full and (self._tail or self._left_out):
            self._send_tail()
        return is_full

    def _send_tail(self) -> None:
        tail, self._tail = self._tail, b""
        left_out, self._left_out = self._left_out, 0
        why = self._journal.problem or "too much was printed while nobody was connected"
        if left_out:
            tail = tail[tail.find(b"\n") + 1 :]
            words = "\n[%d bytes are missing here: %s.]\n" % (left_out, why)
            self._stream.send(b"o", words.encode("utf-8", "replace"))
        self._stream.send(b"o", tail)

    def _pour(self) -> None:
        client = self._client
        if client is None:
            return
        self._fill_files()
        if self._tail:
            self._is_leaving_out()
        try:
            while client.waiting or not self._stream.is_all_sent:
                client.waiting = client.waiting or self._stream.next_bytes()
                client.waiting = client.waiting[os.write(client.writer, client.waiting) :]
        except BlockingIOError:
            return
        except OSError:
            self._end_client()

    def _fill_files(self) -> None:
        """Send parts of files that are fetched, while they do not hold other things up."""
        for number, file in list(self._outgoing.items()):
            while not file.is_over and self._stream.unacknowledged < _FILE_AHEAD:
                self._stream.send(b"f", number.to_bytes(4, "big") + file.next_piece())
            if file.is_over:
                file.close()
                del self._outgoing[number]

    # What comes in

    def _accept(self) -> None:
        try:
            door, _ = self._listener.accept()
        except OSError:
            return
        door.settimeout(2.0)
        try:
            data, fds, _, _ = socket.recv_fds(door, _REQUEST_BYTES, 2)
            request: Any = json.loads(data)
            is_ours = request["token"] == self._token
            if is_ours and request.get("ends") is True:
                self._command({"t": "end"})
            is_ours = is_ours and len(fds) == 2
        except (OSError, ValueError, KeyError, TypeError):
            door.close()
            return
        if not is_ours:
            for fd in fds:
                os.close(fd)
            door.close()
            return
        self._end_client(is_taken=True)
        self._begin_client(Client(door, fds[0], fds[1]), request)

    def _begin_client(self, client: Client, request: dict[str, Any]) -> None:
        has = request.get("received")
        if has is None:  # a new end, which begins with the run that goes on
            has = self._journal.rewind()
            self._stream.join(self._stream.received)
        facts = {
            **self._facts,
            "t": "welcome",
            "received": self._stream.received,
            "from": has,
            "run": self._kernel.run,
        }
        try:
            self._stream.begin(has)
        except LinkError as error:
            facts = {"t": "failed", "what": "gone", "words": str(error)}
        client.waiting = json.dumps(facts).encode("ascii") + b"\n"
        self._client = client

    def _end_client(self, *, is_taken: bool = False) -> None:
        client, self._client = self._client, None
        if client is None:
            return
        if is_taken:
            with contextlib.suppress(OSError):
                os.write(client.writer, TAKEN)
        client.close()
        self._gone_at = time.monotonic()
        self._timers.cancel("silence")
        self._timers.set("idle", min(self._idle_s, _UNUSED_S), lambda: None)
        self._timers.set("left", self._idle_s, lambda: None)

    def _serve_client(self, client: Client, ready: set[int]) -> None:
        if client.reader not in ready:
            if time.monotonic() - client.heard_at > _SILENCE_S:
                self._end_client()
            return
        try:
            data = os.read(client.reader, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end_client()
            return
        client.heard_at = time.monotonic()
        self._timers.set("silence", _SILENCE_S + 0.1, lambda: None)
        self._stream.ping_content = b'{"memory":%d}' % self._kernel.memory_bytes()
        try:
            for kind, content in self._stream.feed(data):
                self._take(kind, content)
        except (LinkError, ValueError, KeyError, TypeError):
            self._end_client()

    def _take(self, kind: bytes, content: bytes) -> None:
        if kind == b"i":
            self._kernel.write(content)
        elif kind == b"u":
            self._take_piece(int.from_bytes(content[:4], "big"), content[4:])
        elif kind == b"c":
            self._command(json.loads(content))

    def _command(self, command: dict[str, Any]) -> None:
        kind = command["t"]
        if kind == "begin":
            self._journal.begin_run()
            self._kernel.begin_run(command["run"])
        elif kind == "put":
            self._put(command["ask"], command["name"], command["size"])
        elif kind == "get":
            self._get(command["ask"], command["path"])
        elif kind == "give_up":
            if (file := self._incoming.pop(command["ask"], None)) is not None:
                file.give_up()
            if (wanted := self._outgoing.pop(command["ask"], None)) is not None:
                wanted.close()
        elif not self._kernel.has_ended:
            self._is_ending |= kind == "end"
            self._kernel.command(command)

    def _put(self, ask: int, name: str, size: int) -> None:
        name = os.path.basename(name)
        if name in ("", ".", "..") or not 0 <= size <= PUT_LIMIT:
            return
        try:
            self._incoming[ask] = Incoming(self._facts["folder"], name, size)
        except OSError as error:
            self._kernel.report("put", ask=ask, problem=error.strerror or "")
            return
        self._take_piece(ask, b"")

    def _take_piece(self, ask: int, data: bytes) -> None:
        file = self._incoming.get(ask)
        if file is None:
            return
        file.take(data)
        if file.is_over:
            del self._incoming[ask]
            if not file.problem:
                file.finish()
            self._kernel.report("put", ask=ask, problem=file.problem, path=file.path)

    def _get(self, ask: int, path: str) -> None:
        path = os.path.join(self._facts["folder"], os.path.expanduser(path))
        try:
            file = Outgoing(path)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or str(error)
            self._kernel.report("get", ask=ask, problem=problem)
            return
        self._kernel.report("get", ask=ask, problem="", size=file.size)
        self._outgoing[ask] = file


def main(folder: str, listener: socket.socket, request: dict[str, Any]) -> None:
    """Keep a kernel until it has ended, or nobody has wanted it for long; then leave nothing."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        Keeper(folder, listener, request).serve()
    finally:
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)


def send_fds(line: socket.socket, data: bytes, fds: list[int]) -> None:
    """Send data with descriptors."""
    rights = array.array("i", fds)
    line.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
