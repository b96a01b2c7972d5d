"""The code editor on Scintilla: the only module that uses the binding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QByteArray, QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget
from pyside6_scintilla import Scintilla, ScintillaEdit

from playhead.domain.text.unicode import utf8_length, whole_characters
from playhead.ui.editor.code.code_editor import (
    HEAT_LEVELS,
    EditorColours,
    HoveredLine,
    LineCutter,
    MarkKind,
    WatchedViewport,
    accessible_name,
    bgr_number,
    mix_colours,
    overlay_number,
)
from playhead.ui.editor.code.lexers import make_lexer, style_runs
from playhead.ui.editor.code.shown_text import DIRECTION_MARKS
from playhead.ui.editor.code.text_diff import LineMark

_SET_NOTE = 2740
"""SCI_EOLANNOTATIONSETTEXT; the binding's own method does not accept the null that clears."""
_LEADING = 0.23
"""The space above and below a line, as a share of the size of type."""
NOTE, RUNNING_NOTE, ERROR = 0, 1, 2  # extended styles: of notes at and under lines


def set_styles(
    sci: Any, colours: EditorColours, names: Mapping[int, str], default_style: int
) -> None:
    """Set the font of a Scintilla, and the colour of each style of its lexer."""
    sci.styleResetDefault()
    sci.styleSetFont(default_style, colours.family)
    sci.setExtraAscent(round(colours.size_px * _LEADING))
    sci.setExtraDescent(round(colours.size_px * _LEADING))
    points = colours.size_px * 72 / max(sci.logicalDpiY(), 1)
    sci.styleSetSizeFractional(default_style, round(points * 100))
    sci.styleSetFore(default_style, bgr_number(colours.text))
    sci.styleSetBack(default_style, bgr_number(colours.background))
    sci.styleClearAll()
    for number, name in names.items():
        sci.styleSetFore(number, bgr_number(colours.of_style(name)))
    for sign, name in DIRECTION_MARKS.items():
        sci.setRepresentation(sign, name)


def set_note(sci: Any, line: int, note: str, style: int) -> None:
    """Show a note at the end of a line; '' removes it."""
    if note:
        sci.eOLAnnotationSetText(line, f"   {note}")
        sci.eOLAnnotationSetStyle(line, style)
    else:
        sci.send(_SET_NOTE, line, 0)  # an empty text would still make the line wider


def set_note_styles(sci: Any, colours: EditorColours, first: int, line_number: int) -> None:
    """Set the colours of the notes, whose styles begin at `first`, and of the line numbers."""
    for style, fore, back in (
        (NOTE, colours.mute, colours.background),
        (RUNNING_NOTE, colours.text, colours.running),
        (ERROR, colours.error, colours.error_background),
    ):
        sci.styleSetFore(first + style, bgr_number(fore))
        sci.styleSetBack(first + style, bgr_number(back))
        sci.styleSetItalic(first + style, style != ERROR)
    sci.styleSetEOLFilled(first + ERROR, True)
    sci.styleSetFore(line_number, bgr_number(colours.faint))
    sci.styleSetBack(line_number, bgr_number(colours.background))


_Number, _Back = Scintilla.MarginType.Number.value, Scintilla.MarginType.Back.value
_DEFAULT = Scintilla.StylesCommon.Default.value
_LINE_NUMBER = Scintilla.StylesCommon.LineNumber.value
_EDITS = Scintilla.ModificationFlags.InsertText.value | Scintilla.ModificationFlags.DeleteText.value

_NUMBERS, _ARROWS, _CHANGES, _HEAT, _PADDING = range(5)  # margins, from the left
_BAND, _BAND_MARGIN, _ARROW = 1, 2, 3  # markers; a higher one is drawn over a lower one
_COOLEST = 4  # markers of heat, one for each level
_HEAT_MASK = sum(1 << _COOLEST + level for level in range(HEAT_LEVELS))
_CHANGE_MARKERS = {"added": 8, "changed": 9, "removed": 10}
_CHANGE_MASK = sum(1 << marker for marker in _CHANGE_MARKERS.values())
_CHARACTERS = Scintilla.LineCharacterIndexType.Utf32.value
_RISKY, _RISKY_SIGN = 12, 13
_BREAKPOINT = 0  # below the arrow
_TRACED, _FOUND = 11, Scintilla.IndicatorNumbers.Container.value
_MARKERS: Mapping[MarkKind, Sequence[int]] = {
    "traced": (_TRACED,),
    "risky": (_RISKY, _RISKY_SIGN),
    "breakpoint": (_BREAKPOINT,),
}


