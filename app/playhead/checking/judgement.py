"""Judges a check: all that was recorded beside all that came out."""

from __future__ import annotations

import ast
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from msgspec import Struct

from playhead.atomic_file import read_plain
from playhead.checking.check_report import CheckedCell, Difference
from playhead.checking.comparing.cell_comparison import (
    Pair,
    compare_pair,
    is_installation,
    likely_cause,
    pairs_of,
)
from playhead.checking.comparing.file_comparison import compare_files
from playhead.checking.comparing.outcome import Match, Outcome, Verdict
from playhead.checking.comparing.text_comparison import RunContext
from playhead.checking.manifest import FileRecord, hash_of, packages_of
from playhead.checking.recorded_cells import RecordedCell, Recording
from playhead.domain.conversation.message import Message
from playhead.errors import phrase

_LARGEST_COMPARED = 200_000_000
_SHOWN_TEXT = 20_000
_ASSIGNED = re.compile(r"^[ \t]*(?:(?:def|class)[ \t]+)?(\w+)", re.MULTILINE)
_IS_LATER = "{path} was written after the recorded runs, which may have seen another one."
_WAS_STOPPED = "Cell {number} was stopped when it was recorded, and was not run."
_LOST = "results of cells are recorded whose code is not in the file any more: {count}"
_INSTALLATION = phrase("what an installation prints")
_NO_RESULTS = "No results are recorded in this file: only errors could be found."
_NO_FILES = (
    "This file does not record which files its code read and made: those that the code names were "
    "taken from its folder, and what it made was not compared."
)
_NOT_RESULTS = frozenset({"__pycache__", ".ipynb_checkpoints", ".cache"})


class InputState(Struct, frozen=True, kw_only=True):
    """An input of a recording as it was found: `sha256` is "" if it is not there."""

    path: str
    record: FileRecord | None = None
    sha256: str = ""

    @property
    def is_there(self) -> bool:
        """Return whether it was there."""
        return bool(self.sha256)


