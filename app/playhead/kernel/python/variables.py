"""List the variables of the namespace: type, size, whether the last run changed them.

Everything that could run code of the user happens in a forked child that is killed when it takes
long: a `__repr__` that hangs, crashes or changes things does no harm. Where there is no fork, such
a value shows its class only.
"""

from __future__ import annotations

import faulthandler
import json
import os
import select
import signal
import sys
import time
import types
import warnings
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Callable, Iterator, cast

from ..driver import AnswerFiles
from . import frames
from .frames import TableReader
from .short_text import attribute_of, class_name, class_of, library, one_line

if TYPE_CHECKING:
    from ..interrupts import Interrupts
    from .code_help import CodeHelp


_NAMES_KEPT = 1000
_TIME_LIMIT_S = 0.5
_VALUE_LIMIT = 120
_SAMPLED, _AT_AN_END = 1000, 50
_BYTES_LIMIT = 4_000_000
_SIZED = (list, tuple, set, frozenset, dict, str, bytes, bytearray)
_CONTAINERS = (list, tuple, set, frozenset)
_KNOWN = ("numpy", "pandas", "polars")
"""Libraries whose own classes are asked for shape and size in this process."""


class Variables:
    """Remembers how the namespace was before a run, and lists it after one."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._before: dict[str, tuple[int, ...]] = {}
        self.paused_frame: Callable[[], Any] = lambda: None
        """Returns the frame of the block that is paused; None if none is."""

    def remember(self) -> None:
        """Remember the values at the beginning of a run."""
        self._before = {name: _fingerprint(value) for name, value in self._names()}

    def listing(self) -> list[dict[str, Any]]:
        """Return all variables; functions and classes come last. Takes half a second at most.

        In a paused function of the block they are its own.
        """
        names = self._names()
        said = ask_in_child(names)
        ordered = sorted(names, key=lambda item: _is_code(item[1]))
        return [{**self._row(name, value), **said.get(name, {})} for name, value in ordered]

    def _names(self) -> list[tuple[str, Any]]:
        found = [
            (name, value)
            for name, value in self._items()
            if type(name) is str and not name.startswith("_") and type(value) is not _MODULE
        ]
        return found[:_NAMES_KEPT]

    def _items(self) -> list[tuple[Any, Any]]:
        frame = self.paused_frame()
        if frame is not None and frame.f_code.co_flags & _OPTIMIZED:
            return list(frame.f_locals.items())
        return list(self._namespace.items())

    def _row(self, name: str, value: Any) -> dict[str, Any]:
        return {
            **facts(name, value),
            "is_changed": self._before.get(name) != _fingerprint(value),
            "is_table": frames.is_table(value),
        }


def facts(name: str, value: Any) -> dict[str, Any]:
    """Return what is shown of a value without asking its class."""
    is_known = library(class_of(value)) in _KNOWN
    return {
        "name": name,
        "type": class_name(value),
        "shape": _shape(value, is_known),
        "size_bytes": _size(value, is_known),
        "value": _value(value, is_known),
    }


_MODULE = types.ModuleType


def ask_in_child(values: list[tuple[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the facts that the classes of values report in time."""
    values = [(name, value) for name, value in values if _needs_its_class(value)]
    if not values or not hasattr(os, "fork"):
        return {}
    reader, writer = os.pipe()
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the threads that a fork warns of are not used there
        child = os.fork()
    if child == 0:
        _answer_and_exit(values, writer)
    os.close(writer)
    try:
        data = _read_until(reader, time.monotonic() + _TIME_LIMIT_S)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return _parsed(data)


def _answer_and_exit(values: list[tuple[str, Any]], writer: int) -> None:
    """Ask each value in the child, and send each answer immediately, as the next may hang."""
    try:
        faulthandler.disable()
        quiet = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(quiet, fd)
        for name, value in values:
            text = repr(value)[: 4 * _VALUE_LIMIT]
            said = {"name": name, "value": one_line_text(text)}
            os.write(writer, json.dumps(said).encode("ascii") + b"\n")
    finally:
        os._exit(0)


