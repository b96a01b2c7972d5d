"""Reads what a model is given of an attached file or folder beside its path.

Of a table that is text: columns, their types and the first rows; of a folder: its tree. The window
shows the same text before it is sent. It reads from the disk: call it in a thread.
"""

from __future__ import annotations

import csv
import io
import os
import stat
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from pathlib import Path

from playhead.domain.conversation.message import AttachedContent

_HEAD_BYTES = 256_000
_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
_SHOWN_ROWS, _SHOWN_COLUMNS, _CELL_CHARS = 5, 50, 60
_SAMPLE_ROWS, _JUDGED_ROWS = 200, 20
_MOST_ENTRIES, _MOST_DEPTH, _MOST_SCANNED = 80, 3, 1_000
_LEFT_OUT = frozenset({"__pycache__", "node_modules"})


def read_attached(path: Path) -> AttachedContent:
    """Return what a model is given of a path; nothing for what is neither table nor folder."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _tree(path)
        separators = _SEPARATORS.get(path.suffix.lower(), "")
        if separators and stat.S_ISREG(mode):  # a pipe would have no end
            with path.open("rb") as file:
                return _table(_text(file.read(_HEAD_BYTES)), separators)
    except (OSError, csv.Error):
        pass
    return AttachedContent()


def _text(head: bytes) -> str:
    """Return the whole lines of the head of a file; '' if it is no text."""
    if b"\0" in head:
        return ""
    if len(head) == _HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1]
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError:
        return head.decode("cp1252", "replace")


def _table(text: str, separators: str) -> AttachedContent:
    separator = max(separators, key=lambda one: _width(text, one))
    rows = [row for row in islice(_rows(text, separator), _SAMPLE_ROWS + 1) if row]
    if not rows:
        return AttachedContent()
    has_names = all(cell.strip() and _kind(cell) == "text" for cell in rows[0])
    names = rows[0] if has_names else [f"column {place}" for place, _ in enumerate(rows[0], 1)]
    values = rows[1:] if has_names else rows
    shown = [
        f"{_clipped(name)} ({_column_kind(values, place)})"
        for place, name in enumerate(names[:_SHOWN_COLUMNS])
    ]
    more = f" and {len(names) - _SHOWN_COLUMNS} more" if len(names) > _SHOWN_COLUMNS else ""
    word = "column" if len(names) == 1 else "columns"
    lines = [f"{len(names)} {word}: {', '.join(shown)}{more}"]
    if first := values[:_SHOWN_ROWS]:
        lines += [f"The first {'row' if len(first) == 1 else f'{len(first)} rows'}:"]
        lines += [_written(row[:_SHOWN_COLUMNS], separator) for row in first]
    return AttachedContent(
        kind="table", text="\n".join(lines), columns=len(names), rows=min(len(values), _SHOWN_ROWS)
    )


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _width(text: str, separator: str) -> int:
    """Return how many columns a separator makes; 1 if it does not make as many in each row."""
    try:
        widths = {len(row) for row in islice(_rows(text, separator), _JUDGED_ROWS) if row}
    except csv.Error:
        return 0
    return widths.pop() if len(widths) == 1 else 1


def _written(row: Sequence[str], separator: str) -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="").writerow(map(_clipped, row))
    return line.getvalue()


def _clipped(cell: str) -> str:
    cell = " ".join(cell.split())
    return cell if len(cell) <= _CELL_CHARS else cell[: _CELL_CHARS - 1] + "…"


def _column_kind(rows: Sequence[Sequence[str]], place: int) -> str:
    cells = (row[place] for row in rows if place < len(row))
    kinds = {_kind(cell) for cell in cells if cell.strip()}
    if kinds == {"int", "float"}:
        return "float"
    if len(kinds) > 1:
        return "text"
    return kinds.pop() if kinds else "empty"


def _kind(cell: str) -> str:
    cell = cell.strip()
    if cell.lower() in ("true", "false"):
        return "bool"
    for kind, read in _READERS:
        try:
            read(cell)
        except ValueError:
            continue
        return kind
    return "text"


_READERS = (
    ("int", int),
    ("float", float),
    ("date", date.fromisoformat),
    ("datetime", datetime.fromisoformat),
)


def _tree(folder: Path) -> AttachedContent:
    lines = list(islice(_entries(folder, 0), _MOST_ENTRIES + 1))
    is_cut = len(lines) > _MOST_ENTRIES
    shown = [*lines[:_MOST_ENTRIES], *(["…"] if is_cut else [])]
    return AttachedContent(
        kind="tree", text="\n".join(shown), rows=min(len(lines), _MOST_ENTRIES), is_cut=is_cut
    )


def _entries(folder: Path, depth: int) -> Iterator[str]:
    """Yield a line for each entry, folders with what is in them; hidden ones are left out."""
    with os.scandir(folder) as found:
        entries = sorted(islice(found, _MOST_SCANNED), key=lambda one: one.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _LEFT_OUT:
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        yield "  " * depth + entry.name.replace("\n", "?") + ("/" if is_folder else "")
        if is_folder and depth + 1 < _MOST_DEPTH:
            try:
                yield from _entries(Path(entry.path), depth + 1)
            except OSError:  # it may not be read, or is gone
                continue
