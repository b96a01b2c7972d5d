"""Prepares texts for a widget: their length in bytes, and replacements for invalid characters."""

from __future__ import annotations

import re

DIRECTION_MARKS = {
    "\u061c": "ALM",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u202a": "LRE",
    "\u202b": "RLE",
    "\u202c": "PDF",
    "\u202d": "LRO",
    "\u202e": "RLO",
    "\u2066": "LRI",
    "\u2067": "RLI",
    "\u2068": "FSI",
    "\u2069": "PDI",
}
"""Invisible characters that change the text direction, so that code does not run as it reads.

See CVE-2021-42574 (https://trojansource.codes).
"""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
"""Letters of Hebrew, Arabic and related scripts."""
_REPLACEMENTS = str.maketrans(dict.fromkeys(DIRECTION_MARKS, "\ufffd"))


def without_direction_marks(code: str) -> str:
    """Return the code with a mark in place of each character that changes the text direction."""
    return code if code.isascii() else code.translate(_REPLACEMENTS)