def one_line_text(text: str) -> str:
    """Return a text of others as one short line."""
    line = " ".join(text.split())
    return line if len(line) <= _VALUE_LIMIT else line[: _VALUE_LIMIT - 1] + "…"


def _read_until(reader: int, deadline: float) -> bytes:
    data = bytearray()
    while len(data) < _BYTES_LIMIT:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            break
        piece = os.read(reader, 65536)
        if not piece:
            break
        data += piece
    return bytes(data)


def _parsed(data: bytes) -> dict[str, dict[str, Any]]:
    said: dict[str, dict[str, Any]] = {}
    for line in data.splitlines():
        try:
            row = json.loads(line)
            said[row["name"]] = {"value": str(row["value"])}
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # cut off when its time was over
    return said


def _fingerprint(value: Any) -> tuple[int, ...]:
    """Return what identifies a value and, for containers, its earlier state."""
    kind = class_of(value)
    if kind in _CONTAINERS or kind is dict:
        try:
            return (id(value), len(value), *map(id, _ends(value, kind)))
        except RuntimeError:  # a thread of the code's changes it just now
            return (id(value), len(value))
    if kind is bytearray:
        return (id(value), len(value))
    if library(kind) in _KNOWN and hasattr(value, "shape"):
        return (id(value), *(int(size) for size in value.shape))
    return (id(value),)


def _ends(value: Any, kind: Any) -> Iterator[Any]:
    """Return the first and the last items of a container, without a copy of all of it."""
    if kind in (list, tuple):
        return chain(value[:_AT_AN_END], value[-_AT_AN_END:])
    if kind is dict:
        items = value.values()
        return chain(islice(items, _AT_AN_END), islice(reversed(items), _AT_AN_END))
    return islice(value, 2 * _AT_AN_END)


def _is_code(value: Any) -> bool:
    return issubclass(type(value), (type, types.FunctionType, types.BuiltinFunctionType))


def _needs_its_class(value: Any) -> bool:
    """Return whether only its class could report more than its name."""
    kind = class_of(value)
    is_silent = attribute_of(kind, "__repr__") is object.__repr__
    if is_silent or _is_code(value) or library(kind) in _KNOWN:
        return False
    return one_line(value) == f"<{class_name(value)}>"


def _shape(value: Any, is_known: bool) -> str:
    if is_known and hasattr(value, "shape"):
        return frames.shape(value)
    return str(len(value)) if class_of(value) in _SIZED else ""


def _size(value: Any, is_known: bool) -> int:
    kind = class_of(value)
    if is_known:
        return _size_in_library(value)
    if kind in _CONTAINERS or kind is dict:
        return _size_of_container(value)
    return sys.getsizeof(value) if kind in _SIZED or kind in (int, float) else _plain_size(value)


def _plain_size(value: Any) -> int:
    return int(object.__sizeof__(value))


def _size_of_container(value: Any) -> int:
    """Return the size with the direct items, extrapolated from the first thousand of many."""
    is_dict = class_of(value) is dict
    items: list[Any] = [*value.keys(), *value.values()] if is_dict else list(value)
    sampled = sum(_plain_size(item) for item in items[:_SAMPLED])
    factor = len(items) / _SAMPLED if len(items) > _SAMPLED else 1
    return sys.getsizeof(value) + int(sampled * factor)


def _size_in_library(value: Any) -> int:
    found = frames.size_bytes(value)
    try:
        return found or int(getattr(value, "nbytes", 0)) or _plain_size(value)
    except (TypeError, ValueError, AttributeError):
        return _plain_size(value)


