"""Collect the values of names into files: names that share objects stay together in one.

It runs in a forked child, or in the kernel itself where there is no fork. Nothing that fails with
one name concerns the others.
"""

from __future__ import annotations

import os
import re
import types
from typing import Any, Callable, Iterable, NamedTuple

from ..short_text import class_of, module_of, name_of
from ..variables import facts
from . import value_pickling
from .value_pickling import ForeignClassError, NotKeptError, Packed, blake2b

_SMALL_BYTES = 4096
_HASH_BYTES = 12
_PRIVATE_NAME = "(?i)passw|passphrase|secret|token|api_?key|credential|private_?key"
_PRIVATE_ENDS = ("key", "token", "secret", "password", "passwd", "credential", "credentials")
_SECRET_STARTS = (b"sk-", b"AKIA", b"ghp_", b"gho_", b"github_pat_", b"xox", b"-----BEGIN", b"AIza")
_SECRET = (
    rb"sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|gh[po]_[A-Za-z0-9]{30,}|github_pat_\w{30,}"
    rb"|xox[abprs]-[A-Za-z0-9-]{10,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|AIza[\w-]{30,}"
)
_AGAIN = frozenset(
    {"generator", "file", "lock", "socket", "connection", "process", "thread", "view", "gpu"}
)
"""What a person can make again by running the line that made it."""


class Origin(NamedTuple):
    """The statement that has bound a name: its first line in its block, and whether it only did so.

    `source` is that of a class, or of a call that may have made one.
    """

    line: int
    is_binding: bool
    source: str = ""


class Wish(NamedTuple):
    """The names to collect: by which limits, without which secrets, and which groups are known.

    `hashes` are those of the last save. `is_careful`: nothing may be pickled that could change
    anything in this process. `report` is called with each name before its value is looked at: that
    may be its end.
    """

    names: list[str]
    known: frozenset[str]
    limit: int
    secrets: tuple[bytes, ...]
    origins: dict[str, Origin]
    spool: str
    stem: str
    hashes: dict[str, str]
    is_careful: bool = False
    is_wanted: Callable[[], bool] = lambda: True
    report: Callable[[str], None] = lambda name: None


