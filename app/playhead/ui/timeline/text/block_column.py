"""A column of text blocks; only those near the visible part have documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Any

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QPalette, QTextCursor

from playhead.domain.conversation.search import folded
from playhead.domain.text.unicode import utf16_length
from playhead.ui.timeline.text.document_maker import Document, DocumentMaker
from playhead.ui.timeline.text.find_query import FindQuery
from playhead.ui.timeline.text.heights import Heights
from playhead.ui.timeline.text.markdown_stream import Block
from playhead.ui.timeline.text.math_document import alternatives, shrink_to, with_alternatives
from playhead.ui.timeline.text.shapes import draw_panel, draw_task

Place = tuple[int, int]
"""A block's index and an offset in its document."""
START: Place = (0, 0)
END: Place = (1 << 60, 1 << 60)
GAP = 12
PAD_X, PAD_Y = 14, 10
FENCE_HEADER = 30
STRIP = 30
"""The height below a wide table for what moves it."""
_NEAR = 1_500
"""Pixels beyond the visible part within which documents are kept."""
_MARGIN = 24
_MOST_MARKS = 300
_BACKWARDS = (
    QTextCursor.MoveOperation.Left,
    QTextCursor.MoveOperation.Up,
    QTextCursor.MoveOperation.PreviousWord,
)
_GLYPH, _CODE_GLYPH, _LINE, _CODE_LINE = 7, 8, 24, 22
_BARE = str.maketrans({"\u2029": "\n", "\u2028": "\n", "\ufffc": "", "\ufdd0": "", "\ufdd1": ""})


