"""Markdown blocks of code whose fence nothing in them closes, and quotations."""

from __future__ import annotations

import re

from playhead.domain.text.terminal import line_ends

_RUNS = re.compile(r"`+")
_INFO = re.compile(r"[\w+#.-]+")


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