class ValueCollector:
    """Collects the values of some names of a namespace, once."""

    def __init__(self, namespace: dict[str, Any], wish: Wish) -> None:
        self._namespace = namespace
        self._wish = wish
        self._rows: dict[str, dict[str, Any]] = {}
        self._groups: list[dict[str, Any]] = []
        self._hashes: dict[str, str] = {}
        self._left = wish.limit
        self._small: dict[str, Any] = {}
        self._packed: dict[str, Packed] = {}
        self._with: dict[str, list[str]] = {}
        self._inside: dict[int, str] = {}
        self._kinds = value_pickling.Kinds(is_careful=wish.is_careful)

    def collect(self) -> dict[str, Any]:
        """Return rows of the names and groups of those that are kept; write what is new of these.

        Raises InterruptedError when it is not wanted any more, OSError when there is no room,
        ForeignClassError if it is careful.
        """
        for name in self._wish.names:
            self._wish.report(name)
            try:
                self._add(name, self._namespace[name])
            except (InterruptedError, OSError, ForeignClassError):
                raise
            except NotKeptError as error:
                self._refuse(name, str(error))
            except (Exception, RecursionError):  # noqa: BLE001 - whatever its class raises
                self._refuse(name, "unpicklable")
        self._wish.report("")
        self._write_all()
        return {"rows": list(self._rows.values()), "groups": self._groups}

    def _add(self, name: str, value: Any) -> None:
        """Pickle a value, or note its module or source. Raises what its class raises."""
        kind = class_of(value)
        if issubclass(kind, types.ModuleType):
            self._hashes[name] = "module " + value.__name__
            self._row(name, "import", module=value.__name__)
        elif issubclass(kind, type) and module_of(value) == "__main__":
            self._add_class(name, value)
        elif (owner := self._inside.get(id(value))) is not None:  # of a value before it
            self._packed[owner].add({name: value})
            self._with[owner].append(name)
        elif kind in (str, bytes) and is_secret_name(name):
            raise NotKeptError("secret")
        else:
            found = self._pack({name: value})
            if holds_secret(found.pickled, self._wish.secrets):
                raise NotKeptError("secret")
            if found.linked or found.size > _SMALL_BYTES:
                self._packed[name], self._with[name] = found, []
                self._inside.update(dict.fromkeys(found.parts, name))
            else:
                self._small[name] = value
                self._hashes[name] = hash_of(*found.pieces(), self._classes(found))

    def _write_all(self) -> None:
        tiny: dict[str, bytes] = {}
        for owners in _joined(self._packed):
            first = self._packed[owners[0]]
            names = [name for owner in owners for name in (owner, *self._with[owner])]
            if len(names) == 1 and first.size <= _SMALL_BYTES:
                tiny[names[0]] = b"".join(first.pieces())
                self._hashes[names[0]] = hash_of(tiny[names[0]], self._classes(first))
            elif len(owners) == 1:
                self._write(names, first)
            else:
                self._add_group(owners, names)
        # Constants are bound again more often than objects change.
        if self._small:
            self._write(list(self._small), self._pack(self._small))
        if tiny:
            self._write(list(tiny), self._pack(tiny), is_sealed=True)

    def _row(self, name: str, verdict: str, **fields: Any) -> None:
        """Set what becomes of a name, and what is shown of it; `hash` is that of its content."""
        origin = self._wish.origins.get(name)
        value = self._namespace[name]
        seen = facts(name, value)
        if fields.get("why") == "secret" or self._shows_secret(seen["value"]):
            seen["value"] = ""
        self._rows[name] = {
            **seen,
            "verdict": verdict,
            "line": origin.line if origin else 0,
            # What cannot be kept cannot be compared: another object counts as another value.
            "hash": self._hashes.get(name) or self._object_of(name, id(value)),
            **fields,
        }

    def _object_of(self, name: str, place: int) -> str:
        """Return a text for the object at a place in memory, the same as long as it is there."""
        before = self._wish.hashes.get(name, "")
        if before.rpartition(" at ")[2] == "%x" % place:
            return before
        return "%s at %x" % (self._wish.stem, place)

    def _shows_secret(self, text: str) -> bool:
        return holds_secret(text.encode("utf-8", "replace"), self._wish.secrets)

    def _add_class(self, name: str, kind: type) -> None:
        origin = self._wish.origins.get(name)
        if origin is not None and self._shows_secret(origin.source):
            raise NotKeptError("secret")
        if origin is not None and origin.source and name_of(kind) == name:
            self._hashes[name] = hash_of(origin.source.encode("utf-8", "replace"))
            self._row(name, "source", source=origin.source)
        else:
            self._row(name, "lost", why="local_class")

    def _refuse(self, name: str, why: str) -> None:
        origin = self._wish.origins.get(name)
        is_again = why in _AGAIN and origin is not None and origin.is_binding
        self._row(name, "again" if is_again else "lost", why=why)

    def _pack(self, values: dict[str, Any], owners: frozenset[int] = frozenset()) -> Packed:
        wish = self._wish
        return value_pickling.pack(
            values, self._namespace, wish.limit, wish.is_wanted, owners, self._kinds
        )

    def _add_group(self, owners: list[str], names: list[str]) -> None:
        """Pickle names together that share objects."""
        self._wish.report(names[0])
        linked = frozenset(key for name in owners for key in self._packed[name].linked)
        try:
            found = self._pack({name: self._namespace[name] for name in names}, linked)
        except NotKeptError as error:
            for name in names:
                self._refuse(name, str(error))
        else:
            self._write(names, found)

    def _classes(self, packed: Packed) -> bytes:
        """Return a hash of the classes that values name: later ones may have the same names."""
        origins = (self._wish.origins.get(name) for name in packed.classes)
        sources = [one.source if one is not None else "" for one in origins]
        return hash_of(*(one.encode() for one in sources)).encode() if sources else b""

    def _write(self, names: list[str], packed: Packed, *, is_sealed: bool = False) -> None:
        """Write a group; a sealed one has each value as bytes, and one that fails is alone."""
        key = packed.digest(self._wish.is_wanted) + self._classes(packed).decode()
        file = ""
        if key not in self._wish.known:
            self._left -= packed.size
            if self._left < 0:
                for name in names:
                    self._row(name, "lost", why="too_large")
                return
            file = "%s-%d.values" % (self._wish.stem, len(self._groups))
            self._write_file(os.path.join(self._wish.spool, file), packed.pieces())
        for name in names:
            self._hashes.setdefault(name, key)
            self._row(name, "kept", size=packed.size // len(names))
        group = {"key": key, "names": names, "file": file, "size": packed.size}
        self._groups.append({**group, "is_sealed": is_sealed})

    def _write_file(self, path: str, pieces: Iterable[Any]) -> None:
        with open(path, "wb", buffering=0) as file:
            for piece in pieces:
                if not self._wish.is_wanted():
                    raise InterruptedError
                view = memoryview(piece)
                while view:
                    view = view[file.write(view) :]


def hash_of(*pieces: Any) -> str:
    """Return a hash of some bytes that is the same in every process."""
    found = blake2b(digest_size=_HASH_BYTES)
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def _joined(packed: dict[str, Packed]) -> list[list[str]]:
    """Return the names in groups: those that share an object are in one."""
    first: dict[int, str] = {}
    above: dict[str, str] = {name: name for name in packed}

    def root(name: str) -> str:
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for name, one in packed.items():
        for key in one.linked:
            other = first.setdefault(key, name)
            if other != name:
                above[root(name)] = root(other)
    groups: dict[str, list[str]] = {}
    for name in packed:
        groups.setdefault(root(name), []).append(name)
    return list(groups.values())


def is_secret_name(name: str) -> bool:
    """Return whether a text under this name is taken for a secret."""
    return re.search(_PRIVATE_NAME, name) is not None


def holds_secret(data: bytes | bytearray, secrets: Iterable[bytes]) -> bool:
    """Return whether data has one of the secrets in it, or what looks like a key."""
    if any(map(data.__contains__, secrets)):
        return True
    return any(map(data.__contains__, _SECRET_STARTS)) and re.search(_SECRET, data) is not None


def secrets_of_environment() -> list[bytes]:
    """Return the values of the environment that look like secrets by their names."""
    found = [os.environ[name] for name in os.environ if name.lower().endswith(_PRIVATE_ENDS)]
    return [value.encode("utf-8", "surrogateescape") for value in found if len(value) > 7]


def needs_threads(value: Any) -> bool:
    """Return whether to pickle a value takes threads of its library, which a fork has not."""
    return module_of(class_of(value)).partition(".")[0] == "polars"
