"""Text with terminal escape sequences (ECMA-48), as plain text and as text safe to print.

An escape sequence could hide code from the person who approves it, answer in their place or reach
their clipboard; characters that turn the direction of text could show other code than runs
(CVE-2021-42574).
"""

from __future__ import annotations

import re
import unicodedata

from playhead.domain.text.unicode import whole_characters

SGR = r"\x1b\[[0-9;:]*m"
"""Colours and styles (ECMA-48, 8.3.117)."""
_ERASE_LINE = r"\x1b\[[012]?K"
_SEQUENCE = (
    r"(?:\x1b\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, moves (ECMA-48, 5.4)
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # control strings: titles, clipboard (5.6)
    r"|\x1b(?:[ -/]*[0-~])?)"  # character sets (ECMA-35) and whatever else begins like one
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")
_LONGEST_SEQUENCE = 4096

_ANY = re.compile(_SEQUENCE)
_COLOUR = re.compile(SGR)
_NO_COLOUR = re.compile(rf"(?!{SGR}){_SEQUENCE}")
_NO_EDIT = re.compile(
    rf"(?!{SGR}|{_ERASE_LINE}){_SEQUENCE}|[\x00-\x07\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"
)
"""What neither colours a line nor changes what is in it."""
_EDIT = re.compile(rf"\r|\x08|{_ERASE_LINE}")


def plain(text: str) -> str:
    """Return the text as a terminal shows it, without colours."""
    text = _NO_EDIT.sub("", whole_characters(text).replace("\r\n", "\n"))
    text = without_colours(text)  # only then: what is left must not become a sequence
    return "\n".join(map(as_displayed, text.split("\n"))) if _EDIT.search(text) else text


def without_colours(text: str) -> str:
    """Return the text without sequences that colour it; other ones stay."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def split_unfinished(text: str) -> tuple[str, str]:
    """Return the text up to a sequence that its end may have cut, and the beginning of that."""
    cut = _UNFINISHED.search(text, max(0, len(text) - _LONGEST_SEQUENCE))
    return (text[: cut.start()], cut[0]) if cut else (text, "")


def one_line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(plain(text).split())


def line_ends(text: str) -> str:
    """Return the text with whole characters and `\\n` for every kind of line end."""
    return whole_characters(text).replace("\r\n", "\n").replace("\r", "\n")


def as_displayed(line: str) -> str:
    """Return a line after its returns, backspaces and erasures; colours stay in it."""
    line = _NO_EDIT.sub("", line.removesuffix("\r"))
    if not _EDIT.search(line):
        return line
    return _replay(line) if "\x1b" in line or "\b" in line else _overlaid(line)


def _overlaid(line: str) -> str:
    """Return the line where each part after a return covers the parts before."""
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
        if sgr := _COLOUR.match(line, at):
            colour = sgr[0] if sgr[0] in ("\x1b[0m", "\x1b[m") else colour + sgr[0]
            at = sgr.end()
        elif special := _EDIT.match(line, at):
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


_KEPT = frozenset("\n\t\r")


class OutputFilter:
    """Takes what a program prints, in any pieces; lets colours and text through."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what can be shown of the text; the beginning of a sequence is held back."""
        whole, self._held = split_unfinished(self._held + text)
        return _NO_COLOUR.sub("", whole).translate(_BARE)

    def finish(self) -> str:
        """Drop what was held back, because it is not text."""
        self._held = ""
        return ""


def without_controls(text: str) -> str:
    """Return prose without any control character."""
    return _ANY.sub("", text).translate(_BARE_PROSE)


def visible(code: str) -> str:
    """Return code with everything in it written out that a terminal would show differently."""
    return "".join(character if _is_seen(character) else _named(character) for character in code)


def _is_seen(character: str) -> bool:
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _named(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


_CONTROL_CODES = [*range(0x20), *range(0x7F, 0xA0)]
_BARE = {number: None for number in _CONTROL_CODES if chr(number) not in _KEPT | {"\x1b"}}
_BARE_PROSE = {number: None for number in _CONTROL_CODES if chr(number) not in "\n\t"}