class TextBlock:
    """One block with its document while it is near the visible part."""

    __slots__ = ("block", "document", "height", "overflow", "width")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.document: Document | None = None
        self.height = 0
        self.width = -1
        """The width it was laid out for; -1 while the height is a guess."""
        self.overflow = 0
        """How much wider it is than the column."""

    def guess(self, width: int) -> int:
        """Return a height without a layout."""
        is_code = self.block.kind in ("code", "console")
        columns = max(8, width // (_CODE_GLYPH if is_code else _GLYPH))
        source = self.block.source
        lines = source.count("\n") + 1 + len(source) // columns
        return lines * (_CODE_LINE if is_code else _LINE)


class WideTables:
    """The tables of a column that do not fit in it, and how far they are moved to the left.

    The pieces of a long table are moved together. Owner: the column, whose blocks and heights
    these are.
    """

    def __init__(self, blocks: Sequence[TextBlock], heights: Heights, live: Set[int]) -> None:
        self._blocks = blocks
        self._heights = heights
        self._live = live
        self._shifts: dict[int, int] = {}  # by the first piece

    def strips(self, width: int) -> Iterator[tuple[QRect, int, int, int]]:
        """Yield the strip under each table near the view, its index, shift and largest shift."""
        for index in sorted(self._live):
            text = self._blocks[index]
            if text.overflow and text.block.is_last:
                bottom = self._heights.offset(index) + self._heights[index]
                strip = QRect(0, bottom - STRIP, width, STRIP)
                yield strip, index, self.shift(index), text.overflow

    def slide(self, index: int, delta: int) -> bool:
        """Move a table sideways; return whether it moved."""
        if not 0 <= index < len(self._blocks) or not self._blocks[index].overflow:
            return False
        before = self.shift(index)
        after = max(0, min(before + delta, self._blocks[index].overflow))
        self._shifts[self._first_piece(index)] = after
        return after != before

    def bring_across(self, first: Place, last: Place, width: int) -> None:
        """Move a table sideways so far that a part of its text is seen in a width."""
        index = first[0]
        document = self._blocks[index].document
        if document is None or not self._blocks[index].overflow:
            return
        shift = self.shift(index)
        left = _x_of(document, first[1]) - shift
        right = _x_of(document, last[1]) - shift if last[0] == index else left
        if right > width - _MARGIN:
            self.slide(index, right - width + _MARGIN)
        elif left < 0:
            self.slide(index, left - _MARGIN)

    def shift(self, index: int) -> int:
        """Return how far a block is moved to the left."""
        if not self._shifts or not self._blocks[index].overflow:
            return 0
        return min(self._shifts.get(self._first_piece(index), 0), self._blocks[index].overflow)

    def _first_piece(self, index: int) -> int:
        while index and self._blocks[index].block.header:
            index -= 1
        return index


def _x_of(document: Document, offset: int) -> int:
    """Return how far from the left of its document a position is."""
    block = document.findBlock(offset)
    line = block.layout().lineForTextPosition(offset - block.position())
    box = document.documentLayout().blockBoundingRect(block)
    found: Any = line.cursorToX(offset - block.position()) if line.isValid() else (0, 0)
    return round(box.x() + found[0])


class BlockColumn:
    """Lays out and paints a list of blocks, and finds positions in it. Owner: a card.

    With `has_panels`, code has its own background, below a line that names its language.
    """

    def __init__(self, maker: DocumentMaker, ink: str = "text", has_panels: bool = False) -> None:
        self._maker = maker
        self._ink = ink
        self._has_panels = has_panels
        self._blocks: list[TextBlock] = []
        self._heights = Heights()
        self.width = 0
        self._live: set[int] = set()
        self.wide_tables = WideTables(self._blocks, self._heights, self._live)
        self.definitions = ""
        self._changed_from = (0, 0)
        """The first block that looks different, and from which height in it on."""
        self._laid_out: tuple[int, int, int] | None = None
        """The width and the part for which all is laid out, until a block changes."""

    def __len__(self) -> int:
        return len(self._blocks)

    @property
    def height(self) -> int:
        """Return the height of all blocks, some of them guessed."""
        return self._heights.total

    def block(self, index: int) -> Block:
        """Return the block at an index."""
        return self._blocks[index].block

    def set_blocks(self, blocks: Sequence[Block], stable: int = 0) -> None:
        """Show these blocks after the first `stable`, which are known to be the same as before."""
        at, old, new = stable, self._blocks, stable + len(blocks)
        self._laid_out = None
        while at < len(old) and at < new and old[at].block == blocks[at - stable]:
            at += 1
        if at < len(old) and at < new and self._grow(at, blocks[at - stable]):
            at += 1
        if at < len(old):
            del old[at:]
            self._heights.truncate(at)
            self._live -= {index for index in self._live if index >= at}
        self._changed_from = min(self._changed_from, (at, 0))
        for block in blocks[at - stable :]:
            text = TextBlock(block)
            text.height = text.guess(self.width or 600)
            old.append(text)
            self._heights.append(self._outer(len(old) - 1))

    def _grow(self, index: int, block: Block) -> bool:
        """Put more text at the end of a block; False if it has to be made again."""
        text = self._blocks[index]
        if (document := text.document) is None or text.width != self.width:
            return False
        top = document.last_line_top()
        if not self._maker.extend(document, text.block, block):
            return False
        text.block = block
        text.height = round(document.size().height())
        self._heights.set(index, self._outer(index))
        self._changed_from = min(self._changed_from, (index, top))
        return True

    def take_changed_top(self) -> int:
        """Return from where on the blocks are others than at the last call."""
        (at, down), count = self._changed_from, len(self._blocks)
        self._changed_from = (count, 0)
        return self.top_of(at) + (self._gap(at) + down if at < count else 0)

    def forget(self) -> None:
        """Drop documents and exact heights, because colours or definitions have changed."""
        for text in self._blocks:
            text.width = -1
        self.release()

    def renew(self, is_zoomed: bool = False) -> bool:
        """Make documents again that waited for formulas; return whether there were any.

        At another zoom all with formulas are made again, because these are pictures.
        """
        waiting = [index for index in self._live if self._is_waiting(index, is_zoomed)]
        self._laid_out = None
        for index in waiting:
            self._blocks[index].document = None
            self._blocks[index].width = -1
            self._live.discard(index)
        return bool(waiting)

    def release(self) -> None:
        """Drop the documents, keep the heights."""
        self._laid_out = None
        for index in self._live:
            self._blocks[index].document = None
        self._live.clear()

    def lay_out(self, width: int, top: int, bottom: int) -> int:
        """Lay out the blocks between `top` and `bottom`; return the height of all."""
        if self._laid_out == (width, top, bottom):
            return self.height
        self.width = width
        index = self._heights.index_at(top)
        while index < len(self._blocks) and self._heights.offset(index) < bottom:
            self._make_exact(index, width)
            index += 1
        self._release_far(top - _NEAR, bottom + _NEAR)
        self._laid_out = width, top, bottom
        return self.height

    def natural_width(self, limit: int) -> int:
        """Return the width of the text if lines wrap only at `limit`."""
        widths = [0]
        for index in range(len(self._blocks)):
            self._make_exact(index, limit)
            document = self._blocks[index].document
            widths.append(int(document.idealWidth()) + 1 if document else 0)
            if self._has_panels and self._blocks[index].block.kind == "code":
                return limit
        return min(limit, max(widths))

    def paint(self, painter: QPainter, clip: QRect, selection: tuple[Place, Place] | None) -> None:
        """Draw the blocks that touch `clip` (in the column's own coordinates)."""
        for index in self._touching(clip):
            text = self._blocks[index]
            outer = QRect(0, self._heights.offset(index), self.width, self._heights[index])
            if self._is_panel(text.block):
                self._paint_panel(painter, text.block, outer)
            if text.document is not None:
                origin = self._origin(index)
                painter.save()
                painter.translate(origin)
                seen = clip & outer if text.overflow else clip
                inner = QRectF(seen).translated(-origin)
                self._paint_document(painter, index, inner, _part(selection, index))
                painter.restore()

    def place_at(self, x: int, y: int) -> Place:
        """Return the position in the text nearest to a point."""
        if not self._blocks:
            return START
        index = self._heights.index_at(y)
        document = self._document(index)
        point = QPointF(x, y) - self._origin(index)
        fuzzy = Qt.HitTestAccuracy.FuzzyHit
        return index, max(0, document.documentLayout().hitTest(point, fuzzy))

    def line_at(self, y: int) -> tuple[int, int] | None:
        """Return the block at a height and the paragraph in it; None above and below all."""
        if not self._blocks or not 0 <= y < self.height:
            return None
        index, position = self.place_at(0, y)
        return index, self._document(index).findBlock(position).blockNumber()

    def line_box(self, index: int, line: int) -> QRect:
        """Return the box of a paragraph; an empty one if the block is not laid out."""
        document = self._blocks[index].document
        if document is None:
            return QRect()
        box = document.documentLayout().blockBoundingRect(document.findBlockByNumber(line))
        return box.translated(self._origin(index)).toAlignedRect()

    def link_at(self, x: int, y: int) -> str:
        """Return the address under a point, '' if there is none."""
        if not self._blocks or not 0 <= y < self.height:
            return ""
        index = self._heights.index_at(y)
        document = self._blocks[index].document
        if document is None:
            return ""
        return document.documentLayout().anchorAt(QPointF(x, y) - self._origin(index))

    def tip_at(self, x: int, y: int) -> str:
        """Return the tip for a point: the LaTeX of a formula, or what is wrong with it."""
        if not self._blocks or not 0 <= y < self.height:
            return ""
        index = self._heights.index_at(y)
        document = self._blocks[index].document
        if document is None or not document.has_formulas:
            return ""
        point = QPointF(x, y) - self._origin(index)
        return document.documentLayout().formatAt(point).toCharFormat().toolTip()

    def around(self, place: Place, unit: QTextCursor.SelectionType) -> tuple[Place, Place]:
        """Return the ends of the word or paragraph at a position."""
        index, offset = place
        cursor = QTextCursor(self._document(index))
        cursor.setPosition(offset)
        cursor.select(unit)
        return (index, cursor.selectionStart()), (index, cursor.selectionEnd())

    def text_between(self, first: Place, last: Place) -> str:
        """Return the shown text between two positions."""
        pieces: list[str] = []
        for index in range(first[0], min(last[0], len(self._blocks) - 1) + 1):
            cursor = QTextCursor(self._document(index))
            cursor.movePosition(QTextCursor.MoveOperation.End)
            length = cursor.position()
            cursor.setPosition(min(length, first[1] if index == first[0] else 0))
            end = min(length, last[1]) if index == last[0] else length
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            joint = "\n" if self._blocks[index].block.is_first else ""
            pieces.append((joint if pieces else "") + _selected(cursor))
        return "\n".join(pieces)

    def find(self, pattern: re.Pattern[str]) -> tuple[Place, Place] | None:
        """Return the first match of a pattern in lower-case text without accents."""
        for index, text in enumerate(self._blocks):
            if pattern.search(folded(text.block.source)) is None:
                continue
            shown = self._document(index).toPlainText()
            if found := pattern.search(folded(shown)):
                start, end = (utf16_length(shown[:at]) for at in found.span())
                return (index, start), (index, end)
        return None

    def found(self, index: int, wanted: FindQuery) -> Sequence[tuple[int, int]]:
        """Return the matches of a query in a block."""
        if not wanted.may_be_in(self._blocks[index].block.source):
            return ()
        return self._document(index).found(wanted)

    def y_of(self, place: Place) -> int:
        """Return the top of the line of a position."""
        index, offset = place
        block = self._document(index).findBlock(offset)
        layout = block.layout()
        line = layout.lineForTextPosition(offset - block.position())
        box = self._document(index).documentLayout().blockBoundingRect(block)
        down = box.y() + (line.y() if line.isValid() else 0)
        return round(self._origin(index).y() + down)

    def end(self) -> Place:
        """Return the position after the last character."""
        last = len(self._blocks) - 1
        return last, self._document(last).characterCount() - 1

    def moved(self, place: Place, move: QTextCursor.MoveOperation) -> Place | None:
        """Return the position after a cursor's move; None if it would leave the column."""
        index, offset = min(place, self.end())
        cursor = QTextCursor(self._document(index))
        cursor.setPosition(min(offset, self._document(index).characterCount() - 1))
        before = cursor.position()
        if cursor.movePosition(move) and cursor.position() != before:
            return index, cursor.position()
        if move in (QTextCursor.MoveOperation.StartOfLine, QTextCursor.MoveOperation.EndOfLine):
            return None
        is_back = move in _BACKWARDS
        index += -1 if is_back else 1
        if not 0 <= index < len(self._blocks):
            return None
        return index, self._document(index).characterCount() - 1 if is_back else 0

    def top_of(self, index: int) -> int:
        """Return the top of a block."""
        return self._heights.offset(index)

    def index_at(self, y: int) -> int:
        """Return the block that covers `y`."""
        return self._heights.index_at(y)

    def fence_headers(self) -> Iterator[tuple[QRect, int]]:
        """Yield the lines above code in prose, for its buttons, of the blocks that are laid out."""
        for index in sorted(self._live):
            if self._has_header(self._blocks[index].block):
                top = self._heights.offset(index) + self._gap(index)
                yield QRect(0, top, self.width, FENCE_HEADER), index

    def fence_source(self, index: int) -> str:
        """Return the whole code that begins with a block."""
        pieces = [self._blocks[index].block.source]
        for text in self._blocks[index + 1 :]:
            if text.block.kind != "code" or text.block.is_first:
                break
            pieces.append(text.block.source)
        return "\n".join(pieces)

    def _document(self, index: int) -> Document:
        self._make_exact(index, self.width)
        document = self._blocks[index].document
        assert document is not None  # noqa: S101 - made in the line above
        return document

    def _make_exact(self, index: int, width: int) -> None:
        text = self._blocks[index]
        if text.document is None:
            text.document = self._maker.make(text.block, self._ink, self.definitions)
            text.width = -1
            self._live.add(index)
        if text.width != width:
            inset = 2 * PAD_X if self._is_panel(text.block) else 0
            room = max(40, width - inset)
            if text.document.has_formulas:
                shrink_to(text.document, room)
            text.overflow = max(0, text.document.least_width - room)
            text.document.setTextWidth(room + text.overflow)
            text.height = round(text.document.size().height())
            text.width = width
            self._heights.set(index, self._outer(index))
            self._laid_out = None
            self._changed_from = min(self._changed_from, (index, 0))

    def _is_waiting(self, index: int, is_zoomed: bool) -> bool:
        document = self._blocks[index].document
        if document is None:
            return False
        return document.is_waiting or (is_zoomed and document.has_formulas)

    def _release_far(self, top: int, bottom: int) -> None:
        first, last = self._heights.index_at(top), self._heights.index_at(bottom)
        for index in [index for index in self._live if not first <= index <= last]:
            self._blocks[index].document = None
            self._live.discard(index)

    def _touching(self, clip: QRect) -> Iterator[int]:
        if not self._blocks:
            return
        for index in range(self._heights.index_at(clip.top()), len(self._blocks)):
            if self._heights.offset(index) > clip.bottom():
                return
            yield index

    def _is_panel(self, block: Block) -> bool:
        return self._has_panels and block.kind == "code"

    def _has_header(self, block: Block) -> bool:
        return self._is_panel(block) and block.is_first

    def _gap(self, index: int) -> int:
        return GAP if index and self._blocks[index].block.is_first and self._has_panels else 0

    def _outer(self, index: int) -> int:
        text = self._blocks[index]
        pads = 0
        if self._is_panel(text.block):
            pads = (FENCE_HEADER if text.block.is_first else 0) + PAD_Y * text.block.is_last
        strip = STRIP if text.overflow and text.block.is_last else 0
        return self._gap(index) + pads + text.height + strip

    def _origin(self, index: int) -> QPointF:
        block = self._blocks[index].block
        x = PAD_X if self._is_panel(block) else -self.wide_tables.shift(index)
        header = FENCE_HEADER if self._has_header(block) else 0
        return QPointF(x, self._heights.offset(index) + self._gap(index) + header)

    def _paint_panel(self, painter: QPainter, block: Block, outer: QRect) -> None:
        gap = GAP if block.is_first and outer.top() > 0 else 0
        rect = outer.adjusted(0, gap, 0, 0)
        tokens = self._maker.theme.tokens
        draw_panel(painter, rect, tokens.code_bg, tokens.line, block.is_first, block.is_last)

    def _paint_document(
        self, painter: QPainter, index: int, clip: QRectF, selected: tuple[int, int] | None
    ) -> None:
        document = self._document(index)
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        theme = self._maker.theme
        context.palette.setColor(QPalette.ColorRole.Text, theme.colour(self._ink))
        context.palette.setColor(QPalette.ColorRole.Dark, theme.colour("line_strong"))
        marks = self._found_marks(index, document)
        if selected is not None:
            marks.append(self._mark(document, *selected, "selection", "text"))
        if marks:
            context.selections = marks
        painter.setClipRect(clip)
        if document.has_formulas:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        document.documentLayout().draw(painter, context)
        if document.has_tasks:
            for box, state in document.tasks():
                draw_task(painter, theme, box, state)
        if document.has_quotation:
            for bar in document.quotations():
                painter.fillRect(bar, theme.colour("line_strong"))

    def _found_marks(
        self, index: int, document: Document
    ) -> list[QAbstractTextDocumentLayout.Selection]:
        """Return the marks of the matches; the current one is stronger than the others."""
        wanted, current = self._maker.wanted, self._maker.current
        if wanted is None:
            return []
        marks: list[QAbstractTextDocumentLayout.Selection] = []
        for start, end in document.found(wanted)[:_MOST_MARKS]:
            is_current = current is not None and current[0] is self
            if is_current and current is not None and current[1:] == (index, start):
                marks.append(self._mark(document, start, end, "accent", "on_accent"))
            else:
                marks.append(self._mark(document, start, end, "selection", "text"))
        return marks

    def _mark(
        self, document: Document, start: int, end: int, ground: str, ink: str
    ) -> QAbstractTextDocumentLayout.Selection:
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        length = cursor.position()
        cursor.setPosition(min(length, start))
        cursor.setPosition(min(length, end), QTextCursor.MoveMode.KeepAnchor)
        mark = QAbstractTextDocumentLayout.Selection()
        mark.cursor = cursor
        mark.format.setBackground(self._maker.theme.colour(ground))
        mark.format.setForeground(self._maker.theme.colour(ink))
        return mark


def _selected(cursor: QTextCursor) -> str:
    """Return the selected text, with formulas as they were written."""
    text = cursor.selectedText()
    if "\ufffc" in text:
        start, end = cursor.selectionStart(), cursor.selectionEnd()
        text = with_alternatives(text, alternatives(cursor.document(), start, end))
    return text.translate(_BARE)


def _part(selection: tuple[Place, Place] | None, index: int) -> tuple[int, int] | None:
    """Return the part of a selection in one block; None if there is none."""
    if selection is None:
        return None
    first, last = selection
    if not first[0] <= index <= last[0]:
        return None
    start = first[1] if index == first[0] else 0
    end = last[1] if index == last[0] else END[1]
    return (start, end) if start < end else None
