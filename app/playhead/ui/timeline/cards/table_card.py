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
    next_order,
    size_text,
    sorted_table,
    table_as_text,
    tells_order,
)
from playhead.ui.timeline.model.rows import Row, Sorting
from playhead.ui.timeline.text.find_query import FindQuery
from playhead.ui.timeline.text.shapes import (
    clip_round,
    draw_hairline,
    draw_icon,
    draw_panel,
    draw_text,
    one_line,
    text_width,
)
from playhead.ui.widgets.wording import format_seconds, tr, tr_n

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
    """A page of a data frame under a fixed head; a click on a column's name sorts all its rows.

    The card sorts a table that is whole, the window one that the kernel has the rest of.
    """

    gap = 12
    sticky_height = HEADER + HEAD

    def __init__(self, row: Row, tools: CardTools) -> None:
        content = row.message.content if row.message else None
        self._own = self._table = (
            content
            if isinstance(content, Table)
            else Table(columns=(), dtypes=(), rows=(), total_rows=0)
        )
        self._columns: list[TableColumn] = columns_of(self._own)
        self._widths: list[int] = []
        self._narrowest: list[int] = []
        self._tells_order: dict[int, bool] = {}
        self._first = 0
        self._head_y = 0
        super().__init__(row, tools)

    @property
    def table(self) -> Table:
        """Return the rows as they are shown."""
        return self._table

    @property
    def is_small(self) -> bool:
        """Return whether the whole table is small enough to become a text in a frame."""
        return len(self._table.rows) * len(self._table.columns) <= _SMALL_CELLS

    def forget(self) -> None:
        """Forget the widths, which depend on the font."""
        self._widths, self._narrowest = [], []

    def refresh(self) -> None:
        """Show the rows in another order; no column shrinks under the mouse by that."""
        table = self.row.sorting.page or self._own
        if table is not self._table:
            self._table, self._columns = table, columns_of(table)
            self._widths, self._narrowest = [], self._widths

    def act(self, word: str) -> bool:
        """Sort by a column, or show other columns."""
        verb, _, number = word.partition(" ")
        if verb == "sort":
            self._sort_here(int(number))
        elif verb == "columns":
            self._first = int(number)
        return True

    def bring_in(self, wanted: FindQuery) -> tuple[int, int] | None:
        """Show the first name of a column, or else the first cell, that has the words."""
        found = self._find(wanted)
        if found is None:
            return None
        number, column = found
        self.row.is_open = self.row.is_open or number >= FOLDED_ROWS
        if all(column != index for index, _, _ in self._layout()):
            self._first = column
        return HEADER + HEAD + number * LINE, LINE

    def _find(self, wanted: FindQuery) -> tuple[int, int] | None:
        """Return row and column of the first place; -1 for the row of the columns' names."""
        for number, cells in enumerate((self._table.columns, *self._table.rows), -1):
            if wanted.spans("\n".join(map(str, cells))):  # a row at once: there may be many
                for index, cell in enumerate(cells):
                    if wanted.spans(str(cell)):
                        return number, index
        return None

    def _mark_found(self, painter: QPainter, rect: QRect, *texts: str) -> None:
        """Paint the ground of a cell that has the words which are looked for."""
        wanted = self.tools.maker.wanted
        if wanted is not None and any(wanted.spans(text) for text in texts):
            painter.fillRect(rect, self.theme.colour("selection"))

    def frame_height(self) -> int:
        """Return the height of the head, the rows that are shown and the foot."""
        return self._foot_top + (_FOOT * self._foot_lines or _EDGE)

    def source(self) -> str:
        """Return the rows separated by tabs, as spreadsheets accept them."""
        return self.as_text("\t")

    def as_text(self, separator: str) -> str:
        """Return all rows that are here, in the order in which they are shown."""
        return table_as_text(self._table.columns, self._table.rows, separator)

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
            rect = QRect(left, self._foot_top, width, _FOOT - 2)
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
        self._paint_foot(painter)

    @property
    def _foot_top(self) -> int:
        return HEADER + HEAD + LINE * max(1, self._shown_rows)

    @property
    def _foot_lines(self) -> int:
        """Return the lines of the foot: of its actions, and of why the table is not sorted."""
        return bool(self._foot_words()) + bool(self.row.sorting.reason)

    @property
    def _shown_rows(self) -> int:
        count = len(self._table.rows)
        return count if self.row.is_open else min(count, FOLDED_ROWS)

    def _foot_words(self) -> list[tuple[str, Intent]]:
        """Return the text to unfold the rows that are here, and the text to open the others."""
        table, count = self._own, len(self._own.rows)
        words: list[tuple[str, Intent]] = []
        if self.row.sorting.wanted is not None and self.row.sorting.seconds:
            return [(tr("Stop sorting"), Intent("sort", "stop"))]
        if count > FOLDED_ROWS:
            label = tr("Show fewer rows") if self.row.is_open else tr_n("Show %n rows", count)
            words.append((label, Intent("fold")))
        if table.total_rows > count and (table.key or table.name):
            label = tr_n("Open all %n rows", table.total_rows)
            words.append((label, Intent("table", self.row.key)))
        return words

    def _foot_note(self) -> str:
        """Return how far the sorting is, beside what stops it."""
        sorting = self.row.sorting
        if sorting.wanted is None or not sorting.seconds:
            return ""
        return tr(
            "Sorting all {rows:,} rows by {column}… {time}",
            rows=self._own.total_rows,
            column=one_line(self._name(sorting.wanted.column)),
            time=format_seconds(sorting.seconds, is_running=True),
        )

    def _sort_here(self, column: int) -> None:
        """Sort a column: ascending, descending, and back to the original order."""
        order = next_order(self.row.sorting.order, column)
        page = sorted_table(self._own, order) if order is not None else None
        self.row.sorting = Sorting(order=order, page=page, refused=self.row.sorting.refused)

    def _is_sorted_here(self, column: int) -> bool:
        if column not in self._tells_order:
            self._tells_order[column] = tells_order(self._own, column)
        return self._tells_order[column]

    def _why_not_sorted(self, column: int) -> str:
        """Return why a column cannot be sorted, "" if it can."""
        if self._is_sorted_here(column):
            return ""
        if reason := self.row.sorting.refused.get(column):
            return reason
        if self._own.key:
            return ""
        if len(self._own.rows) < self._own.total_rows:
            return tr("It cannot be sorted: only the rows that are shown are here.")
        if len(self._own.rows) > SORT_LIMIT:
            return tr("It cannot be sorted: it has too many rows.")
        return tr("It cannot be sorted: their texts do not show the order of its values.")

    def _page_spots(self, middle: int) -> list[Spot]:
        """Return the buttons to the columns before and after those that are shown."""
        shown, count = self._moving(), len(self._table.columns)
        if len(self._layout()) == count:
            return []
        before = max(0, self._first - max(1, len(shown)))
        before = before if before > self._index_columns else 0
        behind = min(count - 1, shown[-1][0] + 1 if shown else 1)
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
        top = self._head_y + HEADER
        return [
            self._head_spot(index, QRect(left, top, width, HEAD))
            for index, left, width in self._layout()
        ]

    def _head_spot(self, index: int, rect: QRect) -> Spot:
        reason = self._why_not_sorted(index)
        kind = f"{one_line(self._table.columns[index])} · {self._dtype(index)}"
        if self._is_sorted_here(index):
            intent = Intent("card", f"sort {index}")
            tip = tr("{column}\nClick to sort", column=kind)
        else:
            intent = Intent("sort", str(index))
            tip = reason or tr_n("Click to sort all %n rows", self._own.total_rows)
            tip = f"{kind}\n{tip}"
        return Spot(rect=rect, intent=intent, tip=tip, look="bare", is_enabled=not reason)

    def _dtype(self, index: int) -> str:
        return self._table.dtypes[index] if index < len(self._table.dtypes) else ""

    def _layout(self) -> list[tuple[int, int, int]]:
        """Return (column, left, width) of the columns that fit, from the first shown one on."""
        widths, lead = self._measured(), self._lead
        room = self.width - 2 * _EDGE - lead
        pinned = self._pinned(room)
        chosen, used = list(range(pinned)), sum(widths[:pinned])
        for index in range(max(self._first, pinned), len(widths)):
            if len(chosen) > pinned and used + widths[index] > room:
                break
            chosen.append(index)
            used += min(widths[index], room)
        spare = max(0, room - used) // max(1, len(chosen))
        left, placed = _EDGE + lead, list[tuple[int, int, int]]()
        for index in chosen:
            width = min(widths[index], room) + spare
            placed.append((index, left, width))
            left += width
        return placed

    def _moving(self) -> list[tuple[int, int, int]]:
        """Return the columns in sight without the index that stays when others are shown."""
        return self._layout()[self._pinned(self.width - 2 * _EDGE - self._lead) :]

    @property
    def _index_columns(self) -> int:
        return self._own.index_columns or 0

    def _pinned(self, room: int) -> int:
        """Return how many columns stay at the left: the index, if it leaves room for others."""
        count = self._index_columns
        return count if self._first and sum(self._measured()[:count]) <= room // 2 else 0

    @property
    def _lead(self) -> int:
        """Return the width of the row header: the numbers of an index that only counts."""
        if self._own.index_columns != 0 or not self._own.rows:
            return 0
        return self._metrics().horizontalAdvance(str(self._own.total_rows - 1)) + 2 * _PAD

    def _measured(self) -> list[int]:
        if not self._widths:
            cells, heads = self._metrics(), self._metrics(_MEDIUM)
            rows = self._table.rows[:_MEASURED_ROWS]
            for index, name in enumerate(self._table.columns):
                column = self._columns[index]
                texts = {column.text(row[index])[:_MEASURED_CHARS] for row in rows}
                widest = max((cells.horizontalAdvance(text) for text in texts), default=0)
                widest = max(widest, heads.horizontalAdvance(name[:_MEASURED_CHARS]) + 16)
                least = self._narrowest[index] if index < len(self._narrowest) else 0
                self._widths.append(max(least, max(_NARROWEST, min(_WIDEST, widest)) + 2 * _PAD))
        return self._widths

    def _metrics(self, weight: QFont.Weight = QFont.Weight.Normal) -> QFontMetrics:
        return QFontMetrics(_figures(self.theme.font(_TEXT_PX, weight)))

    def _paint_rows(self, painter: QPainter, clip: QRect) -> None:
        top = HEADER + HEAD
        first = max(0, (clip.top() - top) // LINE)
        last = min(self._shown_rows, (clip.bottom() - top) // LINE + 1)
        font = _figures(self.theme.font(_TEXT_PX))
        metrics = QFontMetrics(font)
        layout, lead, hairline = self._layout(), self._lead, self.theme.colour("line")
        ink, faint = self.theme.colour("text"), self.theme.colour("faint")
        painter.setFont(font)
        if not self._shown_rows:
            box = QRect(PAD_X, top, self.width - 2 * PAD_X, LINE)
            draw_text(painter, box, tr("No rows"), self.theme, "faint", _TEXT_PX)
        for number in range(first, last):
            y = top + number * LINE
            row = self._table.rows[number]
            self._paint_label(painter, lead, number, y)
            for index, left, width in layout:
                cell, column = row[index], self._columns[index]
                box = QRect(left + _PAD, y, width - 2 * _PAD, LINE)
                shown = column.text(cell)
                self._mark_found(painter, QRect(left, y, width, LINE - 1), shown, str(cell))
                text = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, box.width())
                is_quiet = index < self._index_columns or column.is_missing(cell)
                painter.setPen(faint if is_quiet else ink)
                painter.drawText(box, _RIGHT if column.is_number else _LEFT, text)
            if number < self._shown_rows - 1 or self._foot_lines:
                draw_hairline(painter, 1, y + LINE - 1, self.width - 2, hairline)

    def _paint_label(self, painter: QPainter, lead: int, number: int, y: int) -> None:
        """Paint the row header: the row's place in the frame."""
        if lead:
            positions = self._table.positions
            place = positions[number] if number < len(positions) else number
            painter.setPen(self.theme.colour("faint"))
            painter.drawText(QRect(_EDGE, y, lead - _PAD, LINE), _RIGHT, str(place))

    def _paint_foot(self, painter: QPainter) -> None:
        words = [label for label, _ in self._foot_words()]
        left = PAD_X + sum(text_width(self.theme, label, 12) + 4 + _APART for label in words)
        box = QRect(left, self._foot_top, self.width - left - PAD_X, _FOOT - 2)
        draw_text(painter, box, self._foot_note(), self.theme, "mute", 12)
        top = self.frame_height() - _FOOT
        box = QRect(PAD_X, top, self.width - 2 * PAD_X, _FOOT - 2)
        draw_text(painter, box, self.row.sorting.reason, self.theme, "warn", 12)

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
        layout, count = self._moving(), len(self._table.columns)
        words = size_text(self._table)
        if not layout or len(self._layout()) == count:
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
        order = self.row.sorting.wanted or self.row.sorting.order
        for index, left, width in self._layout():
            box = QRect(left + _PAD, top, width - 2 * _PAD, HEAD)
            ground = QRect(left, top, width, HEAD - 1)
            self._mark_found(painter, ground, self._table.columns[index])
            is_sorted = order is not None and order.column == index
            align = _RIGHT if self._columns[index].is_number else _LEFT
            if is_sorted and order is not None:
                box = self._paint_arrow(painter, box, order.is_falling)
            own = self._table.columns[index]
            colour = "text" if is_sorted else "mute" if own else "faint"
            draw_text(painter, box, self._name(index), self.theme, colour, _TEXT_PX, _MEDIUM, align)

    def _name(self, index: int) -> str:
        """Return a column's name; its type if it is a series or an index without one."""
        return self._table.columns[index] or self._dtype(index)

    def _paint_arrow(self, painter: QPainter, box: QRect, is_falling: bool) -> QRect:
        """Paint the mark of the order; return the room that is left for the name."""
        icon = "arrow-down" if is_falling else "arrow-up"
        colour = "faint" if self.row.sorting.wanted is not None else "text"
        centre = QPointF(box.right() - 5, box.center().y() + 1)
        draw_icon(painter, self.theme, icon, colour, centre, 12)
        return box.adjusted(0, 0, -14, 0)


def _figures(font: QFont) -> QFont:
    """Return the same font with figures of one width, so that they are aligned."""
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
