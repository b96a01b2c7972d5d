"""Reads what a model is given of an attached file or folder beside its path.

Of a table that is text: columns, their types and the first rows; of a folder: its tree; of a PDF,
which goes itself to models that take it: how many pages it has. The window shows the same
text before it is sent. It reads from the disk: call it in a thread.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import islice
from pathlib import Path

from playhead.atomic_file import open_inside
from playhead.domain.conversation.message import AttachedContent

_HEAD_BYTES = 256_000
_SEPARATORS = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t"}
_SHOWN_ROWS, _SHOWN_COLUMNS, _CELL_CHARS = 5, 50, 60
_SAMPLE_ROWS, _JUDGED_ROWS = 200, 20
_MOST_ENTRIES, _MOST_DEPTH, _MOST_SCANNED = 80, 3, 1_000
_LEFT_OUT = frozenset({"__pycache__", "node_modules"})


def read_attached(path: Path, folder: str = "") -> AttachedContent:
    """Return what a model is given of a path; nothing for what is neither table nor folder.

    `folder` is the one in which code runs: below it no link is followed, since code could put one
    in the place of an attached file, and its content is sent to the model.
    """
    try:
        if not _BY_DESCRIPTOR and path.is_dir():
            is_inside = path.resolve().is_relative_to(Path(folder).resolve())
            is_moved = Path(os.path.abspath(path)).is_relative_to(folder) and not is_inside
            return AttachedContent() if folder and is_moved else _tree(path)
        descriptor = open_inside(path, folder)
        try:
            return _content(descriptor, path.suffix.lower())
        finally:
            os.close(descriptor)
    except (OSError, csv.Error):
        return AttachedContent()


_BY_DESCRIPTOR = os.scandir in os.supports_fd


def _content(descriptor: int, suffix: str) -> AttachedContent:
    facts = os.fstat(descriptor)
    if stat.S_ISDIR(facts.st_mode):
        return _tree(descriptor)
    if not stat.S_ISREG(facts.st_mode):  # a pipe would have no end
        return AttachedContent()
    with open(descriptor, "rb", closefd=False) as file:
        if suffix == ".pdf" and facts.st_size <= _PDF_BYTES:
            return _pages(file.read(_PDF_BYTES))
        if separators := _SEPARATORS.get(suffix, ""):
            return _table(_text(file.read(_HEAD_BYTES)), separators)
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


_PDF_BYTES = 64_000_000
_PACKED = re.compile(rb"/ObjStm\b.{0,400}?stream\r?\n", re.DOTALL)
_PAGES = re.compile(rb"/Type\s*/Pages\b")
_COUNT = re.compile(rb"/Count\s+(\d{1,6})\b")
_ENDS = re.compile(rb"<<|>>")
_NEAR = 200_000


def _pages(data: bytes) -> AttachedContent:
    """Return how many pages a PDF has; nothing if its list of pages cannot be read."""
    packed = [_unpacked(data[found.end() :]) for found in _PACKED.finditer(data)]
    count = max((_count(one) for one in (data, *packed)), default=0)
    if not count:
        return AttachedContent()
    word = "page" if count == 1 else "pages"
    return AttachedContent(kind="pages", text=f"{count} {word}", rows=count)


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _PDF_BYTES)
    except zlib.error:
        return b""


def _count(data: bytes) -> int:
    """Return the largest count of a list of pages: that of the list of all."""
    counts = [_COUNT.search(_dictionary(data, found.start())) for found in _PAGES.finditer(data)]
    return max((int(count.group(1)) for count in counts if count), default=0)


def _dictionary(data: bytes, place: int) -> bytes:
    """Return the dictionary around a place, without those inside it."""
    start, depth = place, 0
    while start > max(0, place - _NEAR):
        start = max(data.rfind(b"<<", 0, start), data.rfind(b">>", 0, start))
        if start < 0 or (data[start : start + 2] == b"<<" and not depth):
            break
        depth += 1 if data[start : start + 2] == b">>" else -1
    parts: list[bytes] = []
    depth, last = 0, max(start, 0) + 2
    for found in _ENDS.finditer(data, last):
        if not depth:
            parts.append(data[last : found.start()])
        depth += 1 if found.group() == b"<<" else -1
        last = found.end()
        if depth < 0:
            break
    return b" ".join(parts)


def _tree(folder: Path | int) -> AttachedContent:
    lines = list(islice(_entries(folder, 0), _MOST_ENTRIES + 1))
    is_cut = len(lines) > _MOST_ENTRIES
    shown = [*lines[:_MOST_ENTRIES], *(["…"] if is_cut else [])]
    return AttachedContent(
        kind="tree", text="\n".join(shown), rows=min(len(lines), _MOST_ENTRIES), is_cut=is_cut
    )


def _entries(folder: Path | int, depth: int) -> Iterator[str]:
    """Yield a line for each entry, folders with what is in them; hidden ones are left out."""
    with os.scandir(folder) as found:
        entries = sorted(islice(found, _MOST_SCANNED), key=lambda one: one.name)
    for entry in entries:
        if entry.name.startswith(".") or entry.name in _LEFT_OUT:
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        yield "  " * depth + entry.name.replace("\n", "?") + ("/" if is_folder else "")
        if is_folder and depth + 1 < _MOST_DEPTH:
            with suppress(OSError):  # it may not be read, or is gone
                yield from _inner_entries(folder, entry, depth + 1)


def _inner_entries(folder: Path | int, entry: os.DirEntry[str], depth: int) -> Iterator[str]:
    if not isinstance(folder, int):
        yield from _entries(Path(entry.path), depth)
        return
    inner = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        yield from _entries(inner, depth)
    finally:
        os.close(inner)
