"""Colour the timeline's code cards with the editor's own lexers."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtWidgets import QWidget


class _StyleReader(Protocol):
    def styles(self, language: str, code: str) -> list[tuple[int, int, str]]: ...


class CodeColourer:
    """Returns style spans of code; without Scintilla, all code is plain text.

    The hidden editor is made on first use and ends with `owner`.
    """

    def __init__(self, owner: QWidget | None = None) -> None:
        self._owner = owner
        self._reader: _StyleReader | None = None
        self._is_missing = False

    def spans(self, language: str, code: str) -> list[tuple[int, int, str]]:
        """Return (start, length, style name) in characters, in order, without plain text."""
        if self._reader is None and not self._is_missing:
            self._reader = _make_reader(self._owner)
            self._is_missing = self._reader is None
        if self._reader is None or not code:
            return []
        runs = self._reader.styles(language, code)
        return runs if code.isascii() else _in_characters(runs, code)


def _make_reader(owner: QWidget | None) -> _StyleReader | None:
    try:
        from playhead.ui.editor.code.scintilla_editor import StyleReader
    except ImportError:
        return None
    return StyleReader(owner)


def _in_characters(runs: list[tuple[int, int, str]], code: str) -> list[tuple[int, int, str]]:
    data = code.encode("utf-8", "surrogatepass")
    spans: list[tuple[int, int, str]] = []
    byte = character = 0
    for start, length, name in runs:
        character += len(data[byte:start].decode("utf-8", "replace"))
        span = len(data[start : start + length].decode("utf-8", "replace"))
        spans.append((character, span, name))
        character += span
        byte = start + length
    return spans
