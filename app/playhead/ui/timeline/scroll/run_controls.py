"""Controls of a running program in the timeline: its text fields and its seconds.

The fields answer its questions or type to it.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from playhead.ui.timeline.cards.input_line import InputLine, SendLine, input_style
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.model.timeline_model import input_of
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.widgets.focus_memory import FocusMemory
from playhead.ui.widgets.wording import format_seconds, tr


class InputFields(QObject):
    """Puts a field over each card that wants one and can be seen. Owner: the view.

    Signals: `answered(input_id, text)`, `sent(text, is_end)` to what the running code has started.
    """

    answered = Signal(str, str)
    sent = Signal(str, bool)

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._fields: dict[str, InputLine | SendLine] = {}
        self._focus_before = FocusMemory()

    def place(self) -> None:
        """Move the fields to where their cards are now."""
        seen: set[str] = set()
        for index in self._canvas.visible_rows():
            row = self._canvas.sheet.rows[index]
            if _wants_field(row):
                seen.add(row.key)
                self._place(index, row)
        for key in tuple(self._fields):
            index = self._canvas.model.index_of(key)
            if index is None or not _wants_field(self._canvas.sheet.rows[index]):
                self._drop(key)
            elif key not in seen:
                self._fields[key].hide()  # what was typed is kept

    @property
    def waiting(self) -> QWidget | None:
        """Return the field for the answer that the code waits for; None without one."""
        index = self._waiting_row()
        line = self._fields.get(self._canvas.sheet.rows[index].key) if index is not None else None
        return line.field if line is not None else None

    def focus_waiting(self) -> bool:
        """Show the field that the code waits at and put the keyboard there; False without one."""
        index = self._waiting_row()
        if index is None:
            return False
        if index not in self._canvas.visible_rows():
            self._canvas.scroll_to(self._canvas.sheet.top_of(index))
        self.place()
        if (field := self.waiting) is not None:
            field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return field is not None

    def _waiting_row(self) -> int | None:
        rows = self._canvas.sheet.rows
        places = (place for place in range(len(rows) - 1, -1, -1) if _waits(rows[place]))
        return next(places, None)

    def toggle_typing(self, row: Row) -> None:
        """Show or hide the field for what the code of a row has started."""
        row.is_typing = not row.is_typing and row.state == "running"
        self._canvas.row_changed(row.key)
        if (field := self._fields.get(row.key)) is not None and row.is_typing:
            self._focus(field)

    def _place(self, index: int, row: Row) -> None:
        box = self._box(index)
        if box is None:
            return
        field = self._fields.get(row.key)
        if field is None:
            field = self._fields[row.key] = self._make(row)
            if row.kind == "input" and self._canvas.is_following():
                self._focus(field)
        port = self._canvas.port
        rect = port.to_screen(box.translated(self._canvas.card_rect(index).topLeft()))
        if rect.height() != field.height():
            field.setStyleSheet(input_style(port.zoom))
        field.setGeometry(rect)
        field.show()

    def _box(self, index: int) -> QRect | None:
        card = self._canvas.sheet.card(index)
        from playhead.ui.timeline.cards.code_cards import (
            CodeCard,  # needed by no empty conversation
        )
        from playhead.ui.timeline.cards.small_cards import InputCard

        return card.field_box() if isinstance(card, InputCard | CodeCard) else None

    def _make(self, row: Row) -> InputLine | SendLine:
        if row.kind == "input":
            return self._make_answer(row)
        line = SendLine(self._canvas.port.widget)
        line.sent.connect(self.sent)
        return line

    def _make_answer(self, row: Row) -> InputLine:
        request = input_of(row)
        prompt, is_secret = (request.prompt, request.is_secret) if request else ("", False)
        field = InputLine(prompt, is_secret, self._canvas.port.widget)
        QWidget.setTabOrder(self._canvas.area, field.field)

        def on_answered(text: str) -> None:
            row.state = "answered"
            row.detail = tr("Answered.") if is_secret else text
            self._canvas.row_changed(row.key)
            if request is not None:
                self.answered.emit(request.id, text)

        field.answered.connect(on_answered)
        return field

    def _focus(self, field: InputLine | SendLine) -> None:
        self._focus_before.keep(field)
        field.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _drop(self, key: str) -> None:
        field = self._fields.pop(key)
        focused = self._canvas.area.window().focusWidget()
        if focused is not None and field.isAncestorOf(focused):
            self._focus_before.give_back(self._canvas.area)
        field.hide()
        field.deleteLater()


def _wants_field(row: Row) -> bool:
    return row.is_typing or _waits(row)


def _waits(row: Row) -> bool:
    return row.kind == "input" and not row.state


_TICK_MS = 1_000
_SHOWN_FROM_S = 0.9


class RunClock:
    """Ticks only while code runs. Owner: the view."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._timer = QTimer(canvas)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._on_tick)

    def follow(self) -> None:
        """Start or stop the timer: a run may have begun or ended."""
        is_running = self._canvas.model.running is not None
        if is_running != self._timer.isActive():
            self._timer.start() if is_running else self._timer.stop()

    def _on_tick(self) -> None:
        row = self._canvas.model.running
        if row is None:
            self._timer.stop()
            return
        seconds = time.time() - row.began_at
        if seconds >= _SHOWN_FROM_S:
            row.detail = format_seconds(seconds, is_running=True)
            self._canvas.row_changed(row.key)
