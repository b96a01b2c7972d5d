"""Connects a line of output and the statement of the code that printed it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QObject

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, lines_that_printed, output_of_lines
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.timeline.view import TimelineView

if TYPE_CHECKING:
    import ast

_MOST_CHARS = 100_000
"""Longer code is not parsed, because that would block the window noticeably."""


def statement_around(language: str, code: str, line: int) -> tuple[int, int]:
    """Return the first and last line of the statement around a line, else the line itself.

    The lines inside a loop are not watched one by one, so its output belongs to the whole loop.
    """
    if language.lower() not in ("python", "python3", "py"):
        return line, line
    return next((span for span in _statements(code) if span[0] <= line <= span[1]), (line, line))


@lru_cache(maxsize=8)
def _statements(code: str) -> tuple[tuple[int, int], ...]:
    if len(code) > _MOST_CHARS:
        return ()
    import ast  # takes 0.7 MB

    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_span(node) for node in body)


def _span(node: ast.stmt) -> tuple[int, int]:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    return first, node.end_lineno or node.lineno


class _Run(Struct, frozen=True):
    """Code that ran, and its outputs."""

    proposal: Proposal
    consoles: tuple[str, ...]


class PrintedLines(QObject):
    """Connects the outputs of the timeline to the editor. Owner: the main window.

    Nothing is marked if the editor's text is not the one that ran.
    """

    def __init__(self, timeline: TimelineView, pane: EditorPane, parent: QObject) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._pane = pane
        self._known: tuple[str, str | None, list[_Run]] = ("", None, [])
        timeline.printed_pointed.connect(self._on_printed_pointed)
        timeline.printed_requested.connect(self._on_printed_requested)
        pane.line_pointed.connect(self._on_line_pointed)
        pane.printed_requested.connect(self._on_line_requested)

    def _on_printed_pointed(self, key: str, number: int) -> None:
        run = self._run_with(key) if number >= 0 else None
        lines = self._lines_of(run, key, number)
        self._timeline.trace({key: [(number, number)]} if lines else {})
        is_shown = run is not None and self._pane.text() == run.proposal.code
        self._pane.editor.mark_lines(_lines(lines) if lines and is_shown else ())

    def _on_printed_requested(self, key: str, number: int) -> None:
        run = self._run_with(key)
        lines = self._lines_of(run, key, number)
        if run is not None and lines:
            self._timeline.line_requested.emit(run.proposal.message_id, lines[0])
            if self._pane.text() == run.proposal.code:
                self._pane.editor.mark_lines(_lines(lines))

    def _on_line_pointed(self, line: int) -> None:
        self._timeline.trace(self._printed_by(line) if line else {})
        self._pane.editor.mark_lines(())

    def _on_line_requested(self, line: int) -> None:
        """Mark the output of the line with the cursor, and scroll to it."""
        traces = self._printed_by(line)
        self._timeline.trace(traces)
        first = next(iter(traces), "")
        if first:
            self._pane.editor.mark_lines(_lines(self._around(line)))
            self._timeline.reveal_printed(first, traces[first][0][0])

    def _lines_of(self, run: _Run | None, key: str, number: int) -> tuple[int, int] | None:
        """Return the lines of code that printed a line of output, whole statements."""
        conversation = self._timeline.conversation
        printed = conversation.printed(key) if conversation is not None else None
        if run is None or printed is None:
            return None
        language, code = run.proposal.language, run.proposal.code
        spans = [
            statement_around(language, code, one) for one in lines_that_printed(printed, number)
        ]
        return (min(spans)[0], max(last for _first, last in spans)) if spans else None

    def _printed_by(self, line: int) -> dict[str, list[tuple[int, int | None]]]:
        """Return, by output, the lines that a line of the code printed in its last run."""
        conversation = self._timeline.conversation
        run = self._run_of(self._pane.text())
        if conversation is None or run is None:
            return {}
        around = self._around(line)
        found: dict[str, list[tuple[int, int | None]]] = {}
        for key in run.consoles:
            printed = conversation.printed(key)
            if printed is not None and (spans := list(output_of_lines(printed, *around))):
                found[key] = spans
        return found

    def _around(self, line: int) -> tuple[int, int]:
        return statement_around(self._pane.language, self._pane.text(), line)

    def _run_with(self, key: str) -> _Run | None:
        return next((run for run in self._runs() if key in run.consoles), None)

    def _run_of(self, code: str) -> _Run | None:
        return next((run for run in self._runs() if run.proposal.code == code), None)

    def _runs(self) -> list[_Run]:
        """Return the runs of the path that is shown, the last one first."""
        conversation = self._timeline.conversation
        if conversation is None:
            return []
        if self._known[:2] != (conversation.id, conversation.leaf_id):
            runs = list(_runs_of(conversation.messages))
            self._known = (conversation.id, conversation.leaf_id, runs)
        return self._known[2]


def _runs_of(messages: Sequence[Message]) -> Iterator[_Run]:
    consoles: list[str] = []
    for message in reversed(messages):
        if message.type == "console":
            consoles.append(message.id)
        elif isinstance(message.content, Proposal):
            yield _Run(message.content, tuple(reversed(consoles)))
            consoles = []


def _lines(stretch: tuple[int, int]) -> range:
    return range(stretch[0], stretch[1] + 1)
