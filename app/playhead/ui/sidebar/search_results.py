"""The results of a search in the sidebar: conversations, and the places in their messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.conversation.search import (
    SearchFound,
    SearchHit,
    Span,
    Term,
    folded,
    has_all,
    spans_in,
    terms_of,
)
from playhead.domain.history import ConversationSummary
from playhead.domain.text.unicode import utf16_length
from playhead.ui.sidebar.conversation_list import GutteredList
from playhead.ui.sidebar.model import shown_title
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import mark, tr, tr_n

_Index = QModelIndex | QPersistentModelIndex
_MOST_TITLES = 100
_SPEAKERS = {
    ("user", "message"): mark("You"),
    ("assistant", "reasoning"): mark("Thoughts"),
    ("assistant", "plan"): mark("Plan"),
    ("computer", "console"): mark("Output"),
}


class ResultRow(NamedTuple):
    """One line of the results; `more` shows the rest of a conversation's hits."""

    kind: Literal["title", "hit", "more", "note"]
    text: str
    conversation_id: str = ""
    message_id: str = ""
    speaker: str = ""
    marks: tuple[Span, ...] = ()
    is_archived: bool = False


class ResultsModel(QAbstractListModel):
    """Holds the rows of the results, which are all replaced at once."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ResultRow] = []

    def show(self, rows: list[ResultRow]) -> None:
        """Show other results."""
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def row_at(self, index: _Index) -> ResultRow | None:
        """Return the row of an index."""
        return self.rows[index.row()] if index.isValid() else None

    @property
    def first_result(self) -> int:
        """Return the first row that matched; a title without the words is only a heading."""
        rows = enumerate(self.rows)
        return next((at for at, row in rows if row.kind == "hit" or row.marks), -1)

    def next_place(self, row: int, step: int) -> int:
        """Return the nearest row from here on that can be chosen, else `row`."""
        at = row + step
        while 0 <= at < len(self.rows):
            if self.rows[at].kind != "note":
                return at
            at += step
        return row

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what the view and assistive technology read."""
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole if row.kind in ("title", "hit"):
                return row.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return _words(row)
            case _:
                return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return the flags; a remark cannot be chosen."""
        row = self.row_at(index)
        if row is None or row.kind == "note":
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def result_rows(
    summaries: Sequence[ConversationSummary],
    terms: Sequence[Term],
    found: SearchFound,
    opened: dict[str, SearchFound],
) -> list[ResultRow]:
    """Return conversations whose title matches, then those with matching messages, newest first.

    `opened` has all hits of the conversations that the user has expanded.
    """
    hits = {owner: list(group) for owner, group in groupby(_grouped(found.hits), _owner)}
    known = {one.id: one for one in summaries}
    fitting = [one for one in summaries if has_all(folded(shown_title(one)), terms)]
    fitting.sort(key=attrgetter("updated_at"), reverse=True)
    named = fitting[:_MOST_TITLES]
    ids = dict.fromkeys([*(one.id for one in named), *hits])
    rows: list[ResultRow] = []
    for id_ in ids:
        if (one := known.get(id_)) is not None:
            wide = opened.get(id_)
            shown = wide.hits if wide else hits.get(id_, ())
            rows += _group(one, terms, shown, 0 if wide else found.more.get(id_, 0))
    if found.is_cut or len(fitting) > _MOST_TITLES:
        rows.append(ResultRow("note", tr("There is more. Type further words to narrow it down.")))
    return rows


def count_words(rows: Sequence[ResultRow]) -> str:
    """Return the number of results in words; '' if there are none."""
    titles = sum(row.kind == "title" for row in rows)
    hits = sum(row.kind == "hit" for row in rows)
    if not titles:
        return ""
    conversations = tr_n("%n conversations", titles, one="1 conversation")
    return f"{conversations}, {tr_n('%n places', hits, one='1 place')}" if hits else conversations


def _group(
    one: ConversationSummary, terms: Sequence[Term], hits: Sequence[SearchHit], more: int
) -> Iterator[ResultRow]:
    title = shown_title(one)
    marks = spans_in(title, terms)
    yield ResultRow("title", title, one.id, marks=marks, is_archived=one.is_archived)
    for hit in hits:
        yield ResultRow("hit", hit.excerpt, one.id, hit.message_id, speaker(hit), hit.marks)
    if more:
        yield ResultRow("more", tr_n("%n more", more), one.id)


def speaker(hit: SearchHit) -> str:
    """Return who or what wrote a message; '' for answers, which are the most frequent."""
    if hit.type == "code":
        return tr("Code")
    return tr(_SPEAKERS.get((hit.role, hit.type), "" if hit.role == "assistant" else hit.type))


def _grouped(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Return the hits grouped by conversation, in the order of the newest hit of each."""
    order = {owner: number for number, owner in enumerate(dict.fromkeys(map(_owner, hits)))}
    return sorted(hits, key=lambda hit: order[hit.conversation_id])


