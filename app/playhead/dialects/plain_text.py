"""Output of programs as plain text: without colours, as a terminal would leave it."""

from __future__ import annotations

import re

from playhead.dialects.surrogates import whole_characters

_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moves (ECMA-48, 5.4)
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC and other strings
    r"|[ -/]*[0-~])"
)
_CONTROLS = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]")
_REWRITTEN = re.compile(r"[\r\b]")


def plain(text: str) -> str:
    """The text without escapes and control characters; what `\\r` overwrote is gone."""
    text = _ESCAPES.sub("", whole_characters(text)).replace("\r\n", "\n")
    text = _CONTROLS.sub("", text)
    if not _REWRITTEN.search(text):
        return text
    return "\n".join(map(_as_left, text.split("\n")))


def one_line(text: str) -> str:
    """The text on one line."""
    return " ".join(plain(text).split())


def line_ends(text: str) -> str:
    """The text with whole characters and `\\n` for every kind of line end."""
    return whole_characters(text).replace("\r\n", "\n").replace("\r", "\n")


def _as_left(line: str) -> str:
    """What a terminal shows of a line after its returns."""
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
