"""The catcher: the only way out of the network of a sandbox, for names that may be reached.

It runs in that network. It is the name server, listens at the addresses that it has given to
names, gets their connections from the gate as descriptors, and passes on what is sent. What is
refused it sees by the packets themselves, and reports: the system has refused it already.
"""

from __future__ import annotations

import array
import contextlib
import json
import resource
import select
import socket
import struct
import time
from typing import Any, Callable, Optional

from .gate import MESSAGE_BYTES
from .names import NO_NAME, REFUSED, Allowed, Pool, Question
from .namespaces import HEADER_BYTES

OFTEN_USED = (22, 80, 443, 465, 587, 993, 1433, 3306, 5432, 6379, 8443, 9418, 27017)
"""The ports of a network that is on; more of them are in the way of servers that code starts."""
_BACKLOG = 64
_CHUNK_BYTES, _AHEAD_BYTES = 1 << 18, 1 << 20
_MOST_CONNECTIONS = 500
_MOST_TARGETS, _REPORT_PAUSE_S = 200, 0.02
_TCP = 6


class Pipe:
    """The data that one end of a connection sends, on its way to the other one."""

    def __init__(self, source: socket.socket, sink: socket.socket) -> None:
        self.source = source
        self.sink = sink
        self.held = b""
        self.is_at_end = self.is_done = False

    @property
    def reads(self) -> bool:
        """Return whether more is to be read."""
        return not self.is_at_end and len(self.held) < _AHEAD_BYTES

    def move(self) -> None:
        """Move what can be moved now. Raises OSError when the connection is broken."""
        with contextlib.suppress(BlockingIOError):
            if self.reads:
                data = self.source.recv(_CHUNK_BYTES)
                self.held += data
                self.is_at_end = not data
        with contextlib.suppress(BlockingIOError):
            if self.held:
                self.held = self.held[self.sink.send(self.held) :]
        if self.is_at_end and not self.held and not self.is_done:
            self.is_done = True
            self.sink.shutdown(socket.SHUT_WR)


class Connection:
    """One connection of code to a name: its own end, and the one that the gate has given."""

    def __init__(self, poll: select.epoll, name: str, port: int, inner: socket.socket) -> None:
        self.name = name
        self.port = port
        self._poll = poll
        self._inner = inner
        self._outer: Optional[socket.socket] = None
        self._pipes: tuple[Pipe, ...] = ()
        self._asked: dict[int, int] = {}

    def join(self, outer: socket.socket) -> tuple[int, int]:
        """Begin to pass on; return the descriptors of both ends."""
        self._outer = outer
        self._pipes = Pipe(self._inner, outer), Pipe(outer, self._inner)
        for end in (self._inner, outer):
            end.setblocking(False)
            with contextlib.suppress(OSError):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._ask()
        return self._inner.fileno(), outer.fileno()

    def move(self) -> bool:
        """Move what can be moved; return whether the connection lives on."""
        try:
            for pipe in self._pipes:
                pipe.move()
        except OSError:
            return False
        if all(pipe.is_done for pipe in self._pipes):
            return False
        self._ask()
        return True

    def _ask(self) -> None:
        for pipe, back in (self._pipes, self._pipes[::-1]):
            wanted = select.EPOLLIN if pipe.reads else 0
            wanted |= select.EPOLLOUT if back.held else 0
            fd = pipe.source.fileno()
            before = self._asked.get(fd, 0)
            self._asked[fd] = wanted
            if not before and wanted:
                self._poll.register(fd, wanted)
            elif before and not wanted:
                self._poll.unregister(fd)  # else its end would be reported all the time
            elif before != wanted:
                self._poll.modify(fd, wanted)

    def close(self, is_cut: bool = False) -> None:
        """Close both ends; code sees that it was cut."""
        if is_cut or self._outer is None:
            with contextlib.suppress(OSError):
                self._inner.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for end in (self._inner, self._outer):
            if end is not None:
                end.close()


Act = Callable[[], None]


