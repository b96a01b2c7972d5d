"""A table that the code returned; only the visible cells are drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from playhead.domain.conversation.payloads import Table
from playhead.ui.timeline.cards.card import (
    HEADER,
    PAD_X,
    Card,
    CardTools,
    Intent,
    PaintState,
    Spot,
    draw_detail,
    draw_header,
)
from playhead.ui.timeline.cards.table_columns import (
    SORT_LIMIT,
    TableColumn,
    columns_of,
    size_text,
    sorted_rows,
    table_as_text,
)
from playhead.ui.timeline.model.rows import Row
from playhead.ui.timeline.text.shapes import (
    clip_round,
    draw_hairline,
    draw_icon,
    draw_panel,
    draw_text,
    one_line,
    text_width,
)
from playhead.ui.widgets.wording import tr, tr_n

HEAD = 30
LINE = 26
FOLDED_ROWS = 10
_FOOT = 30
_EDGE = 4
_APART = 16
_PAD = 12
_NARROWEST, _WIDEST = 48, 260
_SMALL_CELLS = 20_000
_MEASURED_ROWS = 60
_MEASURED_CHARS = 60
_TEXT_PX = 12
_MEDIUM = QFont.Weight.Medium
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class TableCard(Card):
    """A page of a data frame under a fixed head; a click on a column's name sorts it."""

    gap = 12
    sticky_height = HEADER + HEAD

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._table = (
            content
            if isinstance(content, Table)
            else Table(columns=(), dtypes=(), rows=(), total_rows=0)
        )
        self._columns: list[TableColumn] = columns_of(self._table)
        self._widths: list[int] = []
        self._order: list[int] | None = None
        self._sorted_by: tuple[int, bool] | None = None
        self._first = 0
        self._head_y = 0
        super().__init__(row, tools)

    @property
    def is_small(self) -> bool:
        """Return whether the whole table is small enough to become a text in a frame."""
        return len(self._table.rows) * len(self._table.columns) <= _SMALL_CELLS

    def forget(self) -> None:
        """Forget the widths, which depend on the font."""
        self._widths = []

    def act(self, word: str) -> bool:
        """Sort by a column, or show other columns."""
        verb, _, number = word.partition(" ")
        if verb == "sort":
            self._sort(int(number))
        elif verb == "columns":
            self._first = int(number)
        return True

    def frame_height(self) -> int:
        """Return the height of the head, the rows that are shown and the foot."""
        foot = _FOOT if self._foot_words() else _EDGE
        return HEADER + HEAD + LINE * max(1, self._shown_rows) + foot

    def source(self) -> str:
        """Return the rows separated by tabs, as spreadsheets accept them."""
        return self.as_text("\t")

    def as_text(self, separator: str) -> str:
        """Return all rows that are here, in the order in which they are shown."""
        rows = self._table.rows
        ordered = rows if self._order is None else (rows[number] for number in self._order)
        return table_as_text(self._table.columns, ordered, separator)

    def spots(self, is_hovered: bool) -> list[Spot]:
        """Return the actions of the table, its column names, and the line to unfold it."""
        middle, key = self._head_y + HEADER // 2, self.row.key
        spots = [
            self.icon_spot(
                self.width - 8, middle, "maximize-2", tr("Open the table"), Intent("table", key)
            ),
            self.icon_spot(
                self.width - 40, middle, "download", tr("Save as…"), Intent("save", key)
            ),
            self.icon_spot(
                self.width - 72, middle, "copy", tr("Copy table"), Intent("copy_table", key)
            ),
            *self._page_spots(middle),
            *self._head_spots(),
        ]
        left = PAD_X
        for label, intent in self._foot_words():
            width = text_width(self.theme, label, 12) + 4
            rect = QRect(left, self.frame_height() - _FOOT, width, _FOOT - 2)
            spots.append(Spot(rect=rect, intent=intent, tip=label, label=label, look="word"))
            left += width + _APART
        return spots

    def paint_frame(self, painter: QPainter, state: PaintState) -> None:
        """Paint the box, the rows that touch the clip, and the head over them."""
        tokens = self.theme.tokens
        rect = QRect(0, 0, self.width, self.frame_height())
        last = LINE * max(0, self._shown_rows - 1)
        self._head_y = max(0, min(state.view_top, last))
        draw_panel(painter, rect, tokens.bg, tokens.line)
        painter.save()
        clip_round(painter, rect)
        self._paint_rows(painter, state.clip)
        painter.restore()
        self._paint_header(painter)
        self._paint_head(painter, self._head_y + HEADER)

    @property
    def _shown_rows(self) -> int:
        count = len(self._table.rows)
        return count if self.row.is_open else min(count, FOLDED_ROWS)

    def _foot_words(self) -> list[tuple[str, Intent]]:
        """Return the text to unfold the rows that are here, and the text to open the others."""
        table, count = self._table, len(self._table.rows)
        words: list[tuple[str, Intent]] = []
        if count > FOLDED_ROWS:
            label = tr("Show fewer rows") if self.row.is_open else tr_n("Show %n rows", count)
            words.append((label, Intent("fold")))
        if table.total_rows > count and (table.key or table.name):
            label = tr_n("Open all %n rows", table.total_rows)
            words.append((label, Intent("table", self.row.key)))
        return words

    def _sort(self, column: int) -> None:
        """Sort a column: ascending, descending, and back to the original order."""
        if self._sorted_by == (column, True):
            self._sorted_by = self._order = None
            return
        is_falling = self._sorted_by == (column, False)
        self._sorted_by = (column, is_falling)
        self._order = sorted_rows(self._table, column, is_falling)

    def _page_spots(self, middle: int) -> list[Spot]:
        """Return the buttons to the columns before and after those that are shown."""
        shown, count = self._layout(), len(self._table.columns)
        if len(shown) == count:
            return []
        before = max(0, self._first - max(1, len(shown)))
        behind = min(count - 1, self._first + max(1, len(shown)))
        spots: list[Spot] = []
        if shown and shown[-1][0] < count - 1:
            intent = Intent("card", f"columns {behind}")
            right = self.width - 108
            spots.append(self.icon_spot(right, middle, "chevron-right", tr("More columns"), intent))
        if self._first:
            intent = Intent("card", f"columns {before}")
            right = self.width - 136
            spots.append(
                self.icon_spot(right, middle, "chevron-left", tr("Columns before"), intent)
            )
        return spots

    def _head_spots(self) -> list[Spot]:
        if len(self._table.rows) > SORT_LIMIT:
            return []
        top = self._head_y + HEADER
        return [
            Spot(
                rect=QRect(left, top, width, HEAD),
                intent=Intent("card", f"sort {index}"),
                tip=tr(
                    "{one_line} · {dtype}\nClick to sort",
                    one_line=one_line(self._table.columns[index]),
                    dtype=self._dtype(index),
                ),
                look="bare",
            )
            for index, left, width in self._layout()
        ]

    def _dtype(self, index: int) -> str:
        return self._table.dtypes[index] if index < len(self._table.dtypes) else ""

    def _layout(self) -> list[tuple[int, int, int]]:
        """Return (column, left, width) of the columns that fit, from the first shown one on."""
        widths = self._measured()
        room = self.width - 2 * _EDGE
        chosen: list[int] = []
        used = 0
        for index in range(self._first, len(widths)):
            if chosen and used + widths[index] > room:
                break
            chosen.append(index)
            used += min(widths[index], room)
        spare = max(0, room - used) // max(1, len(chosen))
        left, placed = _EDGE, list[tuple[int, int, int]]()
        for index in chosen:
            width = min(widths[index], room) + spare
            placed.append((index, left, width))
            left += width
        return placed

    def _measured(self) -> list[int]:
        if not self._widths:
            cells, heads = self._metrics(), self._metrics(_MEDIUM)
            rows = self._table.rows[:_MEASURED_ROWS]
            for index, name in enumerate(self._table.columns):
                column = self._columns[index]
                texts = {column.text(row[index])[:_MEASURED_CHARS] for row in rows}
                widest = max((cells.horizontalAdvance(text) for text in texts), default=0)
                widest = max(widest, heads.horizontalAdvance(name[:_MEASURED_CHARS]) + 16)
                self._widths.append(max(_NARROWEST, min(_WIDEST, widest)) + 2 * _PAD)
        return self._widths

    def _metrics(self, weight: QFont.Weight = QFont.Weight.Normal) -> QFontMetrics:
        return QFontMetrics(_figures(self.theme.font(_TEXT_PX, weight)))

    def _paint_rows(self, painter: QPainter, clip: QRect) -> None:
        top = HEADER + HEAD
        first = max(0, (clip.top() - top) // LINE)
        last = min(self._shown_rows, (clip.bottom() - top) // LINE + 1)
        font = _figures(self.theme.font(_TEXT_PX))
        metrics = QFontMetrics(font)
        layout, hairline = self._layout(), self.theme.colour("line")
        ink, faint = self.theme.colour("text"), self.theme.colour("faint")
        painter.setFont(font)
        if not self._shown_rows:
            box = QRect(PAD_X, top, self.width - 2 * PAD_X, LINE)
            draw_text(painter, box, tr("No rows"), self.theme, "faint", _TEXT_PX)
        for number in range(first, last):
            y = top + number * LINE
            row = self._table.rows[number if self._order is None else self._order[number]]
            for index, left, width in layout:
                cell, column = row[index], self._columns[index]
                box = QRect(left + _PAD, y, width - 2 * _PAD, LINE)
                text = metrics.elidedText(
                    column.text(cell), Qt.TextElideMode.ElideRight, box.width()
                )
                painter.setPen(faint if column.is_missing(cell) else ink)
                painter.drawText(box, _RIGHT if column.is_number else _LEFT, text)
            if number < self._shown_rows - 1 or self._foot_words():
                draw_hairline(painter, 1, y + LINE - 1, self.width - 2, hairline)

    def _paint_header(self, painter: QPainter) -> None:
        """Paint the card's first line, at the top of the view if the card begins above it."""
        tokens = self.theme.tokens
        header = QRect(0, self._head_y, self.width, HEADER)
        if self._head_y:
            painter.fillRect(header, self.theme.colour("bg"))
        draw_panel(painter, header, tokens.header, tokens.line, is_bottom=False)
        title = self._table.name or tr("Table")
        right = draw_header(painter, self.theme, header, "table-2", title) + 10
        words = self.size_words()
        box = header.adjusted(0, 0, -60, 0)
        draw_detail(painter, self.theme, right, box, words)

    def size_words(self) -> str:
        """Return the size of the table, and which of its columns are shown."""
        layout, count = self._layout(), len(self._table.columns)
        words = size_text(self._table)
        if not layout or len(layout) == count:
            return words
        rows, total = words.partition(" · ")[0], max(count, self._table.total_columns)
        return tr(
            "{rows} · columns {number:,}–{number_2:,} of {total:,}",
            rows=rows,
            number=layout[0][0] + 1,
            number_2=layout[-1][0] + 1,
            total=total,
        )

    def _paint_head(self, painter: QPainter, top: int) -> None:
        painter.fillRect(QRect(1, top, self.width - 2, HEAD), self.theme.colour("header"))
        draw_hairline(painter, 0, top - 1, self.width, self.theme.colour("line"))
        draw_hairline(painter, 0, top + HEAD - 1, self.width, self.theme.colour("line_strong"))
        if self._head_y:
            for x in (0, self.width - 1):
                painter.fillRect(QRect(x, top, 1, HEAD), self.theme.colour("line"))
        for index, left, width in self._layout():
            box = QRect(left + _PAD, top, width - 2 * _PAD, HEAD)
            is_sorted = self._sorted_by is not None and self._sorted_by[0] == index
            align = _RIGHT if self._columns[index].is_number else _LEFT
            if is_sorted:
                box = self._paint_arrow(painter, box)
            own = self._table.columns[index]
            name = own or self._dtype(index)  # a series without a name
            colour = "text" if is_sorted else "mute" if own else "faint"
            draw_text(painter, box, name, self.theme, colour, _TEXT_PX, _MEDIUM, align)

    def _paint_arrow(self, painter: QPainter, box: QRect) -> QRect:
        """Paint the mark of the order; return the room that is left for the name."""
        is_falling = self._sorted_by is not None and self._sorted_by[1]
        icon = "arrow-down" if is_falling else "arrow-up"
        centre = QPointF(box.right() - 5, box.center().y() + 1)
        draw_icon(painter, self.theme, icon, "text", centre, 12)
        return box.adjusted(0, 0, -14, 0)


def _figures(font: QFont) -> QFont:
    """Return the same font with figures of one width, so that they are aligned."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
