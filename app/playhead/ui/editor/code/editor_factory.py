"""Chooses the editor: Scintilla if it works, plain text if it is missing or a screen reader runs.

Scintilla's Qt layer has no bidirectional mode (it stays off when it is set): words in Arabic or
Hebrew overlap there or are not drawn, though they are kept. The timeline draws them right, and so
does the plain editor, which a window in such a language has and which is offered for such code.
"""

from __future__ import annotations

import logging

import PySide6
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QWidget

from playhead.ui.editor.code.code_editor import CodeEditor
from playhead.ui.editor.code.shown_text import RIGHT_TO_LEFT, without_direction_marks
from playhead.ui.widgets.wording import tr

_log = logging.getLogger(__name__)

_TESTED_QT = "6.11."


def make_editor(parent: QWidget) -> CodeEditor:
    """Return an editor for code; the plain one if there is a reason against Scintilla."""
    if reason := plain_editor_reason():
        _log.info("the plain editor is used: %s", reason)
        return make_plain_editor(parent)
    from playhead.ui.editor.code.scintilla_editor import ScintillaEditor

    return _set_left_to_right(ScintillaEditor(parent))


def make_plain_editor(parent: QWidget) -> CodeEditor:
    """Return the editor without colours."""
    from playhead.ui.editor.code.plain_editor import PlainEditor

    return _set_left_to_right(PlainEditor(parent))


def _set_left_to_right(editor: CodeEditor) -> CodeEditor:
    """Set the direction of code, which also begins at the left in a mirrored window."""
    editor.widget.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    return editor


def is_plain(editor: CodeEditor) -> bool:
    """Return whether this editor is the plain one."""
    from playhead.ui.editor.code.plain_editor import PlainEditor

    return isinstance(editor, PlainEditor)


def drawing_problem(editor: CodeEditor, text: str) -> str:
    """Return why this editor does not draw the text correctly, in a sentence; '' if it does."""
    if text.isascii():
        return ""
    if is_plain(editor):
        is_turned = without_direction_marks(text) != text
        return tr("Invisible characters change the text direction here.") if is_turned else ""
    is_lost = RIGHT_TO_LEFT.search(text) is not None
    return tr("Words from right to left are not drawn as they are here.") if is_lost else ""


def plain_editor_reason() -> str:
    """Return why code is shown without colours, in a sentence; '' if it has colours."""
    if QAccessible.isActive():
        return tr("A screen reader is running, which cannot read the other editor.")
    if QGuiApplication.layoutDirection() == Qt.LayoutDirection.RightToLeft:
        return tr("The other editor cannot draw words that are written from right to left.")
    if not PySide6.__version__.startswith(_TESTED_QT):
        # A wheel for another minor of Qt may load on Windows and fail only later.
        return tr("The code editor does not fit Qt {version}.", version=PySide6.__version__)
    try:
        import playhead.ui.editor.code.scintilla_editor  # noqa: F401
    except ImportError as error:
        return tr("The code editor could not be loaded ({error}).", error=error)
    return ""
