"""The line in a long output that says how many of its lines were left out there."""

from __future__ import annotations

import re

_BEGIN = "[… "
_LINE = re.compile(
    r"^\[… ([\d,]{1,15}) lines? \([\d,]+ bytes\) not shown, [^\n]*\]$\n?", re.MULTILINE
)


def left_out_line(lines: int, size_bytes: int, whereabouts: str) -> str:
    """Return the line for what was left out, with where all of it is."""
    count = f"{lines:,} lines" if lines != 1 else "1 line"
    return f"{_BEGIN}{count} ({size_bytes:,} bytes) not shown, {whereabouts}]\n"


def split_left_out(text: str) -> tuple[str, int, str] | None:
    """Return the text before the first such line, the number in it and the text after it."""
    found = _LINE.search(text) if _BEGIN in text else None
    if found is None:
        return None
    return text[: found.start()], int(found[1].replace(",", "") or 0), text[found.end() :]


def printed_lines(text: str) -> int:
    """Return how many lines an output has ended, with those that were left out."""
    count = 0
    while (cut := split_left_out(text)) is not None:
        before, lines, text = cut
        count += before.count("\n") + lines
    return count + text.count("\n")
