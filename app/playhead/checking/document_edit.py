"""Write a manifest and the report of a check into an export, as its format allows."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, cast

from playhead.checking.check_report import (
    CheckReport,
    difference_words,
    environment_words,
    headline,
    report_rows,
    report_wire,
)
from playhead.checking.manifest import Manifest, manifest_wire
from playhead.checking.recorded_cells import RecordedCell, as_json, packed_results
from playhead.domain.execution import pins_of
from playhead.domain.text.json_text import read_json
from playhead.formats.documents.notebook import CHECK, OURS, lines
from playhead.formats.documents.notebook_import import fields_of

_WIDTH = 88
_BEGIN, _END = "# Check by Playhead", "# End of the check"
_OLD = re.compile(rf"^{_BEGIN}\n(?:(?!{_BEGIN}$)#.*\n)*?{_END}\n\n?", re.MULTILINE)
_HEAD = re.compile(r"(?:#.*\n)+\n|#!.*\n(?:#.*coding.*\n)?|#.*coding.*\n")
"""The comments before the first code: what comes later may be within a text of the code."""
_MOST_SHOWN = 50


def with_manifest(
    data: bytes, name: str, manifest: Manifest, cells: Sequence[RecordedCell] = ()
) -> bytes:
    """Return an export with its manifest; a script also with the results of its `cells`."""
    if name.lower().endswith(".ipynb"):
        book = _book(data)
        facts = book["metadata"]
        facts[OURS] = {**facts.get(OURS, {}), "manifest": manifest_wire(manifest)}
        if manifest.python:
            facts["language_info"] = {**facts["language_info"], "version": manifest.python}
        return _written(book)
    if name.lower().endswith(".py"):
        head, _, rest = data.decode().partition("\n\n")
        blocks = [_script_block(manifest), _own_block(manifest, cells)]
        return "\n\n".join([head, *filter(None, blocks), rest]).encode()
    return data


def with_report(data: bytes, name: str, report: CheckReport) -> bytes:
    """Return an export with the report of its check in the place of an older one."""
    if name.lower().endswith(".ipynb"):
        return _notebook_with(data, report)
    if name.lower().endswith(".py"):
        return _script_with(data, report)
    return data


def takes_report(name: str) -> bool:
    """Return whether a report can be in a file of that name."""
    return PurePath(name).suffix.lower() in (".ipynb", ".py")


def _book(data: bytes) -> dict[str, Any]:
    return cast(
        "dict[str, Any]", read_json(data.decode("utf-8-sig"), parse_constant=lambda _: None)
    )


def _written(book: dict[str, Any]) -> bytes:
    text = f"{json.dumps(book, ensure_ascii=False, indent=1)}\n"
    return text.encode("utf-8", "backslashreplace")  # half of a pair is written as JSON does


def _notebook_with(data: bytes, report: CheckReport) -> bytes:
    book = _book(data)
    given = book.get("cells")
    if not isinstance(given, list):
        return data  # of an older format
    cells = [cell for cell in cast("list[object]", given) if _kind(cell) != CHECK]
    at = 1 if cells and _kind(cells[0]) == "title" else 0
    cell = {
        "cell_type": "markdown",
        "id": "playhead-check",
        "metadata": {OURS: {"type": CHECK}},
        "source": lines(_markdown(report)),
    }
    if not _has_ids(book):
        del cell["id"]
    book["cells"] = [*cells[:at], cell, *cells[at:]]
    facts = fields_of(book.get("metadata"))
    ours = {**fields_of(facts.get(OURS)), "check": report_wire(report)}
    book["metadata"] = {**facts, OURS: ours}
    return _written(book)


def _has_ids(book: dict[str, Any]) -> bool:
    major, minor = book.get("nbformat"), book.get("nbformat_minor")
    return isinstance(major, int) and isinstance(minor, int) and (major, minor) >= (4, 5)


def _kind(cell: object) -> str:
    facts = fields_of(fields_of(fields_of(cell).get("metadata")).get(OURS))
    return str(facts.get("type", ""))


def _markdown(report: CheckReport) -> str:
    mark = "✓" if report.is_same else "✗"
    rows = [f"> **{mark} {_safe(headline(report))}**", ">", f"> {_safe(environment_words(report))}"]
    if report.inputs:
        rows += [">", f"> Inputs: {_safe(', '.join(report.inputs))}"]
    shown = report.differences[:_MOST_SHOWN]
    rows += [">"] if shown else []
    rows += [f"> - {_safe(difference_words(one))}" for one in shown]
    if len(report.differences) > len(shown):
        rows.append(f"> - and {len(report.differences) - len(shown):,} more")
    rows += [part for note in report.notes for part in (">", f"> {_safe(note)}")]
    return "\n".join(rows)


def _safe(text: str) -> str:
    """Return a text of code as Markdown shows it: names of files hold stars and brackets."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", " ".join(text.split()))


def _script_with(data: bytes, report: CheckReport) -> bytes:
    text = _OLD.sub("", data.decode("utf-8", "surrogateescape").replace("\r\n", "\n"))
    rows: list[str] = []
    for row in report_rows(report):
        rows += textwrap.wrap(row, _WIDTH, subsequent_indent="  ", break_long_words=False) or [""]
    block = "\n".join([_BEGIN, *(f"# {row}".rstrip() for row in rows), _END])
    block = block.encode("utf-8", "backslashreplace").decode()
    head = _HEAD.match(text)
    at = head.end() if head is not None else 0
    written = f"{text[:at]}{block}\n\n{text[at:]}"
    return written.encode("utf-8", "surrogateescape")


def _script_block(manifest: Manifest) -> str:
    """Return the inline metadata of PEP 723: with it `uv run` makes the same environment.

    What a kernel has said of its packages can add nothing else to it.
    """
    version = re.match(r"[0-9]+\.[0-9]+(?![^.])", manifest.python)
    if version is None:
        return ""
    rows = [f'requires-python = "=={version[0]}.*"', "dependencies = ["]
    pins = map(as_json, pins_of(manifest.packages))
    return _commented("script", [*rows, *(f"  {pin}," for pin in pins), "]"])


def _own_block(manifest: Manifest, cells: Sequence[RecordedCell]) -> str:
    rows = [f"python = {as_json(manifest.python)}", f"is_whole = {as_json(manifest.is_whole)}"]
    for name, files in (("inputs", manifest.inputs), ("outputs", manifest.outputs)):
        tables = [
            f"  {{ path = {as_json(one.path)}, size_bytes = {one.size_bytes}, "
            f"sha256 = {as_json(one.sha256)}, is_later = {as_json(one.is_later)} }},"
            for one in files
        ]
        rows += [f"{name} = [", *tables, "]"] if tables else []
    if cells:
        rows += ['results = """', *textwrap.wrap(packed_results(cells), _WIDTH), '"""']
    return _commented("playhead", rows)


def _commented(kind: str, rows: list[str]) -> str:
    return "\n".join([f"# /// {kind}", *(f"# {row}" for row in rows), "# ///"])
