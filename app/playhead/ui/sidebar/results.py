"""What a search of the sidebar found: conversations, and under each the places in its messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from playhead.domain.conversation.search import (
    SearchFound,
    SearchHit,
    Span,
    Term,
    folded,
    has_all,
    spans_in,
)
from playhead.domain.history import ConversationSummary
from playhead.ui.sidebar.model import shown_title
from playhead.ui.wording import mark, tr, tr_n

_Index = QModelIndex | QPersistentModelIndex
_MOST_TITLES = 100
_SPEAKERS = {
    ("user", "message"): mark("You"),
    ("assistant", "reasoning"): mark("Thoughts"),
    ("assistant", "plan"): mark("Plan"),
    ("computer", "console"): mark("Output"),
}


class ResultRow(NamedTuple):
    """One line of the results; `more` leads to the rest of a conversation's hits."""

    kind: Literal["title", "hit", "more", "note"]
    text: str
    conversation_id: str = ""
    message_id: str = ""
    speaker: str = ""
    marks: tuple[Span, ...] = ()
    is_archived: bool = False


class ResultsModel(QAbstractListModel):
    """The rows of the results, all exchanged at once."""

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
        """The row of an index."""
        return self.rows[index.row()] if index.isValid() else None

    @property
    def first_result(self) -> int:
        """The first row that was found; a title without the words only stands over its places."""
        rows = enumerate(self.rows)
        return next((at for at, row in rows if row.kind == "hit" or row.marks), -1)

    def next_place(self, row: int, step: int) -> int:
        """The nearest row from here on that can be chosen, else the one that was."""
        at = row + step
        while 0 <= at < len(self.rows):
            if self.rows[at].kind != "note":
                return at
            at += step
        return row

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """How many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What the view and assistive technology read."""
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
        """A remark cannot be chosen."""
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
    """Conversations whose title fits, then those in which something was said, newest first.

    `opened` has all hits of the conversations whose rest was asked for.
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
    """How much there is, in words; '' when there is nothing."""
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
    """Who said it, or what it is; '' for the answers, which are most of all."""
    if hit.type == "code":
        return tr("Code")
    return tr(_SPEAKERS.get((hit.role, hit.type), "" if hit.role == "assistant" else hit.type))


def _grouped(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Hits of one conversation beside each other, in the order of the newest of each."""
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
