"""The code editor on Scintilla; the one file that knows the binding and its traps."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget
from pyside6_scintilla import Scintilla, ScintillaEdit

from playhead.ui.editor.code_editor import HEAT_LEVELS, EditorColours
from playhead.ui.editor.lexers import make_lexer
from playhead.ui.editor.line_cutter import LineCutter

_Number, _Back = Scintilla.MarginType.Number.value, Scintilla.MarginType.Back.value
_DEFAULT = Scintilla.StylesCommon.Default.value
_LINE_NUMBER = Scintilla.StylesCommon.LineNumber.value
_EDITS = Scintilla.ModificationFlags.InsertText.value | Scintilla.ModificationFlags.DeleteText.value

_NUMBERS, _ARROWS, _HEAT, _PADDING = 0, 1, 2, 3  # margins, from the left
_BAND, _BAND_MARGIN, _ARROW = 1, 2, 3  # markers; a higher one is drawn over a lower one
_COOLEST = 4  # markers of heat, one for each level
_HEAT_MASK = sum(1 << _COOLEST + level for level in range(HEAT_LEVELS))
_NOTE, _RUNNING_NOTE, _ERROR = 0, 1, 2  # our extended styles


class ScintillaEditor(QWidget):
    """A `CodeEditor`. Wraps the binding's widget: its class shadows many methods of QWidget.

    The binding takes `str` only, counts positions in UTF-8 bytes, and reads past its buffer when
    a length is too large; `_utf8_length` is therefore the one place where lengths are made.
    """

    edited = Signal()
    cursor_moved = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sci = ScintillaEdit(self)
        self._colours: EditorColours | None = None
        self._style_names: dict[int, str] = {}
        self._cutter = LineCutter()
        self._is_read_only = False
        self._is_streaming = False
        self._is_loading = False
        self._notes: dict[int, str] = {}
        self._running: int | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._sci)
        self.setFocusProxy(self._sci)
        self._set_up()
        self._sci.modified.connect(self._on_modified)
        self._sci.updateUi.connect(self._on_update)

    @property
    def widget(self) -> QWidget:
        """The widget to lay out and to focus."""
        return self

    def text(self) -> str:
        """The whole text, also where a line is cut for display."""
        return self._cutter.text if self._cutter.has_cut else self._shown_text()

    def show_text(self, text: str) -> None:
        """Put up another text; forgets undo steps, notes and markers."""
        self.end_stream()
        self.clear_notes()
        self._cutter = LineCutter()
        self._load(self._cutter.feed(text))
        self._sci.emptyUndoBuffer()
        self._sci.gotoPos(0)
        self._apply_read_only()

    def replace_text(self, text: str) -> None:
        """Exchange the text as one step that can be undone."""
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
        shown = self._cutter.feed(text)
        self._is_loading = True
        self._sci.setReadOnly(False)
        self._sci.appendText(_utf8_length(shown), shown)
        self._apply_read_only()
        self._is_loading = False
        self._size_number_margin()
        if was_at_end:
            self._sci.scrollToEnd()

    def end_stream(self) -> None:
        """The streamed text is complete."""
        if self._is_streaming:
            self._is_streaming = False
            self._sci.endUndoAction()

    def set_language(self, language: str) -> None:
        """Colour as this language; an unknown one is plain text."""
        prepared = make_lexer(language)
        # The editor owns the lexer from here on; keeping its wrapper would only leak it.
        self._sci.setILexer(prepared.lexer.detach() if prepared else 0)
        self._style_names = prepared.style_names if prepared else {}
        if self._colours is not None:
            self.set_colours(self._colours)

    def set_colours(self, colours: EditorColours) -> None:
        """Take the colours of a theme."""
        self._colours = colours
        sci = self._sci
        _set_styles(sci, colours, self._style_names)
        self._set_own_styles(colours)
        for margin in (_HEAT, _PADDING):
            sci.setMarginBackN(margin, _bgr(colours.background))
        for level in range(HEAT_LEVELS):
            share = (level + 1) / HEAT_LEVELS
            colour = _bgr(_mixed(colours.background, colours.accent, share))
            sci.markerSetBack(_COOLEST + level, colour)
            sci.markerSetFore(_COOLEST + level, colour)
        for element, colour, alpha in (
            (Scintilla.Element.Caret, colours.accent, 255),
            (Scintilla.Element.SelectionBack, colours.selection, 255),
            (Scintilla.Element.SelectionInactiveBack, colours.selection, 160),
        ):
            sci.setElementColour(element.value, _bgr(colour) | alpha << 24)
        sci.markerSetBack(_BAND, _bgr(colours.running))
        sci.markerSetBack(_ARROW, _bgr(colours.accent))
        sci.markerSetFore(_ARROW, _bgr(colours.accent))
        wash = _wash(colours.running, colours.background)
        sci.markerSetBackTranslucent(_BAND_MARGIN, wash)
        sci.markerSetForeTranslucent(_BAND_MARGIN, wash)
        sci.colourise(0, -1)
        self._size_number_margin()

    def set_read_only(self, is_read_only: bool) -> None:
        """Whether the user may type."""
        self._is_read_only = is_read_only
        self._apply_read_only()

    def set_running_line(self, line: int | None, note: str = "") -> None:
        """Mark the line that runs, with a note at its end; None: nothing runs."""
        if line is not None and not 1 <= line <= self._sci.lineCount():
            line = None
        if line != self._running:
            self._move_markers(line)
        if line is not None:
            self._put_note(line, note, _RUNNING_NOTE)

    def set_line_note(self, line: int, note: str) -> None:
        """A quiet note at the end of a line; '' takes it away."""
        self._notes[line] = note
        if line != self._running:
            self._put_note(line, note, _NOTE)

    def set_heat(self, first: int, last: int, level: int) -> None:
        """A stripe beside these lines, the stronger the higher the level."""
        marker = _COOLEST + min(max(level, 1), HEAT_LEVELS) - 1
        for line in range(max(first, 1), min(last, self._sci.lineCount()) + 1):
            for other in range(_COOLEST, _COOLEST + HEAT_LEVELS):
                self._sci.markerDelete(line - 1, other)
            self._sci.markerAdd(line - 1, marker)

    def show_error(self, line: int, text: str) -> None:
        """An error under its line."""
        line = min(max(line, 1), self._sci.lineCount())
        self._sci.annotationSetText(line - 1, text)
        base = self._sci.annotationStyleOffset()
        self._sci.annotationSetStyle(line - 1, self._extended + _ERROR - base)
        self.reveal_line(line)

    def clear_notes(self) -> None:
        """Take away markers, notes, heat and errors."""
        self._move_markers(None)
        for marker in range(_COOLEST, _COOLEST + HEAT_LEVELS):
            self._sci.markerDeleteAll(marker)
        self._notes.clear()
        self._sci.eOLAnnotationClearAll()
        self._sci.annotationClearAll()

    def reveal_line(self, line: int) -> None:
        """Scroll until the line can be seen, without moving the cursor."""
        first, on_screen = self._sci.firstVisibleLine(), self._sci.linesOnScreen()
        wanted = self._sci.visibleFromDocLine(line - 1)
        if not first <= wanted <= first + on_screen - 2:
            self._sci.setFirstVisibleLine(max(0, wanted - on_screen // 2))

    def cursor(self) -> tuple[int, int]:
        """Line and column of the cursor."""
        position = self._sci.currentPos()
        line = self._sci.lineFromPosition(position)
        start = self._sci.positionFromLine(line)
        return line + 1, self._sci.countCharacters(start, position) + 1

    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._sci.canUndo() and not self._sci.readOnly()

    def undo(self) -> None:
        """Take back the last step."""
        self._sci.undo()

    def display_text(self) -> str:
        """The text as it is shown, long lines cut (for tests and screen readers)."""
        return self._shown_text()

    def line_markers(self, line: int) -> bool:
        """Whether the line carries the running mark."""
        return bool(self._sci.markerGet(line - 1) & (1 << _ARROW))

    def line_heat(self, line: int) -> int:
        """The level of heat of a line, 0 for none."""
        marks = self._sci.markerGet(line - 1)
        return next((n + 1 for n in range(HEAT_LEVELS) if marks & 1 << _COOLEST + n), 0)

    def line_note(self, line: int) -> str:
        """The note at the end of a line."""
        return _as_text(self._sci.eOLAnnotationText(line - 1))

    def line_error(self, line: int) -> str:
        """The error under a line."""
        return _as_text(self._sci.annotationText(line - 1))

    def _set_up(self) -> None:
        sci = self._sci
        sci.setFrameShape(QFrame.Shape.NoFrame)
        sci.setCodePage(65001)
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
        sci.setExtraAscent(3)
        sci.setExtraDescent(3)
        sci.setCaretWidth(2)
        sci.setAccessibleName("Code editor, line 1")
        sci.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._extended = sci.allocateExtendedStyles(3)
        sci.annotationSetStyleOffset(0)
        sci.eOLAnnotationSetStyleOffset(0)
        self._set_up_margins()

    def _set_up_margins(self) -> None:
        sci = self._sci
        sci.setMargins(4)
        sci.setMarginTypeN(_NUMBERS, _Number)
        sci.setMarginTypeN(_ARROWS, _Back)
        sci.setMarginTypeN(_HEAT, _Back)
        sci.setMarginTypeN(_PADDING, _Back)
        sci.setMarginMaskN(_NUMBERS, 1 << _BAND_MARGIN)
        sci.setMarginMaskN(_ARROWS, 1 << _BAND_MARGIN | 1 << _ARROW)
        sci.setMarginMaskN(_HEAT, 1 << _BAND_MARGIN | _HEAT_MASK)
        sci.setMarginMaskN(_PADDING, 1 << _BAND_MARGIN)
        sci.setMarginWidthN(_ARROWS, 14)
        sci.setMarginWidthN(_HEAT, 3)
        sci.setMarginWidthN(_PADDING, 5)
        sci.setMarginLeft(0)
        sci.markerDefine(_BAND, Scintilla.MarkerSymbol.Background.value)
        sci.markerDefine(_BAND_MARGIN, Scintilla.MarkerSymbol.FullRect.value)
        sci.markerDefine(_ARROW, Scintilla.MarkerSymbol.Arrow.value)
        for level in range(HEAT_LEVELS):
            sci.markerDefine(_COOLEST + level, Scintilla.MarkerSymbol.FullRect.value)
        sci.annotationSetVisible(Scintilla.AnnotationVisible.Standard.value)
        sci.eOLAnnotationSetVisible(Scintilla.EOLAnnotationVisible.Standard.value)

    def _set_own_styles(self, colours: EditorColours) -> None:
        for style, fore, back in (
            (_NOTE, colours.mute, colours.background),
            (_RUNNING_NOTE, colours.text, colours.running),
            (_ERROR, colours.error, colours.error_background),
        ):
            self._sci.styleSetFore(self._extended + style, _bgr(fore))
            self._sci.styleSetBack(self._extended + style, _bgr(back))
            self._sci.styleSetItalic(self._extended + style, style != _ERROR)
        self._sci.styleSetEOLFilled(self._extended + _ERROR, True)
        self._sci.styleSetFore(_LINE_NUMBER, _bgr(colours.faint))
        self._sci.styleSetBack(_LINE_NUMBER, _bgr(colours.background))

    def _size_number_margin(self) -> None:
        digits = max(3, len(str(self._sci.lineCount())))
        self._sci.setMarginWidthN(_NUMBERS, self._sci.textWidth(_LINE_NUMBER, "9" * digits) + 16)

    def _load(self, shown: str) -> None:
        self._is_loading = True
        self._sci.setReadOnly(False)
        self._sci.setText(shown)
        self._sci.setScrollWidth(1)  # it only ever grows by itself
        self._is_loading = False
        self._size_number_margin()

    def _apply_read_only(self) -> None:
        """A text that is cut for display cannot be typed in: what is hidden would be lost."""
        self._sci.setReadOnly(self._is_read_only or self._cutter.has_cut)

    def _is_at_end(self) -> bool:
        last = self._sci.firstVisibleLine() + self._sci.linesOnScreen()
        return last >= self._sci.lineCount()

    def _move_markers(self, line: int | None) -> None:
        for marker in (_BAND, _BAND_MARGIN, _ARROW):
            self._sci.markerDeleteAll(marker)
            if line is not None:
                self._sci.markerAdd(line - 1, marker)
        before, self._running = self._running, line
        if before is not None:
            self._put_note(before, self._notes.get(before, ""), _NOTE)
        if line is not None:
            self.reveal_line(line)

    def _put_note(self, line: int, note: str, style: int) -> None:
        if not 1 <= line <= self._sci.lineCount():
            return
        self._sci.eOLAnnotationSetText(line - 1, f"   {note}" if note else "")
        self._sci.eOLAnnotationSetStyle(line - 1, self._extended + style)

    def _shown_text(self) -> str:
        return _as_text(self._sci.getText(self._sci.textLength() + 1)).rstrip("\0")

    def _on_modified(self, flags: int, *_rest: object) -> None:
        if flags & _EDITS and not self._is_loading:
            self._cutter = LineCutter()  # only texts that are shown whole can be edited
            self.edited.emit()

    def _on_update(self, _what: int) -> None:
        line, column = self.cursor()
        self._sci.setAccessibleName(f"Code editor, line {line}")
        self._size_number_margin()
        self.cursor_moved.emit(line, column)


class StyleReader:
    """Colours code on a Scintilla that is never shown; owner: the colouring service."""

    def __init__(self, owner: QWidget | None = None) -> None:
        self._sci = ScintillaEdit(owner)
        self._sci.hide()
        self._sci.setCodePage(65001)
        self._sci.setUndoCollection(False)
        self._language = ""
        self._names: dict[int, str] = {}

    def styles(self, language: str, code: str) -> list[tuple[int, int, str]]:
        """Runs of one style as (first byte, bytes, style name), plain text left out."""
        if language != self._language:
            prepared = make_lexer(language)
            self._sci.setILexer(prepared.lexer.detach() if prepared else 0)
            self._names = prepared.style_names if prepared else {}
            self._language = language
        if not self._names:
            return []
        self._sci.setText(code)
        self._sci.colourise(0, -1)
        return self._runs(_utf8_length(code))

    def _runs(self, length: int) -> list[tuple[int, int, str]]:
        style_at, names = self._sci.styleIndexAt, self._names
        runs: list[tuple[int, int, str]] = []
        start, current = 0, ""
        for position in range(length + 1):
            name = names.get(style_at(position), "") if position < length else ""
            if name == current:
                continue
            if current:
                runs.append((start, position - start, current))
            start, current = position, name
        return runs


def _set_styles(sci: ScintillaEdit, colours: EditorColours, names: dict[int, str]) -> None:
    sci.styleResetDefault()
    sci.styleSetFont(_DEFAULT, colours.family)
    points = colours.size_px * 72 / max(sci.logicalDpiY(), 1)
    sci.styleSetSizeFractional(_DEFAULT, round(points * 100))
    sci.styleSetFore(_DEFAULT, _bgr(colours.text))
    sci.styleSetBack(_DEFAULT, _bgr(colours.background))
    sci.styleClearAll()
    for number, name in names.items():
        sci.styleSetFore(number, _bgr(colours.of_style(name)))


def _utf8_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _as_text(data: QByteArray) -> str:
    return bytes(data.data()).decode("utf-8", "replace")


def _bgr(colour: str) -> int:
    """`#rrggbb` as Scintilla's blue-green-red number."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red | green << 8 | blue << 16


def _mixed(ground: str, over: str, share: float) -> str:
    """A colour between two."""
    pairs = [(int(ground[at : at + 2], 16), int(over[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in pairs)


def _wash(mixed: str, under: str) -> int:
    """The most transparent colour (with alpha) that gives `mixed` when laid over `under`.

    Markers of a margin are painted over the line numbers, so the band there must let them through.
    """
    pairs = [(int(mixed[at : at + 2], 16), int(under[at : at + 2], 16)) for at in (1, 3, 5)]
    alpha = max((base - over) / base if over < base else (over - base) / max(255 - base, 1)
                for over, base in pairs)  # fmt: skip
    alpha = max(alpha, 1 / 255)
    red, green, blue = (
        min(255, max(0, round(base + (over - base) / alpha))) for over, base in pairs
    )
    return red | green << 8 | blue << 16 | round(alpha * 255) << 24
