"""Text with terminal escape sequences (ECMA-48), as plain text and as text safe to print.

An escape sequence could hide code from the person who approves it, answer in their place or reach
their clipboard; characters that turn the direction of text could show other code than runs
(CVE-2021-42574).
"""

from __future__ import annotations

import re
import unicodedata

from playhead.domain.text.unicode import whole_characters

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moves (ECMA-48, 5.4)
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC and other strings
    r"|[ -/]*[0-~])"
)
_CONTROLS = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]")
_REWRITTEN = re.compile(r"[\r\b]")


def plain(text: str) -> str:
    """Return the text without escapes and control characters; text overwritten by `\\r` is gone."""
    text = _ESCAPES.sub("", whole_characters(text)).replace("\r\n", "\n")
    text = _CONTROLS.sub("", text)
    if not _REWRITTEN.search(text):
        return text
    return "\n".join(map(_as_left, text.split("\n")))


def one_line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(plain(text).split())


def line_ends(text: str) -> str:
    """Return the text with whole characters and `\\n` for every kind of line end."""
    return whole_characters(text).replace("\r\n", "\n").replace("\r", "\n")


def _as_left(line: str) -> str:
    """Return what a terminal shows of a line after its carriage returns."""
    shown = ""
    for part in line.split("\r"):
        part = _without_backspaces(part)
        shown = part + shown[len(part) :]
    return shown


def _without_backspaces(part: str) -> str:
    if "\b" not in part:
        return part
    kept: list[str] = []
    for character in part:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


_TOKEN = re.compile(
    r"(?P<colour>\x1b\[[\d;:]*m)"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b(?:[ -/]*[0-Z^-~])?"
)
"""ECMA-48's control sequences, its strings, and everything else that begins like one."""
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)?\Z")
_KEPT = frozenset("\n\t\r")
_LONGEST_SEQUENCE = 4096


class OutputFilter:
    """Takes what a program prints, in any pieces; lets colours and text through."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what can be shown of the text; the beginning of a sequence is held back."""
        text = self._held + text
        cut = _UNFINISHED.search(text)
        end = (
            len(text) if cut is None or len(text) - cut.start() > _LONGEST_SEQUENCE else cut.start()
        )
        self._held = text[end:]
        return _TOKEN.sub(_colour_only, text[:end]).translate(_BARE)

    def finish(self) -> str:
        """Drop what was held back, because it is not text."""
        self._held = ""
        return ""


def without_controls(text: str) -> str:
    """Return prose without any control character."""
    return _TOKEN.sub("", text).translate(_BARE_PROSE)


def visible(code: str) -> str:
    """Return code with everything in it written out that a terminal would show differently."""
    return "".join(character if _is_seen(character) else _named(character) for character in code)


def _colour_only(found: re.Match[str]) -> str:
    return found["colour"] or ""


def _is_seen(character: str) -> bool:
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _named(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


_CONTROL_CODES = [*range(0x20), *range(0x7F, 0xA0)]
_BARE = {number: None for number in _CONTROL_CODES if chr(number) not in _KEPT | {"\x1b"}}
_BARE_PROSE = {number: None for number in _CONTROL_CODES if chr(number) not in "\n\t"}