class Judgement:
    """Compares a recording with the cells that were run in a folder; call the parts in order.

    `folder` has the files of the recording, where they still are.
    """

    def __init__(
        self, recording: Recording, now: Sequence[RecordedCell], folder: str, work: str
    ) -> None:
        self._recording = recording
        ran = (cell.number for cell in recording.cells if not cell.was_stopped)
        self._now = dict(zip(ran, now, strict=False))
        self._folder = folder
        self._work = work
        self._other_inputs: list[str] = []
        self._other_packages: list[str] = []
        self.cells: list[CheckedCell] = []
        self.differences: list[Difference] = []
        self.notes: list[str] = []
        self.packages_now: tuple[str, tuple[str, ...]] = ("", ())

    def judge_inputs(self, inputs: Sequence[InputState]) -> None:
        """Compare the inputs with those that are recorded."""
        for one in inputs:
            if not one.is_there:
                self._add_whole("file", one.path, phrase("it is an input, and is not there"))
            elif one.record is not None and one.record.sha256 != one.sha256:
                self._other_inputs.append(one.path)
                before, now = _hash_words(one.record.sha256), _hash_words(one.sha256)
                words = phrase("this input is another one than was recorded")
                self._add_whole("file", one.path, words, before, now)
            elif one.record is not None and one.record.is_later:
                self._other_inputs.append(one.path)
                self.notes.append(phrase(_IS_LATER, path=one.path))
        if not self._recording.manifest.is_whole:
            self.notes.append(phrase(_NO_FILES))

    def judge_packages(self, messages: Sequence[Message]) -> None:
        """Compare the packages that were imported with those that are recorded."""
        manifest = self._recording.manifest
        python, packages = self.packages_now = packages_of(messages)
        now = versions_of(packages)
        for name, version in versions_of(manifest.packages).items():
            if name in now and now[name] != version:
                self._other_packages.append(name)
                words = phrase("{now}, recorded with {before}", now=now[name], before=version)
                self._add_whole("package", name, words, version, now[name])
        if manifest.python and python and _minor(manifest.python) != _minor(python):
            before = manifest.python
            words = phrase("{now}, recorded with {before}", now=python, before=before)
            self._add_whole("package", "Python", words, before, python)
        if not manifest.packages and not manifest.python:
            self.notes.append(phrase("No versions of packages are recorded."))

    def judge_cells(self) -> None:
        """Compare what each cell gave."""
        code = ""
        for cell in self._recording.cells:
            code += cell.code + "\n"
            came = self._now.get(cell.number)
            if came is not None:
                self._judge_cell(cell, came, code)
                continue
            self._add_cell(cell, "not_run")
            if cell.was_stopped:
                self.notes.append(phrase(_WAS_STOPPED, number=cell.number))
            else:
                self._add_end(cell, phrase("it was not run"))
        if self._recording.lost_results:
            words = phrase(_LOST, count=self._recording.lost_results)
            self._add_whole("run", "", words)
        if all(not cell.has_results for cell in self._recording.cells):
            self.notes.append(phrase(_NO_RESULTS))

    def _judge_cell(self, cell: RecordedCell, came: RecordedCell, code: str) -> None:
        was = RunContext(code=code, began_at=cell.began_at, ended_at=cell.ended_at)
        now_is = RunContext(code=code, began_at=came.began_at, ended_at=came.ended_at)
        is_known = cell.has_results and not is_installation(cell.code)
        volatile: list[str] = [] if is_known or not cell.has_results else [_INSTALLATION]
        verdict: Verdict = "volatile" if volatile else "same"
        pairs = pairs_of(cell.outcomes if is_known else (), came.outcomes)
        for pair in pairs:
            if not is_known and (pair[1] is None or pair[1].kind not in ("error", "question")):
                continue
            match = self._compare(pair, was, now_is)
            if match.verdict == "volatile":
                volatile.append(match.words)
                verdict = "volatile" if verdict == "same" else verdict
            elif match.verdict == "differs":
                verdict = "differs"
                self._add_pair(cell, pair, match, code)
        if came.end != cell.end:
            verdict = "differs"
            recorded = phrase("it did not end as recorded: {end}", end=cell.end.rstrip("."))
            self._add_end(cell, came.end.rstrip(".") or recorded)
        took = max(0.0, came.ended_at - came.began_at)
        self._add_cell(cell, verdict, took, tuple(dict.fromkeys(volatile)))

    def _add_end(self, cell: RecordedCell, words: str) -> None:
        self.differences.append(Difference(cell=cell.number, kind="run", words=words))

    def _compare(self, pair: Pair, was: RunContext, now_is: RunContext) -> Match:
        before, now = pair
        if now is not None and now.kind == "question" and before is not None:
            return Match("differs", phrase("it asks for input, and what was typed is not recorded"))
        return compare_pair(pair, was, now_is)

    def _add_pair(self, cell: RecordedCell, pair: Pair, match: Match, code: str) -> None:
        before, now = pair
        kind = (now or before or Outcome(kind="text")).kind
        self.differences.append(
            Difference(
                cell=cell.number,
                kind=kind,
                words=match.words,
                cause=likely_cause(now, code, self._assigned) or self._other_cause(),
                before=before,
                now=now,
            )
        )

    def _other_cause(self) -> str:
        if self._other_inputs:
            names = ", ".join(self._other_inputs[:3])
            return phrase("{names} may have been another one", names=names)
        if self._other_packages:
            names = ", ".join(self._other_packages[:3])
            return phrase("another version of {names}", names=names)
        return ""

    @cached_property
    def _assigned(self) -> frozenset[str]:
        """Return the names that any cell makes."""
        names: set[str] = set()
        for cell in self._recording.cells:
            try:
                tree = ast.parse(cell.code)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                names.update(_ASSIGNED.findall(cell.code))
                continue
            for node in ast.walk(tree):
                match node:
                    case ast.Name(id=name, ctx=ast.Store()):
                        names.add(name)
                    case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                        names.add(name)
                    case ast.alias(name=name, asname=asname):
                        names.add(asname or name.partition(".")[0])
                    case _:
                        pass
        return frozenset(names)

    def judge_files(self, inputs: Sequence[InputState]) -> None:
        """Compare the files that were made with those that are recorded."""
        manifest = self._recording.manifest
        if not manifest.is_whole:
            return
        known = {one.path: one.sha256 for one in inputs}
        made = set(_files_of(self._work)) - known.keys()
        for record in manifest.outputs:
            if record.path not in made:
                self._add_whole("file", record.path, phrase("it is not made any more"))
            else:
                self._judge_file(record)
        for path in sorted(made - {one.path for one in manifest.outputs}):
            name = path.encode("utf-8", "backslashreplace").decode()
            self._add_whole("file", name, phrase("it is made now, which is not recorded"))

    def _judge_file(self, record: FileRecord) -> None:
        path = os.path.join(self._work, record.path)
        if _has_hash(path, record.sha256, self._work):
            return
        original = os.path.join(self._folder, record.path)
        before = _contents(original) if _has_hash(original, record.sha256) else None
        now = _contents(path, self._work)
        if before is None or now is None:
            words = phrase("another file (only hashes were compared: the recorded one is gone)")
            self._add_whole("file", record.path, words)
            return
        code = "\n".join(cell.code for cell in self._recording.cells)
        match = compare_files(record.path, before, now, *self._contexts(code))
        if match.verdict == "differs":
            cause = likely_cause(None, code, self._assigned) or self._other_cause()
            self._add_whole("file", record.path, match.words, before, now, cause)

    def _contexts(self, code: str) -> tuple[RunContext, RunContext]:
        def of(cells: Sequence[RecordedCell]) -> RunContext:
            began = min((one.began_at for one in cells if one.began_at), default=0.0)
            ended = max((one.ended_at for one in cells), default=0.0)
            return RunContext(code=code, began_at=began, ended_at=ended)

        return of(self._recording.cells), of(tuple(self._now.values()))

    def _add_cell(
        self,
        cell: RecordedCell,
        verdict: Verdict | str,
        seconds: float = 0.0,
        volatile: tuple[str, ...] = (),
    ) -> None:
        self.cells.append(
            CheckedCell(
                number=cell.number,
                language=cell.language,
                code=cell.code,
                verdict=verdict,  # pyright: ignore[reportArgumentType] - one of the verdicts
                seconds=round(seconds, 3),
                volatile=volatile,
            )
        )

    def _add_whole(
        self,
        kind: str,
        name: str,
        words: str,
        before: str | bytes = "",
        now: str | bytes = "",
        cause: str = "",
    ) -> None:
        self.differences.append(
            Difference(
                cell=0,
                kind=kind,  # pyright: ignore[reportArgumentType] - one of the kinds
                name=name,
                words=words,
                cause=cause,
                before=_as_outcome(before),
                now=_as_outcome(now),
            )
        )


