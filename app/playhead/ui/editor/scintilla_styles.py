"""The colours of code as styles of a Scintilla."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playhead.ui.editor.code_editor import EditorColours
from playhead.ui.editor.colour_numbers import bgr
from playhead.ui.editor.shown_text import TURNING

_SET_NOTE = 2740
"""SCI_EOLANNOTATIONSETTEXT; the binding's own method cannot be given the null that clears."""
NOTE, RUNNING_NOTE, ERROR = 0, 1, 2  # extended styles: of what stands at and under lines


def set_styles(
    sci: Any, colours: EditorColours, names: Mapping[int, str], default_style: int
) -> None:
    """Give a Scintilla the type face, and each style of its lexer a colour."""
    sci.styleResetDefault()
    sci.styleSetFont(default_style, colours.family)
    points = colours.size_px * 72 / max(sci.logicalDpiY(), 1)
    sci.styleSetSizeFractional(default_style, round(points * 100))
    sci.styleSetFore(default_style, bgr(colours.text))
    sci.styleSetBack(default_style, bgr(colours.background))
    sci.styleClearAll()
    for number, name in names.items():
        sci.styleSetFore(number, bgr(colours.of_style(name)))
    for sign, name in TURNING.items():
        sci.setRepresentation(sign, name)


def set_note(sci: Any, line: int, note: str, style: int) -> None:
    """A note at the end of a line; '' takes it away."""
    if note:
        sci.eOLAnnotationSetText(line, f"   {note}")
        sci.eOLAnnotationSetStyle(line, style)
    else:
        sci.send(_SET_NOTE, line, 0)  # an empty text would still make the line wider


def set_note_styles(sci: Any, colours: EditorColours, first: int, line_number: int) -> None:
    """Colour the notes, whose styles begin at `first`, and the numbers of lines."""
    for style, fore, back in (
        (NOTE, colours.mute, colours.background),
        (RUNNING_NOTE, colours.text, colours.running),
        (ERROR, colours.error, colours.error_background),
    ):
        sci.styleSetFore(first + style, bgr(fore))
        sci.styleSetBack(first + style, bgr(back))
        sci.styleSetItalic(first + style, style != ERROR)
    sci.styleSetEOLFilled(first + ERROR, True)
    sci.styleSetFore(line_number, bgr(colours.faint))
    sci.styleSetBack(line_number, bgr(colours.background))
