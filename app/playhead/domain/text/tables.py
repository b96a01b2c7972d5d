"""A table as plain text, as markdown and as HTML."""

from __future__ import annotations

import math
from itertools import zip_longest

from playhead.domain.conversation.payloads import Cell, Table
from playhead.domain.text.terminal import one_line, plain

_LONGEST_CELL = 60


def cell_text(cell: Cell) -> str:
    """Return the text of one cell; "" for a missing value."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return plain(cell) if isinstance(cell, str) else str(cell)


def as_plain(table: Table) -> str:
    """Return the table as text with aligned columns, numbers to the right."""
    names = [one_line(name) for name in table.columns]
    rows = [[_short(one_line(cell_text(cell))) for cell in row] for row in _rows(table)]
    widths = [max([len(name), *(len(row[at]) for row in rows)]) for at, name in enumerate(names)]
    is_right = [_is_numeric(table, at) for at in range(len(names))]
    lines = [_aligned(row, widths, is_right) for row in [names, *rows]]
    return "\n".join([*lines, *_extent(table)])


def as_markdown(table: Table) -> str:
    """Return the table as GitHub's markdown."""
    names = [_escaped(name) or " " for name in table.columns] or [" "]
    rule = ["---:" if _is_numeric(table, at) else "---" for at in range(len(names))]
    rows = [[_escaped(cell_text(cell)) for cell in row] for row in _rows(table)]
    lines = [f"| {' | '.join(row)} |" for row in [names, rule, *rows]]
    extent = _extent(table)
    return "\n".join([*lines, *(["", f"*{extent[0]}*"] if extent else [])])


def as_html(table: Table) -> str:
    """Return the table as HTML; all text in it is escaped."""
    from html import escape  # with a large table of entities

    head = "".join(f"<th>{escape(plain(name))}</th>" for name in table.columns)
    rows = (
        "<tr>" + "".join(f"<td>{escape(cell_text(cell))}</td>" for cell in row) + "</tr>"
        for row in _rows(table)
    )
    body = "\n".join(rows)
    extent = "".join(f"\n<p>{line}</p>" for line in _extent(table))
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{extent}"


def _rows(table: Table) -> list[list[Cell]]:
    """Return the rows, each as wide as the head, with their library's text for a missing value."""
    width = len(table.columns)
    blanks: list[Cell] = [*table.missing[:width], *([None] * (width - len(table.missing)))]
    return [
        [blank if cell is None else cell for cell, blank in zip_longest(row[:width], blanks)]
        for row in table.rows
    ]


def _extent(table: Table) -> list[str]:
    """Return a note on how much of a larger table is shown; [] if all of it is."""
    rows, columns = len(table.rows), len(table.columns)
    if table.total_rows <= rows and table.total_columns <= columns:
        return []
    told = f"{rows:,} of {max(rows, table.total_rows):,} rows"
    if table.total_columns > columns:
        told += f", {columns:,} of {table.total_columns:,} columns"
    return [told]


def _is_numeric(table: Table, at: int) -> bool:
    cells = [row[at] for row in table.rows if at < len(row) and row[at] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


def _aligned(row: list[str], widths: list[int], is_right: list[bool]) -> str:
    pairs = zip(row, widths, is_right, strict=True)
    cells = (cell.rjust(width) if right else cell.ljust(width) for cell, width, right in pairs)
    return "  ".join(cells).rstrip()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def _escaped(text: str) -> str:
    """Return the text escaped, so that it stays in its cell and is not read as markup."""
    for mark in ("\\", "|", "`", "*", "_", "<", "[", "~", "$"):
        text = text.replace(mark, "\\" + mark)
    return one_line(text)
