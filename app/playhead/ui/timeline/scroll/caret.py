"""Selecting with the keyboard: the end of the selection moves by signs, words, lines, pages."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor

from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.text_selection import Mark, Selection
from playhead.ui.timeline.text.block_column import END, START

_Move = QTextCursor.MoveOperation
_MOVES = {
    Qt.Key.Key_Left: _Move.Left,
    Qt.Key.Key_Right: _Move.Right,
    Qt.Key.Key_Up: _Move.Up,
    Qt.Key.Key_Down: _Move.Down,
    Qt.Key.Key_Home: _Move.StartOfLine,
    Qt.Key.Key_End: _Move.EndOfLine,
}
_WORDS = {Qt.Key.Key_Left: _Move.PreviousWord, Qt.Key.Key_Right: _Move.NextWord}
_BACKWARDS = (_Move.Left, _Move.Up, _Move.PreviousWord, _Move.StartOfLine)
_PAGES = {Qt.Key.Key_PageUp: _Move.Up, Qt.Key.Key_PageDown: _Move.Down}
_PAGE_LINES = 16
_MARGIN = 28


class Caret:
    """Extends a selection with the keyboard, from the mark where it begins. Owner: the view."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.mark: Mark | None = None
        """Where was clicked last."""

    def press(self, event: QKeyEvent) -> bool:
        """Extend the selection, and return whether the key did so."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not modifiers & Qt.KeyboardModifier.ShiftModifier:
            return False
        rest = modifiers & ~Qt.KeyboardModifier.ShiftModifier
        is_ctrl = rest == Qt.KeyboardModifier.ControlModifier
        if rest and not is_ctrl:
            return False
        key = Qt.Key(event.key())
        if is_ctrl and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            rows = self._canvas.sheet.rows
            is_home = key == Qt.Key.Key_Home
            self._extend(Mark(0, START) if is_home else Mark(len(rows) - 1, END))
        elif key in _PAGES:
            self._move(_PAGES[key], _PAGE_LINES)
        elif is_ctrl and key in _WORDS:
            self._move(_WORDS[key])
        elif key in _MOVES and not (is_ctrl and key in (Qt.Key.Key_Up, Qt.Key.Key_Down)):
            self._move(_MOVES[key])
        else:
            return False
        return True

    def begin(self) -> Mark | None:
        """Return where a selection begins: the last click, the ring, or the first visible text."""
        canvas = self._canvas
        if self.mark is not None and self.mark.row < len(canvas.sheet.rows):
            return self.mark
        ringed = canvas.model.index_of(canvas.ringed)
        rows = [ringed] if ringed is not None else canvas.visible_rows()
        for index in rows:
            if (column := canvas.sheet.card(index).column) is not None and len(column):
                return Mark(index, START)
        return None

    def _move(self, move: QTextCursor.MoveOperation, times: int = 1) -> None:
        selection = self._canvas.selection
        head = selection.head if selection else self.begin()
        for _ in range(times):
            head = self._moved(head, move) if head is not None else None
        if head is not None:
            self._extend(head)

    def _extend(self, head: Mark) -> None:
        canvas = self._canvas
        if not canvas.sheet.rows:
            return
        anchor = canvas.selection.anchor if canvas.selection else self.begin()
        selection = Selection(anchor if anchor is not None else head, head)
        canvas.select(None if selection.is_empty else selection)
        if selection.is_empty:
            self.mark = head
        self._reveal(head)

    def _moved(self, mark: Mark, move: QTextCursor.MoveOperation) -> Mark:
        column = self._canvas.sheet.card(mark.row).column
        if column is not None and len(column):
            place = column.moved(mark.place, move)
            if place is not None:
                return Mark(mark.row, place)
        if move in (_Move.StartOfLine, _Move.EndOfLine):
            return mark
        return self._beside(mark, -1 if move in _BACKWARDS else 1)

    def _beside(self, mark: Mark, step: int) -> Mark:
        """Return the near end of the next row that has text."""
        sheet = self._canvas.sheet
        index = mark.row + step
        while 0 <= index < len(sheet.rows):
            column = sheet.card(index).column
            if column is not None and len(column) and sheet.is_shown(index):
                return Mark(index, START if step > 0 else column.end())
            index += step
        return mark

    def _reveal(self, mark: Mark) -> None:
        canvas = self._canvas
        if mark.place in (START, END):
            rect = canvas.card_rect(mark.row)
            y = rect.top() if mark.place == START else rect.bottom()
        else:
            card = canvas.sheet.card(mark.row)
            assert card.column is not None  # noqa: S101 - a place in a text is in a column
            y = canvas.card_rect(mark.row).top() + card.text_box().top()
            y += card.column.y_of(mark.place)
        height = canvas.port.height()
        if y < _MARGIN:
            canvas.scroll_by(y - _MARGIN)
        elif y > height - 2 * _MARGIN:
            canvas.scroll_by(y - height + 2 * _MARGIN)
