"""What is said of a run's times: a note at the end of each line, heat beside the slow ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from playhead.domain.conversation.payloads import LineTiming
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
        self._lines: dict[int, tuple[float, float]] = {}

    def add(self, timing: LineTiming) -> str:
        """Take one more; the note for its line, '' where there is nothing to say."""
        if timing.share is not None:
            seconds, share = self._lines.get(timing.line, (0.0, 0.0))
            self._lines[timing.line] = (seconds + timing.seconds, share + timing.share)
            return ""
        seconds, last = self._statements.get(timing.line, (0.0, 0))
        seconds += timing.seconds
        self._statements[timing.line] = (seconds, max(last, timing.last_line, timing.line))
        return format_seconds(seconds) if seconds >= NOTED_FROM_S else ""

    def shares(self) -> Iterator[tuple[int, str]]:
        """Notes for single lines inside loops and functions, where there was time to speak of."""
        for line, (seconds, share) in self._lines.items():
            if seconds >= NOTED_FROM_S and share >= _NOTED_SHARE and line not in self._statements:
                yield line, f"{min(share, 1.0):.0%}"

    def heat(self) -> Iterator[Heat]:
        """Statements as a whole; where the times of single lines are known, these instead."""
        total = sum(seconds for seconds, _last in self._statements.values())
        if total < HEATED_FROM_S:
            return
        for first, (seconds, last) in sorted(self._statements.items()):
            if not any(first <= line <= last for line in self._lines):
                yield from _stretch(first, last, seconds / total)
        for line, (seconds, _share) in sorted(self._lines.items()):
            yield from _stretch(line, line, seconds / total)


def _stretch(first: int, last: int, share: float) -> Iterator[Heat]:
    if share >= _COOL_SHARE:
        yield Heat(first, last, min(HEAT_LEVELS, 1 + int(share * HEAT_LEVELS)))
