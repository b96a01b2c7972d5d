"""Goes to a message in the timeline, and in it to the words that were looked for."""

from __future__ import annotations

import re

from playhead.domain.conversation.search import pattern_of, terms_of
from playhead.ui.timeline.blocks import END, START
from playhead.ui.timeline.canvas import Canvas
from playhead.ui.timeline.selection import Mark, Selection
from playhead.ui.timeline.sheet import Anchor

_ABOVE = 48
"""How much is seen of what stands before a message."""
_SHARE = 3
"""The words stand at a third of the view's height if the message is long."""


def reveal(canvas: Canvas, message_id: str, query: str) -> bool:
    """Show a message with the words selected, unfolded if they are in its fold."""
    index = canvas.model.index_of(message_id)
    if index is None:
        return False
    pattern = pattern_of(terms_of(query)) if query.strip() else None
    canvas.show_anchor(Anchor(message_id, 0, -_ABOVE))
    anchor = _select(canvas, index, pattern)
    row = canvas.sheet.rows[index]
    if anchor is None and pattern is not None and not row.is_open:
        row.is_open = True
        canvas.row_changed(message_id)
        anchor = _select(canvas, index, pattern)
    if anchor is None:
        canvas.select(Selection(Mark(index, START), Mark(index, END)))
    elif anchor.part or anchor.above > 0:
        canvas.show_anchor(anchor)
    return True


def _select(canvas: Canvas, index: int, pattern: re.Pattern[str] | None) -> Anchor | None:
    """Select the first place that fits; what to hold so that it is seen, None if it is nowhere."""
    card = canvas.sheet.card(index)
    if pattern is None or card.column is None:
        return None
    found = card.column.find(pattern)
    if found is None:
        return None
    first, last = found
    canvas.select(Selection(Mark(index, first), Mark(index, last)))
    within = card.column.y_of(first) - card.column.top_of(first[0])
    third = canvas.viewport().height() // _SHARE
    return Anchor(card.row.key, first[0], within - third)
