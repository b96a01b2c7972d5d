"""Reads what a kernel said: its marks by kind."""

from __future__ import annotations

from typing import Any

from playhead.kernel.protocol import Mark


def of_kind(marks: list[Mark], kind: str) -> list[Mark]:
    """The marks of one kind, in their order."""
    return [mark for mark in marks if mark.kind == kind]


def lines_of(marks: list[Mark]) -> list[int | None]:
    """The lines that were announced or seen."""
    return [mark.integer("line") for mark in of_kind(marks, "line")]


def times_of(marks: list[Mark]) -> list[list[Any]]:
    """All rows of times."""
    return [row for mark in of_kind(marks, "timings") for row in mark.rows("times")]


def error_of(marks: list[Mark]) -> Mark:
    """The one error of a run."""
    (error,) = of_kind(marks, "error")
    return error
