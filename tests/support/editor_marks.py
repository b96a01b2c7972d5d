"""Look at what a code editor shows beside its text: marks in the margin, notes, heat, errors."""

from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from pyside6_scintilla import ScintillaEdit

from playhead.ui.editor.code.code_editor import mix_colours
from playhead.ui.editor.code.plain_editor import PlainTextArea

_ARROW, _TRACED = 3, 11
_HEAT = {4: 1, 5: 2, 6: 3, 7: 4}
_CHANGES = {8: "added", 9: "changed", 10: "removed"}


def _plain(editor: QWidget) -> PlainTextArea | None:
    return editor.findChild(PlainTextArea)


def _scintilla(editor: QWidget) -> ScintillaEdit:
    return editor.findChildren(ScintillaEdit)[0]


def _has_marker(editor: QWidget, line: int, marker: int) -> bool:
    return bool(_scintilla(editor).markerGet(line - 1) & 1 << marker)


def line_change(editor: QWidget, line: int) -> str:
    """Return what the margin says of a line; '' for nothing."""
    if plain := _plain(editor):
        return plain.changes.get(line, "")
    return next((kind for n, kind in _CHANGES.items() if _has_marker(editor, line, n)), "")


def is_running(editor: QWidget, line: int) -> bool:
    """Return whether the line carries the running mark."""
    if plain := _plain(editor):
        return line == plain.running
    return _has_marker(editor, line, _ARROW)


def is_traced(editor: QWidget, line: int) -> bool:
    """Return whether the line is marked as what printed something."""
    if not (plain := _plain(editor)):
        return _has_marker(editor, line, _TRACED)
    assert plain.colours is not None
    colour = QColor(mix_colours(plain.colours.background, plain.colours.accent, 0.16))
    return any(
        band.cursor.blockNumber() == line - 1 and band.format.background().color() == colour
        for band in plain.extraSelections()
    )


def line_heat(editor: QWidget, line: int) -> int:
    """Return the level of heat of a line, 0 for none."""
    if plain := _plain(editor):
        return plain.heat.get(line, 0)
    return next((level for n, level in _HEAT.items() if _has_marker(editor, line, n)), 0)


def line_note(editor: QWidget, line: int) -> str:
    """Return the note at the end of a line."""
    if plain := _plain(editor):
        return plain.notes.get(line, "")
    return bytes(_scintilla(editor).eOLAnnotationText(line - 1).data()).decode()


def line_error(editor: QWidget, line: int) -> str:
    """Return the error at a line."""
    if plain := _plain(editor):
        return plain.errors.get(line, "")
    return bytes(_scintilla(editor).annotationText(line - 1).data()).decode()
