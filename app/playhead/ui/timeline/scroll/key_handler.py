"""The keyboard in the timeline, and the ring around the entry that it is at."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from playhead.ui.timeline.cards.card import Intent, Spot
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.caret import Caret
from playhead.ui.timeline.scroll.copier import to_clipboard
from playhead.ui.timeline.scroll.version_position import version_beside

_SCROLL_STEP, _RING_MARGIN = 48, 14


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
                view.scroll_by(direction * _SCROLL_STEP)
                return
            target = self._beside(index, direction)
        if target is None:
            view.scroll_by(direction * _SCROLL_STEP)
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
        is_high = rect.height() + 2 * _RING_MARGIN > height
        to_top = rect.top() - _RING_MARGIN
        to_bottom = rect.bottom() - height + _RING_MARGIN
        if rect.top() < _RING_MARGIN:
            self._view.scroll_by(to_bottom if is_high and direction < 0 else to_top)
        elif rect.bottom() > height - _RING_MARGIN:
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
        if target := version_beside(self._view, index, step):
            self._view.activate(Intent("version", target), index)
        return True


_STEP = 48
_COPY_MARKDOWN = QKeyCombination(
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_C
)


class KeyHandler:
    """Scrolls, copies, and walks from button to button. Owner: the view."""

    def __init__(self, view: Canvas, caret: Caret) -> None:
        self._view = view
        self._caret = caret
        self._ring = EntryRing(view)

    def press(self, event: QKeyEvent) -> bool:
        """Whether the key meant something here."""
        view = self._view
        if event.matches(QKeySequence.StandardKey.Copy):
            view.copy()
        elif event.keyCombination() == _COPY_MARKDOWN:
            view.copy_markdown()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            view.select_all()
        elif event.key() == Qt.Key.Key_Escape and (view.selection or view.focused or view.ringed):
            view.clear_selection()
            view.ring("")
            self._focus(None)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and view.focused:
            index, spot = view.focused
            view.activate(spot.intent, index)
        else:
            return self._caret.press(event) or self._ring.press(event) or self._scroll(event)
        return True

    def menu_point(self) -> QPoint:
        """Where the menu opens by the keyboard: at the button or the entry that has the ring."""
        view = self._view
        seen = view.viewport().rect()
        if view.focused is not None:
            index, spot = view.focused
            return spot.rect.center() + view.card_rect(index).topLeft()
        rows = view.visible_rows()
        index = view.model.index_of(view.ringed)
        if index is None or index not in rows:
            index = rows[0] if rows else None
        if index is None:
            return seen.center()
        rect = view.card_rect(index).intersected(seen)
        return rect.topLeft() + QPoint(12, min(12, rect.height() // 2))

    def tab(self, is_next: bool) -> bool:
        """Go to the next button that can be seen; False behind the last one."""
        stops = self._stops()
        focused = self._view.focused
        if focused in stops:
            at = stops.index(focused) + (1 if is_next else -1)
        else:
            at = 0 if is_next else len(stops) - 1
        if not 0 <= at < len(stops):
            self._focus(None)
            return False
        self._focus(stops[at])
        return True

    def _stops(self) -> list[tuple[int, Spot]]:
        view = self._view
        seen = view.viewport().rect()
        stops: list[tuple[int, Spot]] = []
        for index in view.visible_rows():
            corner = view.card_rect(index).topLeft()
            for spot in view.sheet.card(index).spots(True):
                if spot.is_enabled and seen.contains(spot.rect.translated(corner)):
                    stops.append((index, spot))
        return stops

    def _focus(self, stop: tuple[int, Spot] | None) -> None:
        self._view.focused = stop
        self._view.viewport().update()

    def _scroll(self, event: QKeyEvent) -> bool:
        view = self._view
        page = max(_STEP, view.viewport().height() - _STEP)
        match event.key():
            case Qt.Key.Key_PageUp:
                view.scroll_by(-page)
            case Qt.Key.Key_PageDown:
                view.scroll_by(page)
            case Qt.Key.Key_Space:
                is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                view.scroll_by(-page if is_back else page)
            case Qt.Key.Key_Home:
                view.scroll_to(0)
            case Qt.Key.Key_End:
                view.jump_to_end()
            case _:
                return False
        return True
