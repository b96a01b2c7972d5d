"""Finds out whether text at the end of Markdown is plain and leaves all before it as it is.

Nearly all that streams in is: then neither the text nor its document need be made again.
"""

from __future__ import annotations

import re

_LONGEST = 4_000
"""In longer texts the limits of what is drawn as Markdown are looked at again."""
_SIGN = re.compile(r"[\\`*_~\[\])<>|$&:@#^]")
_SETTLED = re.compile(
    r"[ ]*(?:>[ ]?)*(?:(?:[-+*]|\d{1,9}[.)])[ ]+(?:\[[ xX]\][ ]+)?|\#{1,6}[ ]+)?"
    r"(?:\*{1,3}|_{1,3}|[`\"'“‘(])?[^\W\d_]"
)
"""The beginning of a line that no end can make the beginning of something else."""


def grows_plainly(before: str, added: str) -> bool:
    """Return whether `added` after `before`, the last block of a text, is nothing but words.

    It ends no link, formula, address or emphasis that began before, and begins none.
    """
    end = before.rstrip(" ")
    if not end or len(end) > _LONGEST or not added.isprintable() or _SIGN.search(added):
        return False
    if "$" in end or "\\" in end or _SIGN.match(end[-1]):
        return False
    line = end[end.rfind("\n") + 1 :]
    word = line[line.rfind(" ") + 1 :]
    if _SETTLED.match(line) is None or "|" in line or not line.isprintable():
        return False
    return _SIGN.search(word) is None and "www" not in (word + added).lower()
