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
from playhead.errors import phrase


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
        return Match("differs", _rows_words(before.total_rows, now.total_rows))
    if before.total_columns and now.total_columns and before.total_columns != now.total_columns:
        words = phrase(
            "{before} columns, now {now}",
            before=f"{before.total_columns:,}",
            now=f"{now.total_columns:,}",
        )
        return Match("differs", words)
    found = differing_cells(before, now, was, now_is)
    if found:
        first = found[0]
        words = phrase(
            "cells that differ: {count}, the first in row {row}, column {column}",
            count=f"{len(found):,}",
            row=first.row + 1,
            column=before.columns[first.column],
        )
        return Match("differs", words)
    types = zip(before.columns, before.dtypes, now.dtypes, strict=False)
    for name, was_type, is_type in types:
        if was_type != is_type:
            words = "column {name}: {before}, now {now}"
            return Match("differs", phrase(words, name=name, before=was_type, now=is_type))
    if len(before.rows) < before.total_rows:
        return Match("same", phrase("only the first rows are recorded"))
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
        try:
            return value_difference(float(one), float(other)) is not None
        except OverflowError:  # of a whole number that no decimal one is near
            return False
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


def _rows_words(before: int, now: int) -> str:
    return phrase("{before} rows, now {now}", before=f"{before:,}", now=f"{now:,}")


def _columns_words(before: Sequence[str], now: Sequence[str]) -> str:
    gone = ", ".join(name for name in before if name not in now)
    new = ", ".join(name for name in now if name not in before)
    if gone and new:
        return phrase("without the columns {gone}, with {new}", gone=gone, new=new)
    if gone:
        return phrase("without the columns {gone}", gone=gone)
    return phrase("with the columns {new}", new=new) if new else phrase("columns in another order")
