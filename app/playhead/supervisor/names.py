"""Names of the network, and the addresses that are given to them inside a sandbox; pure.

Each name that code asks for gets an address of its own, of the block that is reserved for tests of
networks. So the address of a connection is enough to know which name is meant.
"""

from __future__ import annotations

import struct
from typing import Sequence

from .protocol import host_of

_FIRST = 0xC6120001  # 198.18.0.1
MOST_NAMES = 4096
_HEADER = struct.Struct(">6H")
_ADDRESS_TYPE, _INTERNET = 1, 1
_TTL_S = 300
USUAL_PORTS = (80, 443)
OK, NO_NAME, REFUSED = 0, 3, 5
_IS_QUESTION_MASK, _ANSWER_FLAGS = 0xF800, 0x8180


class Question:
    """One question of a program; `name` is "" if no name of the internet can be like that."""

    def __init__(self, data: bytes) -> None:
        """Read a question of DNS. Raises ValueError for anything else."""
        if len(data) < _HEADER.size:
            raise ValueError("too short")
        self._number, flags, count, *_ = _HEADER.unpack_from(data)
        if flags & _IS_QUESTION_MASK or count != 1:
            raise ValueError("no question")
        labels: list[bytes] = []
        at = _HEADER.size
        while True:
            length = data[at] if at < len(data) else 0xFF
            if length > 63 or at + 1 + length > len(data):
                raise ValueError("no name")
            at += 1
            if not length:
                break
            labels.append(data[at : at + length].lower())
            at += length
        if at + 4 > len(data):
            raise ValueError("no type")
        kind, place = struct.unpack_from(">2H", data, at)
        self._asked = data[_HEADER.size : at + 4]
        self.is_for_address = kind == _ADDRESS_TYPE and place == _INTERNET
        self.name = _name_of(labels)

    def answer(self, address: bytes | None, word: int = OK) -> bytes:
        """Return the answer: an address, or none of this kind, or that there is no such name."""
        found = b""
        if address is not None:
            found = struct.pack(">3HIH", 0xC00C, _ADDRESS_TYPE, _INTERNET, _TTL_S, 4) + address
        header = (self._number, _ANSWER_FLAGS | word, 1, 1 if found else 0, 0, 0)
        return _HEADER.pack(*header) + self._asked + found


def _name_of(labels: list[bytes]) -> str:
    """Return a name that could be one of the internet, else ""."""
    name = b".".join(labels).decode("latin-1")
    return name if name.count(".") == len(labels) - 1 and host_of(name) == (name, 0) else ""


class Pool:
    """The addresses of names, for as long as a kernel lives."""

    def __init__(self) -> None:
        self._addresses: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}

    def address(self, name: str) -> bytes | None:
        """Return the address of a name; None if there were too many names."""
        found = self._addresses.get(name)
        if found is None and len(self._addresses) < MOST_NAMES:
            found = struct.pack(">I", _FIRST + len(self._addresses))
            self._addresses[name] = found
            self._names[found] = name
        return found

    def name(self, address: bytes) -> str:
        """Return the name of an address; "" if no name has got it."""
        return self._names.get(address, "")

    def names(self) -> list[str]:
        """Return all names that have an address."""
        return list(self._addresses)


class Allowed:
    """The names that may be reached, each with its ports; all names if `is_open`."""

    def __init__(self, network: str = "off", hosts: Sequence[str] = ()) -> None:
        self.is_open = network == "on"
        self.hosts: dict[str, set[int]] = {}
        for words in hosts:
            name, port = host_of(words)
            if name:
                self.hosts.setdefault(name, set()).update((port,) if port else USUAL_PORTS)

    def has(self, name: str, port: int) -> bool:
        """Return whether a name may be reached at a port."""
        return self.is_open or port in self.hosts.get(name, ())

    def knows(self, name: str) -> bool:
        """Return whether a name may be looked up."""
        return self.is_open or name in self.hosts
