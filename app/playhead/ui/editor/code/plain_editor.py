"""The code editor on QPlainTextEdit, used if Scintilla is missing or a screen reader runs.

Tab, Shift+Tab and Enter indent as in the other editor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from playhead.domain.text.unicode import whole_characters
from playhead.ui.editor.code import line_edits
from playhead.ui.editor.code.code_editor import (
    HEAT_LEVELS,
    EditorColours,
    HoveredLine,
    LineCutter,
    MarkKind,
    WatchedViewport,
    accessible_name,
    mix_colours,
)
from playhead.ui.editor.code.text_diff import LineMark

_ARROW_PX, _MARK_PX, _HEAT_PX, _PAD_PX = 14, 12, 3, 5
_SIGNS = {"added": "+", "changed": "|", "removed": "−"}


class PlainKeys(QObject):
    """Handles the keys of one text field, which owns it."""

    def __init__(self, edit: QPlainTextEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        edit.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys that indent."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if self._edit.isReadOnly():
            return False
        match event.key():
            case Qt.Key.Key_Backtab:
                self._change_lines(line_edits.unindent)
            case Qt.Key.Key_Tab if event.modifiers() == Qt.KeyboardModifier.NoModifier:
                if self._spans_lines():
                    self._change_lines(line_edits.indent)
                else:
                    column = self._edit.textCursor().positionInBlock()
                    self._edit.insertPlainText(" " * (4 - column % 4))
            case _:
                return False
        return True

    def _spans_lines(self) -> bool:
        return "\u2029" in self._edit.textCursor().selectedText()

    def _change_lines(self, change: line_edits.LineChange) -> None:
        """Change all lines that the selection touches, as one step, and keep them selected."""
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


_MOST_MARKS = 500


class PlainEditor(QWidget):
    """A `CodeEditor` without colours that assistive technology can read.

    Notes and errors are shown at the ends of their lines and are in its accessible description.
    """

    edited = Signal()
    cursor_moved = Signal(int, int)
    line_pointed = Signal(int)
    number_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit = PlainTextArea(self)
        self._edit.setFrameShape(QFrame.Shape.NoFrame)
        self._edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._edit.setAccessibleName(accessible_name(1))
        option = self._edit.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)  # code begins at the left
        self._edit.document().setDefaultTextOption(option)
        self._keys = PlainKeys(self._edit)
        self._cutter = LineCutter()
        self._is_touched = False
        self._is_read_only = False
        self._is_loading = False
        self._is_streaming = False
        self._found: Sequence[tuple[int, int]] = ()
        self._language = ""
        self._marked: dict[MarkKind, tuple[int, ...]] = {"traced": (), "risky": ()}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._edit)
        self.setFocusProxy(self._edit)
        HoveredLine(self._edit, self._line_at, self.line_pointed.emit)
        self._edit.number_clicked.connect(self.number_clicked)
        self._edit.textChanged.connect(self._on_text_changed)
        self._edit.cursorPositionChanged.connect(self._on_cursor_moved)

    @property
    def widget(self) -> QWidget:
        """Return the widget to lay out and to focus."""
        return self

    def text(self) -> str:
        """Return the whole text, even if a line is cut for display."""
        return self.display_text() if self._is_touched else self._cutter.text

    def show_text(self, text: str) -> None:
        """Show another text; forget undo steps, notes and markers."""
        self.end_stream()
        self.clear_notes()
        self.mark_lines((), "breakpoint")
        self.set_changes(())
        self._cutter = LineCutter()
        self._is_loading = True
        self._edit.setPlainText(whole_characters(self._cutter.feed(text)))
        self._is_loading = self._is_touched = False
        self._apply_read_only()

    def replace_text(self, text: str) -> None:
        """Replace the text as one step that can be undone."""
        self._cutter = LineCutter()
        cursor = QTextCursor(self._edit.document())
        self._is_loading = True
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(whole_characters(self._cutter.feed(text)))
        cursor.endEditBlock()
        self._is_loading = self._is_touched = False
        self._apply_read_only()

    def append(self, text: str) -> None:
        """Add streamed text at the end; all of it up to `end_stream` is one undo step."""
        cursor = QTextCursor(self._edit.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        self._is_loading = True
        # Joined to the step before, so that one undo removes the whole stream.
        if self._is_streaming:
            cursor.joinPreviousEditBlock()
        else:
            cursor.beginEditBlock()
        cursor.insertText(whole_characters(self._cutter.feed(text)))
        cursor.endEditBlock()
        self._is_streaming = True
        self._is_loading = False
        self._apply_read_only()

    def end_stream(self) -> None:
        """End the stream; the text is complete."""
        self._is_streaming = False

    def set_language(self, language: str) -> None:
        """Set the language for assistive technology; there are no colours here."""
        self._language = language
        self._describe()

    def set_colours(self, colours: EditorColours) -> None:
        """Set the colours of a theme."""
        self._edit.colours = colours
        font = QFont(colours.family)
        font.setPixelSize(colours.size_px)
        self._edit.setFont(font)
        # The style sheet of the application gives text fields a size, a border and air.
        self._edit.setStyleSheet(
            f"QPlainTextEdit {{ font-size: {colours.size_px}px; border: 0; border-radius: 0;"
            " padding: 0; }"
        )
        self._edit.setTabStopDistance(4 * self._edit.fontMetrics().horizontalAdvance(" "))
        self._paint_lines()

    def set_read_only(self, is_read_only: bool) -> None:
        """Set whether the text is read-only."""
        self._is_read_only = is_read_only
        self._apply_read_only()

    def set_running_line(
        self, line: int | None, note: str = "", *, is_paused: bool = False
    ) -> None:
        """Mark the line that runs, or will after a pause, with a note; None if nothing runs."""
        if line is not None and not 1 <= line <= self._edit.blockCount():
            line = None
        has_moved = line != self._edit.running
        self._edit.is_paused = is_paused
        self._edit.running, self._edit.running_note = line, note
        self._paint_lines()
        if line is not None and has_moved:
            self.reveal_line(line)

    @property
    def breakpoints(self) -> list[int]:
        """Return the lines to pause before."""
        last = self._edit.blockCount()
        return sorted(line for line in self._edit.breakpoints if line <= last)

    def set_line_note(self, line: int, note: str, *, is_passing: bool = False) -> None:
        """Show a quiet note at the end of a line, behind another if it is passing."""
        if is_passing:
            self._edit.passing = {line: note} if note else {}
            self._edit.refresh()
            return
        self._edit.notes[line] = note
        self._edit.refresh()
        self._describe()

    def set_heat(self, first: int, last: int, level: int) -> None:
        """Show a stripe beside these lines, stronger for a higher level."""
        for line in range(max(first, 1), min(last, self._edit.blockCount()) + 1):
            self._edit.heat[line] = level
        self._edit.refresh()

    def show_error(self, line: int, text: str) -> None:
        """Show an error at the end of its line; mark and reveal the line."""
        line = min(max(line, 1), self._edit.blockCount())
        self._edit.errors[line] = text
        self._describe()
        self._paint_lines()
        self.reveal_line(line)

    def mark_lines(self, lines: Sequence[int], kind: MarkKind = "traced") -> None:
        """Mark these lines, and no others of the kind."""
        if kind == "breakpoint":
            self._edit.breakpoints.clear()
            self._edit.breakpoints.update(dict.fromkeys(lines, True))
            self._edit.refresh()
            self._describe()
            return
        marked = tuple(lines[:_MOST_MARKS])
        if marked != self._marked[kind]:
            self._marked[kind] = marked
            self._paint_lines()

    def clear_notes(self) -> None:
        """Remove markers, notes, heat and errors."""
        self._edit.running = None
        for table in (self._edit.notes, self._edit.errors, self._edit.heat):
            table.clear()
        self._describe()
        self._paint_lines()

    def reveal_line(self, line: int) -> None:
        """Scroll until the line is visible, without moving the cursor."""
        bar = self._edit.verticalScrollBar()
        shown = bar.pageStep()
        if not bar.value() <= line - 1 <= bar.value() + shown - 2:
            bar.setValue(max(0, line - 1 - shown // 2))

    def cursor(self) -> tuple[int, int]:  # type: ignore[override]
        """Return the line and the column of the cursor."""
        cursor = self._edit.textCursor()
        return cursor.blockNumber() + 1, cursor.positionInBlock() + 1

    @property
    def can_undo(self) -> bool:
        """Return whether there is a step to undo."""
        return self._edit.document().isUndoAvailable() and not self._edit.isReadOnly()

    def undo(self) -> None:
        """Undo the last step."""
        self._edit.undo()

    def redo(self) -> None:
        """Redo the last undone step."""
        self._edit.redo()

    @property
    def is_cut(self) -> bool:
        """Return whether a line is cut for display, so that the text is read-only."""
        return self._cutter.has_cut

    def display_text(self) -> str:
        """Return the text as it is shown, long lines cut."""
        # toPlainText() would turn spaces that do not break into plain ones.
        return self._edit.document().toRawText().replace("\u2029", "\n")

    def selection(self) -> tuple[int, int]:
        """Return the start and the end of the selection in the shown text."""
        cursor = self._edit.textCursor()
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        data = self.display_text().encode("utf-16-le")
        first = len(data[: 2 * start].decode("utf-16-le", "replace"))
        return first, first + len(data[2 * start : 2 * end].decode("utf-16-le", "replace"))

    def place_at(self, point: QPoint) -> int:
        """Return the position of the character under a point of the text area; -1 for none."""
        cursor = self._edit.cursorForPosition(point)
        box = self._edit.cursorRect(cursor)
        step = QTextCursor.MoveOperation
        if point.x() < box.left():  # the cursor is set behind the nearer half of a character
            cursor.movePosition(step.PreviousCharacter)
            box = self._edit.cursorRect(cursor)
        is_on = box.top() <= point.y() <= box.bottom() and not cursor.atBlockEnd()
        if not is_on:
            return -1
        data = self.display_text().encode("utf-16-le")
        return len(data[: 2 * cursor.position()].decode("utf-16-le", "replace"))

    def select(self, start: int, end: int) -> None:
        """Select a range and scroll to it."""
        self._edit.setTextCursor(self._cursor_over(*self._units((start, end))))
        self._edit.centerCursor()

    def mark_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark ranges, in order; an empty sequence removes the marks."""
        units = self._units([place for span in spans[:_MOST_MARKS] for place in span])
        self._found = list(zip(units[::2], units[1::2], strict=True))
        self._paint_lines()

    def replace_spans(self, spans: Sequence[tuple[int, int, str]]) -> None:
        """Replace ranges, in order, as one step that can be undone."""
        if self._edit.isReadOnly():
            return
        places = self._units([place for span in spans for place in span[:2]])
        whole = QTextCursor(self._edit.document())
        whole.beginEditBlock()
        for number in range(len(spans) - 1, -1, -1):
            whole.setPosition(places[2 * number])
            whole.setPosition(places[2 * number + 1], QTextCursor.MoveMode.KeepAnchor)
            whole.insertText(whole_characters(spans[number][2]))
        whole.endEditBlock()

    def set_wrap(self, is_wrapped: bool) -> None:
        """Set whether long lines wrap."""
        modes = QPlainTextEdit.LineWrapMode
        self._edit.setLineWrapMode(modes.WidgetWidth if is_wrapped else modes.NoWrap)

    def set_changes(self, changes: Sequence[LineMark]) -> None:
        """Mark lines in the margin as added (+), changed (|) and removed (−)."""
        self._edit.changes = {change.line: change.kind for change in changes}
        self._edit.refresh()

    def _line_at(self, point: QPoint) -> int:
        cursor = self._edit.cursorForPosition(point)
        box = self._edit.cursorRect(cursor)
        return cursor.blockNumber() + 1 if box.top() <= point.y() <= box.bottom() else 0

    def _units(self, places: Sequence[int]) -> list[int]:
        """Return rising positions in characters as UTF-16 units, which Qt counts."""
        text = self.display_text()
        found: list[int] = []
        character = unit = 0
        for place in places:
            unit += len(text[character:place].encode("utf-16-le")) // 2
            character = max(character, place)
            found.append(unit)
        return found

    def _cursor_over(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _apply_read_only(self) -> None:
        self._edit.setReadOnly(self._is_read_only or self._cutter.has_cut)

    def _describe(self) -> None:
        edit = self._edit
        notes = [f"line {line}: {text}" for line, text in sorted(edit.errors.items())]
        notes += [f"line {line}: {text}" for line, text in sorted(edit.notes.items()) if text]
        notes += [f"line {line}: pauses before it" for line in sorted(edit.breakpoints)]
        edit.setAccessibleDescription(
            "; ".join([self._language, *notes] if self._language else notes)
        )
        edit.setToolTip("\n".join(notes))

    def _paint_lines(self) -> None:
        if (colours := self._edit.colours) is None:
            return
        marks = [(line, colours.error_background) for line in self._edit.errors]
        if self._edit.running is not None:
            ground = colours.paused if self._edit.is_paused else colours.running
            marks.append((self._edit.running, ground))
        for kind, lines in self._marked.items():
            over = colours.accent if kind == "traced" else colours.warn
            colour = mix_colours(colours.background, over, 0.16)
            marks += [(line, colour) for line in lines]
        bands = [self._band(line, colour) for line, colour in marks]
        found = QColor(mix_colours(colours.background, colours.accent, 0.3))
        for start, end in self._found:
            band = QTextEdit.ExtraSelection()
            band.cursor = self._cursor_over(start, end)
            band.format.setBackground(found)
            bands.append(band)
        self._edit.setExtraSelections(bands)
        self._edit.refresh()

    def _band(self, line: int, colour: str) -> QTextEdit.ExtraSelection:
        band = QTextEdit.ExtraSelection()
        band.cursor = QTextCursor(self._edit.document().findBlockByNumber(line - 1))
        band.format.setBackground(QColor(colour))
        band.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return band

    def _on_text_changed(self) -> None:
        if not self._is_loading:
            self._is_touched = True
            self.edited.emit()

    def _on_cursor_moved(self) -> None:
        line, column = self.cursor()
        self._edit.setAccessibleName(accessible_name(line))
        self.cursor_moved.emit(line, column)


class PlainTextArea(WatchedViewport, QPlainTextEdit):
    """Paints the tables of lines (from 1) that its owner, the plain editor, fills.

    Signal: `number_clicked(line)` for a click in the margin.
    """

    number_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.colours: EditorColours | None = None
        self.running: int | None = None
        self.running_note = ""
        self.notes: dict[int, str] = {}
        self.passing: dict[int, str] = {}
        self.errors: dict[int, str] = {}
        self.changes: Mapping[int, str] = {}
        self.heat: dict[int, int] = {}
        self.breakpoints: dict[int, bool] = {}
        self.is_paused = False
        self._margin = _Margin(self)
        self._line_count = 1
        self.document().setDocumentMargin(0)
        self.document().contentsChange.connect(self._on_contents_changed)
        self.blockCountChanged.connect(self.size_margin)
        self.updateRequest.connect(self._on_update_requested)

    def refresh(self) -> None:
        """Paint again after a change of the tables."""
        self.size_margin()
        self._margin.update()
        self.viewport().update()

    def size_margin(self) -> None:
        """Make room for the longest line number."""
        self.setViewportMargins(self.margin_width(), 0, 0, 0)

    def margin_width(self) -> int:
        """Return the width of the margin in pixels."""
        digits = max(3, len(str(self.blockCount())))
        numbers = self.fontMetrics().horizontalAdvance("9") * digits + 16
        return numbers + _ARROW_PX + _MARK_PX + _HEAT_PX + _PAD_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the margin as high as the text."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(
            QRect(inside.left(), inside.top(), self.margin_width(), inside.height())
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, then the notes at the ends of its lines."""
        super().paintEvent(event)
        if self.colours is None or not (self.notes or self.passing or self.errors or self.running):
            return
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        for block, top in self.visible_blocks():
            self._paint_note(painter, block, top)
        painter.end()

    def paint_margin(self, painter: QPainter) -> None:
        """Paint the numbers, arrow, marks and heat of the visible lines."""
        if (colours := self.colours) is None:
            return
        painter.fillRect(self._margin.rect(), QColor(colours.background))
        painter.setFont(self.font())
        for block, top in self.visible_blocks():
            height = round(self.blockBoundingRect(block).height())
            self._paint_margin_line(painter, colours, block.blockNumber() + 1, round(top), height)

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, float]]:
        """Yield the visible lines, each with its top."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        bottom = self.viewport().height()
        while block.isValid() and top <= bottom:
            if block.isVisible():
                yield block, top
                top += self.blockBoundingRect(block).height()
            block = block.next()

    def _paint_margin_line(
        self, painter: QPainter, colours: EditorColours, line: int, top: int, height: int
    ) -> None:
        row = self.fontMetrics().height()
        width = self.margin_width()
        right = width - _PAD_PX - _HEAT_PX - _MARK_PX - _ARROW_PX
        if line == self.running:
            ground = colours.paused if self.is_paused else colours.running
            painter.fillRect(0, top, width, height, QColor(ground))
        if line in self.breakpoints:
            _paint_circle(painter, QColor(colours.error), right + 6, top + row / 2)
        if line == self.running:
            _paint_arrow(painter, QColor(colours.accent), right + 3, top + row / 2)
        painter.setPen(QColor(colours.faint))
        align = Qt.AlignmentFlag.AlignRight
        painter.drawText(QRect(0, top, right - 4, row), align, str(line))
        if (kind := self.changes.get(line)) is not None:
            painter.setPen(QColor(_change_colour(colours, kind)))
            mark = QRect(right + _ARROW_PX, top, _MARK_PX, row)
            painter.drawText(mark, Qt.AlignmentFlag.AlignHCenter, _SIGNS[kind])
        if level := self.heat.get(line, 0):
            colour = mix_colours(colours.background, colours.accent, level / HEAT_LEVELS)
            painter.fillRect(width - _PAD_PX - _HEAT_PX, top, _HEAT_PX, height, QColor(colour))

    def _paint_note(self, painter: QPainter, block: QTextBlock, top: float) -> None:
        colours = self.colours
        line = block.blockNumber() + 1
        note = self.running_note if line == self.running else self.notes.get(line, "")
        note = " · ".join(filter(None, (note, self.passing.get(line, ""))))
        error = self.errors.get(line, "")
        if colours is None or not (note or error):
            return
        last = block.layout().lineAt(max(0, block.layout().lineCount() - 1))
        left = last.naturalTextRect().right() + self.contentOffset().x() + 24
        place = QPointF(left, top + last.y() + self.fontMetrics().ascent())
        for text, colour in ((error, colours.error), (note, colours.mute)):
            if text:
                painter.setPen(QColor(colour))
                painter.drawText(place, text)
                place.setX(place.x() + self.fontMetrics().horizontalAdvance(text) + 24)

    def _on_contents_changed(self, position: int, _removed: int, _added: int) -> None:
        """Move the notes and marks of lines when lines above are added or removed."""
        more = self.blockCount() - self._line_count
        self._line_count += more
        if not more:
            return
        block = self.document().findBlock(position)
        first = block.blockNumber() + (1 if position == block.position() else 2)
        for table in (self.notes, self.errors, self.heat, self.breakpoints):
            moved = {line + more if line >= first else line: one for line, one in table.items()}
            table.clear()
            table.update(moved)  # type: ignore[arg-type]

    def _on_update_requested(self, rect: QRect, dy: int) -> None:
        if dy:
            self._margin.scroll(0, dy)
        else:
            self._margin.update(0, rect.y(), self._margin.width(), rect.height())


class _Margin(QWidget):
    def __init__(self, text: PlainTextArea) -> None:
        super().__init__(text)
        self._text = text

    def sizeHint(self) -> QSize:
        """Return the width of the line numbers."""
        return QSize(self._text.margin_width(), 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report a click beside a line."""
        for block, top in self._text.visible_blocks():
            height = self._text.blockBoundingRect(block).height()
            if top <= event.position().y() < top + height:
                self._text.number_clicked.emit(block.blockNumber() + 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Let the text area paint the margin."""
        painter = QPainter(self)
        self._text.paint_margin(painter)
        painter.end()


def _change_colour(colours: EditorColours, kind: str) -> str:
    by_kind = {"added": colours.added, "changed": colours.accent, "removed": colours.error}
    return by_kind[kind]


def _paint_circle(painter: QPainter, colour: QColor, middle_x: int, middle: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawEllipse(QPointF(middle_x, middle), 4, 4)


def _paint_arrow(painter: QPainter, colour: QColor, left: int, middle: float) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corners = [QPointF(left, middle - 5), QPointF(left + 6, middle), QPointF(left, middle + 5)]
    painter.drawPolygon(QPolygonF(corners))
