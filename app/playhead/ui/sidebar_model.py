"""The sidebar's rows: programs at work, then conversations by day, filtered by title."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from playhead.conversation.requests import ConversationSummary
from playhead.session.session import SessionState

_Index = QModelIndex | QPersistentModelIndex
UNTITLED = "New conversation"
_NAME_LENGTH = 40


class Row(NamedTuple):
    """A heading, or a conversation if it has an id; `client` is the program that began it.

    A tuple, for there may be ten thousand of them to make at once.
    """

    text: str
    conversation_id: str = ""
    client: str = ""


class SidebarModel(QAbstractListModel):
    """Signal: `renamed(str conversation_id, str title)` when the user typed another title."""

    renamed = Signal(str, str)

    def __init__(
        self, state_of: Callable[[str], SessionState], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state_of = state_of
        self._rows: list[Row] = []

    @property
    def rows(self) -> list[Row]:
        """What is shown, from the top."""
        return self._rows

    def show(self, summaries: Sequence[ConversationSummary], wanted: str, now: dt.datetime) -> None:
        """Show the conversations whose title has `wanted` in it.

        Rows that stay where they are stay for the view too, with their choice and their editor.
        """
        before, rows = self._rows, rows_of(summaries, wanted, now)
        if rows == before:
            return
        head = _common(before, rows)
        tail = _common(before[head:][::-1], rows[head:][::-1])
        self._exchange(head, len(before) - tail, rows[head : len(rows) - tail])

    def _exchange(self, first: int, end: int, rows: list[Row]) -> None:
        """Put other rows in the place of those from `first` up to `end`."""
        if end > first:
            self.beginRemoveRows(QModelIndex(), first, end - 1)
            del self._rows[first:end]
            self.endRemoveRows()
        if rows:
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._rows[first:first] = rows
            self.endInsertRows()

    def index_of(self, conversation_id: str) -> QModelIndex:
        """Where a conversation is; an invalid index if it is not shown."""
        for number, row in enumerate(self._rows):
            if row.conversation_id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def row_at(self, index: _Index) -> Row:
        """The row of an index."""
        return self._rows[index.row()] if index.isValid() else Row("")

    def state_at(self, index: _Index) -> SessionState:
        """What the conversation of a row is doing."""
        return self._state_of(self.row_at(index).conversation_id)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """How many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What the view and assistive technology read."""
        row = self.row_at(index)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.text
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(row) if row.conversation_id else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._words(row)
            case _:
                return None

    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a title that was typed in place."""
        title = str(value).strip()
        row = self.row_at(index)
        if role != Qt.ItemDataRole.EditRole or not title or title == row.text:
            return False
        self.renamed.emit(row.conversation_id, title)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings can neither be chosen nor changed, and a program's title is its own."""
        row = self.row_at(index)
        if not row.conversation_id:
            return Qt.ItemFlag.NoItemFlags
        usable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usable if row.client else usable | Qt.ItemFlag.ItemIsEditable

    def _words(self, row: Row) -> str:
        state = STATE_WORDS.get(self._state_of(row.conversation_id), "")
        maker = f"begun by {row.client}" if row.client else ""
        return ", ".join(part for part in (row.text, maker, state) if part)

    def _tip(self, row: Row) -> str:
        return f"{row.text}\nBegun by {row.client} over the API" if row.client else row.text


STATE_WORDS: dict[SessionState, str] = {
    "asking": "answering",
    "awaiting_approval": "waiting for you",
    "running": "running",
    "stopping": "stopping",
}


def rows_of(summaries: Sequence[ConversationSummary], wanted: str, now: dt.datetime) -> list[Row]:
    """Headings and conversations: those of programs by program, then the last changed first."""
    wanted = wanted.casefold().strip()
    shown = [one for one in summaries if wanted in (one.title or UNTITLED).casefold()]
    visiting = [one for one in shown if one.client]
    kept = [one for one in shown if not one.client]
    return [*_program_rows(visiting), *_day_rows(kept, now)]


def _program_rows(summaries: Sequence[ConversationSummary]) -> Iterator[Row]:
    """By name and age, which do not change: a row under the pointer stays there."""
    heading = ""
    for summary in sorted(summaries, key=attrgetter("client", "created_at", "id")):
        client = client_name(summary.client)
        if client != heading:
            heading = client
            yield Row(client, client=client)
        yield Row(summary.title or UNTITLED, summary.id, client)


def _day_rows(summaries: Sequence[ConversationSummary], now: dt.datetime) -> Iterator[Row]:
    heading, since = "", float("inf")
    for summary in sorted(summaries, key=attrgetter("updated_at"), reverse=True):
        if summary.updated_at < since:
            group = group_of(summary.updated_at, now)
            since = _day_start(summary.updated_at, now)
            if group != heading:
                heading = group
                yield Row(group)
        yield Row(summary.title or UNTITLED, summary.id)


def _day_start(at: float, now: dt.datetime) -> float:
    """The midnight before a time: until there the group is the same."""
    day = dt.datetime.fromtimestamp(at, now.tzinfo)
    return day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _common(some: Sequence[Row], others: Sequence[Row]) -> int:
    """How many rows at the beginning are the same."""
    pairs = zip(some, others, strict=False)
    different = (number for number, (one, other) in enumerate(pairs) if one != other)
    return next(different, min(len(some), len(others)))


def client_name(client: str) -> str:
    """The name that a program gave itself, fit to be shown: one short line of visible signs."""
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in client).split())
    return shown if len(shown) <= _NAME_LENGTH else f"{shown[:_NAME_LENGTH]}…"


def group_of(updated_at: float, now: dt.datetime) -> str:
    """The heading for a time, in the local calendar."""
    day = dt.datetime.fromtimestamp(updated_at, now.tzinfo).date()
    days = (now.date() - day).days
    if days <= 0:
        return "Today"
    if days == 1:
        return "Yesterday"
    if days < 7:
        return "This week"
    if days < 14:
        return "Last week"
    return f"{day:%B}" if day.year == now.year else f"{day:%B %Y}"
