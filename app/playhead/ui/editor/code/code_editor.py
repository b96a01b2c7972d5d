"""The protocol of a code editor, which two widgets implement.

The module also has the shared parts of both: colours, lines cut for display, and the line
under the mouse.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFontInfo, QMouseEvent
from shiboken6 import isValid

from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QPoint
    from PySide6.QtWidgets import QWidget

    from playhead.ui.editor.code.text_diff import LineMark
    from playhead.ui.widgets.theme import Theme

DISPLAY_LINE_LIMIT = 20_000
"""Longer lines are cut for display: two megabytes on one line take over a second to paint."""

HEAT_LEVELS = 4

MarkKind = Literal["traced", "risky", "breakpoint"]

CUT_MARK = mark(" … (line cut for display)")


def accessible_name(line: int) -> str:
    """Return the name of the code field for screen readers."""
    return tr("Code editor, line {line}", line=line)


class EditorColours(Struct, frozen=True, kw_only=True):
    """Colours as `#rrggbb` and the font of the code."""

    background: str
    text: str
    mute: str
    faint: str
    hairline: str
    selection: str
    accent: str
    warn: str
    running: str
    paused: str
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
        """Return the colour of a style name (`keyword`, `string`, … `text`)."""
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
    `cursor_moved(line, column)`, `line_pointed(line)` when the mouse moves to another line, 0 for
    none, `number_clicked(line)` for a click beside a line.
    """

    # Bound signals; PySide6's stubs give them a type that no protocol can name.
    edited: Any
    cursor_moved: Any
    line_pointed: Any
    number_clicked: Any

    @property
    def widget(self) -> QWidget:
        """Return the widget to lay out and to focus."""
        ...

    def text(self) -> str:
        """Return the whole text, even if a line is cut for display."""
        ...

    def show_text(self, text: str) -> None:
        """Show another text; forget undo steps, notes and markers."""
        ...

    def replace_text(self, text: str) -> None:
        """Replace the text as one step that can be undone."""
        ...

    def append(self, text: str) -> None:
        """Add streamed text at the end; all of it up to `end_stream` is one undo step."""
        ...

    def end_stream(self) -> None:
        """End the stream; the text is complete."""
        ...

    def set_language(self, language: str) -> None:
        """Set the language for the colours; an unknown one is plain text."""
        ...

    def set_colours(self, colours: EditorColours) -> None:
        """Set the colours of a theme."""
        ...

    def set_read_only(self, is_read_only: bool) -> None:
        """Set whether the text is read-only."""
        ...

    def set_running_line(
        self, line: int | None, note: str = "", *, is_paused: bool = False
    ) -> None:
        """Mark the line that runs, or will after a pause, with a note; None if nothing runs."""
        ...

    @property
    def breakpoints(self) -> list[int]:
        """Return the lines to pause before, which move with their text; see `mark_lines`."""
        ...

    def set_line_note(self, line: int, note: str, *, is_passing: bool = False) -> None:
        """Show a quiet note at the end of a line; '' removes it.

        One that is passing is shown behind it, and leaves it as it is.
        """
        ...

    def set_heat(self, first: int, last: int, level: int) -> None:
        """Set these lines' share of the run time, from 1 (some) to HEAT_LEVELS (nearly all)."""
        ...

    def show_error(self, line: int, text: str) -> None:
        """Show an error under its line."""
        ...

    def mark_lines(self, lines: Sequence[int], kind: MarkKind = "traced") -> None:
        """Mark these lines and no others: they printed the output under the mouse, are risky, or
        the code pauses before them.
        """
        ...

    def clear_notes(self) -> None:
        """Remove markers, notes, heat and errors."""
        ...

    def reveal_line(self, line: int) -> None:
        """Scroll until the line is visible, without moving the cursor."""
        ...

    def cursor(self) -> tuple[int, int]:
        """Return the line and the column of the cursor."""
        ...

    @property
    def can_undo(self) -> bool:
        """Return whether there is a step to undo."""
        ...

    def undo(self) -> None:
        """Undo the last step."""
        ...

    def redo(self) -> None:
        """Redo the last undone step."""
        ...

    @property
    def is_cut(self) -> bool:
        """Return whether a line is cut for display, so that the text is read-only."""
        ...

    def display_text(self) -> str:
        """Return the shown text, long lines cut; positions below count its characters from 0."""
        ...

    def selection(self) -> tuple[int, int]:
        """Return the start and the end of the selection."""
        ...

    def place_at(self, point: QPoint) -> int:
        """Return the position of the character under a point of the text area; -1 for none."""
        ...

    def select(self, start: int, end: int) -> None:
        """Select a range and scroll to it."""
        ...

    def mark_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark ranges, in order; an empty sequence removes the marks."""
        ...

    def replace_spans(self, spans: Sequence[tuple[int, int, str]]) -> None:
        """Replace ranges, in order, as one step, and emit `edited`."""
        ...

    def set_wrap(self, is_wrapped: bool) -> None:
        """Set whether long lines wrap."""
        ...

    def set_changes(self, changes: Sequence[LineMark]) -> None:
        """Mark lines in the margin as added, changed, removed, each by its own shape."""
        ...


def editor_colours(theme: Theme) -> EditorColours:
    """Return the colours and the font of an editor in the current theme, at its zoom."""
    tokens = theme.tokens
    return EditorColours(
        background=tokens.bg,
        text=tokens.text,
        mute=tokens.mute,
        faint=tokens.faint,
        hairline=tokens.line,
        selection=tokens.selection,
        accent=tokens.accent,
        warn=tokens.warn,
        running=tokens.running,
        paused=mix_colours(tokens.bg, tokens.mute, 0.2),
        keyword=tokens.keyword,
        string=tokens.string,
        number=tokens.number,
        function=tokens.function,
        comment=tokens.comment,
        added=tokens.ok,
        error=tokens.danger,
        error_background=tokens.danger_bg,
        # Scintilla takes one family and no list of substitutes.
        family=QFontInfo(theme.code_font()).family(),
        size_px=theme.type.zoomed(theme.type.code_px),
    )


def bgr_number(colour: str) -> int:
    """Return `#rrggbb` as a blue-green-red number."""
    red, green, blue = _colour_parts(colour)
    return red | green << 8 | blue << 16


def mix_colours(ground: str, over: str, share: float) -> str:
    """Return a colour between two."""
    pairs = zip(_colour_parts(ground), _colour_parts(over), strict=True)
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def overlay_number(mixed_colour: str, under: str) -> int:
    """Return the most transparent colour with alpha that gives `mixed_colour` on top of `under`.

    Marks that are painted over line numbers must leave them readable.
    """
    pairs = list(zip(_colour_parts(mixed_colour), _colour_parts(under), strict=True))
    alpha = max(_least_alpha(over, base) for over, base in pairs)
    alpha = max(alpha, 1 / 255)
    red, green, blue = (
        min(255, max(0, round(base + (over - base) / alpha))) for over, base in pairs
    )
    return red | green << 8 | blue << 16 | round(alpha * 255) << 24


def _least_alpha(over: int, base: int) -> float:
    if over < base:
        return (base - over) / base
    return (over - base) / max(255 - base, 1)


def _colour_parts(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


_LINE_END = re.compile(r"[\r\n]")


class LineCutter:
    """Cuts long lines of a text that is fed in pieces; `text` is all that was fed."""

    def __init__(self, limit: int = DISPLAY_LINE_LIMIT) -> None:
        self._limit = limit
        self._long = re.compile(rf"[^\r\n]{{{limit + 1}}}")
        self._parts: list[str] = []
        self._column = 0
        self.has_cut = False

    @property
    def text(self) -> str:
        """Return the whole text."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def feed(self, text: str) -> str:
        """Take the next piece; return the part of it that is to be shown."""
        self._parts.append(text)
        if self._fits(text):
            ends = max(text.rfind("\n"), text.rfind("\r"))
            self._column = len(text) - ends - 1 + (self._column if ends < 0 else 0)
            return text
        return "".join(self._shown(piece) for piece in text.splitlines(keepends=True))

    def _fits(self, text: str) -> bool:
        """Return whether no line becomes too long; many short lines are checked at once."""
        if self._column + len(text) <= self._limit:
            return True
        first = _LINE_END.search(text)
        first_length = first.start() if first else len(text)
        return self._column + first_length <= self._limit and not self._long.search(text)

    def _shown(self, piece: str) -> str:
        line = piece.rstrip("\r\n")
        ending = piece[len(line) :]
        room = self._limit - self._column
        shown = line if len(line) <= room else line[: max(room, 0)]
        if len(line) > room >= 0:
            shown += tr(CUT_MARK)
            self.has_cut = True
        # One past the limit says that this line already has its mark.
        self._column = 0 if ending else min(self._column + len(line), self._limit + 1)
        return shown + ending


