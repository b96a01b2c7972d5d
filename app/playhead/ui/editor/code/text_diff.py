"""The changes in a text, line by line, and as marks for a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LARGEST = 2_500
"""Lines between the first and the last change; more lines are reported as one change."""

ChangeKind = Literal["added", "changed", "removed"]


class Hunk(Struct, frozen=True, kw_only=True):
    """Lines that replaced others; the first lines count from 0."""

    old_first: int
    old: tuple[str, ...]
    new_first: int
    new: tuple[str, ...]

    @property
    def kind(self) -> ChangeKind:
        """Return whether lines were added, removed or changed."""
        if not self.old:
            return "added"
        return "changed" if self.new else "removed"


class LineMark(Struct, frozen=True):
    """A line, counted from 1, and its change; `removed` is at the place of missing lines."""

    line: int
    kind: ChangeKind


def hunks(old: str, new: str) -> list[Hunk]:
    """Return the changes from one text to the other, in order."""
    if old == new:
        return []
    before, after = old.split("\n"), new.split("\n")
    head = _alike(before, after)
    shortest = min(len(before), len(after)) - head
    tail = _alike(before[::-1], after[::-1], shortest)
    left, right = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(left), len(right)) > LARGEST:
        return [Hunk(old_first=head, old=tuple(left), new_first=head, new=tuple(right))]
    spans = _in_place(left, right) or _compared(left, right)
    return [
        Hunk(
            old_first=head + i1,
            old=tuple(left[i1:i2]),
            new_first=head + j1,
            new=tuple(right[j1:j2]),
        )
        for tag, i1, i2, j1, j2 in spans
        if tag != "equal"
    ]


def marks(changes: Sequence[Hunk], line_count: int) -> Iterator[LineMark]:
    """Yield the marks of the lines of the new text."""
    for hunk in changes:
        if not hunk.new:
            yield LineMark(min(max(hunk.new_first, 1), line_count), "removed")
        for number in range(len(hunk.new)):
            is_new = number >= len(hunk.old)
            yield LineMark(hunk.new_first + number + 1, "added" if is_new else "changed")


def _compared(
    left: Sequence[str], right: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    from difflib import SequenceMatcher  # not needed for the first paint

    return SequenceMatcher(None, left, right).get_opcodes()


def _in_place(
    left: Sequence[str], right: Sequence[str]
) -> list[tuple[str, int, int, int, int]] | None:
    """Return the lines that changed in place, as typing mostly does, without a search."""
    if len(left) != len(right):
        return None
    found = [n for n, (old, new) in enumerate(zip(left, right, strict=True)) if old != new]
    if 2 * len(found) > len(left) + 2:
        return None
    spans: list[tuple[str, int, int, int, int]] = []
    for number in found:
        if spans and spans[-1][2] == number:
            first = spans[-1][1]
            spans[-1] = ("replace", first, number + 1, first, number + 1)
        else:
            spans.append(("replace", number, number + 1, number, number + 1))
    return spans


def _alike(left: Sequence[str], right: Sequence[str], limit: int | None = None) -> int:
    """Return the number of items that are the same from the beginning on."""
    most = min(len(left), len(right)) if limit is None else limit
    for number in range(most):
        if left[number] != right[number]:
            return number
    return most
