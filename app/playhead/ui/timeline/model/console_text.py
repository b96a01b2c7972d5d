"""The output of a run as a terminal shows it: bounded lines with colours.

A traceback or a table at its end is found and left out, because it has a card of its own.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.payloads import Table

HEAD_LINES = 500
TAIL_LINES = 2_000
LINE_LIMIT = 2_000
"""Longer lines are cut for display."""
_REPLAY_LIMIT = 4 * LINE_LIMIT

# Everything but colours and erase-line: cursor moves, titles, character sets.
_CONTROLS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-JL-ln-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]"
    r"|\x1b[=>78NOM]|[\x00-\x07\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)
_SPECIAL = re.compile(r"\r|\x08|\x1b\[[012]?K")
_SGR = re.compile(r"\x1b\[[\d;:]*m")
_ESCAPE_START = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()])?\Z")


class ConsoleText:
    """Keeps the first and the last lines of an output; `hidden` counts those between."""

    def __init__(self) -> None:
        self.head: list[str] = []
        self.tail: deque[str] = deque(maxlen=TAIL_LINES)
        self.hidden = 0
        self._open = ""

    @property
    def open_line(self) -> str:
        """Return the last line, which has not ended yet."""
        return _overwritten(self._open)

    @property
    def line_count(self) -> int:
        """Return the number of all lines so far, with an unfinished one that is not empty."""
        return len(self.head) + len(self.tail) + self.hidden + bool(self._open)

    def feed(self, text: str) -> None:
        """Take more output, in any pieces."""
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
        room = HEAD_LINES - len(self.head) + 1
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
            # A progress bar rewrites one line for minutes: only the visible part is kept.
            whole, cut = _without_partial_escape(self._open)
            self._open = _overwritten(whole)[: LINE_LIMIT * 2] + ("\r" * whole.endswith("\r")) + cut

    def _keep(self, lines: list[str]) -> None:
        room = HEAD_LINES - len(self.head)
        self.head.extend(_overwritten(line) for line in lines[:room])
        lines = lines[room:] if room > 0 else lines
        dropped = max(0, len(self.tail) + len(lines) - TAIL_LINES)
        self.hidden += dropped
        self.tail.extend(_overwritten(line) for line in lines[-TAIL_LINES:])


def without_colours(text: str) -> str:
    """Return a kept line as plain text."""
    return _SGR.sub("", text) if "\x1b" in text else text


def _without_partial_escape(text: str) -> tuple[str, str]:
    match = _ESCAPE_START.search(text)
    return (text[: match.start()], match[0]) if match else (text, "")


def _overwritten(line: str) -> str:
    """Return a line after its carriage returns, backspaces and erasures, with its colours."""
    if line.endswith("\r"):
        line = line[:-1]
    if len(line) > _REPLAY_LIMIT:
        line = line[line.rfind("\r") + 1 :][:_REPLAY_LIMIT]
    if not line.isprintable():
        line = _CONTROLS.sub("", line)
        if _SPECIAL.search(line):
            line = _replay(line) if "\x1b" in line or "\b" in line else _overlaid(line)
    return line if len(line) <= LINE_LIMIT else line[:LINE_LIMIT] + " …"


def _overlaid(line: str) -> str:
    """Return a line with only carriage returns: each part overwrites the one before."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def _replay(line: str) -> str:
    """Write the line cell by cell; a cell is a character with the colours before it."""
    cells: list[tuple[str, str]] = []
    colour = ""
    at = position = 0
    while at < len(line):
        if sgr := _SGR.match(line, at):
            colour = sgr[0] if sgr[0] in ("\x1b[0m", "\x1b[m") else colour + sgr[0]
            at = sgr.end()
        elif special := _SPECIAL.match(line, at):
            at = special.end()
            position = _move(special[0], cells, position)
        else:
            cells[position : position + 1] = [(colour, line[at])]
            position += 1
            at += 1
    return _joined(cells, colour)


def _move(control: str, cells: list[tuple[str, str]], position: int) -> int:
    match control:
        case "\r":
            return 0
        case "\b":
            return max(0, position - 1)
        case "\x1b[1K":
            cells[:position] = [("", " ")] * min(position, len(cells))
        case "\x1b[2K":
            cells[:] = [("", " ")] * position
        case _:
            del cells[position:]
    return position


def _joined(cells: list[tuple[str, str]], last: str) -> str:
    pieces: list[str] = []
    colour = ""
    for wanted, character in cells:
        if wanted != colour:
            pieces.append("\x1b[0m" * bool(colour) + wanted)
            colour = wanted
        pieces.append(character)
    if last != colour:
        pieces.append("\x1b[0m" * bool(colour) + last)
    return "".join(pieces)


_SGR_NUMBERS = re.compile(r"\x1b\[([\d;:]*)m")
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
    for match in _SGR_NUMBERS.finditer(line):
        if match.start() > at:
            yield line[at : match.start()], style
        style = _after(style, match[1])
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