def _as_outcome(content: str | bytes) -> Outcome | None:
    from playhead.formats.documents.picture import picture_of_bytes

    if not content:
        return None
    if isinstance(content, str):
        return Outcome(kind="text", text=content)
    if (picture := picture_of_bytes(content)) is not None:
        return Outcome(kind="figure", name=picture.mime, data=content)
    if b"\0" in content[:8000]:
        return Outcome(kind="text", text=f"{len(content):,} bytes")
    return Outcome(kind="text", text=content.decode("utf-8", "replace")[:_SHOWN_TEXT])


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of packages that are written like `numpy 2.3.1`."""
    pairs = (one.partition(" ") for one in packages)
    return {name: version for name, _, version in pairs}


def _hash_words(digest: str) -> str:
    return f"SHA-256 {digest[:16]}…"


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _contents(path: str, folder: str = "") -> bytes | None:
    try:
        return read_plain(path, _LARGEST_COMPARED, folder)
    except OSError:
        return None


def _has_hash(path: str, digest: str, folder: str = "") -> bool:
    try:
        return hash_of(path, folder) == digest
    except OSError:
        return False


def _files_of(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one not in _NOT_RESULTS]
        for name in names:
            path = os.path.join(place, name)
            with suppress(OSError):  # what has been left running can delete it
                if stat.S_ISREG(os.lstat(path).st_mode):  # code can make pipes and links, too
                    yield os.path.relpath(path, folder).replace(os.sep, "/")
