"""The selection, across rows: from one mark to another."""

from __future__ import annotations

from msgspec import Struct

from playhead.ui.timeline.scroll.row_layout import RowLayout
from playhead.ui.timeline.text.block_column import END, START, Place


class Mark(Struct, frozen=True, order=True):
    """A position in the text of a row."""

    row: int
    place: Place


class Selection(Struct, frozen=True):
    """From the mark where it began to the current one; either may be first."""

    anchor: Mark
    head: Mark

    @property
    def first(self) -> Mark:
        """Return the upper end."""
        return min(self.anchor, self.head)

    @property
    def last(self) -> Mark:
        """Return the lower end."""
        return max(self.anchor, self.head)

    @property
    def is_empty(self) -> bool:
        """Return whether the selection is empty."""
        return self.anchor == self.head

    def part(self, row: int) -> tuple[Place, Place] | None:
        """Return the part of the selection in a row; None if there is none."""
        first, last = self.first, self.last
        if self.is_empty or not first.row <= row <= last.row:
            return None
        start = first.place if row == first.row else START
        end = last.place if row == last.row else END
        return start, end


def everything(sheet: RowLayout) -> Selection | None:
    """Return the selection of all rows; None if there are none."""
    if not sheet.rows:
        return None
    return Selection(Mark(0, START), Mark(len(sheet.rows) - 1, END))


def selected_text(selection: Selection, sheet: RowLayout) -> str:
    """Return the selected text: whole rows as they were written, the end ones as selected."""
    first, last = selection.first.row, min(selection.last.row, len(sheet.rows) - 1)
    pieces: list[str] = []
    for row in range(first, last + 1):
        part = selection.part(row)
        if part is None or not sheet.is_shown(row):
            continue
        if part == (START, END):
            pieces.append(sheet.source(row))
        elif (column := sheet.card(row).column) is not None:
            pieces.append(column.text_between(*part))
    return "\n\n".join(piece for piece in pieces if piece)
