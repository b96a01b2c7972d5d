"""Compare files by what they contain: pictures as they look, tables by value, else their text."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from pathlib import PurePosixPath

from playhead.checking.comparing.figure_comparison import compare_figures
from playhead.checking.comparing.outcome import SAME, Match
from playhead.checking.comparing.table_comparison import is_same_written
from playhead.checking.comparing.text_comparison import (
    NO_CONTEXT,
    RunContext,
    compare_texts,
    lines_words,
)
from playhead.errors import phrase
from playhead.formats.documents.picture import picture_of_bytes

_SHOWN = 40
_LONGEST_TEXT = 20_000_000
_TABLES = {".csv": ",", ".tsv": "\t"}
_ZIP, _GZIP, _PDF = b"PK\x03\x04", b"\x1f\x8b", b"%PDF"
_PDF_VOLATILE = re.compile(rb"/(?:CreationDate|ModDate)\s*\([^)]*\)|/ID\s*\[[^\]]*\]")
_OFFICE_TIMES = frozenset({"docProps/core.xml", "docProps/app.xml", "meta.xml"})
_UNPACKED_LIMIT = 200_000_000
_OTHER_BYTES = Match("differs", phrase("its bytes differ"))


def compare_files(
    name: str,
    before: bytes,
    now: bytes,
    was: RunContext = NO_CONTEXT,
    now_is: RunContext = NO_CONTEXT,
) -> Match:
    """Compare the contents of two files of one name."""
    if before == now:
        return SAME
    if picture_of_bytes(before) is not None and picture_of_bytes(now) is not None:
        return compare_figures(before, now)
    for mark, compare in ((_ZIP, _compare_archives), (_GZIP, _compare_packed), (_PDF, _pages)):
        if before.startswith(mark) and now.startswith(mark):
            return compare(before, now)
    suffix = PurePosixPath(name).suffix.lower()
    texts = _text(before), _text(now)
    if texts[0] is not None and texts[1] is not None:
        if suffix in _TABLES:
            return _compare_rows(texts[0], texts[1], _TABLES[suffix])
        return compare_texts(texts[0], texts[1], was, now_is)
    if len(before) != len(now):
        return Match("differs", sizes_words(len(before), len(now)))
    return _OTHER_BYTES


def sizes_words(before: int, now: int) -> str:
    """Return that a file has another size."""
    return phrase("{before} bytes, now {now}", before=f"{before:,}", now=f"{now:,}")


def _cells_words(line: int, before: int, now: int) -> str:
    template = "line {line} has {before} cells, now {now}"
    return phrase(template, line=line, before=before, now=now)


def _cell_words(line: int, column: str, before: str, now: str) -> str:
    return phrase(
        "line {line}, column {column}: {before}, now {now}",
        line=line,
        column=column,
        before=before[:_SHOWN],
        now=now[:_SHOWN],
    )


def _text(data: bytes) -> str | None:
    if b"\0" in data[:8000] or len(data) > _LONGEST_TEXT:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _compare_rows(before: str, now: str, delimiter: str) -> Match:
    """Compare two tables in text, cell by cell."""
    try:
        rows, others = (
            list(csv.reader(io.StringIO(text), delimiter=delimiter)) for text in (before, now)
        )
    except csv.Error:
        return _OTHER_BYTES
    if len(rows) != len(others):
        return Match("differs", lines_words(len(rows), len(others)))
    for number, (row, other) in enumerate(zip(rows, others, strict=True), 1):
        if len(row) != len(other):
            return Match("differs", _cells_words(number, len(row), len(other)))
        for column, (one, two) in enumerate(zip(row, other, strict=True)):
            if not is_same_written(one, two):
                name = rows[0][column] if column < len(rows[0]) else str(column + 1)
                return Match("differs", _cell_words(number, name, one, two))
    return Match("same", phrase("the same values"))


def _compare_archives(before: bytes, now: bytes) -> Match:
    """Compare what is in two archives (also office documents), not when they were made."""
    try:
        with (
            zipfile.ZipFile(io.BytesIO(before)) as first,
            zipfile.ZipFile(io.BytesIO(now)) as second,
        ):
            parts = [
                {one.filename: (one.CRC, one.file_size) for one in archive.infolist()}
                for archive in (first, second)
            ]
    except (zipfile.BadZipFile, NotImplementedError):
        return _OTHER_BYTES
    names = sorted((parts[0].keys() | parts[1].keys()) - _OFFICE_TIMES)
    other = [name for name in names if parts[0].get(name) != parts[1].get(name)]
    if not other:
        return Match("same", phrase("the same contents"))
    return Match("differs", phrase("{name} in it differs", name=other[0]))


def _compare_packed(before: bytes, now: bytes) -> Match:
    """Compare what is packed, not when it was."""
    try:
        unpacked = [_unpacked(data) for data in (before, now)]
    except (OSError, EOFError, zlib.error):
        return _OTHER_BYTES
    if unpacked[0] == unpacked[1]:
        return Match("same", phrase("the same contents"))
    return Match("differs", phrase("what is packed in it differs"))


def _unpacked(data: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(_UNPACKED_LIMIT)


def _pages(before: bytes, now: bytes) -> Match:
    if _PDF_VOLATILE.sub(b"", before) == _PDF_VOLATILE.sub(b"", now):
        return Match("same", phrase("the same but for its date"))
    return _OTHER_BYTES