class _CodeArea(WatchedViewport, ScintillaEdit):
    """The binding's widget."""


class ScintillaEditor(QWidget):
    """A `CodeEditor`. Wraps the binding's widget: its class shadows many methods of QWidget.

    The binding takes `str` only, counts positions in UTF-8 bytes, and reads past its buffer when
    a length is too large; `utf8_length` is therefore the one place where lengths are made.
    """

    edited = Signal()
    cursor_moved = Signal(int, int)
    line_pointed = Signal(int)
    number_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sci = _CodeArea(self)
        self._colours: EditorColours | None = None
        self._style_names: dict[int, str] = {}
        self._language, self._waits_for_text = "", False
        self._cutter = LineCutter()
        self._is_touched = False
        self._is_read_only = False
        self._is_streaming = False
        self._is_loading = False
        self._notes: dict[int, str] = {}
        self._running: int | None = None
        self._is_paused = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._sci)
        self.setFocusProxy(self._sci)
        self._set_up()
        HoveredLine(self._sci, self._line_at, self.line_pointed.emit)
        self._sci.modified.connect(self._on_modified)
        self._sci.updateUi.connect(self._on_update)
        self._sci.marginClicked.connect(self._on_margin_clicked)

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
        self._cutter = LineCutter()
        self._load(self._cutter.feed(text))
        self.set_changes(())
        self._sci.emptyUndoBuffer()
        self._sci.gotoPos(0)
        self._apply_read_only()

    def replace_text(self, text: str) -> None:
        """Replace the text as one step that can be undone."""
        self._cutter = LineCutter()
        shown = self._cutter.feed(text)
        self._sci.beginUndoAction()
        self._load(shown)
        self._sci.endUndoAction()
        self._apply_read_only()

    def append(self, text: str) -> None:
        """Add streamed text at the end; all of it up to `end_stream` is one undo step."""
        if not self._is_streaming:
            self._is_streaming = True
            self._sci.beginUndoAction()
        was_at_end = self._is_at_end()
        shown = whole_characters(self._cutter.feed(text))
        if shown and self._waits_for_text:
            self._set_lexer()
        self._is_loading = True
        self._sci.setReadOnly(False)
        self._sci.appendText(utf8_length(shown), shown)
        self._apply_read_only()
        self._is_loading = False
        self._size_number_margin()
        if was_at_end:
            self._sci.scrollToEnd()

    def end_stream(self) -> None:
        """End the stream; the text is complete."""
        if self._is_streaming:
            self._is_streaming = False
            self._sci.endUndoAction()

    def set_language(self, language: str) -> None:
        """Set the language for the colours; an unknown one is plain text."""
        self._language = language
        self._waits_for_text = not self._sci.textLength()
        if not self._waits_for_text:
            self._set_lexer()
        elif self._style_names:
            self._sci.setILexer(0)
            self._style_names = {}

    def _set_lexer(self) -> None:
        """Load what colours the code, which an empty editor does without: 1 MB."""
        self._waits_for_text = False
        prepared = make_lexer(self._language)
        # The editor owns the lexer from here on; keeping its wrapper would only leak it.
        self._sci.setILexer(prepared.lexer.detach() if prepared else 0)
        self._style_names = prepared.style_names if prepared else {}
        if self._colours is not None:
            self.set_colours(self._colours)

    def set_colours(self, colours: EditorColours) -> None:
        """Set the colours of a theme."""
        self._colours = colours
        sci = self._sci
        set_styles(sci, colours, self._style_names, _DEFAULT)
        set_note_styles(sci, colours, self._extended, _LINE_NUMBER)
        for margin in (_CHANGES, _HEAT, _PADDING):
            sci.setMarginBackN(margin, bgr_number(colours.background))
        for level in range(HEAT_LEVELS):
            share = (level + 1) / HEAT_LEVELS
            colour = bgr_number(mix_colours(colours.background, colours.accent, share))
            sci.markerSetBack(_COOLEST + level, colour)
            sci.markerSetFore(_COOLEST + level, colour)
        parts = Scintilla.Element
        sci.setElementColour(parts.Caret.value, bgr_number(colours.accent) | 255 << 24)
        sci.setElementColour(parts.SelectionBack.value, bgr_number(colours.selection) | 255 << 24)
        sci.setElementColour(
            parts.SelectionInactiveBack.value, bgr_number(colours.selection) | 160 << 24
        )
        sci.markerSetBack(
            _TRACED, bgr_number(mix_colours(colours.background, colours.accent, 0.16))
        )
        sci.markerSetBack(_RISKY, bgr_number(mix_colours(colours.background, colours.warn, 0.16)))
        sci.markerSetBack(_RISKY_SIGN, bgr_number(colours.warn))
        sci.markerSetFore(_RISKY_SIGN, bgr_number(colours.warn))
        sci.markerSetBack(_BREAKPOINT, bgr_number(colours.error))
        sci.markerSetFore(_BREAKPOINT, bgr_number(colours.error))
        self._set_line_colours(colours)
        self._set_change_colours(colours)
        sci.colourise(0, -1)
        self._size_number_margin()

    def set_read_only(self, is_read_only: bool) -> None:
        """Set whether the text is read-only."""
        self._is_read_only = is_read_only
        self._apply_read_only()

    def set_running_line(
        self, line: int | None, note: str = "", *, is_paused: bool = False
    ) -> None:
        """Mark the line that runs, or will after a pause, with a note; None if nothing runs."""
        line = line if line is not None and 1 <= line <= self._sci.lineCount() else None
        if is_paused != self._is_paused:
            self._is_paused = is_paused
            if self._colours is not None:
                self._set_line_colours(self._colours)
        if line != self._running:
            self._move_markers(line)
            self._sci.setScrollWidth(1)  # the note may have been what was wide
        if line is not None:
            self._put_note(line, note, RUNNING_NOTE)

    @property
    def breakpoints(self) -> list[int]:
        """Return the lines to pause before."""
        found: list[int] = []
        line = self._sci.markerNext(0, 1 << _BREAKPOINT)
        while line >= 0:
            found.append(line + 1)
            line = self._sci.markerNext(line + 1, 1 << _BREAKPOINT)
        return found

    def set_line_note(self, line: int, note: str, *, is_passing: bool = False) -> None:
        """Show a quiet note at the end of a line, behind another if it is passing."""
        if is_passing:
            note = " · ".join(filter(None, (self._notes.get(line, ""), note)))
        else:
            self._notes[line] = note
        if line != self._running:
            self._put_note(line, note, NOTE)
            self._sci.setScrollWidth(1)

    def set_heat(self, first: int, last: int, level: int) -> None:
        """Show a stripe beside these lines, stronger for a higher level."""
        marker = _COOLEST + min(max(level, 1), HEAT_LEVELS) - 1
        for line in range(max(first, 1), min(last, self._sci.lineCount()) + 1):
            for other in range(_COOLEST, _COOLEST + HEAT_LEVELS):
                self._sci.markerDelete(line - 1, other)
            self._sci.markerAdd(line - 1, marker)

    def show_error(self, line: int, text: str) -> None:
        """Show an error under its line."""
        line = min(max(line, 1), self._sci.lineCount())
        self._sci.annotationSetText(line - 1, text)
        base = self._sci.annotationStyleOffset()
        self._sci.annotationSetStyle(line - 1, self._extended + ERROR - base)
        self.reveal_line(line)

    def mark_lines(self, lines: Sequence[int], kind: MarkKind = "traced") -> None:
        """Mark these lines, and no others of the kind."""
        for marker in _MARKERS[kind]:
            self._sci.markerDeleteAll(marker)
            for line in lines:
                if 1 <= line <= self._sci.lineCount():
                    self._sci.markerAdd(line - 1, marker)

    def clear_notes(self) -> None:
        """Remove markers, notes, heat and errors."""
        self._move_markers(None)
        for marker in range(_COOLEST, _COOLEST + HEAT_LEVELS):
            self._sci.markerDeleteAll(marker)
        self._notes.clear()
        self._sci.eOLAnnotationClearAll()
        self._sci.annotationClearAll()

    def reveal_line(self, line: int) -> None:
        """Scroll until the line is visible, without moving the cursor."""
        first, on_screen = self._sci.firstVisibleLine(), self._sci.linesOnScreen()
        wanted = self._sci.visibleFromDocLine(line - 1)
        if not first <= wanted <= first + on_screen - 2:
            self._sci.setFirstVisibleLine(max(0, wanted - on_screen // 2))

    def cursor(self) -> tuple[int, int]:
        """Return the line and the column of the cursor."""
        position = self._sci.currentPos()
        line = self._sci.lineFromPosition(position)
        start = self._sci.positionFromLine(line)
        return line + 1, self._sci.countCharacters(start, position) + 1

    @property
    def can_undo(self) -> bool:
        """Return whether there is a step to undo."""
        return self._sci.canUndo() and not self._sci.readOnly()

    def undo(self) -> None:
        """Undo the last step."""
        self._sci.undo()

    def redo(self) -> None:
        """Redo the last undone step."""
        self._sci.redo()

    @property
    def is_cut(self) -> bool:
        """Return whether a line is cut for display, so that the text is read-only."""
        return self._cutter.has_cut

    def display_text(self) -> str:
        """Return the text as it is shown, long lines cut."""
        # By its length: the text may hold NUL, where a C string would end.
        return _as_text(self._sci.textRange(0, self._sci.textLength()))

    def selection(self) -> tuple[int, int]:
        """Return the start and the end of the selection in the shown text."""
        sci = self._sci
        return self._place(sci.selectionStart()), self._place(sci.selectionEnd())

    def place_at(self, point: QPoint) -> int:
        """Return the position of the character under a point of the text area; -1 for none."""
        found = self._sci.charPositionFromPointClose(point.x(), point.y())
        return self._place(found) if found >= 0 else -1

    def select(self, start: int, end: int) -> None:
        """Select a range and scroll to it."""
        first, last = self._positions([start, end])
        self.reveal_line(self._sci.lineFromPosition(first) + 1)
        self._sci.setSel(first, last)

    def mark_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark ranges, in order; an empty sequence removes the marks."""
        sci = self._sci
        sci.setIndicatorCurrent(_FOUND)
        sci.indicatorClearRange(0, sci.textLength())
        places = self._positions([place for span in spans for place in span])
        for start, end in zip(places[::2], places[1::2], strict=True):
            sci.indicatorFillRange(start, end - start)

    def replace_spans(self, spans: Sequence[tuple[int, int, str]]) -> None:
        """Replace ranges, in order, as one step that can be undone."""
        if self._sci.readOnly():
            return
        places = self._positions([place for span in spans for place in span[:2]])
        self._sci.beginUndoAction()
        for number, (_start, _end, new) in reversed(list(enumerate(spans))):
            text = whole_characters(new)
            self._sci.setTargetRange(places[2 * number], places[2 * number + 1])
            self._sci.replaceTarget(utf8_length(text), text)
        self._sci.endUndoAction()

    def set_wrap(self, is_wrapped: bool) -> None:
        """Set whether long lines wrap."""
        mode = Scintilla.Wrap.Word if is_wrapped else Scintilla.Wrap.None_
        self._sci.setWrapMode(mode.value)

    def set_changes(self, changes: Sequence[LineMark]) -> None:
        """Mark lines in the margin as added (+), changed (a bar) and removed (−)."""
        # Line by line: deleting all of a kind at once paints the whole text again.
        wanted = {change.line - 1: 1 << _CHANGE_MARKERS[change.kind] for change in changes}
        line = self._sci.markerNext(0, _CHANGE_MASK)
        while line >= 0:
            marks = self._sci.markerGet(line) & _CHANGE_MASK
            if marks == wanted.get(line, 0):
                del wanted[line]
            else:
                for marker in _CHANGE_MARKERS.values():
                    self._sci.markerDelete(line, marker)
            line = self._sci.markerNext(line + 1, _CHANGE_MASK)
        for line, mark in wanted.items():
            self._sci.markerAddSet(line, mark)

    def _set_up(self) -> None:
        sci = self._sci
        sci.setFrameShape(QFrame.Shape.NoFrame)
        sci.setCodePage(65001)
        sci.allocateLineCharacterIndex(_CHARACTERS)
        sci.setModEventMask(_EDITS)  # else the signal fires for each styled range as well
        sci.setBufferedDraw(False)  # Qt's own backing store is buffer enough: 40 % less per frame
        sci.setPhasesDraw(Scintilla.PhasesDraw.Two.value)  # One leaves stripes at extra ascent
        sci.setLayoutCache(Scintilla.LineCache.Page.value)
        sci.setUseTabs(False)
        sci.setTabWidth(4)
        sci.setIndent(4)
        sci.setBackSpaceUnIndents(True)
        sci.setEOLMode(Scintilla.EndOfLine.Lf.value)
        sci.setScrollWidth(1)
        sci.setScrollWidthTracking(True)
        sci.setMultipleSelection(True)
        sci.setAdditionalSelectionTyping(True)
        sci.setCaretWidth(2)
        sci.setAccessibleName(accessible_name(1))
        sci.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._extended = sci.allocateExtendedStyles(3)
        sci.annotationSetStyleOffset(0)
        sci.eOLAnnotationSetStyleOffset(0)
        self._set_up_margins()

    def _set_up_margins(self) -> None:
        sci = self._sci
        sci.setMargins(5)
        for margin, mask, width in (
            (_NUMBERS, 0, 0),
            (_ARROWS, 1 << _ARROW | 1 << _RISKY_SIGN | 1 << _BREAKPOINT, 14),
            (_CHANGES, _CHANGE_MASK, 13),
            (_HEAT, _HEAT_MASK, 3),
            (_PADDING, 0, 5),
        ):
            sci.setMarginTypeN(margin, _Number if margin == _NUMBERS else _Back)
            sci.setMarginMaskN(margin, mask | 1 << _BAND_MARGIN)
            sci.setMarginWidthN(margin, width)
        for margin in (_NUMBERS, _ARROWS):
            sci.setMarginSensitiveN(margin, True)
            sci.setMarginCursorN(margin, Scintilla.CursorShape.Arrow.value)
        sci.setMarginLeft(0)
        sci.markerDefine(_BAND, Scintilla.MarkerSymbol.Background.value)
        sci.markerDefine(_TRACED, Scintilla.MarkerSymbol.Background.value)
        sci.markerDefine(_RISKY, Scintilla.MarkerSymbol.Background.value)
        sci.markerDefine(_RISKY_SIGN, Scintilla.MarkerSymbol.SmallRect.value)
        sci.markerDefine(_BREAKPOINT, Scintilla.MarkerSymbol.Circle.value)
        sci.markerDefine(_BAND_MARGIN, Scintilla.MarkerSymbol.FullRect.value)
        sci.markerDefine(_ARROW, Scintilla.MarkerSymbol.Arrow.value)
        for level in range(HEAT_LEVELS):
            sci.markerDefine(_COOLEST + level, Scintilla.MarkerSymbol.FullRect.value)
        symbols = Scintilla.MarkerSymbol
        shapes = {"added": symbols.Plus, "changed": symbols.Bar, "removed": symbols.Minus}
        for kind, marker in _CHANGE_MARKERS.items():
            sci.markerDefine(marker, shapes[kind].value)
        sci.indicSetStyle(_FOUND, Scintilla.IndicatorStyle.FullBox.value)
        sci.indicSetUnder(_FOUND, True)
        sci.annotationSetVisible(Scintilla.AnnotationVisible.Standard.value)
        sci.eOLAnnotationSetVisible(Scintilla.EOLAnnotationVisible.Standard.value)

    def _set_line_colours(self, colours: EditorColours) -> None:
        """Colour the line that runs: grey with a hollow arrow while it is paused."""
        sci, ground = self._sci, colours.paused if self._is_paused else colours.running
        sci.markerSetBack(_BAND, bgr_number(ground))
        inside = colours.background if self._is_paused else colours.accent
        sci.markerSetBack(_ARROW, bgr_number(inside))
        sci.markerSetFore(_ARROW, bgr_number(colours.accent))
        band = overlay_number(ground, colours.background)
        sci.markerSetBackTranslucent(_BAND_MARGIN, band)
        sci.markerSetForeTranslucent(_BAND_MARGIN, band)
        sci.styleSetBack(self._extended + RUNNING_NOTE, bgr_number(ground))

    def _set_change_colours(self, colours: EditorColours) -> None:
        sci = self._sci
        for marker, colour in zip(
            _CHANGE_MARKERS.values(), (colours.added, colours.accent, colours.error), strict=True
        ):
            sci.markerSetBack(marker, bgr_number(colour))
            sci.markerSetFore(marker, bgr_number(colour))
        sci.indicSetFore(_FOUND, bgr_number(colours.accent))
        sci.indicSetAlpha(_FOUND, 60)
        sci.indicSetOutlineAlpha(_FOUND, 160)

    def _size_number_margin(self) -> None:
        digits = max(3, len(str(self._sci.lineCount())))
        self._sci.setMarginWidthN(_NUMBERS, self._sci.textWidth(_LINE_NUMBER, "9" * digits) + 16)

    def _load(self, shown: str) -> None:
        shown = whole_characters(shown)
        if shown and self._waits_for_text:
            self._set_lexer()
        self._is_loading = True
        self._is_touched = False
        self._sci.setReadOnly(False)
        self._sci.clearAll()
        self._sci.appendText(utf8_length(shown), shown)
        self._sci.setScrollWidth(1)  # Scintilla only ever increases it
        self._is_loading = False
        self._size_number_margin()

    def _positions(self, places: Sequence[int]) -> list[int]:
        """Return positions in characters as positions in bytes."""
        found: list[int] = []
        for place in places:
            line = self._sci.lineFromIndexPosition(place, _CHARACTERS)
            start = self._sci.positionFromLine(line)
            rest = place - self._sci.indexPositionFromLine(line, _CHARACTERS)
            # Beyond the end the binding answers 0.
            after = self._sci.positionRelative(start, rest) if rest else start
            found.append(after if after or not place else self._sci.textLength())
        return found

    def _place(self, position: int) -> int:
        """Return a position in bytes as a position in characters."""
        line = self._sci.lineFromPosition(position)
        start = self._sci.positionFromLine(line)
        before = self._sci.indexPositionFromLine(line, _CHARACTERS)
        return before + self._sci.countCharacters(start, position)

    def _apply_read_only(self) -> None:
        """Make a text that is cut for display read-only, because hidden text would be lost."""
        self._sci.setReadOnly(self._is_read_only or self._cutter.has_cut)

    def _is_at_end(self) -> bool:
        last = self._sci.firstVisibleLine() + self._sci.linesOnScreen()
        return last >= self._sci.lineCount()

    def _line_at(self, point: QPoint) -> int:
        position = self._sci.positionFromPoint(point.x(), point.y())
        line = self._sci.lineFromPosition(position)
        below = point.y() - self._sci.pointYFromPosition(position)
        return line + 1 if 0 <= below < self._sci.textHeight(line) else 0

    def _move_markers(self, line: int | None) -> None:
        marked = self._sci.markerNext(0, 1 << _ARROW)  # it moves with its text
        for marker in (_BAND, _BAND_MARGIN, _ARROW):
            if marked >= 0:
                self._sci.markerDelete(marked, marker)
            if line is not None:
                self._sci.markerAdd(line - 1, marker)
        before, self._running = self._running, line
        if before is not None:
            self._put_note(before, self._notes.get(before, ""), NOTE)
        if line is not None:
            self.reveal_line(line)

    def _put_note(self, line: int, note: str, style: int) -> None:
        if 1 <= line <= self._sci.lineCount():
            set_note(self._sci, line - 1, note, self._extended + style)

    def _on_modified(self, flags: int, *_rest: object) -> None:
        if flags & _EDITS and not self._is_loading:
            self._is_touched = True
            self.edited.emit()

    def _on_margin_clicked(self, position: int, *_rest: object) -> None:
        self.number_clicked.emit(self._sci.lineFromPosition(position) + 1)

    def _on_update(self, _what: int) -> None:
        if self._waits_for_text and self._sci.textLength():
            self._set_lexer()
        line, column = self.cursor()
        self._sci.setAccessibleName(accessible_name(line))
        self._size_number_margin()
        self.cursor_moved.emit(line, column)


class StyleReader:
    """Colours code on a Scintilla that is never shown. Owner: the colouring service."""

    def __init__(self, owner: QWidget | None = None) -> None:
        self._sci = ScintillaEdit(owner)
        self._sci.hide()
        self._sci.setCodePage(65001)
        self._sci.setUndoCollection(False)
        self._language = ""
        self._names: dict[int, str] = {}

    def styles(self, language: str, code: str) -> list[tuple[int, int, str]]:
        """Return runs of one style as (first byte, bytes, style name), without plain text."""
        if language != self._language:
            prepared = make_lexer(language)
            self._sci.setILexer(prepared.lexer.detach() if prepared else 0)
            self._names = prepared.style_names if prepared else {}
            self._language = language
        if not self._names:
            return []
        self._sci.setText(code)
        self._sci.colourise(0, -1)
        return style_runs(self._sci.styleIndexAt, self._names, utf8_length(code))


def _as_text(data: QByteArray) -> str:
    return bytes(data.data()).decode("utf-8", "replace")
