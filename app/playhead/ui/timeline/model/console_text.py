"""The output of a run as a terminal shows it: bounded lines with colours.

A table at its end is found and left out, because it has a card of its own. Places that a
traceback names are found, so that they lead there.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from copy import copy

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.left_out import split_left_out
from playhead.domain.conversation.payloads import OutputTail, Table
from playhead.domain.text.terminal import SGR, as_displayed, split_unfinished

HEAD_LINES = 500
TAIL_LINES = 2_000
LINE_LIMIT = 2_000
"""Longer lines are cut for display."""
_REPLAY_LIMIT = 4 * LINE_LIMIT


_PLACE = re.compile(r'^[ |+]*(File "(.+?)", line (\d{1,8}))(?!\d)')
_MOST_PLACES = 100


class TracePlace(Struct, frozen=True, kw_only=True):
    """A place that a traceback names: in its line `number`, from `start` to `end`.

    `source` is the line of code as the traceback shows it.
    """

    number: int
    start: int
    end: int
    file: str
    line: int
    source: str


def places_in(trace: str) -> list[TracePlace]:
    """Return the places that a traceback names, of very many the last ones."""
    lines = trace.split("\n")
    found = [(number, match) for number, line in enumerate(lines) if (match := _PLACE.match(line))]
    return [
        TracePlace(
            number=number,
            start=match.start(1),
            end=match.end(1),
            file=match[2],
            line=int(match[3]),
            source=lines[number + 1].strip(" |") if number + 1 < len(lines) else "",
        )
        for number, match in found[-_MOST_PLACES:]
    ]


class ConsoleText:
    """Keeps the first and the last lines of an output; `hidden` counts those between."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.hidden = 0
        self._open = ""
        self._is_cut = False

    @property
    def open_line(self) -> str:
        """Return the last line, which has not ended yet."""
        return _overwritten(self._open)

    @property
    def line_count(self) -> int:
        """Return the number of all lines so far, with an unfinished one that is not empty."""
        return len(self.head) + len(self.tail) + self.hidden + bool(self._open)

    def feed(self, text: str) -> None:
        """Take more output; only a line that says how many were left out must be in one piece."""
        while (cut := split_left_out(text)) is not None:
            before, lines, text = cut
            self._take(before)
            self._skip(lines)
        self._take(text)

    def followed_by(self, tail: OutputTail) -> ConsoleText:
        """Return the output with its last lines for now, which are not taken in."""
        whole = copy(self)
        whole.head, whole.tail = list(self.head), self.tail.copy()
        if tail.lines:
            whole._skip(tail.lines)
        whole._take(tail.text)
        return whole

    def _skip(self, lines: int) -> None:
        """Leave lines out; what was kept last is then not next to what follows."""
        if self._open:
            self._take("\n")
        self.hidden += lines + len(self.tail)
        self.tail.clear()
        self._is_cut = True

    @property
    def _room(self) -> int:
        return 0 if self._is_cut else HEAD_LINES - len(self.head)

    def _take(self, text: str) -> None:
        first, *rest = self._split(text)
        self._grow(first)
        if not rest:
            return
        lines = [self._open, *rest[:-1]]
        self._open = ""
        self._keep(lines)
        self._grow(rest[-1])

    def lines(self) -> list[str]:
        """Return all kept lines, the unfinished one too."""
        last = [self.open_line] if self._open else []
        return [*self.head, *self.tail, *last]

    def _split(self, text: str) -> list[str]:
        """Return the lines; count those in the middle that would be hidden at once."""
        room = self._room + 1
        lines = text.split("\n", room)
        if len(lines) <= room:
            return lines
        last = lines.pop().rsplit("\n", TAIL_LINES + 1)
        if len(last) > TAIL_LINES + 1:
            self.hidden += last.pop(0).count("\n") + 1
        return lines + last

    def _grow(self, text: str) -> None:
        self._open += text
        if len(self._open) > LINE_LIMIT:
            # A progress bar rewrites one line for minutes: only what shows is kept.
            whole, cut = split_unfinished(self._open)
            self._open = _overwritten(whole)[: LINE_LIMIT * 2] + ("\r" * whole.endswith("\r")) + cut

    def _keep(self, lines: list[str]) -> None:
        room = self._room
        self.head.extend(_overwritten(line) for line in lines[:room])
        lines = lines[room:] if room > 0 else lines
        dropped = max(0, len(self.tail) + len(lines) - TAIL_LINES)
        self.hidden += dropped
        self.tail.extend(_overwritten(line) for line in lines[-TAIL_LINES:])


