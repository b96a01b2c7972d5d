"""The columns of a table and the text of their cells: short to show, whole to copy."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from playhead.domain.conversation.payloads import Cell, RowOrder, Table
from playhead.ui.widgets.wording import tr, tr_n

SAMPLE = 200
"""Rows that decide a column's type and width."""
SORT_LIMIT = 20_000
"""Sorting more rows would block the window noticeably."""
_DECIMALS = 4
_SHOWN_CHARS = 300
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?")
_SPAN = re.compile(r"(?:(-?\d+) days?,? ?)?(?:\+?(\d+):(\d\d):(\d\d(?:\.\d+)?))?")
_NUMERIC = re.compile(r"u?int\d|float|decimal|complex")
_MISSING = frozenset({"None", "NaN", "NaT", "<NA>", "null"})
_INFINITE = frozenset({"inf", "-inf"})
_TEXTS = ("str", "utf8", "object")
_TIMES = ("datetime", "date", "timedelta", "duration", "bool")
_BRACKETS = "[({<"
_BREAKS = str.maketrans({"\n": "↵", "\r": "", "\t": " ", "\u2028": "↵", "\u2029": "↵"})


class TableColumn:
    """The format of one column: numbers to the right, with as many decimals as they need.

    `missing` is the text of its library for a missing value.
    """

    def __init__(self, cells: Iterable[Cell], dtype: str = "", missing: str = "") -> None:
        self._is_numeric = _is_numeric(dtype)
        self._has_words = self._is_numeric or dtype.lower() in ("", "object")
        self._is_span = dtype.lower().startswith(("timedelta", "duration"))
        seen = [cell for cell in cells if not self.is_missing(cell)]
        numbers = [number for cell in seen if (number := self._number(cell)) is not None]
        self.is_number = len(numbers) == len(seen) if seen else self._is_numeric
        self.nothing = missing or ("NaN" if self.is_number else "None")
        self._decimals = _decimals([one for one in numbers if isinstance(one, float)])
        is_time = self._is_time = dtype.lower().startswith("datetime")
        texts = tuple(one for one in seen if isinstance(one, str))
        self._tells_order = (
            self.is_number
            or dtype.lower().startswith(_TIMES)
            or (
                (dtype.lower().startswith(_TEXTS) or not dtype)
                and not any(one.startswith(tuple(_BRACKETS)) for one in texts)
                and len(texts) in (0, len(seen))
            )
        )
        self._cut_at = _moment_length([one for one in seen if isinstance(one, str)], is_time)

    def is_missing(self, cell: Cell) -> bool:
        """Return whether a value is missing; with several words for it, others are plain texts."""
        if isinstance(cell, str):
            return self._has_words and cell in _MISSING
        return cell is None or (isinstance(cell, float) and math.isnan(cell))

    def text(self, cell: Cell) -> str:
        """Return a cell in one short line."""
        if cell is None:
            return self.nothing
        if isinstance(cell, float):
            return _float_text(cell, self._decimals)
        if isinstance(cell, str) and self._is_numeric and cell in _INFINITE:
            return _float_text(float(cell), None)
        if isinstance(cell, str) and self._cut_at:
            return _moment_text(cell, self._cut_at)
        if isinstance(cell, str):
            return cell[:_SHOWN_CHARS].translate(_BREAKS)
        return str(cell)

    @property
    def tells_order(self) -> bool:
        """Return whether the cells as they are shown have the order of the values.

        The texts of categories and lists do not; texts and numbers have none among each other.
        """
        return self._tells_order

    def key(self, cell: Cell) -> tuple[bool, int | float, str]:
        """Return the key to sort a cell by: numbers and durations before texts."""
        number = self._number(cell)
        if number is None and isinstance(cell, bool):
            number = int(cell)
        if number is not None:
            return (False, number, "")
        seconds = _seconds(cell) if self._is_span and isinstance(cell, str) else None
        if seconds is not None:
            return (False, seconds, "")
        return (True, 0, _in_utc(str(cell)) if self._is_time else str(cell))

    def _number(self, cell: Cell) -> int | float | None:
        """Return a number, also if JSON has none for it: infinities, decimals, very long ones."""
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            return cell
        if not self._is_numeric or not isinstance(cell, str):
            return None
        try:
            return int(cell) if cell.lstrip("-").isdecimal() else float(cell)
        except ValueError:
            return None


