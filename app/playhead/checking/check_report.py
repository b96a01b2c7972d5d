"""The report of a check: what was run, with what, what differs; and its words for people."""

from __future__ import annotations

import time
from typing import Any, Literal

import msgspec
from msgspec import Struct

from playhead.checking.comparing.outcome import Outcome, Verdict

DifferenceKind = Literal[
    "text", "figure", "table", "markup", "error", "question", "file", "package", "run"
]
EnvironmentChoice = Literal["locked", "present"]
"""An environment made from the recorded versions, or the present one."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing that is not as recorded.

    `cell` is 0 for what belongs to no cell. `name` is that of a file, a package or an error.
    `words` say what differs, `cause` what is likely behind it. `before` and `now` are the two
    sides, None for a missing one; of a file or package as text.
    """

    cell: int
    kind: DifferenceKind
    words: str
    name: str = ""
    cause: str = ""
    before: Outcome | None = None
    now: Outcome | None = None


class CheckedCell(Struct, frozen=True, kw_only=True):
    """A cell that was run: `volatile` names what differs between any two runs."""

    number: int
    language: str
    code: str
    verdict: Verdict | Literal["not_run"]
    seconds: float = 0.0
    volatile: tuple[str, ...] = ()


class CheckReport(Struct, frozen=True, kw_only=True):
    """The result of a check; `at` in seconds since the epoch.

    `environment` says where the packages came from, `packages` and `python` what was there.
    `notes` are facts that limit what the check proves.
    """

    document: str
    at: float
    cells: tuple[CheckedCell, ...]
    differences: tuple[Difference, ...] = ()
    environment: EnvironmentChoice = "present"
    python: str = ""
    packages: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Return whether everything that was recorded came out again."""
        return not self.differences

    def of_cell(self, number: int) -> list[Difference]:
        """Return the differences of a cell; with 0 those of the whole."""
        return [one for one in self.differences if one.cell == number]


def report_wire(report: CheckReport) -> dict[str, Any]:
    """Return the report as JSON values; of pictures and tables only that they differ."""
    differences = [
        {
            "cell": one.cell,
            "kind": one.kind,
            "name": one.name,
            "words": one.words,
            "cause": one.cause,
            **{side: text for side in ("before", "now") if (text := _shown(getattr(one, side)))},
        }
        for one in report.differences
    ]
    cells = [
        {name: value for name, value in msgspec.structs.asdict(cell).items() if name != "code"}
        for cell in report.cells
    ]
    return {
        "document": report.document,
        "result": "same" if report.is_same else "different",
        "checked_at": moment_words(report.at),
        "environment": report.environment,
        "python": report.python,
        "packages": list(report.packages),
        "inputs": list(report.inputs),
        "notes": list(report.notes),
        "cells": cells,
        "differences": [{name: v for name, v in one.items() if v != ""} for one in differences],
    }


def _shown(outcome: Outcome | None) -> str:
    return outcome.text[:2000] if outcome is not None else ""


def report_rows(report: CheckReport) -> list[str]:
    """Return the report as lines for a terminal, or the comments of a script."""
    rows = [headline(report), environment_words(report)]
    if report.inputs:
        rows.append(f"Inputs: {', '.join(report.inputs)}")
    rows += [difference_words(one) for one in report.differences]
    volatile = [
        f"Cell {cell.number}: not compared, since it differs every time: {', '.join(cell.volatile)}"
        for cell in report.cells
        if cell.volatile
    ]
    return [*rows, *volatile, *report.notes]


def headline(report: CheckReport) -> str:
    """Return the result in one sentence."""
    total = sum(cell.verdict != "not_run" for cell in report.cells)
    cells = "1 cell" if total == 1 else f"{total:,} cells"
    when = moment_words(report.at)
    if report.is_same:
        return f"Checked {when}: {cells} ran from the top and gave what is recorded."
    count = len(report.differences)
    found = "1 difference" if count == 1 else f"{count:,} differences"
    return f"Checked {when}: {cells} ran from the top, with {found}."


def environment_words(report: CheckReport) -> str:
    """Return where the code ran, with which packages."""
    where = {
        "locked": "a new environment with the recorded versions",
        "present": "the environment of this computer, not one made from the recorded versions",
    }[report.environment]
    packages = ", ".join(report.packages)
    return f"Python {report.python} in {where}" + (f": {packages}." if packages else ".")


def difference_words(difference: Difference) -> str:
    """Return a difference on one line."""
    where = f"Cell {difference.cell}" if difference.cell else difference.kind.capitalize()
    what = difference.kind if difference.cell else ""
    named = " ".join(filter(None, (where, what, difference.name)))
    because = f" ({difference.cause})" if difference.cause else ""
    return " ".join(f"{named}: {difference.words}{because}.".split())


def moment_words(at: float) -> str:
    """Return a time as a date and the time of day, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
