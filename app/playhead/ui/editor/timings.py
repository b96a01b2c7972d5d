"""What is said of a run's times: a note at the end of each line, heat beside the slow ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.conversation.payloads import LineTiming
from playhead.ui.durations import format_seconds
from playhead.ui.editor.code_editor import HEAT_LEVELS

NOTED_FROM_S = 0.001
HEATED_FROM_S = 0.05
"""A run as short as this has nothing slow in it."""
_COOL_SHARE = 0.05
_NOTED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Heat:
    """A stretch of lines and how much of the run's time they took."""

    first: int
    last: int
    level: int


class Timings:
    """Adds up the times of one run; times of the same statement are one."""

    def __init__(self) -> None:
        self._statements: dict[int, tuple[float, int]] = {}
        self._shares: dict[int, float] = {}

    def add(self, timing: LineTiming) -> str:
        """Take one more; the note for its line, '' where there is nothing to say."""
        if timing.share is not None:
            self._shares[timing.line] = self._shares.get(timing.line, 0.0) + timing.share
            return ""
        seconds, last = self._statements.get(timing.line, (0.0, 0))
        seconds += timing.seconds
        self._statements[timing.line] = (seconds, max(last, timing.last_line, timing.line))
        return format_seconds(seconds) if seconds >= NOTED_FROM_S else ""

    def shares(self) -> Iterator[tuple[int, str]]:
        """Notes for single lines, of statements that took long enough to ask where."""
        for first, (seconds, last) in self._statements.items():
            for line, part in self._inside(first, last).items():
                if seconds >= HEATED_FROM_S and part >= _NOTED_SHARE:
                    yield line, f"{part:.0%}"

    def heat(self) -> Iterator[Heat]:
        """Statements as a whole; where the times of single lines are known, these over them."""
        total = sum(seconds for seconds, _last in self._statements.values())
        if total < HEATED_FROM_S:
            return
        for first, (seconds, last) in sorted(self._statements.items()):
            inside = self._inside(first, last)
            if not inside:
                yield from _stretch(first, last, seconds / total)
            for line, part in sorted(inside.items()):
                yield from _stretch(line, line, part * seconds / total)

    def _inside(self, first: int, last: int) -> dict[int, float]:
        return {line: part for line, part in self._shares.items() if first <= line <= last}


def _stretch(first: int, last: int, share: float) -> Iterator[Heat]:
    if share >= _COOL_SHARE:
        yield Heat(first, last, min(HEAT_LEVELS, 1 + int(share * HEAT_LEVELS)))
