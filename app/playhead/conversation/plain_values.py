"""Values ↔ plain data of JSON or TOML, field by field; what does not fit falls back."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from playhead.conversation.requests import SCALES_PERCENT

T = TypeVar("T")
IsSensible = Callable[[str, object], bool]
_MISSING = object()


LONGEST_LIMIT_S = 24 * 3600.0
"""A day: longer than any model thinks."""
MOST_RETRIES = 20
_FROM_ONE = ("max_steps", "max_tokens", "context_tokens")
_LIMITS = ("connect_limit_s", "first_limit_s", "silence_limit_s")


class _UnfitError(ValueError):
    """A value that has not the type of its field."""


class ValueReader:
    """Reads plain data as values; `refused` names each field that could not be used.

    `is_sensible(field, value)` refuses what has the right type and yet means nothing.
    """

    def __init__(self, is_sensible: IsSensible = lambda _name, _value: True) -> None:
        self.refused: list[str] = []
        self._is_sensible = is_sensible

    def read(self, shape: type[T], raw: Mapping[str, object], path: str = "") -> T:
        """An object of `shape`; fields that do not fit have their defaults.

        Raises ValueError where a field without a default is missing or does not fit.
        """
        hints = typing.get_type_hints(shape)
        values: dict[str, Any] = {}
        fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(shape)  # pyright: ignore[reportArgumentType]
        for field in fields:
            if field.name not in raw:
                continue
            value = self._field(field.name, hints[field.name], raw[field.name], path + field.name)
            if value is not _MISSING:
                values[field.name] = value
        try:
            return shape(**values)
        except TypeError as error:  # a field that has no default
            raise _UnfitError(path) from error

    def _field(self, name: str, hint: Any, raw: object, path: str) -> Any:
        try:
            value = self._value(hint, raw, path)
        except _UnfitError:
            self.refused.append(path)
            return _MISSING
        if not self._is_sensible(name, value):
            self.refused.append(path)
            return _MISSING
        return value

    def _value(self, hint: Any, raw: object, path: str) -> Any:
        """The raw value as the hint wants it. Raises _UnfitError."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self._one_of(arguments, raw, path)
        if origin is Literal:
            return _expect(raw, isinstance(raw, str) and raw in arguments)
        if origin is tuple:
            return self._items(arguments[0], raw, path)
        if origin is not None and issubclass(origin, Mapping):
            return self._entries(arguments, raw, path)
        if dataclasses.is_dataclass(hint):
            _expect(raw, isinstance(raw, Mapping))
            return self.read(
                typing.cast("type[Any]", hint), typing.cast("Any", raw), path=f"{path}."
            )
        return _plain(hint, raw)

    def _one_of(self, hints: Sequence[Any], raw: object, path: str) -> Any:
        for hint in hints:
            try:
                return self._value(hint, raw, path)
            except _UnfitError:
                continue
        raise _UnfitError(path)

    def _items(self, hint: Any, raw: object, path: str) -> tuple[Any, ...]:
        """Those of a list that fit; the others are told by their places."""
        _expect(raw, isinstance(raw, list))
        found: list[Any] = []
        for place, item in enumerate(typing.cast("list[object]", raw), 1):
            try:
                found.append(self._value(hint, item, f"{path} {place}"))
            except _UnfitError:
                self.refused.append(f"{path} {place}")
        return tuple(found)

    def _entries(self, hints: Sequence[Any], raw: object, path: str) -> dict[Any, Any]:
        _expect(raw, isinstance(raw, Mapping))
        found: dict[Any, Any] = {}
        for key, item in typing.cast("Mapping[object, object]", raw).items():
            try:
                name = self._value(hints[0], key, path)
                found[name] = self._value(hints[1], item, f"{path} {name}")
            except _UnfitError:
                self.refused.append(f"{path} {key}")
        return found


def plain(value: object) -> Any:
    """A value as data of dicts, lists, strings, numbers and None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        entries = typing.cast("Mapping[object, object]", value)
        return {key: plain(item) for key, item in entries.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in typing.cast("Sequence[object]", value)]
    return value


def said(value: object) -> dict[str, Any]:
    """The fields of a value that are not None, as plain data."""
    return {name: item for name, item in plain(value).items() if item is not None}


def _plain(hint: Any, raw: object) -> Any:
    """An int is a float too, a bool is no number, and no number is infinite."""
    if hint is float:
        is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
        return _expect(raw, is_number and abs(typing.cast("float", raw)) < float("inf"))
    if hint is int:
        return _expect(raw, isinstance(raw, int) and not isinstance(raw, bool))
    return _expect(raw, isinstance(raw, hint))


def _expect(raw: object, fits: bool) -> object:
    if not fits:
        raise _UnfitError
    return raw


def is_sensible(name: str, value: object) -> bool:
    """Whether a value of the right type means something in the field of this name."""
    if name in _FROM_ONE and isinstance(value, int):
        return value >= 1
    if name in _LIMITS and isinstance(value, int | float):
        return 0 < value <= LONGEST_LIMIT_S
    if name == "temperature" and isinstance(value, int | float):
        return 0 <= value <= 2
    if name == "budget" and isinstance(value, int | float):
        return value >= 0
    if name == "retries":
        return isinstance(value, int) and 0 <= value <= MOST_RETRIES
    if name == "name":
        return bool(str(value).strip())
    return name != "scale_percent" or value in SCALES_PERCENT
