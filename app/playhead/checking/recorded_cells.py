"""Read what an export says that was run: its cells in order, with what each gave."""

from __future__ import annotations

import base64
import binascii
import json
import re
import tomllib
import zlib
from collections.abc import Sequence
from itertools import groupby
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.checking.comparing.figure_comparison import reduced_picture
from playhead.checking.comparing.outcome import Outcome, outcomes_of
from playhead.checking.manifest import (
    Manifest,
    blocks_that_ran,
    packages_of,
    read_manifest,
)
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.text.json_text import read_json
from playhead.domain.text.run_ends import run_end_text
from playhead.domain.text.terminal import one_line
from playhead.errors import DocumentError
from playhead.formats.documents.document import read_document
from playhead.formats.documents.notebook import OURS
from playhead.formats.documents.notebook_import import fields_of
from playhead.formats.documents.picture import ReadFile, no_files

CHECKED_SUFFIXES = (".ipynb", ".py", ".json")
_BLOCK_BEGIN, _BLOCK_END = re.compile(r"# /// ([a-zA-Z0-9-]+)"), "# ///"
_CELL = re.compile(r"^# %%(?P<words>.*)$", re.MULTILINE)
_CODING = re.compile(r"^#.*coding[:=].*$|^# /// .*", re.MULTILINE)
_BY_ITSELF = frozenset({"exited", "signalled", "memory_limit"})
_UNPACKED_LIMIT = 100_000_000


class RecordedCell(Struct, frozen=True, kw_only=True):
    """A cell that was run; `number` counts these from 1. `has_results` False: none are recorded.

    The times are in seconds since the epoch, 0 if not known. `end` says how its run ended, "" if it
    did by itself; `was_stopped`: a person or a limit ended it, so that it could run for ever.
    """

    number: int
    language: str
    code: str
    outcomes: tuple[Outcome, ...] = ()
    began_at: float = 0.0
    ended_at: float = 0.0
    has_results: bool = True
    end: str = ""
    was_stopped: bool = False


class Recording(Struct, frozen=True, kw_only=True):
    """The cells that an export records as run. `name` is that of the file.

    `lost_results` counts the cells whose results are recorded and whose code is not.
    """

    name: str
    cells: tuple[RecordedCell, ...]
    manifest: Manifest = Manifest()
    lost_results: int = 0


class _Results(Struct, frozen=True):
    """The results of one cell of a script, as they are in its metadata."""

    outcomes: tuple[Outcome, ...]
    began_at: float = 0.0
    ended_at: float = 0.0
    end: str = ""


def recording_of(data: bytes, name: str) -> Recording:
    """Return what a notebook, a script or a list of messages records. Raises DocumentError."""
    if name.lower().endswith(".py"):
        found = _of_script(data.decode("utf-8", "replace").replace("\r\n", "\n"), name)
    else:
        found = _of_messages(data, name)
    if all(cell.was_stopped for cell in found.cells):
        raise DocumentError(
            "There is nothing to check in this file.",
            detail="None of its code is recorded as run to its end.",
            remedy="Choose a notebook whose cells were run, or a script.",
        )
    return found


def _of_messages(data: bytes, name: str) -> Recording:
    messages = read_document(data, name).messages
    manifest = _manifest_in(data)
    if not manifest.packages:
        python, packages = packages_of(messages)
        manifest = replace(manifest, python=manifest.python or python, packages=packages)
    return Recording(name=name, cells=cells_of(messages), manifest=manifest)


def _manifest_in(data: bytes) -> Manifest:
    """Return the manifest in the metadata of a notebook."""
    try:
        book = fields_of(read_json(data.decode("utf-8-sig"), parse_constant=lambda _word: None))
    except ValueError:
        return Manifest()
    ours = fields_of(fields_of(book.get("metadata")).get(OURS))
    return read_manifest(ours.get("manifest") or {})


def cells_of(
    messages: Sequence[Message], read_file: ReadFile = no_files
) -> tuple[RecordedCell, ...]:
    """Return the blocks that ran as cells."""
    return tuple(
        RecordedCell(
            number=number,
            language=block.language.lower() or "python",
            code=block.code,
            outcomes=outcomes_of(block, read_file),
            began_at=block.began_at,
            ended_at=block.began_at + (block.report.seconds if block.report else 0.0),
            end=_end_words(block.report),
            was_stopped=_was_stopped(block.report),
        )
        for number, block in enumerate(blocks_that_ran(messages), 1)
    )


def _end_words(report: RunReport | None) -> str:
    """Return how a run ended, in words that are the same for each run that ends so."""
    if report is None:
        return ""
    return one_line(run_end_text(replace(report, seconds=0.0, is_saved=False)))


def _was_stopped(report: RunReport | None) -> bool:
    """Return whether a run was ended by somebody, and not by its code."""
    if report is None or report.state == "finished":
        return False
    return report.end is None or report.end.kind not in _BY_ITSELF


