"""What Tab, Shift+Tab and Enter do in the plain editor: indent as the other editor does."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from playhead.ui.editor import edits


class PlainKeys(QObject):
    """Watches the keys of one text field, which owns it."""

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        edit.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that indent."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if self._edit.isReadOnly():
            return False
        match event.key():
            case Qt.Key.Key_Backtab:
                self._change_lines(edits.unindent)
            case Qt.Key.Key_Tab if event.modifiers() == Qt.KeyboardModifier.NoModifier:
                if self._spans_lines():
                    self._change_lines(edits.indent)
                else:
                    column = self._edit.textCursor().positionInBlock()
                    self._edit.insertPlainText(" " * (4 - column % 4))
            case _:
                return False
        return True

    def _spans_lines(self) -> bool:
        return "\u2029" in self._edit.textCursor().selectedText()

    def _change_lines(self, change: edits.LineChange) -> None:
        """All lines that the selection touches, as one step, and they stay selected."""
        cursor = self._edit.textCursor()
        document = self._edit.document()
        first = document.findBlock(cursor.selectionStart())
        last = document.findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1))
        had_selection = cursor.hasSelection()
        start = first.position()
        cursor.setPosition(start)
        cursor.setPosition(last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor)
        lines = cursor.selectedText().split("\u2029")
        cursor.insertText("\n".join(change(lines)))
        if had_selection:
            end = cursor.position()
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            self._edit.setTextCursor(cursor)
