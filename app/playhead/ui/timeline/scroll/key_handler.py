"""The keyboard in the timeline, and the ring around the entry that it is at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QKeyCombination, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from playhead.ui.timeline.cards.card import Intent, Spot
from playhead.ui.timeline.scroll.accessibility import announce
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.caret import Caret
from playhead.ui.timeline.scroll.copier import Copier, to_clipboard
from playhead.ui.timeline.scroll.version_position import version_beside
from playhead.ui.widgets.theme import Theme

_SCROLL_STEP, _RING_MARGIN = 48, 14


class EntryRing:
    """Owner: the view's keys."""

    def __init__(
        self, canvas: Canvas, copier: Copier, activate: Callable[[Intent, int], None]
    ) -> None:
        self._canvas = canvas
        self._copier = copier
        self._activate = activate

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key for the entry or the ring, and return whether it had a meaning."""
        key, modifiers = event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.AltModifier:
            return self._choose(key)
        if modifiers:
            return False
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.move(1 if key == Qt.Key.Key_Down else -1)
            return True
        index = self._canvas.model.index_of(self._canvas.ringed)
        return index is not None and self._do(key, index)

    def move(self, direction: int) -> None:
        """Move to the next entry, or a step further in a long one."""
        canvas = self._canvas
        height = canvas.port.height()
        index = canvas.model.index_of(canvas.ringed)
        seen = canvas.visible_rows()
        if index is None or index not in seen:
            target = self._first_seen(seen, direction)
        else:
            rect = canvas.card_rect(index)
            is_more = rect.bottom() > height if direction > 0 else rect.top() < 0
            if is_more:
                canvas.scroll_by(direction * _SCROLL_STEP)
                return
            target = self._beside(index, direction)
        if target is None:
            canvas.scroll_by(direction * _SCROLL_STEP)
            return
        canvas.ring(canvas.sheet.rows[target].key)
        self._reveal(canvas.card_rect(target), direction)

    def _first_seen(self, seen: list[int], direction: int) -> int | None:
        """Return the first entry that is completely visible; the last one when going up."""
        whole = [index for index in seen if self._can_have(index)]
        seen_from = self._canvas.port.rect()
        inside = [index for index in whole if seen_from.contains(self._canvas.card_rect(index))]
        rows = inside or whole
        if not rows:
            return None
        return rows[0] if direction > 0 else rows[-1]

    def _beside(self, index: int, direction: int) -> int | None:
        index += direction
        while 0 <= index < len(self._canvas.sheet.rows):
            if self._can_have(index):
                return index
            index += direction
        return None

    def _can_have(self, index: int) -> bool:
        row = self._canvas.sheet.rows[index]
        return row.kind != "versions" and self._canvas.sheet.is_shown(index)

    def _reveal(self, rect: QRect, direction: int) -> None:
        height = self._canvas.port.height()
        is_high = rect.height() + 2 * _RING_MARGIN > height
        to_top = rect.top() - _RING_MARGIN
        to_bottom = rect.bottom() - height + _RING_MARGIN
        if rect.top() < _RING_MARGIN:
            self._canvas.scroll_by(to_bottom if is_high and direction < 0 else to_top)
        elif rect.bottom() > height - _RING_MARGIN:
            self._canvas.scroll_by(to_top if is_high else to_bottom)

    def _do(self, key: int, index: int) -> bool:
        row = self._canvas.sheet.rows[index]
        match key:
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._open(index)
            case Qt.Key.Key_C if row.kind == "image":
                self._copier.pictures.copy(row)
            case Qt.Key.Key_C:
                to_clipboard(self._canvas.sheet.source(index))
            case Qt.Key.Key_R if row.kind == "code":
                self._activate(Intent("run", row.text, row.language), index)
            case Qt.Key.Key_E if row.kind == "question":
                self._activate(Intent("edit", row.key), index)
            case Qt.Key.Key_Delete if row.message is not None:
                self._activate(Intent("delete", row.key), index)
            case _:
                return False
        return True

    def _open(self, index: int) -> None:
        """Fold or unfold an entry that can be, else do what its first button opens."""
        canvas = self._canvas
        spots = [spot for spot in canvas.sheet.card(index).spots(True) if spot.is_enabled]
        kinds = ("fold", "open", "table", "page", "file", "link")
        for kind in kinds:
            found = next((spot for spot in spots if spot.intent.kind == kind), None)
            if found is not None:
                key = canvas.ringed
                self._activate(found.intent, index)
                canvas.ring(key)
                return
        if canvas.sheet.rows[index].kind == "code":
            self._activate(Intent("open", canvas.sheet.rows[index].key), index)

    def _choose(self, key: int) -> bool:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(key), 0)
        index = self._canvas.model.index_of(self._canvas.ringed)
        if not step or index is None:
            return False
        if target := version_beside(self._canvas, index, step):
            self._activate(Intent("version", target), index)
        return True


_STEP = 48
_COPY_MARKDOWN = QKeyCombination(
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_C
)


class KeyHandler:
    """Scrolls, copies, and walks from button to button. Owner: the view."""

    def __init__(
        self,
        canvas: Canvas,
        caret: Caret,
        copier: Copier,
        activate: Callable[[Intent, int], None],
    ) -> None:
        self._canvas = canvas
        self._caret = caret
        self._copier = copier
        self._activate = activate
        self._ring = EntryRing(canvas, copier, activate)

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key, and return whether it had a meaning here."""
        canvas = self._canvas
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copier.copy()
        elif event.keyCombination() == _COPY_MARKDOWN:
            self._copier.copy_selection(is_markdown=True)
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            canvas.select_all()
        elif event.key() == Qt.Key.Key_Escape and (
            canvas.selection or canvas.focused or canvas.ringed
        ):
            canvas.select(None)
            canvas.ring("")
            self._focus(None)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and canvas.focused:
            index, spot = canvas.focused
            self._activate(spot.intent, index)
        else:
            return self._caret.press(event) or self._ring.press(event) or self._scroll(event)
        return True

    def menu_point(self) -> QPoint:
        """Return where the keyboard opens the menu: at the button or the entry with the ring."""
        canvas = self._canvas
        seen = canvas.port.rect()
        if canvas.focused is not None:
            index, spot = canvas.focused
            return spot.rect.center() + canvas.card_rect(index).topLeft()
        rows = canvas.visible_rows()
        index = canvas.model.index_of(canvas.ringed)
        if index is None or index not in rows:
            index = rows[0] if rows else None
        if index is None:
            return seen.center()
        rect = canvas.card_rect(index).intersected(seen)
        return rect.topLeft() + QPoint(12, min(12, rect.height() // 2))

    def tab(self, is_next: bool) -> bool:
        """Go to the next button that can be seen; False behind the last one."""
        stops = self._stops()
        focused = self._canvas.focused
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
        canvas = self._canvas
        seen = canvas.port.rect()
        stops: list[tuple[int, Spot]] = []
        for index in canvas.visible_rows():
            corner = canvas.card_rect(index).topLeft()
            for spot in canvas.sheet.card(index).spots(True):
                if spot.is_enabled and seen.contains(spot.rect.translated(corner)):
                    stops.append((index, spot))
        return stops

    def _focus(self, stop: tuple[int, Spot] | None) -> None:
        self._canvas.focused = stop
        if stop is not None:
            announce(self._canvas.area, stop[1].tip)
        self._canvas.port.update()

    def _scroll(self, event: QKeyEvent) -> bool:
        canvas = self._canvas
        page = max(_STEP, canvas.port.height() - _STEP)
        match event.key():
            case Qt.Key.Key_PageUp:
                canvas.scroll_by(-page)
            case Qt.Key.Key_PageDown:
                canvas.scroll_by(page)
            case Qt.Key.Key_Space:
                is_back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                canvas.scroll_by(-page if is_back else page)
            case Qt.Key.Key_Home:
                canvas.scroll_to(0)
            case Qt.Key.Key_End:
                canvas.jump_to_end()
            case _:
                return False
        return True


class FocusRing(QWidget):
    """A thin line around the view while the keyboard is in it. Owner: the view."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line."""
        painter = QPainter(self)
        painter.setPen(self._theme.colour("accent"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
