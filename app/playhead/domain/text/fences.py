"""Find the fences of Markdown (CommonMark 4.5), and write code blocks and quotations.

A block is written with a fence that is longer than any in it.
"""

from __future__ import annotations

import re

from msgspec import Struct

from playhead.domain.text.terminal import line_ends

_RUNS = re.compile(r"`+")
_INFO = re.compile(r"[\w+#.-]+")
_OPENING = re.compile(r"( {0,3})(`{3,}(?=[^`]*\Z)|~{3,})([^\n]*)\n?\Z")
_MAY_OPEN = re.compile(r" {0,3}(?:`{0,2}|~{0,2}|`{3,}[^`\n]*|~{3,}[^\n]*)")


class Fence(Struct, frozen=True):
    """The line that opens a block of code: `run` of backticks or tildes, and what follows them."""

    run: str
    info: str = ""
    indent: int = 0

    def closes(self, line: str) -> bool:
        """Return whether the line is the closing fence."""
        bare = line.rstrip(" \t\r\n")
        return bare.lstrip(" ").startswith(self.run) and self._has_only_marks(bare)

    def may_close(self, line: str) -> bool:
        """Return whether the beginning of a line can still become the closing fence."""
        return self.closes(line) or self._has_only_marks(line)

    def _has_only_marks(self, line: str) -> bool:
        bare = line.lstrip(" ")
        return len(line) - len(bare) <= 3 and not bare.strip(self.run[0])


def opening_fence(line: str) -> Fence | None:
    """Return the fence that the line opens a block with."""
    found = _OPENING.match(line)
    return Fence(found[2], found[3].strip(), len(found[1])) if found else None


def may_open(line: str) -> bool:
    """Return whether the beginning of a line can still become an opening fence."""
    return _MAY_OPEN.fullmatch(line) is not None


def open_fence(text: str) -> Fence | None:
    """Return the fence that is still open at the end of the text, however far it is indented."""
    fence: Fence | None = None
    for line in map(str.lstrip, text.split("\n")):
        if fence is None:
            fence = opening_fence(line)
        elif fence.closes(line):
            fence = None
    return fence


def fenced(text: str, word: str = "") -> str:
    """Return the text as a code block that it cannot close; `word` is its language."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    info = word if _INFO.fullmatch(word) else ""
    text = line_ends(text)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{info}\n{text}{end}{fence}"


def quoted(text: str) -> str:
    """Return the text as a quotation."""
    if not text:
        return ""
    return "\n".join(f"> {line}".rstrip() for line in line_ends(text).split("\n"))
