"""The ring around the entry that the keyboard is at, and what keys do with that entry."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeyEvent

from playhead.ui.timeline.branching import target_of
from playhead.ui.timeline.canvas import Canvas
from playhead.ui.timeline.cards.card import Intent
from playhead.ui.timeline.copying import to_clipboard

_STEP, _AIR = 48, 14


class EntryRing:
    """Owner: the view's keys."""

    def __init__(self, view: Canvas) -> None:
        self._view = view

    def press(self, event: QKeyEvent) -> bool:
        """Whether the key meant something for the entry, or moved the ring."""
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.AltModifier:
            return self._choose(key)
        if modifiers:
            return False
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move(1 if key == Qt.Key.Key_Down else -1)
            return True
        index = self._view.model.index_of(self._view.ringed)
        return index is not None and self._do(key, index)

    def move(self, direction: int) -> None:
        """To the next entry; through a long one by steps."""
        view = self._view
        height = view.viewport().height()
        index = view.model.index_of(view.ringed)
        seen = view.visible_rows()
        if index is None or index not in seen:
            target = self._first_seen(seen, direction)
        else:
            rect = view.card_rect(index)
            is_more = rect.bottom() > height if direction > 0 else rect.top() < 0
            if is_more:
                view.scroll_by(direction * _STEP)
                return
            target = self._beside(index, direction)
        if target is None:
            view.scroll_by(direction * _STEP)
            return
        view.ring(view.sheet.rows[target].key)
        self._reveal(view.card_rect(target), direction)

    def _first_seen(self, seen: list[int], direction: int) -> int | None:
        """The first entry that is whole in sight; going up, the last one."""
        whole = [index for index in seen if self._can_have(index)]
        seen_from = self._view.viewport().rect()
        inside = [index for index in whole if seen_from.contains(self._view.card_rect(index))]
        rows = inside or whole
        if not rows:
            return None
        return rows[0] if direction > 0 else rows[-1]

    def _beside(self, index: int, direction: int) -> int | None:
        index += direction
        while 0 <= index < len(self._view.sheet.rows):
            if self._can_have(index):
                return index
            index += direction
        return None

    def _can_have(self, index: int) -> bool:
        row = self._view.sheet.rows[index]
        return row.kind != "versions" and self._view.sheet.is_shown(index)

    def _reveal(self, rect: QRect, direction: int) -> None:
        height = self._view.viewport().height()
        is_high = rect.height() + 2 * _AIR > height
        to_top = rect.top() - _AIR
        to_bottom = rect.bottom() - height + _AIR
        if rect.top() < _AIR:
            self._view.scroll_by(to_bottom if is_high and direction < 0 else to_top)
        elif rect.bottom() > height - _AIR:
            self._view.scroll_by(to_top if is_high else to_bottom)

    def _do(self, key: int, index: int) -> bool:
        view = self._view
        row = view.sheet.rows[index]
        match key:
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._open(index)
            case Qt.Key.Key_C if row.kind == "image":
                view.picture_copier.copy(row)
            case Qt.Key.Key_C:
                to_clipboard(view.sheet.source(index))
            case Qt.Key.Key_R if row.kind == "code":
                view.run_requested.emit(row.language, row.text)
            case Qt.Key.Key_E if row.kind == "question":
                view.edit_requested.emit(row.key)
            case Qt.Key.Key_Delete if row.message is not None:
                view.delete_requested.emit(row.key)
            case _:
                return False
        return True

    def _open(self, index: int) -> None:
        """Fold or unfold an entry that can be, else do what its first button opens."""
        view = self._view
        spots = [spot for spot in view.sheet.card(index).spots(True) if spot.is_enabled]
        kinds = ("fold", "open", "table", "page", "file", "link")
        for kind in kinds:
            found = next((spot for spot in spots if spot.intent.kind == kind), None)
            if found is not None:
                key = view.ringed
                view.activate(found.intent, index)
                view.ring(key)
                return
        if view.sheet.rows[index].kind == "code":
            view.activate(Intent("open", view.sheet.rows[index].key), index)

    def _choose(self, key: int) -> bool:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
        index = self._view.model.index_of(self._view.ringed)
        if not step or index is None:
            return False
        if target := target_of(self._view, index, step):
            self._view.activate(Intent("version", target), index)
        return True
