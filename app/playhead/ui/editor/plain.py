"""The code editor on QPlainTextEdit: where Scintilla is missing or a screen reader runs."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QFont, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from playhead.ui.editor.code_editor import EditorColours
from playhead.ui.editor.line_cutter import LineCutter


class PlainEditor(QWidget):
    """A `CodeEditor` that assistive technology can read; uncoloured.

    Notes and errors are shown in one quiet line under the text, and are in its accessible text.
    """

    edited = Signal()
    cursor_moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = QPlainTextEdit(self)
        self._edit.setFrameShape(QFrame.Shape.NoFrame)
        self._edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._edit.setAccessibleName("Code editor, line 1")
        self._cutter = LineCutter()
        self._is_read_only = False
        self._is_loading = False
        self._is_streaming = False
        self._running: int | None = None
        self._notes: dict[int, str] = {}
        self._errors: dict[int, str] = {}
        self._colours: EditorColours | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._edit)
        self.setFocusProxy(self._edit)
        self._edit.textChanged.connect(self._on_text_changed)
        self._edit.cursorPositionChanged.connect(self._on_cursor_moved)

    @property
    def widget(self) -> QWidget:
        """The widget to lay out and to focus."""
        return self

    def text(self) -> str:
        """The whole text, also where a line is cut for display."""
        return self._cutter.text if self._cutter.has_cut else self._edit.toPlainText()

    def show_text(self, text: str) -> None:
        """Put up another text; forgets undo steps, notes and markers."""
        self.end_stream()
        self.clear_notes()
        self._cutter = LineCutter()
        self._is_loading = True
        self._edit.setPlainText(self._cutter.feed(text))
        self._is_loading = False
        self._apply_read_only()

    def replace_text(self, text: str) -> None:
        """Exchange the text as one step that can be undone."""
        self._cutter = LineCutter()
        cursor = QTextCursor(self._edit.document())
        self._is_loading = True
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(self._cutter.feed(text))
        cursor.endEditBlock()
        self._is_loading = False
        self._apply_read_only()

    def append(self, text: str) -> None:
        """Add streamed text at the end; all of it up to `end_stream` is one undo step."""
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._is_loading = True
        # Joined to the step before, so that one undo takes the whole stream back.
        if self._is_streaming:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.insertText(self._cutter.feed(text))
        cursor.endEditBlock()
        self._is_streaming = True
        self._is_loading = False
        self._apply_read_only()

    def end_stream(self) -> None:
        """The streamed text is complete."""
        self._is_streaming = False

    def set_language(self, language: str) -> None:
        """No colours here; the language is told to assistive technology."""
        self._edit.setAccessibleDescription(language)

    def set_colours(self, colours: EditorColours) -> None:
        """Take the colours of a theme."""
        self._colours = colours
        font = QFont(colours.family)
        font.setPixelSize(colours.size_px)
        self._edit.setFont(font)
        self._paint_lines()

    def set_read_only(self, is_read_only: bool) -> None:
        """Whether the user may type."""
        self._is_read_only = is_read_only
        self._apply_read_only()

    def set_running_line(self, line: int | None, note: str = "") -> None:
        """Mark the line that runs, with a note at its end; None: nothing runs."""
        self._running = line
        self._paint_lines()
        if line is not None:
            self.reveal_line(line)

    def set_line_note(self, line: int, note: str) -> None:
        """A quiet note, as the accessible description of the text."""
        self._notes[line] = note
        self._describe()

    def set_heat(self, first: int, last: int, level: int) -> None:
        """Nothing: what it would say stands in the notes."""

    def show_error(self, line: int, text: str) -> None:
        """An error; its line is marked and revealed."""
        self._errors[line] = text
        self._describe()
        self._paint_lines()
        self.reveal_line(line)

    def clear_notes(self) -> None:
        """Take away markers, notes and errors."""
        self._running = None
        self._notes.clear()
        self._errors.clear()
        self._describe()
        self._paint_lines()

    def reveal_line(self, line: int) -> None:
        """Scroll until the line can be seen, without moving the cursor."""
        bar = self._edit.verticalScrollBar()
        shown = bar.pageStep()
        if not bar.value() <= line - 1 <= bar.value() + shown - 2:
            bar.setValue(max(0, line - 1 - shown // 2))

    def cursor(self) -> tuple[int, int]:  # type: ignore[override]
        """Line and column of the cursor."""
        cursor = self._edit.textCursor()
        return cursor.blockNumber() + 1, cursor.positionInBlock() + 1

    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._edit.document().isUndoAvailable() and not self._edit.isReadOnly()

    def undo(self) -> None:
        """Take back the last step."""
        self._edit.undo()

    def display_text(self) -> str:
        """The text as it is shown."""
        return self._edit.toPlainText()

    def line_markers(self, line: int) -> bool:
        """Whether the line carries the running mark."""
        return line == self._running

    def line_note(self, line: int) -> str:
        """The note at the end of a line."""
        return self._notes.get(line, "")

    def line_error(self, line: int) -> str:
        """The error under a line."""
        return self._errors.get(line, "")

    def _apply_read_only(self) -> None:
        self._edit.setReadOnly(self._is_read_only or self._cutter.has_cut)

    def _describe(self) -> None:
        notes = [f"line {line}: {text}" for line, text in sorted(self._errors.items())]
        notes += [f"line {line}: {text}" for line, text in sorted(self._notes.items()) if text]
        self._edit.setAccessibleDescription("; ".join(notes))
        self._edit.setToolTip("\n".join(notes))

    def _paint_lines(self) -> None:
        if self._colours is None:
            return
        marks = [(line, self._colours.error_background) for line in self._errors]
        if self._running is not None:
            marks.append((self._running, self._colours.running))
        self._edit.setExtraSelections([self._band(line, colour) for line, colour in marks])

    def _band(self, line: int, colour: str) -> QTextEdit.ExtraSelection:
        band = QTextEdit.ExtraSelection()
        band.cursor = QTextCursor(self._edit.document().findBlockByNumber(line - 1))
        band.format.setBackground(QColor(colour))
        band.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return band

    def _on_text_changed(self) -> None:
        if not self._is_loading:
            self.edited.emit()

    def _on_cursor_moved(self) -> None:
        line, column = self.cursor()
        self._edit.setAccessibleName(f"Code editor, line {line}")
        self.cursor_moved.emit(line, column)
