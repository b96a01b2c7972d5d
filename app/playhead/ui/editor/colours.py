"""The editor's part of a theme."""

from __future__ import annotations

from PySide6.QtGui import QFontInfo

from playhead.ui.editor.code_editor import EditorColours
from playhead.ui.theme import CODE_PX, Theme


def editor_colours(theme: Theme, size_px: int = CODE_PX) -> EditorColours:
    """What a code editor needs of the theme in force, with type of this size."""
    tokens = theme.tokens
    return EditorColours(
        background=tokens.bg,
        text=tokens.text,
        mute=tokens.mute,
        faint=tokens.faint,
        hairline=tokens.line,
        selection=tokens.selection,
        accent=tokens.accent,
        running=tokens.running,
        keyword=tokens.keyword,
        string=tokens.string,
        number=tokens.number,
        function=tokens.function,
        comment=tokens.comment,
        added=tokens.ok,
        error=tokens.danger,
        error_background=tokens.danger_bg,
        # Scintilla takes one family and no list of substitutes.
        family=QFontInfo(theme.code_font()).family(),
        size_px=size_px,
    )
