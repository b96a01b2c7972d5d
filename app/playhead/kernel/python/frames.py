"""Cut pages out of tables: frames, series, arrays of two dimensions, lists of dicts.

The frames that were shown last are kept, so that all of their rows can be read later.
"""

from __future__ import annotations

import os
from typing import Any, Callable, NamedTuple, cast

from .short_text import bases_of, cell, class_of, library, missing_word, name_of

PAGE_ROWS = 200
PAGE_COLUMNS = 50
_ROWS_LIMIT = 1000


class _Column(NamedTuple):
    """A part of one column; `missing` is how its library writes what is not there."""

    title: str
    dtype: str
    items: list[Any]
    missing: str = "None"

    def cells(self, render: Callable[[Any], Any]) -> list[Any]:
        """Return the values as JSON; a missing one is None, or its word if that is unusual."""
        found: list[Any] = []
        for item in self.items:
            word = missing_word(item)
            if word == "None" and self.missing == "null":
                word = "null"
            found.append((None if word == self.missing else word) if word else render(item))
        return found


def is_frame(value: object) -> bool:
    """Return whether it is a frame or a series of pandas or polars."""
    return _frame_kind(value) is not None


def is_table(value: object) -> bool:
    """Return whether `page` can read it."""
    return is_frame(value) or _is_matrix(value) or _is_records(value)


def page(
    value: Any,
    first: int = 0,
    rows: int = PAGE_ROWS,
    name: str = "",
    render: Callable[[Any], Any] = cell,
) -> dict[str, Any]:
    """Return some rows of a table with the first columns. Raises TypeError if it is not one.

    `render` makes JSON values of cells. An index that only counts is left out. `missing` has
    for each column how a missing value is written.
    """
    first, rows = max(first, 0), min(max(rows, 0), _ROWS_LIMIT)
    kind = _frame_kind(value)
    if kind is not None:
        columns, total_rows, total_columns = kind(value, first, rows)
    elif _is_matrix(value):
        columns, total_rows, total_columns = _matrix(value, first, rows)
    elif _is_records(value):
        columns, total_rows, total_columns = _records(value, first, rows)
    else:
        raise TypeError(f"{type(value).__name__} is not a table")
    cells = [column.cells(render) for column in columns]
    return {
        "columns": [column.title for column in columns],
        "dtypes": [column.dtype for column in columns],
        "missing": [column.missing for column in columns],
        "rows": [[column[at] for column in cells] for at in range(len(cells[0]) if cells else 0)],
        "total_rows": total_rows,
        "total_columns": total_columns,
        "name": name,
    }


def shape(value: Any) -> str:
    """Return its measures, like "3 × 4"."""
    sizes = value.shape if hasattr(value, "shape") else (len(value),)
    return " × ".join(str(int(size)) for size in sizes)


def own_cell(value: Any) -> Any:
    """Return a cell as its class writes it; only for values shown while user code runs anyway."""
    found = cell(value)
    unknown = isinstance(found, str) and found == f"<{type(value).__name__}>"
    return str(value)[:500] if unknown else found


def has_cells(value: Any) -> bool:
    """Return whether a frame is worth a table: an empty one is clearer as text."""
    sizes = value.shape
    return (len(sizes) == 2 and int(sizes[1]) > 0) or (len(sizes) == 1 and int(sizes[0]) > 0)


def size_bytes(value: Any) -> int:
    """Return the bytes of a frame, without what its objects hold; 0 if they are unknown."""
    try:
        if hasattr(value, "estimated_size"):
            return int(value.estimated_size())
        usage = value.memory_usage()
        return int(usage.sum() if hasattr(usage, "sum") else usage)
    except (TypeError, ValueError, AttributeError):
        return 0


def _frame_kind(value: Any) -> Callable[[Any, int, int], Any] | None:
    """Return its cutter; subclasses count (a GeoDataFrame is a frame too)."""
    for kind in bases_of(class_of(value)):
        if name_of(kind) in ("DataFrame", "Series"):
            cut = _CUTTERS.get(library(kind))
            if cut is not None:
                return cut
    return None


def _is_matrix(value: Any) -> bool:
    kind = class_of(value)
    is_array = library(kind) == "numpy" and name_of(kind) in ("ndarray", "matrix", "memmap")
    return is_array and len(value.shape) == 2


def _is_records(value: Any) -> bool:
    if type(value) is not list or not value:
        return False
    return all(_fields(row) for row in cast("list[Any]", value)[:50])


def _pandas(value: Any, first: int, rows: int) -> Any:
    """Return the columns and totals; the index comes first, as columns, unless it only counts."""
    total_rows = len(value)
    cut = value.iloc[first : first + rows]
    columns = [] if _only_counts(value.index) else _pandas_index(cut.index)
    count = 1
    if len(value.shape) == 1:
        columns.append(_pandas_column(value.name, value.dtype, cut))
    else:
        count = value.shape[1]
        for number in range(min(count, PAGE_COLUMNS)):
            column = cut.iloc[:, number]
            columns.append(_pandas_column(value.columns[number], column.dtype, column))
    extra = len(columns) - min(count, PAGE_COLUMNS)
    return columns, total_rows, count + extra


