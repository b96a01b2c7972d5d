"""Read tables that libraries have left in notebooks: as HTML, and as JSON with a schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from typing import Any, cast

from msgspec import Struct

from playhead.domain.conversation.payloads import Cell, Table
from playhead.domain.text.unicode import whole_characters

_LENGTH_LIMIT = 8_000_000
_CELL_LIMIT = 2_000
_SPAN_LIMIT = 1_000
_FRAME = re.compile(r"<table[^>]*class=[\"'][^\"']*\bdataframe\b", re.IGNORECASE)
_SIZE = re.compile(
    r"([\d,]+) rows × ([\d,]+) columns"
    r"|shape: \(([\d_,]+?)(?:, ([\d_,]+))?,?\)"
    r"|: ([\d,]+) × ([\d,]+)\s*$"
)
_ELLIPSES = frozenset({"...", "…", "⋮", "⋯"})
_MISSING = frozenset({"NaN", "None", "NaT", "<NA>", "null", "NA"})
_INTEGER = re.compile(r"-?\d{1,18}")
_FLOAT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?inf")
_POLARS = {"i": "Int", "u": "UInt", "f": "Float"}
_R_TYPE = re.compile(r"<[\w.\[\]:]+>")


def has_frame(markup: str) -> bool:
    """Return whether HTML is that of a data frame."""
    return _FRAME.search(markup) is not None


def table_of_html(markup: str) -> Table | None:
    """Return the first data frame in HTML of pandas, polars or R; None if it cannot be read.

    Rows and columns that were left out there are counted in the totals only.
    """
    if len(markup) > _LENGTH_LIMIT or not has_frame(markup):
        return None
    reader = _FrameReader()
    reader.feed(markup)
    reader.close()
    head, body = _grid(reader.head), _grid(reader.body)
    width = max((len(row) for row in (*head, *body)), default=0)
    if not width or not head or not body:
        return None
    return _Frame(head, body, width, " ".join(reader.around)).table()


class _Tag(Struct):
    """One cell as it is written."""

    is_head: bool
    columns: int
    rows: int
    text: str = ""


class _FrameReader(HTMLParser):
    """Takes the cells of the first table that is a data frame, and the text around it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.head: list[list[_Tag]] = []
        self.body: list[list[_Tag]] = []
        self.around: list[str] = []
        self._rows = self.body
        self._cell: _Tag | None = None
        self._depth = 0
        self._is_done = False
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a part of the table."""
        facts = dict(attrs)
        if tag == "table":
            is_frame = "dataframe" in (facts.get("class") or "").split()
            self._depth += bool(self._depth) or (is_frame and not self._is_done)
        elif tag == "style":
            self._is_style = True
        if self._depth != 1:
            return
        if tag in ("thead", "tbody"):
            self._rows = self.head if tag == "thead" else self.body
        elif tag == "tr":
            self._rows.append([])
            self._cell = None
        elif tag in ("th", "td") and self._rows:
            self._cell = _Tag(tag == "th", _span(facts, "colspan"), _span(facts, "rowspan"))
            self._rows[-1].append(self._cell)

    def handle_endtag(self, tag: str) -> None:
        """End a part of the table."""
        if tag == "style":
            self._is_style = False
        elif tag == "table" and self._depth:
            self._depth -= 1
            self._is_done = not self._depth
        elif tag in ("th", "td", "tr") and self._depth == 1:
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Take text of a cell, or that around the table."""
        if self._cell is not None:
            self._cell.text = (self._cell.text + data)[:_CELL_LIMIT]
        elif not self._is_style and data.strip():
            self.around.append(data.strip())


def _span(facts: Mapping[str, str | None], name: str) -> int:
    word = facts.get(name) or ""
    return min(int(word), _SPAN_LIMIT) if re.fullmatch(r"[1-9]\d{0,3}", word) else 1


