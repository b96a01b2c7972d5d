"""Markdown that keeps to itself: fences that nothing closes too early, texts that close all."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from playhead.dialects.plain_text import line_ends

_RUNS = re.compile(r"`+")
_INFO = re.compile(r"[\w+#.-]+")
_SENTINEL = "closed"
_CLOSERS = ("", "```", "~~~", "-->", "</pre>", "</script>", "</style>", "</textarea>")
_RARE_CLOSERS = ("?>", "]]>", ">")
_FENCE = re.compile(r"^[ >\t]*(?:[-*+]\s+|\d+[.)]\s+)*(`{3,}|~{3,})", re.MULTILINE)


def fenced(text: str, word: str = "") -> str:
    """The text as a block of code that it cannot close; `word` says its language."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    info = word if _INFO.fullmatch(word) else ""
    text = line_ends(text)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{info}\n{text}{end}{fence}"


def quoted(text: str) -> str:
    """The text as a quotation."""
    if not text:
        return ""
    return "\n".join(f"> {line}".rstrip() for line in line_ends(text).split("\n"))


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