def _owner(hit: SearchHit) -> str:
    return hit.conversation_id


def _words(row: ResultRow) -> str:
    match row.kind:
        case "title":
            if row.is_archived:
                return tr("{title}, conversation, archived", title=row.text)
            return tr("{title}, conversation", title=row.text)
        case "hit":
            return f"{row.speaker or tr('Answer')}: {row.text}"
        case "more":
            return tr("Show {text} places of this conversation", text=row.text)
        case "note":
            return row.text


_HEIGHTS = {"title": 32, "hit": 44, "more": 26, "note": 44}
_LINES = 2
_INDENT = 20


class ResultsList(GutteredList):
    """Enter and a click open; Escape leaves. Signals: `opened(QModelIndex)`, `left()`."""

    opened = Signal(QModelIndex)
    left = Signal()

    def __init__(self, theme: Theme, model: ResultsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "conversations")
        self.setAccessibleName(tr("Search results"))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setModel(model)
        self.setItemDelegate(ResultDelegate(theme, model, self))
        self.keep_gutter()
        self.clicked.connect(self.opened)
        self._model = model

    def move(self, step: int) -> None:
        """Choose the next or the previous row, wherever the keyboard focus is."""
        row = self.currentIndex().row()
        at = self._model.first_result if row < 0 < step else self._model.next_place(row, step)
        self.setCurrentIndex(self._model.index(at))

    def open_current(self) -> None:
        """Open the chosen row, else the first one."""
        if not self.currentIndex().isValid():
            self.move(1)
        if self.currentIndex().isValid():
            self.opened.emit(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open or leave by the keyboard."""
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.open_current()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


class ResultDelegate(QStyledItemDelegate):
    """Paints titles, places with their words marked, and the rows that show more hits."""

    def __init__(self, theme: Theme, model: ResultsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return two lines of height for messages."""
        row = self._model.row_at(index)
        return QSize(0, _HEIGHTS[row.kind] if row else 0)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one row."""
        row = self._model.row_at(index)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.kind != "note":
            self._paint_ground(painter, option)
        room = option.rect.adjusted(10, 0, -8, 0)
        if row.kind in ("hit", "more"):
            room.setLeft(room.left() + _INDENT - 10)
        match row.kind:
            case "title":
                self._paint_title(painter, room, row)
            case "hit":
                self._paint_hit(painter, room, row)
            case "more" | "note":
                self._paint_words(painter, room, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        state = option.state
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            has_focus = is_chosen and bool(state & QStyle.StateFlag.State_HasFocus)
            painter.setBrush(self._theme.colour("pressed" if is_chosen else "hover"))
            painter.setPen(self._theme.colour("accent") if has_focus else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(option.rect.adjusted(1, 1, -1, -1), 7, 7)

    def _paint_title(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        if row.is_archived:
            painter.setFont(self._theme.font(11))
            painter.setPen(self._theme.colour("faint"))
            align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(room, align, tr("Archived"))
            room.setRight(
                room.right() - painter.fontMetrics().horizontalAdvance(tr("Archived")) - 8
            )
        layout = self._layout(row, self._theme.font(13, QFont.Weight.Medium), "text")
        self._draw(painter, layout, room, 1)

    def _paint_hit(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        painter.fillRect(room.left() - 10, room.top(), 1, room.height(), self._theme.colour("line"))
        self._draw(painter, self._layout(row, self._theme.font(12), "mute"), room, _LINES)

    def _paint_words(self, painter: QPainter, room: QRect, row: ResultRow) -> None:
        painter.setFont(self._theme.font(12))
        painter.setPen(self._theme.colour("accent" if row.kind == "more" else "faint"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(room, flags, row.text)

    def _layout(self, row: ResultRow, font: QFont, ink: str) -> QTextLayout:
        """Return the text with its speaker before it and the words of the query marked."""
        before = f"{row.speaker}: " if row.speaker else ""
        layout = QTextLayout(before + row.text, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        formats = [self._range(0, len(before) + utf16_length(row.text), ink)]
        if before:
            formats.append(self._range(0, len(before), "faint"))
        for start, end in row.marks:
            first = len(before) + utf16_length(row.text[:start])
            marked = self._range(first, utf16_length(row.text[start:end]), "text")
            marked.format.setBackground(self._theme.colour("selection"))
            formats.append(marked)
        layout.setFormats(formats)
        return layout

    def _range(self, start: int, length: int, ink: str) -> QTextLayout.FormatRange:
        made = QTextLayout.FormatRange()
        made.start, made.length = start, length
        made.format = QTextCharFormat()
        made.format.setForeground(self._theme.colour(ink))
        return made

    def _draw(self, painter: QPainter, layout: QTextLayout, room: QRect, most: int) -> None:
        """Draw the lines that fit; elide the last one if there are more."""
        height, end = _lay_out(layout, room.width(), most)
        text = layout.text()
        if end < utf16_length(text):
            kept = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, end - 2)]
            layout.setText(kept.decode("utf-16-le", "ignore").rstrip() + "…")
            height, _ = _lay_out(layout, room.width(), most)
        top = room.top() + (room.height() - height) / 2
        layout.draw(painter, QPointF(room.left(), top))


def _lay_out(layout: QTextLayout, width: int, most: int) -> tuple[float, int]:
    """Return the height of the first lines, and the position in the text where they end."""
    layout.beginLayout()
    height, end = 0.0, 0
    for _ in range(most):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(max(20, width))
        line.setPosition(QPointF(0, height))
        height += line.height()
        end = line.textStart() + line.textLength()
    layout.endLayout()
    return height, end


def _place_in(rows: Sequence[ResultRow], before: Sequence[ResultRow], at: int) -> int:
    """Return where the row `at` of the rows before is now, or what has taken its place; else -1."""
    if at < 0:
        return -1
    old = [(row.kind, row.conversation_id, row.message_id) for row in before]
    new = [(row.kind, row.conversation_id, row.message_id) for row in rows]
    if old[at] in new:
        return new.index(old[at])
    return at if at < len(new) and new[:at] == old[:at] else -1


_DELAY_MS = 120
"""The time to wait for results before those among the titles are shown alone."""


class SidebarSearch(QWidget):
    """Searches titles and messages. Owner: the sidebar.

    Signals: `search_requested(str query, str id)`, answered by `show_found`; `found(str id, str
    message_id, str query)` when the user goes to a place.
    """

    search_requested = Signal(str, str)
    found = Signal(str, str, str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._query = ""
        self._shown_words: list[str] = []
        self._summaries: Sequence[ConversationSummary] = ()
        self._found = SearchFound()
        self._opened: dict[str, SearchFound] = {}
        self._is_answered = False
        self.model = ResultsModel(self)
        self.status = QLabel(self)
        self.status.setProperty("kind", "faint")
        self.status.setWordWrap(True)
        self.status.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.status.setContentsMargins(10, 4, 10, 0)
        self.results = ResultsList(theme, self.model, self)
        self.results.opened.connect(self._on_opened)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_DELAY_MS)
        self._patience.timeout.connect(self._show)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.status)
        column.addWidget(self.results, 1)

    def look_for(self, query: str) -> None:
        """Search for a query; show nothing for an empty one."""
        if query.split() == self._query.split() and self._is_answered:
            self._query = query
            return
        self._query = query
        self._found, self._opened, self._is_answered = SearchFound(), {}, False
        if query.strip():
            self._patience.start()
            self.search_requested.emit(query, "")
        else:
            self._patience.stop()
            self.model.show([])

    def show_found(self, query: str, conversation_id: str, found: SearchFound) -> None:
        """Show an answer, unless it belongs to an older query."""
        if query != self._query:
            return
        if conversation_id:
            self._opened[conversation_id] = found
        else:
            self._found, self._is_answered = found, True
            self._patience.stop()
        self._show()

    def set_summaries(self, summaries: Sequence[ConversationSummary]) -> None:
        """Set the current conversations."""
        self._summaries = summaries
        if not self.isHidden() and self._is_answered:
            self._show()

    def _show(self) -> None:
        terms = terms_of(self._query)
        rows = result_rows(self._summaries, terms, self._found, self._opened) if terms else []
        at = _place_in(rows, self.model.rows, self.results.currentIndex().row())
        place = self.results.verticalScrollBar().value()
        words = self._query.split()
        is_same, self._shown_words = words == self._shown_words, words
        self.model.show(rows)
        if is_same and at >= 0:
            self.results.setCurrentIndex(self.model.index(at))
            self.results.verticalScrollBar().setValue(place)
        elif not is_same:
            self.results.setCurrentIndex(QModelIndex())
            self.results.scrollToTop()
        self._show_status(count_words(rows))

    def _show_status(self, words: str) -> None:
        if not words and not self._is_answered:
            words = tr("Searching…")
        shown = " ".join(self._query.split())
        self.status.setText(
            words or tr("Nothing found for “{shown}” in titles and messages.", shown=shown)
        )
        self.results.setAccessibleDescription(self.status.text())
        self.results.setVisible(bool(self.model.rows))

    def _on_opened(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is None:
            return
        if row.kind == "more":
            self.search_requested.emit(self._query, row.conversation_id)
        else:
            self.found.emit(row.conversation_id, row.message_id, self._query)
