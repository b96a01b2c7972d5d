"""Text of models and programs made fit for a terminal: it may colour itself, and nothing else.

An escape sequence could otherwise hide code from the person who approves it, answer in their
place or reach their clipboard; characters that turn the direction of text could show other code
than runs (CVE-2021-42574).
"""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"(?P<colour>\x1b\[[\d;:]*m)"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b(?:[ -/]*[0-Z^-~])?"
)
"""ECMA-48's control sequences, its strings, and whatever else begins like one."""
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)?\Z")
_KEPT = frozenset("\n\t\r")
_LONGEST_SEQUENCE = 4096


class OutputFilter:
    """Takes what a program prints, in any pieces; lets colours and text through."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """What of it can be shown; the beginning of a sequence waits for its rest."""
        text = self._held + text
        cut = _UNFINISHED.search(text)
        end = (
            len(text) if cut is None or len(text) - cut.start() > _LONGEST_SEQUENCE else cut.start()
        )
        self._held = text[end:]
        return _TOKEN.sub(_colour_only, text[:end]).translate(_BARE)

    def finish(self) -> str:
        """Nothing that was held back is a text."""
        self._held = ""
        return ""


def plain(text: str) -> str:
    """Prose without any control character."""
    return _TOKEN.sub("", text).translate(_BARE_PROSE)


def visible(code: str) -> str:
    """Code with everything in it that a terminal would not show as it is, written out."""
    return "".join(character if _is_seen(character) else _named(character) for character in code)


def _colour_only(found: re.Match[str]) -> str:
    return found["colour"] or ""


def _is_seen(character: str) -> bool:
    if character in "\n\t":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _named(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


_CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
_BARE = {number: None for number in _CONTROLS if chr(number) not in _KEPT | {"\x1b"}}
_BARE_PROSE = {number: None for number in _CONTROLS if chr(number) not in "\n\t"}
