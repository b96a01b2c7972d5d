"""Which line of the code was running when a line of output was printed."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator

from playhead.conversation.payloads import PrintedLines

FIRST_KEPT, LAST_KEPT = 1_000, 3_000
"""Changes of the line that are kept of a flood; of what lies between nothing is said."""
_UNKNOWN = 0


class PrintedRecorder:
    """Follows one console: `move()` with the running line, `grow()` with what is printed."""

    def __init__(self, line: int | None = None) -> None:
        self.line = line
        self._at = 0.0
        self._told: int | None = None
        self._first: list[tuple[float, int]] = []
        self._last: deque[tuple[float, int]] = deque(maxlen=LAST_KEPT)
        self._gap: float | None = None

    def move(self, line: int | None) -> None:
        """The code is at this line now; None: it is at none."""
        self.line = line

    def grow(self, text: str) -> None:
        """This was printed meanwhile."""
        if self.line != self._told:
            self._told = self.line
            self._note(self.line or _UNKNOWN)
        self._at = int(self._at) + text.count("\n") + (0.0 if text.endswith("\n") else 0.5)

    def taken(self) -> PrintedLines | None:
        """What is known so far; None if that is nothing."""
        gap = [] if self._gap is None else [(self._gap, _UNKNOWN)]
        marks = [*self._first, *gap, *self._last]
        if not any(line for _start, line in marks):
            return None
        return PrintedLines(tuple(at for at, _line in marks), tuple(line for _at, line in marks))

    def _note(self, line: int) -> None:
        """In the middle of a line only the latest counts: progress bars stay on theirs."""
        marks = self._last or self._first
        if marks and marks[-1][0] == self._at:
            marks[-1] = (self._at, line)
        elif len(self._first) < FIRST_KEPT:
            self._first.append((self._at, line))
        else:
            if len(self._last) == LAST_KEPT and self._gap is None:
                self._gap = self._last[0][0]
            self._last.append((self._at, line))


def sources_of(printed: PrintedLines, number: int) -> tuple[int, ...]:
    """The lines of code that printed a line of output (counted from 0), in order."""
    first = max(bisect_right(printed.starts, number) - 1, 0)
    last = bisect_left(printed.starts, number + 1)
    return tuple(dict.fromkeys(line for line in printed.lines[first:last] if line))


def printed_by(printed: PrintedLines, first: int, last: int) -> Iterator[tuple[int, int | None]]:
    """Stretches of output, from and to (None: the end), that these lines of code printed."""
    ends = [*printed.starts[1:], None]
    for start, end, line in zip(printed.starts, ends, printed.lines, strict=True):
        if first <= line <= last:
            yield int(start), None if end is None else math.ceil(end) - 1