def _pandas_column(name: Any, dtype: Any, values: Any) -> _Column:
    return _Column(_title(name), str(dtype), values.tolist(), _missing_of(dtype))


def _missing_of(dtype: Any) -> str:
    """Return how a type writes a missing value; extension types define it themselves."""
    if hasattr(dtype, "na_value"):
        return missing_word(dtype.na_value) or "None"
    return {"f": "NaN", "c": "NaN", "M": "NaT", "m": "NaT"}.get(getattr(dtype, "kind", ""), "None")


def _only_counts(index: Any) -> bool:
    """Return whether it is only the number of a row; that of a tail or a step shows which rows."""
    is_range = type(index).__name__ == "RangeIndex"
    return is_range and index.start == 0 and index.step == 1 and index.name is None


def _pandas_index(index: Any) -> list[Any]:
    levels = [index.get_level_values(number) for number in range(len(index.names))]
    return [_pandas_column(level.name, level.dtype, level) for level in levels]


def _polars(value: Any, first: int, rows: int) -> Any:
    if len(value.shape) == 1:
        return [_polars_column(value, first, rows)], len(value), 1
    columns = [
        _polars_column(value.get_column(name), first, rows) for name in value.columns[:PAGE_COLUMNS]
    ]
    return columns, value.shape[0], value.shape[1]


def _polars_column(column: Any, first: int, rows: int) -> _Column:
    return _Column(column.name, str(column.dtype), column.slice(first, rows).to_list(), "null")


_CUTTERS: dict[str, Callable[[Any, int, int], Any]] = {"pandas": _pandas, "polars": _polars}


def _matrix(value: Any, first: int, rows: int) -> Any:
    total_rows, total_columns = value.shape
    cut = value[first : first + rows, :PAGE_COLUMNS].tolist()
    dtype = str(value.dtype)
    count = min(total_columns, PAGE_COLUMNS)
    return (
        [
            _Column(str(number), dtype, [row[number] for row in cut], _missing_of(value.dtype))
            for number in range(count)
        ],
        total_rows,
        total_columns,
    )


def _records(value: list[Any], first: int, rows: int) -> Any:
    """Return the columns by the keys found in the first rows, in their order."""
    keys: dict[Any, None] = {}
    for record in value[:PAGE_ROWS]:
        keys.update(dict.fromkeys(_fields(record)))
    cut = [_fields(row) for row in value[first : first + rows]]
    chosen = list(keys)[:PAGE_COLUMNS]
    columns = [_Column(_title(key), "", [row.get(key) for row in cut]) for key in chosen]
    return columns, len(value), len(keys)


def _fields(record: Any) -> dict[Any, Any]:
    return cast("dict[Any, Any]", record) if type(record) is dict else {}


def _title(name: Any) -> str:
    """Return a column's name; the levels of a multi-level name are joined."""
    if name is None:
        return ""
    if type(name) is tuple:
        return " · ".join(_title(part) for part in cast("tuple[Any, ...]", name))
    return str(cell(name, 100))


_COUNT_LIMIT = 12
_BYTES_LIMIT = 256_000_000
_GONE = (
    "The kernel does not hold this table any more: it was restarted, or many others were shown"
    " since. Run the code again to see all of it."
)


class KeptFrames:
    """Owner of the last frames, by names that no variable has; the oldest are dropped first.

    The last one is kept however large it is: `_` holds it too.
    """

    def __init__(self) -> None:
        self._prefix = "shown-%s-" % os.urandom(4).hex()
        self._count = 0
        self._kept: dict[str, tuple[Any, int]] = {}

    def keep(self, value: Any) -> str:
        """Hold on to a frame as it is now; the name under which `find` knows it."""
        self._count += 1
        name = self._prefix + str(self._count)
        self._kept[name] = _as_it_is(value), size_bytes(value)
        while len(self._kept) > 1 and self._is_too_much():
            del self._kept[next(iter(self._kept))]
        return name

    def has_name(self, name: str) -> bool:
        """Return whether it is a name of a kept frame, of this kernel or of one before."""
        return name.startswith("shown-")

    def find(self, name: str) -> Any:
        """Return the frame of that name. Raises LookupError with a text for the user."""
        if name not in self._kept:
            raise LookupError(_GONE)
        return self._kept[name][0]

    def _is_too_much(self) -> bool:
        is_large = sum(size for _, size in self._kept.values()) > _BYTES_LIMIT
        return is_large or len(self._kept) > _COUNT_LIMIT


def _as_it_is(value: Any) -> Any:
    """Return a copy that shares the values: columns added or dropped later do not change it."""
    kind = library(class_of(value))  # not that of a subclass, which copies in its own way
    if kind == "polars" and hasattr(value, "clone"):
        return value.clone()
    return value.copy(deep=False) if kind == "pandas" and hasattr(value, "copy") else value