def _grid(rows: Sequence[Sequence[_Tag]]) -> list[list[_Tag]]:
    """Return the rows with each cell in all the places that it spans."""
    grid: list[list[_Tag]] = []
    open_cells: dict[int, tuple[_Tag, int]] = {}
    for tags in rows:
        row: list[_Tag] = []
        waiting = list(tags)
        while waiting or len(row) in open_cells:
            place = len(row)
            if place in open_cells:
                cell, left = open_cells.pop(place)
                row.append(cell)
                if left > 1:
                    open_cells[place] = cell, left - 1
                continue
            cell = waiting.pop(0)
            for at in range(place, place + cell.columns):
                row.append(cell)
                if cell.rows > 1:
                    open_cells[at] = cell, cell.rows - 1
        grid.append(row)
    return grid


class _Frame:
    """The grid of a frame, on its way to a table."""

    def __init__(
        self, head: list[list[_Tag]], body: list[list[_Tag]], width: int, around: str
    ) -> None:
        blank = _Tag(False, 1, 1)
        self._head = [row + [blank] * (width - len(row)) for row in head]
        body = [row + [blank] * (width - len(row)) for row in body]
        self._index = _leading_heads(body)
        data = range(self._index, width)
        self._rows = [row for row in body if not _is_gap(row[at].text for at in data)]
        rows = [[row[at].text.strip() for at in range(width)] for row in self._rows]
        self._dtypes = self._take_dtypes(width)
        names = self._names(width)
        shown = [at for at in range(width) if not _is_gap([names[at], *(row[at] for row in rows)])]
        self._columns = [
            _Column(names[at], [row[at] for row in rows], self._dtypes[at]) for at in shown
        ]
        self._totals = _totals(around)

    def table(self) -> Table:
        """Return it as a page of the frame."""
        count = len(self._rows)
        total_rows = max(count, self._totals[0])
        columns, index = self._columns, self._index or None
        if index == 1 and total_rows == count and columns[0].only_counts:
            columns, index = columns[1:], 0
        total_columns = max(len(columns), self._totals[1] + (index or 0))
        return Table(
            columns=tuple(column.name for column in columns),
            dtypes=tuple(column.dtype for column in columns),
            rows=tuple(zip(*(column.cells for column in columns), strict=True)),
            total_rows=total_rows,
            total_columns=total_columns,
            missing=tuple(column.missing for column in columns),
            index_columns=index,
        )

    def _take_dtypes(self, width: int) -> list[str]:
        """Return the types that polars and R write as a last row of the head."""
        if len(self._head) > 1:
            last = self._head[-1]
            texts = [cell.text.strip() for cell in last]
            is_polars = not any(cell.is_head for cell in last)
            if is_polars or all(_R_TYPE.fullmatch(text) for text in texts):
                del self._head[-1]
                return [_polars_type(text) if is_polars else text for text in texts]
        return [""] * width

    def _names(self, width: int) -> list[str]:
        """Return the names of the columns, the levels of one joined, and of the index."""
        head = [[cell.text.strip() for cell in row] for row in self._head]
        index = range(self._index)
        own = [""] * self._index
        if len(head) > 1 and not any(head[-1][self._index :]):
            own = [head[-1][at] for at in index]
            head = head[:-1]
        data = [
            " · ".join(filter(None, (row[at] for row in head))) for at in range(self._index, width)
        ]
        return [whole_characters(name) for name in (*own, *data)]


def _leading_heads(body: Sequence[Sequence[_Tag]]) -> int:
    """Return how many columns are the index: head cells in each row."""
    counts = [
        next((at for at, cell in enumerate(row) if not cell.is_head), len(row)) for row in body
    ]
    return min(counts, default=0)


def _is_gap(texts: Any) -> bool:
    """Return whether a row or column only says that others were left out."""
    found = [text.strip() for text in texts]
    return bool(found) and all(text in _ELLIPSES for text in found)


def _totals(around: str) -> tuple[int, int]:
    match = _SIZE.search(around)
    if match is None:
        return 0, 0
    digits = [re.sub(r"\D", "", part) for part in match.groups() if part]
    return int(digits[0]), int(digits[1]) if len(digits) > 1 else 1


def _polars_type(word: str) -> str:
    if re.fullmatch(r"[iuf]\d+", word):
        return _POLARS[word[0]] + word[1:]
    return {"str": "String", "bool": "Boolean"}.get(word, word.capitalize())


