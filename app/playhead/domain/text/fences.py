"""Markdown code blocks whose fence is longer than any in them, and quotations."""

from __future__ import annotations

import re

from playhead.domain.text.terminal import line_ends

_RUNS = re.compile(r"`+")
_INFO = re.compile(r"[\w+#.-]+")


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
