"""Finds the traceback that ends an output, so that it is shown once: in the error's card."""

from __future__ import annotations

import re

from playhead.ui.timeline.console_text import without_colours

_HEAD = "Traceback (most recent call last):"
_SYNTAX = '  File "'
_JOINTS = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_LOOKED_AT = 200_000
"""Characters at the end of an output among which a traceback is looked for."""


def split_traceback(output: str, name: str) -> tuple[str, str]:
    """The output without the traceback at its end, and that: '' unless it is of this exception."""
    begin = max(0, len(output) - _LOOKED_AT)
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
    """Where the last traceback begins, if the exception of that name ends it."""
    # numpy's _ArrayMemoryError says of itself that its name is MemoryError.
    says = re.compile(rf"[\w.]*{re.escape(name)}(?::|$)")
    if not any(says.match(line) for line in lines):
        return None
    for number in range(len(lines) - 1, -1, -1):
        if lines[number] == _HEAD:
            return number if _ends_with(lines[number + 1 :], says) else None
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith(_SYNTAX):
            return number if _ends_with(lines[number:], says) else None
    return None


def _ends_with(lines: list[str], says: re.Pattern[str]) -> bool:
    """Whether the first line that is not indented names the exception."""
    first = next((line for line in lines if line and not line.startswith((" ", "\t"))), "")
    return says.match(first) is not None


def _joined_to(lines: list[str], head: int) -> int | None:
    """Where the traceback before this one begins, if they are of one chain."""
    before = [number for number in range(max(0, head - 3), head) if lines[number] in _JOINTS]
    if not before:
        return None
    for number in range(before[-1] - 1, -1, -1):
        if lines[number] == _HEAD:
            return number
    return None