def _of_script(text: str, name: str) -> Recording:
    blocks = script_metadata(text)
    results = _results_in(blocks.get("playhead", {}))
    cells = [
        RecordedCell(number=number, language="python", code=code, has_results=False)
        for number, code in enumerate(_code_of(split_metadata(text)[1]), 1)
    ]
    if results:  # a cell that was added since has none
        padded = [*results, *(_Results(()) for _ in cells)]
        cells = [
            replace(
                cell,
                outcomes=one.outcomes,
                began_at=one.began_at,
                ended_at=one.ended_at,
                end=one.end,
                has_results=True,
            )
            for cell, one in zip(cells, padded, strict=False)
        ]
    return Recording(
        name=name,
        cells=tuple(cells),
        manifest=_manifest_of_script(blocks),
        lost_results=max(0, len(results) - len(cells)),
    )


def _code_of(text: str) -> list[str]:
    """Return the code of the cells of a script; of one without cells, all of it."""
    marks = list(_CELL.finditer(text))
    head = text[: marks[0].start()] if marks else text
    head = _CODING.sub("", head)
    parts = [head] if _has_code(head) else []
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        code = text[mark.end() : end].strip("\n")
        if "[markdown]" not in mark["words"] and _has_code(code):
            parts.append(code)
    if len(parts) > 1 and _has_code(head) and "__future__" in head:
        parts[:2] = [f"{parts[0].strip()}\n{parts[1]}"]
    return parts


def _has_code(text: str) -> bool:
    return any(row.strip() and not row.lstrip().startswith("#") for row in text.split("\n"))


def script_metadata(text: str) -> dict[str, dict[str, Any]]:
    """Return the blocks of inline metadata of a script, by their types; those that are valid."""
    found: dict[str, dict[str, Any]] = {}
    for kind, content in split_metadata(text)[0]:
        try:
            found.setdefault(kind, tomllib.loads(content))
        except tomllib.TOMLDecodeError:
            continue
    return found


def split_metadata(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the types and contents of the blocks of inline metadata, and the text without them.

    The regular expression of PEP 723 takes time by the square of the lines. A block is within
    successive lines of comment, from the first one that can begin it to the last that can end it.
    """
    blocks: list[tuple[str, str]] = []
    rest: list[str] = []
    for is_comment, group in groupby(text.split("\n"), lambda row: row == "#" or row[:2] == "# "):
        rows = list(group)
        end = next((at for at in reversed(range(len(rows))) if rows[at] == _BLOCK_END), 0)
        begins = ((at, _BLOCK_BEGIN.fullmatch(row)) for at, row in enumerate(rows[: end - 1]))
        begin, mark = next((one for one in begins if one[1]), (0, None))
        if is_comment and end and mark is not None:
            blocks.append((mark[1], "\n".join(row[2:] for row in rows[begin + 1 : end])))
            rows[begin : end + 1] = [""]
        rest += rows
    return blocks, "\n".join(rest)


def _manifest_of_script(blocks: dict[str, dict[str, Any]]) -> Manifest:
    script = blocks.get("script", {})
    ours = {name: value for name, value in blocks.get("playhead", {}).items() if name != "results"}
    wanted = script.get("dependencies")
    names = cast("list[object]", wanted) if isinstance(wanted, list) else []
    pins = [one.partition("==") for one in names if isinstance(one, str)]
    packages = [f"{name.strip()} {version.strip()}" for name, _, version in pins if version]
    python = str(ours.get("python") or "")
    return replace(read_manifest(ours), packages=tuple(packages), python=python)


def _results_in(ours: dict[str, Any]) -> tuple[_Results, ...]:
    packed = ours.get("results")
    if not isinstance(packed, str):
        return ()
    try:
        raw = zlib.decompressobj().decompress(
            base64.b64decode("".join(packed.split()), validate=True), _UNPACKED_LIMIT
        )
        return msgspec.json.decode(raw, type=tuple[_Results, ...])
    except (binascii.Error, ValueError, zlib.error, msgspec.DecodeError):
        return ()


def packed_results(cells: Sequence[RecordedCell]) -> str:
    """Return the results of cells as a text for a script; its figures are reduced."""
    results = [
        _Results(tuple(map(_reduced, cell.outcomes)), cell.began_at, cell.ended_at, cell.end)
        for cell in cells
    ]
    return base64.b64encode(zlib.compress(msgspec.json.encode(results), 9)).decode("ascii")


def _reduced(outcome: Outcome) -> Outcome:
    is_picture = outcome.kind == "figure" and b"<svg" not in outcome.data[:4000]
    return replace(outcome, data=reduced_picture(outcome.data)) if is_picture else outcome


def as_json(value: object) -> str:
    """Return a value as JSON on one line, which is valid TOML for texts and numbers."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