_TRACEBACK_HEAD = "Traceback (most recent call last):"
_SYNTAX_HEAD = '  File "'
_CHAIN_LINES = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_TRACEBACK_CHARS = 200_000
"""Characters at the end of an output in which a traceback is searched."""


def split_traceback(output: str, name: str) -> tuple[str, str]:
    """Return the output without the traceback at its end, and the traceback.

    The traceback is '' unless it is of this exception.
    """
    begin = max(0, len(output) - _TRACEBACK_CHARS)
    lines = output[begin:].rstrip("\n").split("\n")
    plain = [without_colours(line) for line in lines]
    head = _last_head(plain, name)
    if head is None:
        return output, ""
    while (earlier := _joined_to(plain, head)) is not None:
        head = earlier
    kept = "\n".join(lines[:head])
    before = output[:begin] + (f"{kept}\n" if kept else "")
    return before, "\n".join(plain[head:])


def _last_head(lines: list[str], name: str) -> int | None:
    """Return the start of the last traceback, if the exception of that name ends it."""
    # numpy's _ArrayMemoryError says of itself that its name is MemoryError.
    says = re.compile(rf"[\w.]*{re.escape(name)}(?::|$)")
    if not any(says.match(line) for line in lines):
        return None
    for number in range(len(lines) - 1, -1, -1):
        if lines[number] == _TRACEBACK_HEAD:
            return number if _ends_with(lines[number + 1 :], says) else None
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith(_SYNTAX_HEAD):
            return number if _ends_with(lines[number:], says) else None
    return None


def _ends_with(lines: list[str], says: re.Pattern[str]) -> bool:
    """Return whether the first line that is not indented names the exception."""
    first = next((line for line in lines if line and not line.startswith((" ", "\t"))), "")
    return says.match(first) is not None


def _joined_to(lines: list[str], head: int) -> int | None:
    """Return the start of the traceback before this one, if both are of one chain."""
    before = [number for number in range(max(0, head - 3), head) if lines[number] in _CHAIN_LINES]
    if not before:
        return None
    for number in range(before[-1] - 1, -1, -1):
        if lines[number] == _TRACEBACK_HEAD:
            return number
    return None


_FRAME_LINES = 160
_FRAME_CHARS = 100_000
_SERIES_FOOT = re.compile(r"(?:Freq: .+, )?(?:Name: .+, )?(?:Length: \d+, )?dtype: \S+")
_SERIES_WHOLE, _SERIES_CUT = 60, 11
"""pandas prints so many values one by one; of more the first and the last, and a gap."""
_GAP_MARKS = frozenset({"...", "…", "\\"})


def without_frame(output: str, table: Table) -> str:
    """The output up to the frame's printed form; all of it where that is not found for sure.

    A table that does not bring its text is one of earlier versions: it is found by its looks.
    """
    if table.text:
        kept = output.removesuffix(f"{table.text}\n")
        return kept if not kept or kept.endswith("\n") else output
    begin = max(0, len(output) - _FRAME_CHARS)
    body = output[begin:].rstrip("\n")
    lines = body.split("\n")
    if _SERIES_FOOT.fullmatch(lines[-1]):
        begins = _first_of_series(lines, table)
        return output if begins < 0 else output[:begin] + _joined_lines(lines[:begins])
    names = {word for name in table.columns for word in name.split()}
    is_partial = table.total_columns > len(table.columns)
    for number in range(len(lines) - 1, max(-1, len(lines) - _FRAME_LINES), -1):
        line = lines[number]
        if line.startswith("shape: (") and _is_boxed(lines, number + 1):
            return output[:begin] + _joined_lines(lines[:number])
        if _is_head(_known_part(line) if is_partial else line, names):
            return output[:begin] + _joined_lines(lines[: _first_head(lines, number, names)])
    return output


def _first_of_series(lines: list[str], table: Table) -> int:
    """Where the values of a series begin, above them the name of its index if it has one."""
    is_cut = table.total_rows > _SERIES_WHOLE
    has_head = any(table.columns[:-1])
    count = _SERIES_CUT if is_cut else table.total_rows
    if is_cut and "Length: " not in lines[-1]:
        return -1
    return len(lines) - 1 - count - has_head


def _known_part(line: str) -> str:
    """A head up to its gap: the last columns of a wide frame are not among those of the table."""
    return line.partition(" ... ")[0]


def _is_head(line: str, names: set[str]) -> bool:
    """A line of nothing but column names, indented by the width of the index."""
    words = line.split()
    known = [word for word in words if word not in _GAP_MARKS]
    return line.startswith(" ") and bool(known) and all(word in names for word in known)


def _first_head(lines: list[str], number: int, names: set[str]) -> int:
    """A wide frame is printed in parts, whose heads end in a backslash but for the last one's."""
    for before in range(number - 1, -1, -1):
        if _is_head(lines[before], names):
            if not lines[before].endswith("\\"):
                break
            number = before
    return number


def _is_boxed(lines: list[str], number: int) -> bool:
    return number < len(lines) and lines[number].startswith(("┌", "+", "Series: "))


def _joined_lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""
