"""Titles of conversations: made from the first message, and numbered for copies."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain, count

from playhead.domain.text.fences import opening_fence

UNTITLED = "New conversation"
_LIMIT = 48
_READ = 4_000
"""Characters in which a title is sought: a message may have many megabytes."""
# Marks of emphasis hug their words; the signs of a sum or of a name in code stay.
_MARKUP = re.compile(
    r"^\s*(?:#{1,6}|>+|[*+-])\s+|`+"
    r"|(?<!\w)(\*{1,3}|_{1,3})(?=[^\s*_])|(?<=[^\s*_])(\*{1,3}|_{1,3})(?!\w)"
)


def title_from(text: str, attachment_names: Sequence[str] = ()) -> str:
    """Return the first line with text, at most 48 characters, else the attachments' names."""
    for line in text[:_READ].splitlines():
        if opening_fence(line.lstrip()):
            continue
        words = " ".join(_MARKUP.sub("", line).split())
        if words:
            return _shortened(words)
    return _shortened(", ".join(attachment_names)) or UNTITLED


def _shortened(words: str) -> str:
    if len(words) <= _LIMIT:
        return words
    head = words[: _LIMIT - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.") + "…"


_UNNAMED = "conversation"
_NAME_LENGTH = 80
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\ud800-\udfff<>:"/\\|?*]+')


def file_stem(title: str) -> str:
    """Return a title as a file name that is valid on every system."""
    words = " ".join(_FORBIDDEN.sub(" ", title).split())
    return words[:_NAME_LENGTH].strip(" .") or _UNNAMED


def copy_title(title: str, taken: Collection[str]) -> str:
    """Return the title of a copy: "Sales (copy)", or with a number if that is already taken."""
    name, _, _ = title.partition(" (copy")
    name = name or UNTITLED
    first = f"{name} (copy)"
    numbered = (f"{name} (copy {number})" for number in count(2))
    return next(one for one in chain([first], numbered) if one not in taken)