class _Column:
    """The values of one column; numbers if all of it is numbers."""

    def __init__(self, name: str, texts: list[str], dtype: str) -> None:
        self.name, self.dtype = name, dtype
        is_quoted = dtype == "String"
        words = [text for text in texts if text in _MISSING]
        self.missing = words[0] if words else ""
        known = [None if text == self.missing and words else text for text in texts]
        self.cells = _unquoted(known) if is_quoted else _values(known)

    @property
    def only_counts(self) -> bool:
        """Return whether it is the unnamed number of each row."""
        return not self.name and self.cells == list(range(len(self.cells)))


def _unquoted(texts: Sequence[str | None]) -> list[Cell]:
    return [
        text[1:-1] if text and len(text) > 1 and text[0] == text[-1] == '"' else text
        for text in texts
    ]


def _values(texts: Sequence[str | None]) -> list[Cell]:
    """Return numbers or truth values if all texts are such, else whole texts."""
    there = [text for text in texts if text is not None]
    if there and all(text in ("True", "False", "true", "false") for text in there):
        return [None if text is None else text.lower() == "true" for text in texts]
    if there and all(_INTEGER.fullmatch(text) for text in there):
        return [None if text is None else int(text) for text in texts]
    if there and all(_FLOAT.fullmatch(text) and "inf" not in text for text in there):
        return [None if text is None else float(text) for text in texts]
    return [None if text is None else whole_characters(text) for text in texts]


_PANDAS = {
    "integer": "int64",
    "number": "float64",
    "boolean": "bool",
    "datetime": "datetime64[ns]",
    "duration": "timedelta64[ns]",
    "string": "object",
    "any": "object",
}
_SPAN = re.compile(r"P(-?\d+)DT(\d+)H(\d+)M(\d+)(\.\d*)?S")


def table_of_resource(raw: object) -> Table | None:
    """Return a table of `application/vnd.dataresource+json`; None if it is not valid."""
    resource = _mapping(raw)
    schema = _mapping(resource.get("schema"))
    listed, data = schema.get("fields"), resource.get("data")
    if not isinstance(listed, list) or not isinstance(data, list) or not listed:
        return None
    fields = [_mapping(field) for field in cast("list[object]", listed)]
    records = [_mapping(record) for record in cast("list[object]", data)]
    names = [field.get("name") for field in fields]
    keys = schema.get("primaryKey")
    index = (
        [one for one in cast("list[object]", keys) if one in names]
        if isinstance(keys, list)
        else []
    )
    if not all(isinstance(name, str) for name in names) or names[: len(index)] != index:
        return None
    rows = [[_plain(record.get(cast(str, name))) for name in names] for record in records]
    is_counted = index == ["index"] and [row[0] for row in rows] == list(range(len(rows)))
    first = 1 if is_counted else 0
    titles = tuple("" if name == "index" and index else str(name) for name in names)
    return Table(
        columns=tuple(whole_characters(title) for title in titles[first:]),
        dtypes=tuple(_dtype(field) for field in fields[first:]),
        rows=tuple(tuple(row[first:]) for row in rows),
        total_rows=len(rows),
        total_columns=len(names) - first,
        index_columns=len(index) - first if index else None,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _dtype(field: Mapping[str, Any]) -> str:
    if "enum" in _mapping(field.get("constraints")):
        return "category"
    kind = field.get("type")
    return _PANDAS.get(kind, "") if isinstance(kind, str) else ""


def _plain(value: object) -> Cell:
    """Return a cell; a duration as pandas writes it, anything nested as text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, str):
        return whole_characters(str(value)[:_CELL_LIMIT])
    if (span := _SPAN.fullmatch(value)) is not None:
        days, hours, minutes, seconds, rest = span.groups()
        rest = "" if not (rest or "").strip(".0") else rest
        return f"{days} days {int(hours):02}:{int(minutes):02}:{int(seconds):02}{rest}"
    if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.0+", value):
        return value.partition(".")[0]
    return whole_characters(value[:_CELL_LIMIT])
