"""Output as a terminal would show it: lines put together, overwritten, and bounded."""

from __future__ import annotations

import re
from collections import deque

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
        """The last line, not yet ended."""
        return _overwritten(self._open)

    @property
    def line_count(self) -> int:
        """All lines there have been, with an open one that is not empty."""
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
        """All lines that were kept, the open one too."""
        last = [self.open_line] if self._open else []
        return [*self.head, *self.tail, *last]

    def _split(self, text: str) -> list[str]:
        """Its lines, but not those in the middle that would be hidden at once: they are counted."""
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
            # A progress bar rewrites one line for minutes: only what shows is kept.
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
    """A kept line as plain text."""
    return _SGR.sub("", text) if "\x1b" in text else text


def _without_partial_escape(text: str) -> tuple[str, str]:
    match = _ESCAPE_START.search(text)
    return (text[: match.start()], match[0]) if match else (text, "")


def _overwritten(line: str) -> str:
    """A line after its carriage returns, backspaces and erasures; colours stay in it."""
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
    """Only carriage returns: each part lies over what was there."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def _replay(line: str) -> str:
    """Write the line cell by cell; a cell is the colours before a character, and it."""
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
