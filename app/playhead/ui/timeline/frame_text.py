"""Finds the printed form of a frame at the end of an output, so that it is shown once: as a table.

The text is for readers that know no tables; in the window it would say the same thing twice.
"""

from __future__ import annotations

import re

from playhead.domain.conversation.payloads import Table

_LOOKED_AT_LINES = 160
_LOOKED_AT_CHARS = 100_000
_SERIES_FOOT = re.compile(r"(?:Freq: .+, )?(?:Name: .+, )?(?:Length: \d+, )?dtype: \S+")
_SERIES_WHOLE, _SERIES_CUT = 60, 11
"""pandas prints so many values one by one; of more the first and the last, and a gap."""
_CUT = frozenset({"...", "…", "\\"})


def without_frame(output: str, table: Table) -> str:
    """The output up to the frame's printed form; all of it where that is not found for sure.

    A table that does not bring its text is one of earlier versions: it is found by its looks.
    """
    if table.text:
        kept = output.removesuffix(f"{table.text}\n")
        return kept if not kept or kept.endswith("\n") else output
    begin = max(0, len(output) - _LOOKED_AT_CHARS)
    body = output[begin:].rstrip("\n")
    lines = body.split("\n")
    if _SERIES_FOOT.fullmatch(lines[-1]):
        begins = _first_of_series(lines, table)
        return output if begins < 0 else output[:begin] + _joined(lines[:begins])
    names = {word for name in table.columns for word in name.split()}
    is_partial = table.total_columns > len(table.columns)
    for number in range(len(lines) - 1, max(-1, len(lines) - _LOOKED_AT_LINES), -1):
        line = lines[number]
        if line.startswith("shape: (") and _is_boxed(lines, number + 1):
            return output[:begin] + _joined(lines[:number])
        if _is_head(_known_part(line) if is_partial else line, names):
            return output[:begin] + _joined(lines[: _first_head(lines, number, names)])
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
    known = [word for word in words if word not in _CUT]
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


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""