def _value(value: Any, is_known: bool) -> str:
    if not is_known:
        return one_line(value, _VALUE_LIMIT)
    if frames.is_frame(value):
        columns = getattr(value, "columns", None)
        names = [str(column) for column in columns][:20] if columns is not None else []
        return one_line_text(", ".join(names) or str(getattr(value, "dtype", "")))
    if class_name(value) == "ndarray" and value.dtype.kind in "biufcSU":
        first: list[Any] = value.reshape(-1)[:6].tolist() if value.flags.c_contiguous else []
        more = ", …" if value.size > len(first) else ""
        return one_line_text(f"{value.dtype} [{', '.join(map(repr, first))}{more}]")
    return one_line_text(str(getattr(value, "dtype", "")) or f"<{class_name(value)}>")


_FRAME_NAMES = 50
_KEEP_LIMIT_S = 0.5
_HELD_LIMIT = 64_000_000
_WEIGHED_LIMIT = 20_000
_OPTIMIZED = 0x1  # inspect.CO_OPTIMIZED: a function's locals, which are no mapping of the user's


class FailedFrames:
    """Holds the variables of the frames of the last failure, until the next run.

    The frames are not kept, and of a value only a short text, unless its class has to be asked for
    that later. Such values hold no more than 64 MB by estimate, after an error for want of memory
    nothing at all; those that do not fit have their class as text.
    """

    def __init__(self, namespace: dict[str, Any], interrupts: Interrupts) -> None:
        self._namespace = namespace
        self._interrupts = interrupts
        self._sent: list[list[Any]] = []
        self._rows: list[dict[str, Any]] = []
        self._values: list[tuple[str, Any]] = []  # by the index of their row

    def forget(self) -> None:
        """Let go of all values."""
        self._sent, self._rows, self._values = [], [], []

    def keep(self, error: BaseException, found: list[Any], sent: list[list[Any]]) -> None:
        """Keep the variables of those of the frames that were sent, the last ones."""
        self.forget()
        try:
            self._interrupts.call_within(_KEEP_LIMIT_S, lambda: self._keep(error, found, sent))
        except (KeyboardInterrupt, Exception):  # noqa: BLE001 - a library's own class
            self.forget()

    def _keep(self, error: BaseException, found: list[Any], sent: list[list[Any]]) -> None:
        self._sent = sent
        held = _Weigher(0 if isinstance(error, MemoryError) else _HELD_LIMIT)
        named = {id(value) for value in list(self._namespace.values())}
        for index, frame in enumerate(found[len(found) - len(sent) :]):
            for name, value in self._names(frame):
                if _needs_its_class(value) and (id(value) in named or held.takes(value)):
                    self._values.append((str(len(self._rows)), value))
                self._rows.append({**facts(name, value), "frame": index})

    def listing(self, sent: list[list[Any]]) -> list[dict[str, Any]]:
        """Return the variables of the failure that had these frames.

        Raises LookupError if it was not the last one.
        """
        if not sent or sent != self._sent:
            raise LookupError("Other code has run since, or the kernel is a new one.")
        said = ask_in_child(self._values)
        return [{**row, **said.get(str(index), {})} for index, row in enumerate(self._rows)]

    def _names(self, frame: Any) -> list[tuple[str, Any]]:
        """Return the locals of a function; of a block the names that its statement has used."""
        if frame is None:
            return []
        if frame.f_code.co_flags & _OPTIMIZED:
            found = list(frame.f_locals.items())
        elif frame.f_globals is self._namespace:
            used = frame.f_code.co_names
            found = [(name, self._namespace[name]) for name in used if name in self._namespace]
            found = [(name, value) for name, value in found if not _is_code(value)]
        else:
            found = []
        shown = [one for one in found if type(one[1]) is not _MODULE and one[0][:2] != "__"]
        return shown[:_FRAME_NAMES]


