"""Which markdown would stall the window to lay out: it is shown as it was written instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playhead.ui.wording import mark

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_LINES = 80
MOST_DEPTH = 9
"""The parser itself gives up at 20 levels, two for each list."""
MOST_BRACKETS, MOST_MARKS = 400, 700
LONGEST_WORD = 8_000
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")
_WORD = re.compile(rf"[^\s]{{{LONGEST_WORD}}}")
_PART = re.compile(r"[\s\S]{1,300}")
_PIECE_LINES, _PIECE_CHARS = 40, 4_000

TOO_LONG = mark("Shown as plain text: too long a list or quotation.")
TOO_DEEP = mark("Shown as plain text: nested too deep.")
TOO_MANY = mark("Shown as plain text: too many brackets.")
TOO_MIXED = mark("Shown as plain text: too many changes of type.")
TOO_WIDE = mark("Shown as plain text: too long a word.")


def why_plain(source: str, top: list[Token]) -> str:
    """Why a block is shown as it was written, '' where it need not be."""
    if top[0].type in _CONTAINERS:
        if max(token.level for token in top) > 2 * MOST_DEPTH:
            return TOO_DEEP
        if source.count("\n") > MOST_LINES:
            return TOO_LONG
    if source.count("[") > MOST_BRACKETS:
        return TOO_MANY
    if sum(map(source.count, "*_`~")) > MOST_MARKS:
        return TOO_MIXED
    return TOO_WIDE if len(source) > LONGEST_WORD and _WORD.search(source) else ""


def plain_part(text: str) -> int:
    """How much of a text still belongs to the block that it begins with, were that a container.

    It ends where a blank line is followed by one that begins at the margin.
    """
    at = 0
    is_after_blank = False
    for line in text.splitlines(keepends=True):
        if is_after_blank and line.strip() and not line[0].isspace():
            return at
        is_after_blank = not line.strip() and line.endswith("\n")
        at += len(line)
    return at


def plain_pieces(text: str) -> list[str]:
    """A text as parts that are laid out one by one; more of it changes only the last."""
    pieces: list[str] = [""]
    count = 0
    for line in text.splitlines(keepends=True):
        for at, part in enumerate(_PART.findall(line)):
            # Of one long line each part stands by itself: drawing it is quadratic in its length.
            if at or count == _PIECE_LINES or len(pieces[-1]) + len(part) > _PIECE_CHARS:
                pieces.append("")
                count = 0
            pieces[-1] += part
        count += 1
    return pieces