class WatchedViewport:
    """Lets others see the events of a viewport; a base of the class of a scroll area.

    Filters on the viewport itself would do the same. But it is a widget of Qt's own, and to see
    which the bindings make the classes of all kinds of widgets: 2 MB, and half a frame.
    """

    _watchers: tuple[QObject, ...] = ()

    def watch_viewport(self, watcher: QObject) -> None:
        """Have this one's `eventFilter` asked first."""
        self._watchers = watcher, *self._watchers

    def viewportEvent(self, event: QEvent) -> bool:
        """Ask the watchers before the area."""
        area: Any = self
        for one in self._watchers:
            if isValid(one) and one.eventFilter(area, event):
                return True
        return bool(super().viewportEvent(event))  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]


class HoveredLine(QObject):
    """Watches the viewport of an editor. Owner: the editor.

    `line_at` returns the line at a point, 0 for none; `on_changed` is called when it changes.
    """

    def __init__(
        self,
        area: Any,
        line_at: Callable[[QPoint], int],
        on_changed: Callable[[int], object],
    ) -> None:
        super().__init__(area)
        self._line_at = line_at
        self._on_changed = on_changed
        self._line = 0
        area.setMouseTracking(True)  # its viewport's, too
        area.watch_viewport(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Watch the mouse; let every event pass."""
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            is_still = not event.buttons().value
            self._point(self._line_at(event.position().toPoint()) if is_still else 0)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._point(0)
        return False

    def _point(self, line: int) -> None:
        if line != self._line:
            self._line = line
            self._on_changed(line)
