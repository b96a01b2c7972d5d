"""Reads what a kernel says of frames and variables; running code can have forged any of it."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from playhead.domain.conversation.payloads import Cell, Table
from playhead.domain.execution import Variable
from playhead.kernel import protocol

ROW_LIMIT = 1000
COLUMN_LIMIT = 200
VARIABLE_LIMIT = 2000
_TEXT_LIMIT = 2000
_PRINTED_LIMIT = 20_000
_INTEGER_LIMIT = 2**63


def parse_json(data: bytes) -> dict[str, Any] | None:
    """A JSON object, or None if it is something else."""
    value = protocol.parse_json(data)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def table_of(fields: dict[str, Any]) -> Table | None:
    """The page of a frame, cut to what can be shown; None if it is none."""
    columns, rows = _list(fields.get("columns")), _list(fields.get("rows"))
    if columns is None or rows is None:
        return None
    names = tuple(_text(name) for name in columns[:COLUMN_LIMIT])
    types = [_text(name) for name in (_list(fields.get("dtypes")) or [])[: len(names)]]
    types += [""] * (len(names) - len(types))
    kept = tuple(_row(row, len(names)) for row in rows[:ROW_LIMIT])
    total_rows = max(_count(fields.get("total_rows")), len(kept))
    total_columns = max(_count(fields.get("total_columns")), len(names))
    missing = [_text(word) for word in (_list(fields.get("missing")) or [])[: len(names)]]
    return Table(
        names,
        tuple(types),
        kept,
        total_rows,
        total_columns,
        _text(fields.get("name")),
        _text(fields.get("key")),
        tuple(missing),
        _printed(fields.get("text")),
    )


def variables_of(fields: dict[str, Any]) -> list[Variable]:
    """The names of a namespace; what is none of them is left out."""
    found: list[Variable] = []
    for row in (_list(fields.get("variables")) or [])[:VARIABLE_LIMIT]:
        if isinstance(row, dict) and _text(cast("dict[str, Any]", row).get("name")):
            found.append(_variable(cast("dict[str, Any]", row)))
    return found


def _variable(row: dict[str, Any]) -> Variable:
    return Variable(
        name=_text(row.get("name")),
        type=_text(row.get("type")),
        shape=_text(row.get("shape")),
        size_bytes=_count(row.get("size_bytes")),
        value=_text(row.get("value")),
        is_changed=row.get("is_changed") is True,
        is_table=row.get("is_table") is True,
    )


def _row(row: Any, width: int) -> tuple[Cell, ...]:
    cells = [_cell(cell) for cell in (_list(row) or [])[:width]]
    return tuple(cells + [None] * (width - len(cells)))


def _cell(value: Any) -> Cell:
    match value:
        case None | bool():
            return value
        case int():
            return value if abs(value) < _INTEGER_LIMIT else _digits(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case str():
            return value[:_TEXT_LIMIT]
        case _:
            return json.dumps(value)[:_TEXT_LIMIT]


def _digits(value: int) -> str:
    """An integer that JSON readers would spoil; `str` refuses the very long ones."""
    return str(value) if value.bit_length() < 4000 else "(a very long number)"


def _text(value: Any) -> str:
    return value[:_TEXT_LIMIT] if isinstance(value, str) else ""


def _printed(value: Any) -> str:
    """All of it or nothing: a part could not be found in the output."""
    return value if isinstance(value, str) and len(value) <= _PRINTED_LIMIT else ""


def _count(value: Any) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value < _INTEGER_LIMIT else 0


def _list(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None
