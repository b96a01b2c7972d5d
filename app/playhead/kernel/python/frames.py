"""Cut pages out of tables: frames, series, arrays of two dimensions, lists of dicts.

The frames that were shown last are kept, so that all of their rows can be read later.
"""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any, Callable, Generic, NamedTuple, TypeVar, cast

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
    return _kind_of(value) is not None


def page(
    value: Any,
    first: int = 0,
    rows: int = PAGE_ROWS,
    name: str = "",
    render: Callable[[Any], Any] = cell,
    order: Any = None,
) -> dict[str, Any]:
    """Return some rows of a table with the first columns. Raises TypeError if it is not one.

    `render` makes JSON values of cells. An index that only counts is left out: `index_columns`
    says how many columns come from an index, None if there is none. `missing` has for each column
    how a missing value is written. `order` has the positions of all rows as they are wanted; those
    of the page are its `positions`.
    """
    first, rows = max(first, 0), min(max(rows, 0), _ROWS_LIMIT)
    place: Any = slice(first, first + rows)
    positions: list[int] = [] if order is None else [int(one) for one in order[place]]
    kind = _kind_of(value)
    if kind is None:
        raise TypeError(f"{type(value).__name__} is not a table")
    columns, total_rows, total_columns = kind.cut(value, place if order is None else positions)
    cells = [column.cells(render) for column in columns]
    return {
        "columns": [column.title for column in columns],
        "dtypes": [column.dtype for column in columns],
        "missing": [column.missing for column in columns],
        "rows": [[column[at] for column in cells] for at in range(len(cells[0]) if cells else 0)],
        "total_rows": total_rows,
        "total_columns": total_columns,
        "name": name,
        "index_columns": _index_width(value) if kind is _PANDAS else None,
        "positions": positions,
    }


def order_of(value: Any, column: int, is_falling: bool) -> Any:
    """Return the positions of the rows in the order of a page's column, what is missing last.

    Sorts as its library does, stably, and changes nothing. Raises TypeError if the values cannot
    be compared.
    """
    kind = _kind_of(value)
    if kind is None:
        raise TypeError(f"{type(value).__name__} is not a table")
    try:
        return kind.order(value, column, is_falling)
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise TypeError(f"The values of this column cannot be sorted: {reason}.") from error


def shape(value: Any) -> str:
    """Return its measures, like "3 × 4"."""
    sizes = value.shape if hasattr(value, "shape") else (len(value),)
    return " × ".join(str(int(size)) for size in sizes)


def is_told(page: dict[str, Any]) -> bool:
    """Return whether a page says all of a table: its rows, and by their cells the order of these.

    Categories, lists and intervals have another order than their texts.
    """
    is_whole = len(page["rows"]) >= page["total_rows"]
    return is_whole and all(dtype.lower().startswith(_PLAIN) for dtype in page["dtypes"])


_PLAIN = ("int", "uint", "float", "bool", "str", "utf8", "date", "timedelta", "duration", "decimal")


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
        blocks = getattr(getattr(value, "_mgr", None), "blocks", None)
        if blocks is not None:  # pandas' own method makes a series for each column
            held = sum(int(one.values.nbytes) for one in blocks)
            return held + int(value.index.memory_usage())
        usage = value.memory_usage()
        return int(usage.sum() if hasattr(usage, "sum") else usage)
    except (TypeError, ValueError, AttributeError):
        return 0


class _Kind(NamedTuple):
    """The functions of one kind of table.

    `cut` gets the rows, a slice or a list of positions, and returns columns and totals; `order`
    gets the number of a column as `cut` returns them, and returns positions.
    """

    cut: Callable[[Any, Any], Any]
    order: Callable[[Any, int, bool], Any]


def _frame_kind(value: Any) -> _Kind | None:
    """Return the kind of a frame; subclasses count (a GeoDataFrame is a frame too)."""
    for kind in bases_of(class_of(value)):
        if name_of(kind) in ("DataFrame", "Series"):
            found = {"pandas": _PANDAS, "polars": _POLARS}.get(library(kind))
            if found is not None:
                return found
    return None


def _kind_of(value: Any) -> _Kind | None:
    if (kind := _frame_kind(value)) is not None:
        return kind
    return _MATRIX if _is_matrix(value) else _RECORDS if _is_records(value) else None


def _is_matrix(value: Any) -> bool:
    kind = class_of(value)
    is_array = library(kind) == "numpy" and name_of(kind) in ("ndarray", "matrix", "memmap")
    return is_array and len(value.shape) == 2


def _is_records(value: Any) -> bool:
    if type(value) is not list or not value:
        return False
    return all(_fields(row) for row in cast("list[Any]", value)[:50])


