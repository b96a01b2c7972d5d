"""The keyboard in the timeline."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from playhead.ui.timeline.canvas import Canvas
from playhead.ui.timeline.cards.card import Spot
from playhead.ui.timeline.caret import Caret
from playhead.ui.timeline.ring import EntryRing

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
