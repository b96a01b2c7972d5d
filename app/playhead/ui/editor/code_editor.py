"""What the window asks of a code editor, whichever widget stands behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtWidgets import QWidget

from playhead.ui.editor.line_diff import LineMark
from playhead.ui.wording import mark, tr

DISPLAY_LINE_LIMIT = 20_000
"""Longer lines are cut for display: two megabytes on one line take over a second to paint."""

HEAT_LEVELS = 4

CUT_MARK = mark(" … (line cut for display)")


def accessible_name(line: int) -> str:
    """What a screen reader says of the field in which the code stands."""
    return tr("Code editor, line {line}", line=line)


@dataclass(frozen=True, slots=True)
class EditorColours:
    """Colours as `#rrggbb` and the type face of the code."""

    background: str
    text: str
    mute: str
    faint: str
    hairline: str
    selection: str
    accent: str
    running: str
    keyword: str
    string: str
    number: str
    function: str
    comment: str
    added: str
    error: str
    error_background: str
    family: str
    size_px: int

    def of_style(self, style: str) -> str:
        """The colour of a style name (`keyword`, `string`, … `text`)."""
        match style:
            case "keyword" | "string" | "number" | "function" | "comment":
                return str(getattr(self, style))
            case "operator":
                return self.mute
            case _:
                return self.text


class CodeEditor(Protocol):
    """A text widget for code; lines and columns count from 1, columns in characters.

    Signals: `edited()` when the user (not the program) changed the text,
    `cursor_moved(line, column)`, `line_pointed(line)` when the mouse is at another line, 0 for
    none.
    """

    # Bound signals; PySide6's stubs give them a type that no protocol can name.
    edited: Any
    cursor_moved: Any
    line_pointed: Any

    @property
    def widget(self) -> QWidget:
        """The widget to lay out and to focus."""
        ...

    def text(self) -> str:
        """The whole text, also where a line is cut for display."""
        ...

    def show_text(self, text: str) -> None:
        """Put up another text; forgets undo steps, notes and markers."""
        ...

    def replace_text(self, text: str) -> None:
        """Exchange the text as one step that can be undone."""
        ...

    def append(self, text: str) -> None:
        """Add streamed text at the end; all of it up to `end_stream` is one undo step."""
        ...

    def end_stream(self) -> None:
        """The streamed text is complete."""
        ...

    def set_language(self, language: str) -> None:
        """Colour as this language; an unknown one is plain text."""
        ...

    def set_colours(self, colours: EditorColours) -> None:
        """Take the colours of a theme."""
        ...

    def set_read_only(self, is_read_only: bool) -> None:
        """Whether the user may type."""
        ...

    def set_running_line(self, line: int | None, note: str = "") -> None:
        """Mark the line that runs, with a note at its end; None: nothing runs."""
        ...

    def set_line_note(self, line: int, note: str) -> None:
        """A quiet note at the end of a line; '' takes it away."""
        ...

    def set_heat(self, first: int, last: int, level: int) -> None:
        """How much of the time these lines took, from 1 (some) to HEAT_LEVELS (nearly all)."""
        ...

    def show_error(self, line: int, text: str) -> None:
        """An error under its line."""
        ...

    def set_traced(self, first: int, last: int) -> None:
        """Mark the lines that printed what is pointed at; 0 and 0: none."""
        ...

    def clear_notes(self) -> None:
        """Take away markers, notes, heat and errors."""
        ...

    def reveal_line(self, line: int) -> None:
        """Scroll until the line can be seen, without moving the cursor."""
        ...

    def cursor(self) -> tuple[int, int]:
        """Line and column of the cursor."""
        ...

    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        ...

    def undo(self) -> None:
        """Take back the last step."""
        ...

    def redo(self) -> None:
        """Do again what was taken back."""
        ...

    @property
    def is_cut(self) -> bool:
        """Whether a line is cut for display: the text cannot be typed in then."""
        ...

    def display_text(self) -> str:
        """The text as it is shown, long lines cut; places below count its characters from 0."""
        ...

    def selection(self) -> tuple[int, int]:
        """Where the selection begins and ends."""
        ...

    def select(self, start: int, end: int) -> None:
        """Select, and scroll there."""
        ...

    def mark_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark places, in order; none: no marks."""
        ...

    def replace_spans(self, spans: Sequence[tuple[int, int, str]]) -> None:
        """Put other texts in the place of some, in order, as one step; told as an edit."""
        ...

    def set_wrap(self, is_wrapped: bool) -> None:
        """Whether long lines go on below."""
        ...

    def set_changes(self, changes: Sequence[LineMark]) -> None:
        """Mark lines in the margin as added, changed, removed, each by its own shape."""
        ...
