"""Compare tables by their values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from playhead.checking.comparing.outcome import SAME, Match
from playhead.checking.comparing.text_comparison import (
    NO_CONTEXT,
    RunContext,
    compare_texts,
    number_difference,
    value_difference,
)
from playhead.domain.conversation.payloads import Cell, Table


class CellDifference(Struct, frozen=True):
    """A cell that differs: its row and column, counted from 0."""

    row: int
    column: int


def compare_tables(
    before: Table, now: Table, was: RunContext = NO_CONTEXT, now_is: RunContext = NO_CONTEXT
) -> Match:
    """Compare two tables: names of columns, numbers of rows, and the values that were recorded."""
    if before.columns != now.columns:
        return Match("differs", _columns_words(before.columns, now.columns))
    if before.total_rows != now.total_rows:
        return Match("differs", f"{before.total_rows:,} rows, now {now.total_rows:,}")
    found = differing_cells(before, now, was, now_is)
    if found:
        first = found[0]
        where = f"row {first.row + 1}, column {before.columns[first.column]}"
        cells = f"{len(found):,} cells differ, the first" if len(found) > 1 else "one cell differs"
        return Match("differs", f"{cells} in {where}")
    if before.dtypes != now.dtypes:
        pairs = zip(before.columns, before.dtypes, now.dtypes, strict=False)
        name, was_type, is_type = next(one for one in pairs if one[1] != one[2])
        return Match("differs", f"column {name} is of {is_type}, before of {was_type}")
    if len(before.rows) < before.total_rows:
        return Match("same", f"of {before.total_rows:,} rows, {len(before.rows):,} are recorded")
    return SAME


def differing_cells(
    before: Table, now: Table, was: RunContext = NO_CONTEXT, now_is: RunContext = NO_CONTEXT
) -> list[CellDifference]:
    """Return the cells that differ, of those rows that both have."""
    return [
        CellDifference(row, column)
        for row, (one, other) in enumerate(zip(before.rows, now.rows, strict=False))
        for column, (value, new) in enumerate(zip(one, other, strict=False))
        if not is_same_value(value, new, was, now_is)
    ]


def is_same_value(
    one: Cell, other: Cell, was: RunContext = NO_CONTEXT, now_is: RunContext = NO_CONTEXT
) -> bool:
    """Return whether two values are the same: decimal numbers within the tolerance."""
    if one == other:
        return True
    if isinstance(one, float) or isinstance(other, float):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            return False
        return value_difference(float(one), float(other)) is not None
    if isinstance(one, str) and isinstance(other, str):
        return compare_texts(one, other, was, now_is).verdict != "differs"
    return False


def is_same_written(one: str, other: str) -> bool:
    """Return whether two cells of a table in text are the same."""
    if one == other:
        return True
    try:
        values = float(one), float(other)
    except ValueError:
        return False
    if not any(math.isfinite(value) for value in values):
        return values[0] == values[1]
    return number_difference(one.strip(), other.strip()) is not None


def _columns_words(before: Sequence[str], now: Sequence[str]) -> str:
    gone = [name for name in before if name not in now]
    new = [name for name in now if name not in before]
    parts = [f"without {', '.join(gone)}" if gone else "", f"with {', '.join(new)}" if new else ""]
    return (
        "columns " + " and ".join(filter(None, parts))
        if gone or new
        else "columns in another order"
    )
