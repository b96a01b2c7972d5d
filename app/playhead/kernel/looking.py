"""`name?`, `%who` and `%whos`: what names are and what they say of themselves."""

from __future__ import annotations

import types
from typing import Any

from .short_text import class_name, one_line

_WIDEST = 24


def about(name: str, names: dict[str, Any], wants_source: bool) -> str:
    """Signature, text and place of what a name stands for; its source if that is wanted."""
    import inspect  # slow to import, and rarely wanted

    try:
        value = eval(name, names)  # noqa: S307 - names and dots only
    except (NameError, AttributeError):
        return f"There is no {name}.\n"
    if wants_source and (source := _source(value)):
        return source if source.endswith("\n") else source + "\n"
    lines = [f"Type:      {type(value).__name__}"]
    if callable(value):
        lines.insert(0, f"Signature: {name}{_signature(value)}")
    else:
        lines.append(f"Value:     {one_line(value)}")
    if file := getattr(inspect.getmodule(value), "__file__", None):
        lines.append(f"File:      {file}")
    return "\n".join([*lines, "", inspect.getdoc(value) or "It has no description."]) + "\n"


def own_names(names: dict[str, Any], kinds: str = "") -> list[str]:
    """The names that blocks made, of certain types only if those are named."""
    wanted = kinds.split()
    return sorted(
        name
        for name, value in list(names.items())
        if not name.startswith("_")
        and type(value) is not types.ModuleType
        and (not wanted or class_name(value) in wanted)
    )


def listing(names: dict[str, Any], kinds: str = "") -> str:
    """A line for each of the names: type and short value."""
    rows = [
        (name, class_name(names[name]), one_line(names[name], 80))
        for name in own_names(names, kinds)
    ]
    if not rows:
        return "There are no names yet.\n"
    rows.insert(0, ("Name", "Type", "Value"))
    widths = [min(_WIDEST, max(len(row[at]) for row in rows)) for at in (0, 1)]
    return "".join(
        f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {value}\n" for name, kind, value in rows
    )


def _signature(value: Any) -> str:
    import inspect

    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return "(…)"


def _source(value: Any) -> str:
    import inspect

    try:
        return inspect.getsource(value)
    except (OSError, TypeError):
        return ""