class _Weigher:
    """Estimates what values hold, up to a limit; what it cannot count in time is too much."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._steps = _WEIGHED_LIMIT

    def takes(self, value: Any) -> bool:
        """Return whether there is room for a value, and count it if there is."""
        size = self._weigh(value, 3)
        if size > self._left or self._steps <= 0:
            return False
        self._left -= size
        return True

    def _weigh(self, value: Any, depth: int) -> int:
        self._steps -= 1
        kind = class_of(value)
        is_known = library(kind) in _KNOWN
        size = _size(value, is_known)
        if is_known or depth <= 0 or self._steps <= 0:
            return size
        inner = _items_of(value, kind)
        sampled = sum(self._weigh(item, depth - 1) for item in inner[:_SAMPLED])
        return size + sampled * max(1, len(inner) // _SAMPLED)


def _items_of(value: Any, kind: type[Any]) -> list[Any]:
    """Return what a container holds, or the attributes of an object, without asking its class."""
    if kind is dict:
        return list(value.values())
    if kind in _CONTAINERS:
        return list(value)
    names = attribute_of(kind, "__dict__")
    held = names.__get__(value) if type(names) is types.GetSetDescriptorType else None
    return list(cast("dict[str, Any]", held).values()) if type(held) is dict else []


_TABLE_LIMIT_S = 2.0
_HELP_LIMIT_S = 0.2
"""The time for what is asked while the user types."""
_GIVEN_UP = {
    "error": "The sorting was stopped.",
    "remedy": "Sort again when no code runs.",
}


class VariableInspector:
    """Answers from the namespace of Python; only the main thread may ask it."""

    def __init__(
        self,
        files: AnswerFiles,
        variables: Variables,
        tables: TableReader,
        failure: FailedFrames,
        make_help: Callable[[], CodeHelp],
        interrupts: Interrupts,
    ) -> None:
        self._files = files
        self._variables = variables
        self._tables = tables
        self._failure = failure
        self._make_help = make_help
        self._help: CodeHelp | None = None
        self._interrupts = interrupts
        self._given_up = ""

    def answer(self, command: dict[str, Any]) -> None:
        """Answer while no code runs; errors and timeouts are answers too.

        Sorting takes as long as it takes, until it is given up.
        """
        found: dict[str, Any] = {}
        is_sorting = command.get("by") is not None
        try:
            self._interrupts.call_within(
                _limit_s(command), lambda: found.update(self._find(command))
            )
        except KeyboardInterrupt:
            found = dict(_GIVEN_UP) if is_sorting else {"error": "It took too long."}
        except BaseException as error:  # noqa: BLE001 - also the panics of polars, and SystemExit
            found = {"error": str(error) or type(error).__name__}
        self._files.send(command["ask"], found)

    def give_up(self, ask: str) -> None:
        """Stop an answer without a limit: this one, whether or not it has begun, or any if ""."""
        self._given_up = ask or self._given_up
        self._interrupts.give_up()

    def _find(self, command: dict[str, Any]) -> dict[str, Any]:
        if command["ask"] == self._given_up:
            raise KeyboardInterrupt
        if command["t"] == "variables":
            sent = command.get("frames")
            rows = self._failure.listing(sent) if sent else self._variables.listing()
            return {"variables": rows}
        if command["t"] in ("complete", "describe"):
            return self._on_code(command)
        return self._tables.page(
            command["name"],
            command["first"],
            command["rows"],
            command.get("by"),
            command.get("falling", False),
        )

    def _on_code(self, command: dict[str, Any]) -> dict[str, Any]:
        if self._help is None:
            self._help = self._make_help()
        if command["t"] == "complete":
            return self._help.complete(command["code"], command["asked"])
        return self._help.describe(command["code"], command["call"])


def _limit_s(command: dict[str, Any]) -> float | None:
    """Return how long an answer may take, in seconds; None for sorting."""
    if command.get("by") is not None:
        return None
    return _HELP_LIMIT_S if command["t"] in ("complete", "describe") else _TABLE_LIMIT_S
