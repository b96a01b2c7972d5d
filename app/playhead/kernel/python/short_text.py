"""Short texts for values that never run code of the user: exact types only, bounded in all ways."""

from __future__ import annotations

import enum
import itertools
import math
import sys
import types
from typing import Any

_ITEMS = 6
_DEPTH = 3
_TEXT_LIMIT = 80
_DIGITS_LIMIT = 10**60
_TRUSTED = frozenset(
    {"datetime", "decimal", "fractions", "pathlib", "uuid", "ipaddress", "zoneinfo"}
)
"""Modules of the standard library whose classes write themselves shortly and harmlessly."""


def one_line(value: object, limit: int = 120) -> str:
    """Return a text of one line for any value; `<Class>` if only its class could write it."""
    text = _text(value, _DEPTH)
    text = " ".join(text.split("\n")) if "\n" in text else text
    return text if len(text) <= limit else text[: limit - 1] + "…"


def class_of(value: object) -> type[Any]:
    """Return a value's class, never its own claim of it."""
    return type(value)


def class_name(value: object) -> str:
    """Return the name of a value's class."""
    return str(name_of(type(value)))


def name_of(kind: type[Any]) -> Any:
    """Return a class's own name, without asking its metaclass, which may do anything."""
    return type.__dict__["__name__"].__get__(kind)


def module_of(kind: type[Any]) -> str:
    """Return the name of a class's module, without asking its metaclass; "" for none."""
    module = type.__dict__["__module__"].__get__(kind)
    return module if type(module) is str else ""


def bases_of(kind: type[Any]) -> tuple[type[Any], ...]:
    """Return a class with all that it inherits from."""
    return type.__dict__["__mro__"].__get__(kind)


def attribute_of(kind: type[Any], name: str) -> Any:
    """Return an attribute of a class or its bases, without descriptors, else None."""
    for base in bases_of(kind):
        names = type.__dict__["__dict__"].__get__(base)
        if name in names:
            return names[name]
    return None


def library(kind: type) -> str:
    """Return the top package of a class, "" if its module does not have the class."""
    name = name_of(kind)
    module = module_of(kind)
    found = sys.modules.get(module)
    if not issubclass(type(found), types.ModuleType):
        return ""
    slots: Any = types.ModuleType.__dict__
    names: Any = slots["__dict__"].__get__(found)  # `getattr` may run code of the module
    return module.partition(".")[0] if names.get(name) is kind else ""


def missing_word(value: Any) -> str:
    """Return how the library of a missing value writes it, "" for any other value."""
    if value is None:
        return "None"
    kind = class_of(value)
    if issubclass(kind, float):
        return "NaN" if float.__ne__(value, value) else ""
    if library(kind) == "pandas":
        return {"NaTType": "NaT", "NAType": "<NA>"}.get(name_of(kind), "")
    return ""


def cell(value: Any, limit: int = 500) -> str | int | float | bool | None:
    """Return a value as a table's cell: as a JSON type if it is one, else as a short text."""
    kind = class_of(value)  # never isinstance: it asks an attribute of the value
    if value is None or kind is bool:
        return value
    if issubclass(kind, enum.Enum):
        return _text(value, 1)
    if issubclass(kind, float):
        return _number(float.__add__(value, 0.0))
    if issubclass(kind, int):
        number = int.__add__(value, 0)
        return number if abs(number) < _DIGITS_LIMIT else _text(number, 1)
    if issubclass(kind, str):
        text = str.__str__(value)
        return text if len(text) <= limit else text[: limit - 1] + "…"
    return _cell_of_library(value, kind, limit)


def _number(number: float) -> str | float | None:
    if math.isfinite(number):
        return number
    return None if math.isnan(number) else ("inf" if number > 0 else "-inf")


def _cell_of_library(value: Any, kind: type, limit: int) -> str | int | float | bool | None:
    name = library(kind)
    if name == "pandas" and name_of(kind) in ("NaTType", "NAType"):
        return None
    if name == "numpy" and issubclass(kind, getattr(sys.modules["numpy"], "generic", ())):
        item = value.item()
        return str(value) if type(item) is kind else cell(item, limit)
    if name in ("datetime", "pandas") and hasattr(kind, "isoformat"):
        return str(value) if hasattr(kind, "total_seconds") else str(value.isoformat())
    return one_line(value, limit)


def _text(value: Any, depth: int) -> str:
    kind = class_of(value)
    if kind in (bool, type(None), type(...), float, complex, range, slice):
        return repr(value)
    if kind is int:
        return repr(value) if abs(value) < _DIGITS_LIMIT else f"<int of {value.bit_length()} bits>"
    if kind in (str, bytes, bytearray):
        return _string(value)
    if kind in _BRACKETS:
        return _container(value, depth)
    if kind is dict:
        return _mapping(value, depth)
    return _other(value)


def _string(value: Any) -> str:
    cut = value[:_TEXT_LIMIT]
    return repr(cut) + ("…" if len(value) > _TEXT_LIMIT else "")


_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


def _container(value: Any, depth: int) -> str:
    kind = class_of(value)
    opening, closing = _BRACKETS[kind]
    if depth <= 0:
        return f"{opening}…{closing}"
    items = [_text(item, depth - 1) for item in _first(value)]
    if len(value) > _ITEMS:
        items.append("…")
    comma = "," if kind is tuple and len(value) == 1 else ""
    return f"{opening}{', '.join(items)}{comma}{closing}" if value else repr(value)


def _mapping(value: dict[Any, Any], depth: int) -> str:
    if depth <= 0:
        return "{…}"
    pairs = [f"{_text(key, 1)}: {_text(item, depth - 1)}" for key, item in _first(value.items())]
    return "{" + ", ".join(pairs) + (", …" if len(value) > _ITEMS else "") + "}"


def _first(items: Any) -> list[Any]:
    return list(itertools.islice(items, _ITEMS))


def _other(value: Any) -> str:
    kind = class_of(value)
    name = class_name(value)
    if issubclass(kind, type):
        return f"class {name_of(value)}"
    if issubclass(kind, enum.Enum):
        return f"{name}.{object.__getattribute__(value, '_name_')}"
    if kind in _CALLABLE:
        return f"{value.__name__}()"
    return str(value) if library(kind) in _TRUSTED else f"<{name}>"


_CALLABLE = (types.FunctionType, types.BuiltinFunctionType)