def _overwritten(line: str) -> str:
    """Return a line after its carriage returns, backspaces and erasures, with its colours."""
    if line.endswith("\r"):
        line = line[:-1]
    if len(line) > _REPLAY_LIMIT:
        line = line[line.rfind("\r") + 1 :][:_REPLAY_LIMIT]
    if not line.isprintable():
        line = as_displayed(line)
    return line if len(line) <= LINE_LIMIT else line[:LINE_LIMIT] + " …"


_COLOUR = re.compile(SGR)
_CUBE = (0, 95, 135, 175, 215, 255)


class ConsoleStyle(Struct, frozen=True, kw_only=True):
    """The look of a span; a colour is a number of the theme's sixteen or `#RRGGBB`."""

    ink: int | str | None = None
    ground: int | str | None = None
    is_bold: bool = False
    is_faint: bool = False
    is_italic: bool = False
    is_underlined: bool = False
    is_reversed: bool = False


PLAIN_STYLE = ConsoleStyle()


def styled_spans(
    line: str, style: ConsoleStyle = PLAIN_STYLE
) -> Iterator[tuple[str, ConsoleStyle]]:
    """Yield texts with their styles, beginning in `style`.

    The last text may be empty: its style is the one after the line.
    """
    at = 0
    for match in _COLOUR.finditer(line):
        if match.start() > at:
            yield line[at : match.start()], style
        style = _after(style, match[0][2:-1])
        at = match.end()
    yield line[at:].replace("\x1b", ""), style


def _after(style: ConsoleStyle, parameters: str) -> ConsoleStyle:
    codes = [int(code) if code else 0 for code in re.split("[;:]", parameters)]
    rest = iter(codes)
    for code in rest:
        if code in (38, 48):
            colour = _extended(rest)
            if colour is not None:
                style = replace(style, **{"ink" if code == 38 else "ground": colour})
        else:
            style = _simple(style, code)
    return style


def _extended(rest: Iterator[int]) -> int | str | None:
    match next(rest, None):
        case 5:
            number = next(rest, None)
            return None if number is None else _indexed(number)
        case 2:
            red, green, blue = (min(255, next(rest, 0)) for _ in range(3))
            return f"#{red:02X}{green:02X}{blue:02X}"
        case _:
            return None


def _indexed(number: int) -> int | str:
    if number < 16:
        return number
    if number < 232:
        number -= 16
        red, green, blue = (_CUBE[number // step % 6] for step in (36, 6, 1))
        return f"#{red:02X}{green:02X}{blue:02X}"
    grey = 8 + 10 * (min(number, 255) - 232)
    return f"#{grey:02X}{grey:02X}{grey:02X}"


_SWITCHES = {
    1: ("is_bold", True),
    2: ("is_faint", True),
    3: ("is_italic", True),
    4: ("is_underlined", True),
    7: ("is_reversed", True),
    23: ("is_italic", False),
    24: ("is_underlined", False),
    27: ("is_reversed", False),
    39: ("ink", None),
    49: ("ground", None),
}


def _simple(style: ConsoleStyle, code: int) -> ConsoleStyle:
    if code == 0:
        return PLAIN_STYLE
    if code == 22:
        return replace(style, is_bold=False, is_faint=False)
    if code in _SWITCHES:
        name, value = _SWITCHES[code]
        return replace(style, **{name: value})
    for first, name, base in (
        (30, "ink", 0),
        (90, "ink", 8),
        (40, "ground", 0),
        (100, "ground", 8),
    ):
        if first <= code < first + 8:
            return replace(style, **{name: code - first + base})
    return style


def without_frame(output: str, table: Table) -> str:
    """Return the output up to the printed form of the table; all of it if it does not end so."""
    kept = output.removesuffix(f"{table.text}\n") if table.text else output
    return kept if not kept or kept.endswith("\n") else output
