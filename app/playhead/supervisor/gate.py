"""The gate of a sandbox: finds names and connects to them, outside, for the catcher inside.

It is forked before the supervisor has a network of its own, so it has that of the person. What may
be reached is decided here: names of a list or all public ones; of their addresses only public ones,
never this computer's, and exactly the address that was looked at is connected. Its end, or the
catcher's, shuts the network.
"""

from __future__ import annotations

import array
import errno
import ipaddress
import json
import select
import socket
import threading
from typing import Any, Mapping, Sequence, Union

from .names import Allowed
from .protocol import LineReader, encode

_CONNECT_LIMIT_S = 15.0
_MOST_AT_ONCE = 64
MESSAGE_BYTES = 65536
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(words)
    for words in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
        *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16"),
        *("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        *("::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20"),
        *("5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
    )
)
"""Of IANA's registries of special addresses: what is not for the world, and the old transitions."""
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


def is_public(words: str) -> bool:
    """Return whether an address is somewhere in the world, and not near, nor special."""
    try:
        address = ipaddress.ip_address(words)
    except ValueError:
        return False
    return all(_is_public(one) for one in (address, *_inner(address)))


def _inner(address: Address) -> Sequence[Address]:
    """Return the addresses that are within an address of the newer kind."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    if address in _TRANSLATED:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    mapped = address.ipv4_mapped
    if mapped is not None:
        return (mapped,)
    return () if address.sixtofour is None else (address.sixtofour,)


def _is_public(address: Address) -> bool:
    is_mapped = isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None
    if is_mapped:
        return False  # no name server of the world has them
    return not any(
        address in network for network in _NOT_PUBLIC if network.version == address.version
    )


def _is_own(words: str) -> bool:
    """Return whether an address is one of this computer's."""
    family = socket.AF_INET6 if ":" in words else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as any_socket:
            any_socket.bind((words, 0))
    except OSError as error:
        return error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
    return True


class Outside:
    """The network outside; tests give it names and the places that addresses lead to."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self._names: Mapping[str, Sequence[str]] | None = (given or {}).get("names")
        self._ways: Mapping[str, Sequence[Any]] = (given or {}).get("ways", {})

    def addresses(self, name: str, port: int) -> list[str]:
        """Return the addresses of a name. Raises OSError."""
        if self._names is not None:
            return list(self._names.get(name, ()))
        found = socket.getaddrinfo(name + ".", port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(one[4][0]) for one in found))

    def connect(self, address: str, port: int) -> socket.socket:
        """Return a connection. Raises OSError."""
        where = self._ways.get("%s:%d" % (address, port), (address, port))
        return socket.create_connection((where[0], where[1]), _CONNECT_LIMIT_S)


class Gate:
    """Serves the catcher; `line` leads to the supervisor, `catcher` to the catcher."""

    def __init__(self, line: socket.socket, catcher: socket.socket) -> None:
        self._line = line
        self._catcher = catcher
        self._outside = Outside()
        self._reader = LineReader()
        self._allowed = Allowed()
        self._at_once = threading.BoundedSemaphore(_MOST_AT_ONCE)

    def serve(self) -> None:
        """Run until the supervisor or the catcher has ended; that says first what is allowed."""
        for command in self._reader.feed(self._line.recv(MESSAGE_BYTES)):
            self._on_command(command)
        poll = select.poll()
        poll.register(self._line, select.POLLIN)
        poll.register(self._catcher, select.POLLIN)
        while True:
            for fd, _ in poll.poll():
                if fd == self._line.fileno():
                    data = self._line.recv(MESSAGE_BYTES)
                    for command in self._reader.feed(data):
                        self._on_command(command)
                else:
                    data = self._catcher.recv(MESSAGE_BYTES)
                    if data:
                        self._on_request(json.loads(data))
                if not data:
                    return

    def _on_command(self, command: dict[str, Any]) -> None:
        """Take names from the supervisor; the catcher takes them, too, and answers."""
        if command["t"] == "names":
            self._allowed = Allowed(command["network"], command["hosts"])
            self._outside = Outside(command["outside"]) if "outside" in command else self._outside
        self._catcher.send(json.dumps(command).encode("ascii"))

    def _on_request(self, request: dict[str, Any]) -> None:
        kind = request["t"]
        if kind in ("find", "connect"):
            self._at_once.acquire()
            answer = self._find if kind == "find" else self._connect
            threading.Thread(target=self._answer, args=(answer, request), daemon=True).start()
        else:  # it has taken a command, or has refused something
            self._line.sendall(encode(kind, **request))

    def _answer(self, act: Any, request: dict[str, Any]) -> None:
        try:
            word, made = act(request["name"], request["port"])
        except OSError:
            word, made = "failed", None
        finally:
            self._at_once.release()
        fields = {"t": request["t"], "id": request["id"], "word": word}
        data = json.dumps(fields).encode("ascii")
        try:
            if made is None:
                self._catcher.send(data)
            else:
                with made:
                    given = array.array("i", [made.fileno()])
                    self._catcher.sendmsg(
                        [data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given.tobytes())]
                    )
        except OSError:
            return  # the catcher has ended

    def _find(self, name: str, port: int) -> tuple[str, socket.socket | None]:
        if not self._allowed.knows(name):
            return "refused", None
        addresses = self._outside.addresses(name, port)
        if not addresses:
            return "failed", None
        return ("found" if self._usable(addresses) else "refused"), None

    def _usable(self, addresses: Sequence[str]) -> list[str]:
        return [one for one in addresses if is_public(one) and not _is_own(one)]

    def _connect(self, name: str, port: int) -> tuple[str, socket.socket | None]:
        if not self._allowed.has(name, port):
            return "refused", None
        addresses = self._usable(self._outside.addresses(name, port))
        if not addresses:
            return "refused", None
        for number, address in enumerate(addresses):
            try:
                return "connected", self._outside.connect(address, port)
            except OSError:
                if number == len(addresses) - 1:
                    raise
        raise AssertionError


def serve(line: int, catcher: int) -> None:
    """Serve with these descriptors."""
    Gate(socket.socket(fileno=line), socket.socket(fileno=catcher)).serve()