def columns_of(table: Table) -> list[TableColumn]:
    """Return the formats of the columns of a page."""
    rows = table.rows[:SAMPLE]
    empty = [""] * len(table.columns)
    dtypes, missing = [*table.dtypes, *empty], [*table.missing, *empty]
    return [
        TableColumn((row[index] for row in rows if index < len(row)), dtypes[index], missing[index])
        for index in range(len(table.columns))
    ]


def tells_order(table: Table, column: int) -> bool:
    """Return whether a table can be sorted by a column without the kernel: all of it is here."""
    if not len(table.rows) >= table.total_rows or len(table.rows) > SORT_LIMIT:
        return False
    dtype = table.dtypes[column] if column < len(table.dtypes) else ""
    return TableColumn((row[column] for row in table.rows), dtype).tells_order


def sorted_table(table: Table, order: RowOrder) -> Table:
    """Return a whole table with its rows in an order; missing values are last."""
    shown = columns_of(table)[order.column]
    cells = [row[order.column] for row in table.rows]
    there = [place for place, cell in enumerate(cells) if not shown.is_missing(cell)]
    missing = [place for place, cell in enumerate(cells) if shown.is_missing(cell)]
    there.sort(key=lambda place: shown.key(cells[place]), reverse=order.is_falling)
    positions = (*there, *missing)
    rows = tuple(table.rows[place] for place in positions)
    return replace(table, rows=rows, positions=positions)


def next_order(order: RowOrder | None, column: int) -> RowOrder | None:
    """Return the order after a click on a column: rising, falling, then the frame's own."""
    if order is None or order.column != column:
        return RowOrder(column)
    return None if order.is_falling else RowOrder(column, is_falling=True)


def table_as_text(
    columns: Sequence[str], rows: Iterable[Sequence[Cell]], separator: str = "\t"
) -> str:
    """Return rows under their heads, separated by tabs or commas, quoted where needed."""
    target = io.StringIO()
    writer = csv.writer(target, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return target.getvalue()


def size_text(table: Table, *, is_whole: bool = False) -> str:
    """Return the size: 200 of 12,000 rows · 8 columns; the whole if the rest can be read."""
    shown, total = len(table.rows), max(table.total_rows, len(table.rows))
    rows = tr_n("%n rows", total, one="1 row")
    if shown < total and not is_whole:
        rows = tr("{part:,} of {whole}", part=shown, whole=rows)
    has, count = len(table.columns), max(table.total_columns, len(table.columns))
    columns = tr_n("%n columns", count, one="1 column")
    if has < count:
        columns = tr("{part:,} of {whole}", part=has, whole=columns)
    return f"{rows} · {columns}"


def _in_utc(text: str) -> str:
    """Return a time with an offset as UTC, so that it can be compared; else the text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return text if moment.tzinfo is None else moment.astimezone(UTC).isoformat()


def _seconds(text: str) -> float | None:
    """Return the seconds of a duration of pandas or Python: `-1 days +02:00:00`, `2:00:00`."""
    match = _SPAN.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _is_numeric(dtype: str) -> bool:
    return _NUMERIC.match(dtype.lower()) is not None


def _decimals(numbers: Sequence[float]) -> int | None:
    """Return the decimals that a column needs; None if its numbers differ too much in size."""
    finite = [abs(number) for number in numbers if math.isfinite(number)]
    if any(number >= 1e12 or 0 < number < 10**-_DECIMALS for number in finite):
        return None
    for decimals in range(1, _DECIMALS):
        if all(abs(round(number, decimals) - number) < 1e-9 for number in finite):
            return decimals
    return _DECIMALS


def _moment_length(cells: Sequence[str], is_time: bool) -> int:
    """Return the length that all times of a column need: less for midnights or full minutes."""
    if not is_time or not cells or not all(_MOMENT.fullmatch(cell) for cell in cells):
        return 0
    if all(cell.endswith("T00:00:00") for cell in cells):
        return len("2026-01-01")
    if all(cell[16:] == ":00" for cell in cells):
        return len("2026-01-01 00:00")
    return max(len(cell) for cell in cells)


def _moment_text(cell: str, length: int) -> str:
    """Return a time without the part that is the same in the whole column."""
    rest = cell[length:]
    return (cell if rest.strip("T:0.") else cell[:length]).replace("T", " ", 1)


def _float_text(number: float, decimals: int | None) -> str:
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "∞" if number > 0 else "−∞"
    return f"{number:.6g}" if decimals is None else f"{number:.{decimals}f}"
