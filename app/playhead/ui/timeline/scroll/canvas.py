"""The virtual scroll under the timeline: what is seen is laid out and painted, nothing else."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from playhead.ui.timeline.cards.card import CardTools, PaintState, Spot
from playhead.ui.timeline.model.timeline_model import TimelineModel
from playhead.ui.timeline.scroll.coalescer import Coalescer
from playhead.ui.timeline.scroll.row_layout import Anchor, RowLayout
from playhead.ui.timeline.scroll.text_selection import Selection, everything, selected_text
from playhead.ui.timeline.text.shapes import draw_focus
from playhead.ui.widgets.theme import COLUMN_WIDTH, GAP_XXXL

_SETTLE_LIMIT = 16
AT_END = 2
_NARROW = 16
_LATER_GAP = 10
_VEIL = 150
"""How much of what came after the run that is looked at is covered, of 255."""


class Port:
    """The viewport in the pixels of the rows, of which the zoom makes more or fewer on the screen.

    Rows are laid out as if they were shown at 100 %: at another zoom only the painter has
    another scale, and the column another width. Owner: the canvas.
    """

    def __init__(self, widget: QWidget) -> None:
        self.widget = widget
        self.percent = 100

    @property
    def zoom(self) -> float:
        """Return by how much a row's pixels are enlarged."""
        return self.percent / 100

    def width(self) -> int:
        """Return the width that can be seen."""
        return self.widget.width() * 100 // self.percent

    def height(self) -> int:
        """Return the height that can be seen."""
        return self.widget.height() * 100 // self.percent

    def rect(self) -> QRect:
        """Return all that can be seen."""
        return QRect(0, 0, self.width(), self.height())

    def to_rows(self, point: QPoint) -> QPoint:
        """Return a point of the widget in the pixels of the rows."""
        return QPoint(point.x() * 100 // self.percent, point.y() * 100 // self.percent)

    def to_screen(self, rect: QRect) -> QRect:
        """Return the whole pixels of the widget that a rectangle touches."""
        zoom = self.zoom
        return QRectF(
            rect.x() * zoom, rect.y() * zoom, rect.width() * zoom, rect.height() * zoom
        ).toAlignedRect()

    def covering(self, clip: QRect) -> QRect:
        """Return the rows' pixels that cover a part of the widget."""
        zoom = self.zoom
        return QRectF(
            clip.x() / zoom, clip.y() / zoom, clip.width() / zoom, clip.height() / zoom
        ).toAlignedRect()

    def from_global(self, point: QPoint) -> QPoint:
        """Return a point of the screen in the pixels of the rows."""
        return self.to_rows(self.widget.mapFromGlobal(point))

    def to_global(self, point: QPoint) -> QPoint:
        """Return where a point is on the screen."""
        return self.widget.mapToGlobal(self.to_screen(QRect(point, point)).topLeft())

    def update(self, rect: QRect | None = None) -> None:
        """Draw a part again, or everything."""
        self.widget.update() if rect is None else self.widget.update(self.to_screen(rect))

    def scroll(self, moved: int) -> bool:
        """Move what is drawn; False if that were no whole pixels."""
        if moved * self.percent % 100:
            self.widget.update()
            return False
        self.widget.scroll(0, moved * self.percent // 100)
        return True

    def whole(self, delta: int) -> int:
        """Return a distance near `delta` that is one of whole pixels on the screen."""
        grain = 100 // math.gcd(100, self.percent)
        return round(delta / grain) * grain or delta


class Canvas(QObject):
    """The rows of a model in a scroll area: where it begins, what is selected, where the ring is.

    The first block that is seen is the anchor: corrected heights never move what is read.
    At the end the view sticks to the end, until the reader scrolls up.
    Owner: the view, whose `area` it scrolls; what mouse and keys mean is decided elsewhere.

    Signals: `taken(Changes)` when rows came, grew or are others, `settled()` when the rows are
    where they belong and what is over them must follow, `scrolled()` when rows moved under the
    mouse, `ring_moved(key)` when the ring is around another entry.
    """

    taken = Signal(object)
    settled = Signal()
    scrolled = Signal()
    ring_moved = Signal(str)

    def __init__(self, area: QAbstractScrollArea, model: TimelineModel, tools: CardTools) -> None:
        super().__init__(area)
        self.area = area
        self.port = Port(area.viewport())
        self.theme = tools.theme
        self.maker = tools.maker
        self.can_run = tools.can_run
        self.model = model
        self.sheet = RowLayout(model, tools)
        self.coalescer = Coalescer(self.flush, self)
        self.selection: Selection | None = None
        self.hovered: tuple[int, Spot | None] = (-1, None)
        self.focused: tuple[int, Spot] | None = None
        self.ringed = ""
        """The key of the entry that the keyboard, or a search, is at."""
        self.shown_until = ""
        """The key of the last entry that is not dimmed; '' if none is."""
        self.top = 0
        self._is_following = True
        self._anchor: Anchor | None = None
        self._line: Anchor | None = None
        """The line that is read while widths or sizes change, until the reader scrolls."""
        self._first_moved: int | None = None
        self._has_new_formulas = False

    def go_to_end(self) -> None:
        """Begin at the end of other rows, before they are laid out."""
        self._is_following, self._anchor, self.top = True, None, 0

    def refresh(self) -> None:
        """Lay out and draw all that is seen."""
        self._settle()
        self.port.update()

    def set_zoom(self, percent: int) -> None:
        """Show everything larger or smaller; what is read stays."""
        self._anchor_line()
        self.port.percent = percent
        for key in self.sheet.renew(is_zoomed=True):
            self.model.mark(key)
        self.flush()
        self.refresh()

    def forget_layout(self) -> None:
        """Lay out all rows again, as their fonts or colours are others; what is read stays."""
        self._anchor_line()
        self.sheet.forget()
        self.refresh()

    def hold_row(self, index: int) -> None:
        """Keep a row where it is on the screen, also at the end."""
        self._is_following = False
        top = self.sheet.top_of(index)
        if top >= self.top:
            self._anchor = Anchor(key=self.sheet.rows[index].key, part=0, above=self.top - top)

    def renew_formulas(self) -> None:
        """Draw the formulas that were shown as LaTeX until now."""
        self._has_new_formulas = True
        self.coalescer.due()

    def selected_text(self) -> str:
        """Return the selection as text."""
        return selected_text(self.selection, self.sheet) if self.selection else ""

    def select_all(self) -> None:
        """Select the whole conversation."""
        self.select(everything(self.sheet))

    def select(self, selection: Selection | None) -> None:
        """Show another selection, or none."""
        if selection != self.selection:
            self.selection = selection
            self.port.update()

    def ring(self, key: str) -> None:
        """Put the ring around another entry; '' takes it away."""
        if key != self.ringed:
            self.ringed = key
            self.port.update()
            self.ring_moved.emit(key)

    def is_following(self) -> bool:
        """Return whether the view stays at the end while something streams in."""
        return self._is_following

    def jump_to_end(self) -> None:
        """Go to the newest line and stay there."""
        self._is_following, self._line = True, None
        self.refresh()

    def scroll_by(self, delta: int) -> None:
        """Scroll by about so many pixels."""
        self.scroll_to(self.top + self.port.whole(delta))

    def scroll_to(self, target: int) -> None:
        """Scroll so that the view begins at `target`; what was seen is moved, not drawn again."""
        target = max(0, min(target, self.max_top()))
        delta = target - self.top
        if not delta:
            return
        self._line = None
        is_near = abs(delta) < self.port.height()
        self._is_following = delta > 0 and target >= self.max_top() - AT_END
        before = self._anchor
        if is_near and before is not None:
            self._anchor = Anchor(key=before.key, part=before.part, above=before.above + delta)
        else:
            self._anchor = self.sheet.anchor_at(target)
        self.top = target
        moved = self._settle(before if is_near else None)
        if moved is None:
            self.port.update()
        else:
            self._blit(moved)
        self.scrolled.emit()

    def show_anchor(self, anchor: Anchor) -> None:
        """Begin the view at an anchor, and hold it there."""
        self._is_following, self._anchor, self._line = False, anchor, None
        self.refresh()
        self.scrolled.emit()

    def _anchor_line(self) -> None:
        """Keep the line at the top in place, not its block: lines will be broken elsewhere."""
        if not self._is_following:
            self._line = self._line or self.sheet.line_at(self.top)
            self._anchor = self._line

    def make_room(self, height: int) -> None:
        """Leave the upper end to something else; what is read stays where it is on the screen."""
        margins = self.area.viewportMargins()
        change = (height - margins.top()) * 100 // self.port.percent
        self.area.setViewportMargins(margins.left(), height, 0, 0)
        if not self._is_following:
            self.scroll_by(change)

    def make_room_beside(self, width: int) -> None:
        """Leave the left edge to something else; the column of text stays where it is."""
        margins = self.area.viewportMargins()
        if margins.left() != width:
            self.area.setViewportMargins(width, margins.top(), 0, 0)

    def follow_if_at_end(self) -> None:
        """Follow the end if the view has reached it."""
        self._is_following = self.top >= self.max_top() - AT_END

    def max_top(self) -> int:
        """Return the top of the view when it is at the very end."""
        return max(0, self.sheet.height - self.port.height())

    def column(self) -> QRect:
        """Return the column of text in the viewport."""
        beside = self.area.viewportMargins().left() * 100 // self.port.percent
        width = self.port.width() + beside
        margin = GAP_XXXL if width > 420 else max(_NARROW, beside)
        column = max(120, min(COLUMN_WIDTH, width - 2 * margin))
        return QRect((width - column) // 2 - beside, 0, column, self.port.height())

    def card_rect(self, index: int) -> QRect:
        """Return where a card is in the viewport."""
        column = self.column()
        top = self.sheet.top_of(index) - self.top
        return QRect(
            column.left(), top, column.width(), self.sheet.bottom_of(index) - self.top - top
        )

    def visible_rows(self) -> list[int]:
        """Return the rows that can be seen."""
        return list(self.sheet.visible(self.top, self.top + self.port.height()))

    def row_changed(self, key: str) -> None:
        """Lay out and draw a row that looks different."""
        self.sheet.touch(key)
        self.model.mark(key)
        self.flush()

    def _take_formulas(self) -> None:
        """Draw the formulas that were shown as LaTeX until now."""
        if self._has_new_formulas:
            self._has_new_formulas = False
            for key in self.sheet.renew():
                self.model.mark(key)

    def flush(self) -> None:
        """Take what is new in the model, and draw what is different by it."""
        self._take_formulas()
        for key in self.sheet.take_behind():
            self.model.mark(key)
        changes = self.model.take_changes()
        self.sheet.take(changes)
        if changes.is_reset:
            self.focused = None
            self.hovered = (-1, None)
        self.taken.emit(changes)
        if changes.only_grew and self._grow_in_place(changes.grown):
            return
        before = self._anchor
        moved = self._settle(before)
        if moved is None or changes.is_reset:
            self.port.update()
            return
        if moved:
            self._blit(moved)
        first_new = len(self.sheet.rows) - len(changes.added)
        tops: dict[int, int] = {}
        for key in changes.changed:
            index = self.model.index_of(key)
            if index is not None and index < first_new:
                tops[index] = self._grown_top(index) if key in changes.grown else 0
                self._update_row(index, tops[index])
        if changes.added:
            self._update_from(max(0, first_new - 1))
        if self._first_moved is not None:
            self._update_from(self._first_moved, tops.get(self._first_moved, 0))

    def _grow_in_place(self, keys: set[str]) -> bool:
        """Draw rows that got more text; False if more changes than that."""
        bottom = self.top + self.port.height()
        for key in keys:
            index = self.model.index_of(key)
            if index is None or not self.sheet.grows_in_place(index, self.top, bottom):
                return False
            self._update_row(index, self._grown_top(index))
        if self.sheet.is_behind:
            self.coalescer.soon()
        return True

    def _blit(self, moved: int) -> None:
        if self.port.scroll(moved):
            self._update_sticky(moved)
        self.settled.emit()  # the scroll took the child widgets with it

    def _grown_top(self, index: int) -> int:
        """Return how much of a row, its gap included, looks as before it grew."""
        card = self.sheet.card(index)
        return card.gap + card.take_grown_top()

    def _update_row(self, index: int, below: int = 0) -> None:
        top = self.sheet.outer_top_of(index) - self.top + below
        bottom = self.sheet.bottom_of(index) - self.top
        view = self.port
        if bottom >= 0 and top <= view.height():
            view.update(QRect(0, top, view.width(), bottom - top + 1))

    def _update_from(self, index: int, below: int = 0) -> None:
        top = max(0, self.sheet.outer_top_of(index) - self.top + below)
        view = self.port
        view.update(QRect(0, top, view.width(), max(0, view.height() - top)))

    def _settle(self, watched: Anchor | None = None) -> int | None:
        """Lay out what is seen, again until heights hold; the anchor does not move.

        Returns by how many pixels `watched` moved on the screen, None if that cannot be said.
        """
        width = self.column().width()
        if self.sheet.width not in (0, width):
            self._anchor_line()
        self.sheet.width = width
        self._first_moved = None
        height = self.port.height()
        was_at = -watched.above if watched else 0
        for _ in range(_SETTLE_LIMIT):
            self._pin()
            changed = self.sheet.lay_out(self.top, self.top + height)
            if changed is None:
                break
            known = self._first_moved
            self._first_moved = changed if known is None else min(known, changed)
        self._pin()
        self._anchor = self.sheet.anchor_at(self.top)
        self._update_bar()
        if self.sheet.is_behind:
            self.coalescer.soon()
        if watched is None or (now := self.sheet.y_of(watched)) is None:
            return None
        return now - watched.above - self.top - was_at

    def _pin(self) -> None:
        """Put the view where the anchor, or the end, wants it."""
        if self._is_following:
            self.top = self.max_top()
        elif self._anchor is not None and (y := self.sheet.y_of(self._anchor)) is not None:
            self.top = y
        self.top = max(0, min(self.top, self.max_top()))

    def _update_sticky(self, moved: int) -> None:
        """Draw the sticky parts at the top again, because they were scrolled with the rest."""
        for index in self.sheet.visible(self.top, self.top + max(0, moved) + 1):
            if high := self.sheet.card(index).sticky_height:
                rect = self.card_rect(index)
                self.port.update(QRect(rect.left(), 0, rect.width(), high + abs(moved)))

    def _update_bar(self) -> None:
        bar = self.area.verticalScrollBar()
        bar.blockSignals(True)
        bar.setPageStep(self.port.height())
        bar.setRange(0, self.max_top())
        bar.setValue(self.top)
        bar.setEnabled(self.max_top() > 0)  # one that has nothing to scroll is not seen
        bar.blockSignals(False)
        self.settled.emit()

    def paint(self, clip: QRect) -> None:
        """Draw the rows that touch the exposed rectangle."""
        painter = QPainter(self.port.widget)
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # else it is the application's
        painter.fillRect(clip, self.theme.colour("bg"))
        if self.port.percent != 100:
            painter.scale(self.port.zoom, self.port.zoom)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            clip = self.port.covering(clip)
        hovered_row, hover = self.hovered
        focused_row, focus = self.focused or (-1, None)
        for index in self.sheet.visible(self.top + clip.top(), self.top + clip.bottom() + 1):
            rect = self.card_rect(index)
            painter.save()
            painter.translate(rect.topLeft())
            state = PaintState(
                clip=clip.translated(-rect.topLeft()),
                selection=self.selection.part(index) if self.selection else None,
                hover=hover if hovered_row == index else None,
                focus=focus if focused_row == index and self.area.hasFocus() else None,
                is_hovered=index in (hovered_row, focused_row),
                view_top=max(0, -rect.top()),
            )
            self.sheet.card(index).paint(painter, state)
            painter.restore()
            if self.sheet.rows[index].key == self.ringed:
                draw_focus(painter, self.theme, rect.adjusted(-8, -6, 8, 6))
        if self.shown_until:
            self._dim_later(painter, clip)
        painter.end()

    def _dim_later(self, painter: QPainter, clip: QRect) -> None:
        """Cover what came after the run that is looked at, from a line below it on."""
        index = self.model.index_of(self.shown_until)
        if index is None or index >= self.sheet.count:
            return
        top = self.sheet.bottom_of(index) - self.top + _LATER_GAP
        later = clip.intersected(
            QRect(clip.left(), top, clip.width(), max(0, clip.bottom() - top + 1))
        )
        veil = self.theme.colour("bg")
        veil.setAlpha(_VEIL)
        painter.fillRect(later, veil)
        painter.fillRect(QRect(0, top, self.port.width(), 1), self.theme.colour("accent"))
