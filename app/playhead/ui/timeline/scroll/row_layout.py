"""The layout of all rows: their positions, and cards for the visible ones."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from playhead.ui.timeline.cards.card import Card, CardTools
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.model.timeline_model import Changes, TimelineModel
from playhead.ui.timeline.text.block_column import Place
from playhead.ui.timeline.text.heights import Heights

NEAR_ROWS = 12
_FOOT = 20


class Anchor(Struct, frozen=True, kw_only=True):
    """A block of a row that keeps its place, and how far above the view it begins.

    With a `place` it is the line of that place, however the text around it is wrapped.
    """

    key: str
    part: int
    above: int
    place: Place | None = None


class RowLayout:
    """Heights of all rows, guessed until they are visible. Owner: the view."""

    def __init__(self, model: TimelineModel, tools: CardTools) -> None:
        self._model = model
        self._tools = tools
        self._heights = Heights()
        self._cards: dict[str, Card] = {}
        self._stale: set[str] = set()
        self._live: set[str] = set()
        self._behind: set[str] = set()
        self.width = 0

    @property
    def rows(self) -> list[Row]:
        """Return the rows in order."""
        return self._model.rows

    @property
    def height(self) -> int:
        """Return the height of all rows with some space at the end."""
        return self._heights.total + _FOOT if self._count else 0

    @property
    def count(self) -> int:
        """Return the number of rows that have a position."""
        return self._count

    @property
    def _count(self) -> int:
        """Return the number of rows that can be shown; the model may be ahead until `take`."""
        return min(len(self.rows), len(self._heights))

    @property
    def cards_made(self) -> int:
        """Return the number of rows that have a card."""
        return len(self._cards)

    def take(self, changes: Changes) -> None:
        """Apply the changes of the model."""
        rows = self.rows
        changed = {
            key: at for key in changes.changed if (at := self._model.index_of(key)) is not None
        }
        self._stale |= changed.keys()
        if changes.is_reset or len(self._heights) > len(rows):
            known = {row.key: row for row in rows}
            self._cards = {
                key: card for key, card in self._cards.items() if known.get(key) is card.row
            }
            self._live &= self._cards.keys()
            self._heights.reset(self._known_height(row) for row in rows)
            return
        for row in rows[len(self._heights) :]:
            self._heights.append(_guess_height(row, self.width))
        for key, index in changed.items():
            if key not in self._live:
                self._heights.set(index, _guess_height(rows[index], self.width))

    def forget(self) -> None:
        """Have every document made again, because the colours have changed."""
        for card in self._cards.values():
            card.forget()

    def renew(self, is_zoomed: bool = False) -> list[str]:
        """Make texts that waited for formulas again, after a zoom all that have some.

        Returns the keys of their rows.
        """
        columns = [(key, self._cards[key].column) for key in self._live if key in self._cards]
        return [key for key, column in columns if column is not None and column.renew(is_zoomed)]

    def touch(self, key: str) -> None:
        """Mark a row whose card has another look now."""
        self._stale.add(key)

    def card(self, index: int) -> Card:
        """Return the card of a row, up to date."""
        row = self.rows[index]
        card = self._cards.get(row.key)
        if card is None:
            card = self._cards[row.key] = _make_card(row, self._tools)
            self._stale.discard(row.key)
        elif row.key in self._stale:
            self._stale.discard(row.key)
            card.refresh()
        if card.is_behind:
            self._behind.add(row.key)
        return card

    @property
    def is_behind(self) -> bool:
        """Return whether a card has text left to take in."""
        return bool(self._behind)

    def take_behind(self) -> set[str]:
        """Return the rows whose cards have text left to take in; called once a frame."""
        behind, self._behind = self._behind, set()
        return behind

    def lay_out(self, top: int, bottom: int) -> int | None:
        """Lay out the rows from `top` to `bottom`; return the first with a new height."""
        first_changed: int | None = None
        index = first = self.index_at(top)
        count = self._count
        while index < count and self._heights.offset(index) < bottom:
            if self._make_exact(index, top, bottom) and first_changed is None:
                first_changed = index
            index += 1
        self._release_far(first - NEAR_ROWS, index + NEAR_ROWS)
        return first_changed

    def grows_in_place(self, index: int, top: int, bottom: int) -> bool:
        """Lay out a row that got more text; False if it is out of sight or has another height."""
        above, outer = self._heights.offset(index), self._heights[index]
        if above >= bottom or above + outer <= top or self.rows[index].key not in self._live:
            return False
        card = self.card(index)
        above += card.gap
        height = card.lay_out(self.width, top - above, bottom - above)
        return height + card.gap == outer

    def index_at(self, y: int) -> int:
        """Return the row that covers `y`."""
        return self._heights.index_at(y)

    def top_of(self, index: int) -> int:
        """Return the top of a row's card, below its gap."""
        gap = self.card(index).gap if self._heights[index] else 0
        return self._heights.offset(index) + gap

    def outer_top_of(self, index: int) -> int:
        """Return the top of a row, gap included."""
        return self._heights.offset(index)

    def bottom_of(self, index: int) -> int:
        """Return the bottom of a row."""
        return self._heights.offset(index) + self._heights[index]

    def is_shown(self, index: int) -> bool:
        """Return whether the row has any height."""
        return self._heights[index] > 0

    def visible(self, top: int, bottom: int) -> Iterator[int]:
        """Yield the rows that touch the range between `top` and `bottom`."""
        index, count = self.index_at(top), self._count
        while index < count and self._heights.offset(index) < bottom:
            if self._heights[index]:
                yield index
            index += 1

    def anchor_at(self, y: int) -> Anchor | None:
        """Return the anchor for a view that begins at `y`; None if there are no rows."""
        if not self._count:
            return None
        index = min(self.index_at(y), self._count - 1)
        top = self.top_of(index)
        part, part_top = self.card(index).part_at(y - top)
        return Anchor(key=self.rows[index].key, part=part, above=y - top - part_top)

    def line_at(self, y: int) -> Anchor | None:
        """Return the line at `y` as the anchor for a change that wraps lines differently."""
        found = self.anchor_at(y)
        index = self._model.index_of(found.key) if found is not None else None
        if found is None or index is None:
            return found
        card, inside = self.card(index), y - self.top_of(index)
        if card.column is None or not card.has_text_at(card.text_box().left(), inside):
            return found
        top = card.text_box().top()
        place = card.column.place_at(0, inside - top)
        return Anchor(
            key=found.key, part=place[0], above=inside - top - card.column.y_of(place), place=place
        )

    def y_of(self, anchor: Anchor) -> int | None:
        """Return the top of the view for an anchor; None if its row is gone."""
        index = self._model.index_of(anchor.key)
        if index is None or index >= self._count:
            return None
        card = self.card(index)
        if anchor.place is not None and card.column is not None and len(card.column):
            place = min(anchor.place, (len(card.column) - 1, anchor.place[1]))
            line = card.text_box().top() + card.column.y_of(place)
            return self.top_of(index) + line + anchor.above
        return self.top_of(index) + self.card(index).part_top(anchor.part) + anchor.above

    def source(self, index: int) -> str:
        """Return a whole row as text for the clipboard, without laying it out."""
        row = self.rows[index]
        if row.kind in ("reasoning", "tool_call", "tool_result") and not row.is_open:
            return ""
        if row.kind in ("answer", "question", "code", "plan", "run"):
            return row.text.strip("\n")
        return self.card(index).source().strip("\n")

    def _known_height(self, row: Row) -> int:
        card = self._cards.get(row.key)
        if card is None or not card.width:
            return _guess_height(row, self.width)
        height = card.frame_height()
        return height + card.gap if height else 0

    def _make_exact(self, index: int, top: int, bottom: int) -> bool:
        card = self.card(index)
        self._live.add(card.row.key)
        above = self._heights.offset(index) + card.gap
        height = card.lay_out(self.width, top - above, bottom - above)
        outer = height + card.gap if height else 0
        is_changed = outer != self._heights[index]
        self._heights.set(index, outer)
        return is_changed

    def _release_far(self, first: int, last: int) -> None:
        for key in tuple(self._live):
            index = self._model.index_of(key)
            if index is None or not first <= index <= last:
                self._live.discard(key)
                if key in self._cards:
                    self._cards[key].release()


def _make_card(row: Row, tools: CardTools) -> Card:
    """Return a card; the import is here because an empty conversation needs no cards."""
    from playhead.ui.timeline.cards.card_factory import make_card

    return make_card(row, tools)


def _guess_height(row: Row, width: int) -> int:
    from playhead.ui.timeline.cards.card_factory import guess_height

    return 0 if row.is_hidden else guess_height(row, width)
