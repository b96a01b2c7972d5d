"""Measure where the time of a run went: statements exactly, loops and lines inside them by samples.

A thread that looks at the running frame sees a loop of plain bytecode always at its last line,
because only there does the interpreter let other threads in. What it counts is therefore honest
for a loop as a whole and never for a line of it; single lines come from `LineTimes`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .channel import Channel

_ROWS_KEPT = 200
_ROWS_PER_MARK = 60
_SAMPLES_NEEDED = 8
"""Fewer samples, a quarter of a second, are not enough for a share."""


class _Part(NamedTuple):
    """The samples of one statement: its time and the weights of the lines inside it."""

    seconds: float
    weights: dict[int, float]


class RunTimings:
    """Collects the times of one run."""

    def __init__(self) -> None:
        self._statements: list[tuple[int, float, int]] = []
        self._samples: list[_Part] = []
        self._lines: list[_Part] = []

    def add(
        self,
        line: int,
        last_line: int,
        seconds: float,
        samples: dict[int, int],
        line_seconds: dict[int, float],
    ) -> None:
        """Add a statement that has ended, with the samples of its lines."""
        self._statements.append((line, seconds, last_line))
        if sum(samples.values()) >= _SAMPLES_NEEDED:
            self._samples.append(_Part(seconds, {at: float(n) for at, n in samples.items()}))
        if line_seconds:
            self._lines.append(_Part(seconds, line_seconds))

    def send(self, channel: Channel, tree: ast.Module | None) -> None:
        """Send all times, or those of the slowest statements if there are very many."""
        rows = self._statement_rows() + self._loop_rows(tree) + self._line_rows()
        for start in range(0, len(rows), _ROWS_PER_MARK):
            channel.send("timings", times=rows[start : start + _ROWS_PER_MARK])

    def _statement_rows(self) -> list[list[object]]:
        slowest = sorted(self._statements, key=lambda timing: -timing[1])[:_ROWS_KEPT]
        return [[line, round(seconds, 6), last, None] for line, seconds, last in sorted(slowest)]

    def _loop_rows(self, tree: ast.Module | None) -> list[list[object]]:
        if tree is None or not self._samples:
            return []
        spans = inner_loops(tree)
        return _rows([(span, *_share(span, self._samples)) for span in spans])

    def _line_rows(self) -> list[list[object]]:
        lines = sorted({line for part in self._lines for line in part.weights})
        return _rows([((line, line), *_share((line, line), self._lines)) for line in lines])


def inner_loops(tree: ast.Module) -> list[tuple[int, int]]:
    """Return first and last lines of loops inside statements; a statement has its own time."""
    tops = {id(node) for node in tree.body}
    loops = (ast.For, ast.AsyncFor, ast.While)
    found = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, loops) and id(node) not in tops
    ]
    return sorted(found)


def _share(span: tuple[int, int], parts: list[_Part]) -> tuple[float, float]:
    """Return seconds spent in these lines, and their share of the statements that ran them."""
    inside = around = 0.0
    for part in parts:
        weight = sum(n for line, n in part.weights.items() if span[0] <= line <= span[1])
        if weight:
            inside += part.seconds * weight / sum(part.weights.values())
            around += part.seconds
    return inside, inside / around if around else 0.0


def _rows(found: list[tuple[tuple[int, int], float, float]]) -> list[list[object]]:
    largest = sorted((row for row in found if row[2] > 0), key=lambda row: -row[1])[:_ROWS_KEPT]
    return [
        [span[0], round(seconds, 6), span[1], round(share, 4)]
        for span, seconds, share in sorted(largest)
    ]