def _pandas(value: Any, places: Any) -> Any:
    """Return the columns and totals; the index comes first, as columns, unless it only counts."""
    total_rows = len(value)
    cut = value.iloc[places]
    extra = _index_width(value)
    columns = [_pandas_column(cut.index.get_level_values(number)) for number in range(extra)]
    if len(value.shape) == 1:
        return [*columns, _pandas_column(cut)], total_rows, 1 + extra
    count = value.shape[1]
    columns += [
        _pandas_column(cut.iloc[:, number], value.columns[number])
        for number in range(min(count, PAGE_COLUMNS))
    ]
    return columns, total_rows, count + extra


def _pandas_order(value: Any, column: int, is_falling: bool) -> Any:
    """Return the positions as `sort_values` has them."""
    extra = _index_width(value)
    if column < extra:
        values = value.index.get_level_values(column).to_series()
    else:
        values = value if len(value.shape) == 1 else value.iloc[:, column - extra]
    numbered = values.reset_index(drop=True)
    return numbered.sort_values(ascending=not is_falling, kind="stable").index.to_numpy()


def _pandas_column(values: Any, name: Any = None) -> _Column:
    title = _title(values.name if name is None else name)
    return _Column(title, str(values.dtype), values.tolist(), _missing_of(values.dtype))


def _missing_of(dtype: Any) -> str:
    """Return how a type writes a missing value; extension types define it themselves."""
    if hasattr(dtype, "na_value"):
        return missing_word(dtype.na_value) or "None"
    return {"f": "NaN", "c": "NaN", "M": "NaT", "m": "NaT"}.get(getattr(dtype, "kind", ""), "None")


def _only_counts(index: Any) -> bool:
    """Return whether it is only the number of a row; that of a tail or a step shows which rows."""
    is_range = type(index).__name__ == "RangeIndex"
    return is_range and index.start == 0 and index.step == 1 and index.name is None


def _index_width(value: Any) -> int:
    """Return how many columns the index of a frame has as part of its pages."""
    return 0 if _only_counts(value.index) else len(value.index.names)


_PANDAS = _Kind(_pandas, _pandas_order)


def _polars(value: Any, places: Any) -> Any:
    cut = value[places]
    if len(value.shape) == 1:
        return [_polars_column(cut)], len(value), 1
    columns = [_polars_column(cut.get_column(name)) for name in value.columns[:PAGE_COLUMNS]]
    return columns, value.shape[0], value.shape[1]


def _polars_column(column: Any) -> _Column:
    return _Column(column.name, str(column.dtype), column.to_list(), "null")


def _polars_order(value: Any, column: int, is_falling: bool) -> Any:
    """Return the positions as `sort` has them, but "not a number" last as what is missing."""
    values = value if len(value.shape) == 1 else value.get_column(value.columns[column])
    if str(values.dtype).startswith("Float"):
        values = values.fill_nan(None)
    numbered = values.alias("value").to_frame().with_row_index("position")
    ordered = numbered.sort("value", descending=is_falling, nulls_last=True, maintain_order=True)
    return ordered.get_column("position")


_POLARS = _Kind(_polars, _polars_order)


def _matrix(value: Any, places: Any) -> Any:
    total_rows, total_columns = value.shape
    cut = value[places, :PAGE_COLUMNS].tolist()
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


def _matrix_order(value: Any, column: int, is_falling: bool) -> Any:
    """Return the positions as `argsort` has them, which puts what is no number last."""
    values = sys.modules["numpy"].asarray(value)[:, column]
    if not is_falling:
        return values.argsort(kind="stable")
    order = len(values) - 1 - values[::-1].argsort(kind="stable")[::-1]
    missing = int((values != values).sum()) if values.dtype.kind in "fcmM" else 0
    return sys.modules["numpy"].roll(order, -missing)


_MATRIX = _Kind(_matrix, _matrix_order)


def _records(value: list[Any], places: Any) -> Any:
    """Return the columns by the keys found in the first rows, in their order."""
    rows = value[places] if isinstance(places, slice) else [value[place] for place in places]
    cut = [_fields(row) for row in rows]
    keys = _keys(value)
    columns = [
        _Column(_title(key), "", [row.get(key) for row in cut]) for key in keys[:PAGE_COLUMNS]
    ]
    return columns, len(value), len(keys)


def _keys(value: list[Any]) -> list[Any]:
    keys: dict[Any, None] = {}
    for record in value[:PAGE_ROWS]:
        keys.update(dict.fromkeys(_fields(record)))
    return list(keys)


def _records_order(value: list[Any], column: int, is_falling: bool) -> Any:
    """Return the positions as `sorted` has them."""
    key = _keys(value)[column]
    values: list[Any] = [_fields(record).get(key) for record in value]
    there = [place for place, one in enumerate(values) if not missing_word(one)]
    missing = [place for place, one in enumerate(values) if missing_word(one)]
    return sorted(there, key=lambda place: values[place], reverse=is_falling) + missing


_RECORDS = _Kind(_records, _records_order)


def _fields(record: Any) -> dict[Any, Any]:
    return cast("dict[Any, Any]", record) if type(record) is dict else {}


