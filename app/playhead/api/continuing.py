"""Recognises a history that continues an answer of this server, by a hash of its beginning."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

V = TypeVar("V")

KEPT_S = 3600.0
"""How long an answer can be continued (docs/wire-formats.md)."""
LIMIT = 20_000
"""Histories that are remembered at most; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation stood when a history ended; `is_end` False is amid an answer."""

    conversation_id: str
    leaf_id: str | None
    is_end: bool = True


class Continuations:
    """Holds hashes, never texts. `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic, kept_s: float = KEPT_S) -> None:
        self._now = now
        self._kept_s = kept_s
        self._places: OrderedDict[bytes, tuple[float, Place]] = OrderedDict()
        self._code: OrderedDict[bytes, tuple[float, None]] = OrderedDict()

    def remember(
        self, dialect: str, asked: Sequence[str], answered: Sequence[str], end: Place
    ) -> None:
        """Keep the history `asked` + `answered`; a known one now means the newest place."""
        chain = list(_chain(dialect, [*asked, *answered]))
        amid = Place(end.conversation_id, end.leaf_id, is_end=False)
        for link in chain[len(asked) : -1]:
            self._put(self._places, link, amid)
        self._put(self._places, chain[-1], end)

    def find(self, dialect: str, keys: Sequence[str]) -> tuple[int, Place] | None:
        """How many of the keys are known, at most, and the place after them."""
        return next(self.matches(dialect, keys), None)

    def matches(self, dialect: str, keys: Sequence[str]) -> Iterator[tuple[int, Place]]:
        """Every known beginning of these keys, the longest first: its length, the place after."""
        self._forget(self._places)
        links = list(_chain(dialect, keys))
        for count in range(len(keys), 0, -1):
            if (known := self._places.get(links[count])) is not None:
                yield count, known[1]

    def remember_code(self, language: str, code: str) -> None:
        """This server proposed that code."""
        self._put(self._code, _code_hash(language, code), None)

    def has_proposed(self, language: str, code: str) -> bool:
        """Whether this server proposed that very code within the hour."""
        self._forget(self._code)
        return _code_hash(language, code) in self._code

    def drop(self, conversation_id: str) -> None:
        """Forget all places of a conversation that is gone."""
        gone = [k for k, (_, p) in self._places.items() if p.conversation_id == conversation_id]
        for link in gone:
            del self._places[link]

    def _put(self, known: OrderedDict[bytes, tuple[float, V]], link: bytes, value: V) -> None:
        known.pop(link, None)
        known[link] = (self._now(), value)
        self._forget(known)

    def _forget(self, known: OrderedDict[bytes, tuple[float, V]]) -> None:
        oldest = self._now() - self._kept_s
        while known and (len(known) > LIMIT or next(iter(known.values()))[0] < oldest):
            known.popitem(last=False)


def _chain(dialect: str, keys: Sequence[str]) -> Iterator[bytes]:
    """The hash of each beginning of a history: of nothing, of one message, of two, …"""
    link = hashlib.sha256(dialect.encode()).digest()
    yield link
    for key in keys:
        link = hashlib.sha256(link + key.encode("utf-8", "surrogatepass")).digest()
        yield link


def _code_hash(language: str, code: str) -> bytes:
    text = f"{language}\n{code.strip()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
