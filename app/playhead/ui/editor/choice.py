"""Chooses the editor: Scintilla where it works, plain text where it is missing or must be read."""

from __future__ import annotations

import logging

import PySide6
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from playhead.ui.editor.code_editor import CodeEditor
from playhead.ui.editor.plain import PlainEditor

_log = logging.getLogger(__name__)

_TESTED_QT = "6.11."


def make_editor(parent: QWidget) -> CodeEditor:
    """An editor for code. A screen reader cannot see into Scintilla, so it gets the plain one."""
    if QAccessible.isActive() or not PySide6.__version__.startswith(_TESTED_QT):
        # A wheel for another minor of Qt may load on Windows and fail only later.
        return PlainEditor(parent)
    try:
        from playhead.ui.editor.scintilla import ScintillaEditor
    except ImportError as error:
        _log.info("no Scintilla, the plain editor takes its place: %s", error)
        return PlainEditor(parent)
    return ScintillaEditor(parent)