def _title(name: Any) -> str:
    """Return a column's name; the levels of a multi-level name are joined."""
    if name is None:
        return ""
    if type(name) is tuple:
        return " · ".join(_title(part) for part in cast("tuple[Any, ...]", name))
    return str(cell(name, 100))


_Value = TypeVar("_Value")


class LastValues(Generic[_Value]):
    """Keeps the last values up to a count and a size; the last one is kept however large it is."""

    def __init__(self, count_limit: int, bytes_limit: int) -> None:
        self._count_limit = count_limit
        self._bytes_limit = bytes_limit
        self._kept: dict[Any, tuple[_Value, int]] = {}

    def put(self, key: Any, value: _Value, size_bytes: int) -> None:
        """Keep a value, and drop the oldest ones if these are too many now."""
        self._kept[key] = value, size_bytes
        while len(self._kept) > 1 and self._is_too_much():
            del self._kept[next(iter(self._kept))]

    def get(self, key: Any) -> _Value | None:
        """Return the value of a key, None if it is not kept."""
        return self._kept[key][0] if key in self._kept else None

    def clear(self) -> None:
        """Drop all of them."""
        self._kept.clear()

    def _is_too_much(self) -> bool:
        is_large = sum(size for _, size in self._kept.values()) > self._bytes_limit
        return is_large or len(self._kept) > self._count_limit


_BYTES_LIMIT = 256_000_000
_GONE = (
    "The kernel does not hold this table any more: it was restarted, or many others were shown"
    " since. Run the code again to see all of it."
)


class KeptFrames:
    """Owner of the last frames that were shown, by names that no variable has.

    The last one is kept however large it is: `_` holds it too.
    """

    def __init__(self) -> None:
        self._prefix = "shown-%s-" % os.urandom(4).hex()
        self._count = 0
        self._kept: LastValues[Any] = LastValues(40, _BYTES_LIMIT)

    def keep(self, value: Any) -> str:
        """Hold on to a frame as it is now; the name under which `find` knows it."""
        self._count += 1
        name = self._prefix + str(self._count)
        self._kept.put(name, _as_it_is(value), size_bytes(value))
        return name

    def has_name(self, name: str) -> bool:
        """Return whether it is a name of a kept frame, of this kernel or of one before."""
        return name.startswith("shown-")

    def find(self, name: str) -> Any:
        """Return the frame of that name. Raises LookupError with a text for the user."""
        found = self._kept.get(name)
        if found is None:
            raise LookupError(_GONE)
        return found


def _as_it_is(value: Any) -> Any:
    """Return a copy that shares the values: columns added or dropped later do not change it."""
    kind = library(class_of(value))  # not that of a subclass, which copies in its own way
    if kind == "polars" and hasattr(value, "clone"):
        return value.clone()
    return value.copy(deep=False) if kind == "pandas" and hasattr(value, "copy") else value


class TableReader:
    """Reads pages of variables and of frames that were shown, in any order of their rows.

    An order is found once and kept until code runs, which may change the values.
    """

    def __init__(self, namespace: dict[str, Any], kept: KeptFrames) -> None:
        self._namespace = namespace
        self._kept = kept
        self._orders: LastValues[Any] = LastValues(4, _BYTES_LIMIT)
        self._opened: dict[str, tuple[Callable[[], Any], str]] = {}
        self._count = 0

    def forget_orders(self) -> None:
        """Drop the orders: code is about to run."""
        self._orders.clear()

    def page(
        self, name: str, first: int, rows: int, by: int | None = None, is_falling: bool = False
    ) -> dict[str, Any]:
        """Return a page of a variable, or of a frame by its key; sorted if `by` is a column.

        The `key` of the page is another one for another value of the variable. Raises LookupError
        or TypeError with the reason as text.
        """
        if self._kept.has_name(name):
            value, title, key, render = self._kept.find(name), "", name, own_cell
        elif name in self._namespace:
            value, title, key, render = self._namespace[name], name, self._key_of(name), cell
        else:
            raise LookupError(f"{name} no longer exists.")
        order = None if by is None else self._order(key, value, by, is_falling)
        return {**page(value, first, rows, title, render, order), "key": key}

    def _order(self, key: str, value: Any, by: int, is_falling: bool) -> Any:
        order = self._orders.get((key, by, is_falling))
        if order is None:
            order = order_of(value, by, is_falling)
            self._orders.put((key, by, is_falling), order, 8 * len(order))
        return order

    def _key_of(self, name: str) -> str:
        """Return the key of a variable's value; the value itself is not held."""
        value = self._namespace[name]
        known, key = self._opened.get(name, (None, ""))
        if known is None or known() is not value:
            self._count += 1
            key = f"{name}-{self._count}"
            self._opened[name] = _reference_to(value), key
        return key


def _reference_to(value: Any) -> Callable[[], Any]:
    """Return a function that returns the value as long as it exists; a list is held."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value