class Catcher:
    """Owner of the loop; `gate` is the socket to the gate, `names` takes questions, `seen` reads
    packets.
    """

    def __init__(self, gate: socket.socket, names: socket.socket, seen: socket.socket) -> None:
        self._gate = gate
        self._seen = seen
        self._poll = select.epoll()
        self._acts: dict[int, Act] = {}
        self._pool = Pool()
        self._allowed = Allowed()
        self._listeners: dict[tuple[str, int], socket.socket] = {}
        self._connections: dict[int, Connection] = {}  # by both of their descriptors
        self._waiting: dict[int, Callable[[str, Optional[socket.socket]], None]] = {}
        self._by_waiting: dict[int, Connection] = {}
        self._last_id = 0
        self._refused: dict[str, int] = {}
        self._report_at: Optional[float] = None
        self._lives = True
        self._names = names
        for ours in (names, seen):
            ours.setblocking(False)

    def serve(self) -> None:
        """Run until the gate has ended; it gives the names that may be reached first."""
        self._on_gate()
        self._on(self._gate, self._on_gate)
        self._on(self._names, self._on_question)
        self._on(self._seen, self._on_packets)
        while self._lives:
            pause = None if self._report_at is None else self._report_at - time.monotonic()
            for fd, _ in self._poll.poll(None if pause is None else max(0.0, pause)):
                if (act := self._acts.get(fd)) is not None:
                    act()
                elif (held := self._connections.get(fd)) is not None and not held.move():
                    self._drop(held)
            if self._report_at is not None and time.monotonic() >= self._report_at:
                self._report()

    def _on(self, source: socket.socket, act: Act) -> None:
        self._poll.register(source, select.EPOLLIN)
        self._acts[source.fileno()] = act

    # Names. ---------------------------------------------------------------------------------

    def _on_question(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data, sender = self._names.recvfrom(4096)
            with contextlib.suppress(ValueError):
                self._take_question(Question(data), sender)

    def _take_question(self, question: Question, sender: Any) -> None:
        if not question.name:
            self._names.sendto(question.answer(None, NO_NAME), sender)
        elif not question.is_for_address:
            self._names.sendto(question.answer(None), sender)
        elif not self._allowed.knows(question.name):  # its connection is refused, and seen then
            self._names.sendto(question.answer(self._address(question.name)), sender)
        else:
            self._ask(
                "find", question.name, 443, lambda word, _: self._found(question, sender, word)
            )

    def _found(self, question: Question, sender: Any, word: str) -> None:
        if word == "refused":
            self._refuse(question.name)
        address = self._address(question.name) if word == "found" else None
        error = {"found": 0, "refused": REFUSED}.get(word, NO_NAME)
        with contextlib.suppress(OSError):
            self._names.sendto(question.answer(address, error), sender)

    def _address(self, name: str) -> Optional[bytes]:
        address = self._pool.address(name)
        if address is not None:
            self._listen(name, address)
        return address

    def _ports(self, name: str) -> set[int]:
        own = self._allowed.hosts.get(name, set[int]())
        return own | set(OFTEN_USED) if self._allowed.is_open else own

    def _listen(self, name: str, address: bytes) -> None:
        """Listen where a name may be reached, and nowhere else."""
        wanted = self._ports(name)
        for key in [key for key in self._listeners if key[0] == name and key[1] not in wanted]:
            listener = self._listeners.pop(key)
            del self._acts[listener.fileno()]
            listener.close()
        for port in wanted:
            if (name, port) not in self._listeners:
                with contextlib.suppress(OSError):  # a server of the code's has it
                    self._add_listener(name, port, socket.inet_ntoa(address))

    def _add_listener(self, name: str, port: int, address: str) -> None:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except OSError:
            listener.close()
            raise
        self._listeners[name, port] = listener
        self._on(listener, lambda: self._accept(listener, name, port))

    # Connections. ---------------------------------------------------------------------------

    def _accept(self, listener: socket.socket, name: str, port: int) -> None:
        try:
            inner, _ = listener.accept()
        except OSError:
            return
        connection = Connection(self._poll, name, port, inner)
        is_full = len(self._connections) // 2 + len(self._by_waiting) >= _MOST_CONNECTIONS
        if is_full:
            connection.close(is_cut=True)
            return
        number = self._ask("connect", name, port, lambda w, outer: self._join(connection, w, outer))
        self._by_waiting[number] = connection

    def _join(self, connection: Connection, word: str, outer: Optional[socket.socket]) -> None:
        is_allowed = self._allowed.has(connection.name, connection.port)
        if outer is None or not is_allowed:
            if word == "refused" or not is_allowed:
                self._refuse("%s:%d" % (connection.name, connection.port))
            connection.close(is_cut=True)
            if outer is not None:
                outer.close()
            return
        for fd in connection.join(outer):
            self._connections[fd] = connection

    def _drop(self, connection: Connection, is_cut: bool = False) -> None:
        for fd in [fd for fd, known in self._connections.items() if known is connection]:
            del self._connections[fd]
        connection.close(is_cut)

    # The gate. ------------------------------------------------------------------------------

    def _ask(
        self, kind: str, name: str, port: int, done: Callable[[str, Optional[socket.socket]], None]
    ) -> int:
        self._last_id += 1
        self._waiting[self._last_id] = done
        self._send({"t": kind, "id": self._last_id, "name": name, "port": port})
        return self._last_id

    def _send(self, fields: dict[str, Any]) -> None:
        try:
            self._gate.send(json.dumps(fields).encode("ascii"))
        except OSError:
            self._lives = False

    def _on_gate(self) -> None:
        fds = array.array("i")
        size = socket.CMSG_SPACE(fds.itemsize)
        try:
            data, extra, _, _ = self._gate.recvmsg(MESSAGE_BYTES, size)
        except OSError:
            data, extra = b"", []
        if not data:
            self._lives = False
            return
        for _, _, given in extra:
            fds.frombytes(given[: fds.itemsize])
        fields = json.loads(data)
        if fields["t"] == "names":
            self._on_names(fields)
            return
        if fields["t"] == "seen":
            self._on_packets()
            self._report()
            self._send(fields)
            return
        outer = socket.socket(fileno=fds[0]) if fds else None
        self._by_waiting.pop(fields["id"], None)
        self._waiting.pop(fields["id"])(fields["word"], outer)

    def _on_names(self, fields: dict[str, Any]) -> None:
        """Take other names: what is not allowed any more is cut before that is answered."""
        self._allowed = Allowed(fields["network"], fields["hosts"])
        for name in self._pool.names():
            self._listen(name, self._pool.address(name) or b"")
        for connection in set(self._connections.values()):
            if not self._allowed.has(connection.name, connection.port):
                self._drop(connection, is_cut=True)
        self._send(fields)

    # What is refused. -----------------------------------------------------------------------

    def _on_packets(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                self._on_packet(self._seen.recv(HEADER_BYTES))

    def _on_packet(self, packet: bytes) -> None:
        length = (packet[0] & 0xF) * 4
        (port,) = struct.unpack_from(">H", packet, length + 2)
        name = self._pool.name(packet[16:20])
        is_stream = packet[9] == _TCP
        if is_stream and (name, port) in self._listeners:
            return
        place = "%s:%d" % (name or socket.inet_ntoa(packet[16:20]), port)
        self._refuse(place if is_stream else place + "/udp")

    def _refuse(self, place: str) -> None:
        if place in self._refused or len(self._refused) < _MOST_TARGETS:
            self._refused[place] = self._refused.get(place, 0) + 1
        if self._report_at is None:
            self._report_at = time.monotonic() + _REPORT_PAUSE_S

    def _report(self) -> None:
        self._report_at = None
        if self._refused:
            self._send({"t": "refused", "places": self._refused})
            self._refused = {}


def serve(*fds: int) -> None:
    """Serve with these descriptors."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Catcher(*(socket.socket(fileno=fd) for fd in fds)).serve()
