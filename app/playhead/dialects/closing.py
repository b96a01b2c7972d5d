"""Ends what a text of markdown leaves open, so that it keeps to itself."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from playhead.dialects.prose import fenced
from playhead.domain.text.terminal import line_ends

_SENTINEL = "closed"
_CLOSERS = ("", "```", "~~~", "-->", "</pre>", "</script>", "</style>", "</textarea>")
_RARE_CLOSERS = ("?>", "]]>", ">")
_FENCE = re.compile(r"^[ >\t]*(?:[-*+]\s+|\d+[.)]\s+)*(`{3,}|~{3,})", re.MULTILINE)


class Closer:
    """Ends what a text of markdown leaves open, so that what follows it is not swallowed."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").disable("inline").enable("table")

    def closed(self, text: str) -> str:
        """The text, where it needs one with an end, in the worst case as a block of code."""
        text = line_ends(text)
        for closer in (*_CLOSERS, *_long_fences(text), *_RARE_CLOSERS):
            candidate = f"{text}\n{closer}" if closer else text
            if self._ends(candidate):
                return candidate
        return fenced(text, "markdown")

    def _ends(self, text: str) -> bool:
        """Whether a heading after the text is a heading of the document."""
        tokens = self._parser.parse(f"{text}\n\n# {_SENTINEL}\n")
        if len(tokens) < 3:
            return False
        opening, inside = tokens[-3], tokens[-2]
        is_heading = opening.type == "heading_open" and opening.level == 0
        return is_heading and inside.content == _SENTINEL


def _long_fences(text: str) -> list[str]:
    """The marks of the text's own fences that are longer than three."""
    return sorted({mark for mark in _FENCE.findall(text) if len(mark) > 3})
