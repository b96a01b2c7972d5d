"""The real text fields in the timeline: one for each question of a running program."""

from __future__ import annotations

from PySide6.QtCore import Qt

from playhead.ui.timeline.canvas import Canvas
from playhead.ui.timeline.cards.small import InputCard
from playhead.ui.timeline.input_line import InputLine
from playhead.ui.timeline.model import input_of


class InputFields:
    """Puts a field over each open input card that can be seen. Owner: the view."""

    def __init__(self, view: Canvas) -> None:
        self._view = view
        self._fields: dict[str, InputLine] = {}

    def place(self) -> None:
        """Move the fields to where their cards are now."""
        seen: set[str] = set()
        for index in self._view.visible_rows():
            row = self._view.sheet.rows[index]
            if row.kind == "input" and not row.state:
                seen.add(row.key)
                self._place(index, row.key)
        for key in tuple(self._fields):
            field_index = self._view.model.index_of(key)
            is_open = field_index is not None and not self._view.sheet.rows[field_index].state
            if not is_open:
                self._drop(key)
            elif key not in seen:
                self._fields[key].hide()  # what was typed is kept

    def _place(self, index: int, key: str) -> None:
        card = self._view.sheet.card(index)
        if not isinstance(card, InputCard):
            return
        field = self._fields.get(key) or self._make(index, key)
        field.setGeometry(card.field_box().translated(self._view.card_rect(index).topLeft()))
        field.show()

    def _make(self, index: int, key: str) -> InputLine:
        row = self._view.sheet.rows[index]
        request = input_of(row)
        prompt, is_secret = (request.prompt, request.is_secret) if request else ("", False)
        field = InputLine(prompt, is_secret, self._view.viewport())
        self._fields[key] = field

        def on_answered(text: str) -> None:
            row.state = "answered"
            row.detail = "Answered." if is_secret else text
            self._view.row_changed(key)
            if request is not None:
                self._view.input_answered.emit(request.id, text)

        field.answered.connect(on_answered)
        if self._view.is_following():
            field.field.setFocus(Qt.FocusReason.OtherFocusReason)
        return field

    def _drop(self, key: str) -> None:
        field = self._fields.pop(key)
        field.hide()
        field.deleteLater()
