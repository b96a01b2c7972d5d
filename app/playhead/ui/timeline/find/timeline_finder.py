"""Find words in the conversation that is shown: count in slices, go from place to place.

A message can be revealed with the words that were searched for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

from playhead.domain.conversation.search import pattern_of, terms_of
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.scroll.row_layout import Anchor
from playhead.ui.timeline.scroll.text_selection import Mark, Selection
from playhead.ui.timeline.text.block_column import END, START, Place
from playhead.ui.timeline.text.find_query import IN_COLUMN, FindQuery

_SLICE_S = 0.005
_RECOUNT_MS = 300
_MARGIN = 24
"""So much above a place is seen."""
_SHARE = 3
_WHOLE: tuple[Place, Place] = ((-1, 0), (-1, 0))
"""The place of what a card shows otherwise than as text."""


class TimelineFinder(QObject):
    """Owner: the view. Signal: `changed()` when the count or the place is another."""

    changed = Signal()

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._wanted: FindQuery | None = None
        self._counts: dict[str, int] = {}
        self._seen: dict[str, tuple[int, int]] = {}
        self._slices: Iterator[None] = iter(())
        self._key = ""
        self._place: tuple[Place, Place] | None = None
        self._ordinal = 0
        self._pending = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_tick)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(_RECOUNT_MS)
        self._again.timeout.connect(self._on_again)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._on_later)

    @property
    def total(self) -> int:
        """The number of places found so far."""
        return sum(self._counts.values())

    @property
    def is_searching(self) -> bool:
        """True while there may be more."""
        return self._timer.isActive()

    @property
    def number(self) -> int:
        """The number of the place that is shown, counted from 1; 0 before the first."""
        at = self._canvas.model.index_of(self._key)
        if self._place is None or at is None:
            return 0
        index_of = self._canvas.model.index_of
        before = sum(count for key, count in self._counts.items() if (index_of(key) or 0) < at)
        return before + self._ordinal

    def look_for(self, wanted: FindQuery | None) -> None:
        """Look for something else; None ends it."""
        self._wanted = None if wanted is None or wanted.is_nothing else wanted
        self._counts, self._seen = {}, {}
        self._forget_place()
        self._canvas.maker.wanted = self._wanted
        self._begin()
        if self._wanted is not None:
            self._pending = 1
            self._on_tick()
        self._canvas.port.update()

    def rows_changed(self) -> None:
        """Count again, after a short delay, because rows were added or grew."""
        if self._wanted is not None and not self._again.isActive():
            self._again.start()

    def step(self, direction: int) -> None:
        """Go to the next place (1) or the one before (-1), round the end."""
        self._later.stop()
        self._canvas.coalescer.flush_now()  # rows that wait for the frame's end have no place yet
        if self._wanted is None or not self._canvas.sheet.rows:
            return
        if not self.total and self.is_searching:
            self._pending = direction
            return
        if (index := self._canvas.model.index_of(self._key)) is not None and self._place:
            if self._step_in(index, direction):
                return
            start = index + direction
        else:
            start = self._canvas.sheet.index_at(self._canvas.top)
        self._step_rows(start, direction)

    def _begin(self) -> None:
        self._pending = 0
        self._slices = self._count() if self._wanted is not None else iter(())
        if self._wanted is None:
            self._timer.stop()
        else:
            self._timer.start(0)
        self.changed.emit()

    def _on_tick(self) -> None:
        deadline = time.perf_counter() + _SLICE_S
        try:
            while time.perf_counter() < deadline:
                next(self._slices)
        except StopIteration:
            self._timer.stop()
        if self._pending and (self.total or not self.is_searching):
            direction, self._pending = self._pending, 0
            self.step(direction)
        self.changed.emit()

    def _on_again(self) -> None:
        """Count what came, after what is being counted."""
        if self.is_searching:
            self._again.start()
        else:
            self._begin()

    def _count(self) -> Iterator[None]:
        """Count in all rows from the one that is read on, a step for each piece of text."""
        canvas, wanted = self._canvas, self._wanted
        assert wanted is not None  # noqa: S101 - nobody counts nothing
        rows = list(canvas.sheet.rows)
        start = canvas.sheet.index_at(canvas.top)
        for row in [*rows[start:], *rows[:start]]:
            if self._seen.get(row.key) == (row.edition, row.size) and row.size:
                continue
            yield
            index = canvas.model.index_of(row.key)
            if index is None or index >= len(canvas.sheet.rows):
                continue
            is_other = row.kind not in (*IN_COLUMN, "table")
            others = canvas.sheet.card(index).source() if is_other else ""
            count = 0
            for more in wanted.counts(row, others):
                count += more
                yield
            self._seen[row.key] = (row.edition, row.size)
            self._set_count(row.key, count if row.kind in IN_COLUMN else min(1, count))
        gone = [key for key in self._counts if canvas.model.index_of(key) is None]
        for key in gone:
            del self._counts[key]

    def _set_count(self, key: str, count: int) -> None:
        if count:
            self._counts[key] = count
        else:
            self._counts.pop(key, None)

    def _step_rows(self, start: int, direction: int) -> None:
        """Go to the first row from `start` on that has a place, wrapping around at the end."""
        rows = self._canvas.sheet.rows
        for step in range(len(rows) + 1):
            index = (start + step * direction) % len(rows)
            if rows[index].key in self._counts and self._enter(index, direction):
                return
            if self._pending:
                return
        self._forget_place()
        self.changed.emit()

    def _enter(self, index: int, direction: int) -> bool:
        """Go to the first or the last place of a row, unfolded if not all of it is shown."""
        row = self._canvas.sheet.rows[index]
        count = self._counts[row.key]
        if row.is_hidden:
            self._canvas.model.choose(row.key)
            self._canvas.flush()
        if not row.is_open and self._shown_count(index, count) < count:
            row.is_open = True
            self._canvas.row_changed(row.key)
        found = self._scan(index, None, direction)
        if found is None and self._canvas.sheet.card(index).is_behind:
            self._wait(direction)
            return False
        if found is None and row.kind not in IN_COLUMN:
            found = _WHOLE
        if found is None:
            self._set_count(row.key, 0)
            return False
        self._key, self._ordinal = row.key, 1 if direction > 0 else count
        self._show(index, found)
        return True

    def _step_in(self, index: int, direction: int) -> bool:
        """Go on in the row; False behind its last place."""
        found = self._scan(index, self._place, direction) if self._place != _WHOLE else None
        if found is None:
            if direction > 0 and self._place != _WHOLE:
                self._set_count(self._key, self._ordinal)
            return False
        self._ordinal = max(1, self._ordinal + direction)
        if self._ordinal > self._counts.get(self._key, 0):
            self._counts[self._key] = self._ordinal
        self._show(index, found)
        return True

    def _scan(
        self, index: int, after: tuple[Place, Place] | None, direction: int
    ) -> tuple[Place, Place] | None:
        column = self._canvas.sheet.card(index).column
        if column is None or self._wanted is None:
            return None
        last = len(column) - 1
        at = after[0][0] if after else (0 if direction > 0 else last)
        while 0 <= at <= last:
            spans = column.found(at, self._wanted)
            for start, end in spans if direction > 0 else reversed(spans):
                if after is None or _is_past((at, start), after[0], direction):
                    return (at, start), (at, end)
            at += direction
        return None

    def _shown_count(self, index: int, most: int) -> int:
        """Return how many places the card shows while it is folded."""
        column = self._canvas.sheet.card(index).column
        if self._canvas.sheet.rows[index].kind not in IN_COLUMN:
            return most
        if column is None or self._wanted is None:
            return 0
        count = 0
        for at in range(len(column)):
            count += len(column.found(at, self._wanted))
            if count >= most:
                break
        return count

    def _show(self, index: int, found: tuple[Place, Place]) -> None:
        canvas, self._place = self._canvas, found
        canvas.maker.current = None
        canvas.ringed = self._key if found == _WHOLE else ""
        column = canvas.sheet.card(index).column
        if found == _WHOLE or column is None:
            part, (within, high) = 0, self._brought_in(index)
        else:
            canvas.maker.current = (column, *found[0])
            part, high = found[0][0], 24
            within = column.y_of(found[0]) - column.top_of(part)
        top = (
            canvas.sheet.top_of(index)
            + canvas.sheet.card(index).part_top(part)
            + within
            - canvas.top
        )
        is_seen = top >= _MARGIN and top + high <= canvas.port.height()
        if not is_seen:
            third = max(_MARGIN, canvas.port.height() // _SHARE)
            canvas.show_anchor(Anchor(key=self._key, part=part, above=within - third))
        if found != _WHOLE and column is not None:
            column.wide_tables.bring_across(*found, column.width)
        canvas.port.update()
        self.changed.emit()

    def _brought_in(self, index: int) -> tuple[int, int]:
        """Have a card show the words that it has beside its text; their top and height in it."""
        canvas, wanted = self._canvas, self._wanted
        row, card = canvas.sheet.rows[index], canvas.sheet.card(index)
        was_open = row.is_open
        place = card.bring_in(wanted) if wanted is not None else None
        if row.is_open != was_open:
            canvas.row_changed(row.key)
        return place or (0, canvas.card_rect(index).height())

    def _forget_place(self) -> None:
        self._key, self._place, self._ordinal = "", None, 0
        self._canvas.maker.current = None
        self._canvas.ringed = ""

    def _wait(self, direction: int) -> None:
        """Try again in the next frame, because the text of a card is still being read."""
        self._pending = direction
        self._later.start(16)

    def _on_later(self) -> None:
        direction, self._pending = self._pending, 0
        if direction:
            self.step(direction)


def _is_past(place: Place, before: Place, direction: int) -> bool:
    return place > before if direction > 0 else place < before


_REVEAL_ABOVE = 48
"""How much is seen of what stands before a message."""


def reveal(canvas: Canvas, message_id: str, query: str) -> bool:
    """Show a message with the words selected, unfolded if they are in its fold."""
    index = canvas.model.index_of(message_id)
    if index is None:
        return False
    pattern = pattern_of(terms_of(query)) if query.strip() else None
    if canvas.model.rows[index].is_hidden:
        canvas.model.choose(message_id)
        canvas.flush()
    canvas.show_anchor(Anchor(key=message_id, part=0, above=-_REVEAL_ABOVE))
    anchor = _select_words(canvas, index, pattern)
    row = canvas.sheet.rows[index]
    if anchor is None and pattern is not None and not row.is_open:
        row.is_open = True
        canvas.row_changed(message_id)
        anchor = _select_words(canvas, index, pattern)
    if anchor is None:
        canvas.select(Selection(Mark(index, START), Mark(index, END)))
    elif anchor.part or anchor.above > 0:
        canvas.show_anchor(anchor)
    return True


def _select_words(canvas: Canvas, index: int, pattern: re.Pattern[str] | None) -> Anchor | None:
    """Select the first place that fits; what to hold so that it is seen, None if it is nowhere."""
    card = canvas.sheet.card(index)
    if pattern is None or card.column is None:
        return None
    found = card.column.find(pattern)
    if found is None:
        return None
    first, last = found
    canvas.select(Selection(Mark(index, first), Mark(index, last)))
    card.column.wide_tables.bring_across(first, last, card.column.width)
    within = card.column.y_of(first) - card.column.top_of(first[0])
    third = canvas.port.height() // _SHARE
    return Anchor(key=card.row.key, part=first[0], above=within - third)
