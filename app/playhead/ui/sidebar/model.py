"""The sidebar's rows: programs at work, pinned conversations, conversations by day, the archive."""

from __future__ import annotations

import datetime as dt
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from playhead.domain.text.titles import UNTITLED
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtCore import (
        QObject,
    )

    from playhead.domain.history import ConversationSummary
    from playhead.session.session import SessionState

_Index = QModelIndex | QPersistentModelIndex
ARCHIVE = "archive"
"""The fold of the heading that opens and closes the archive."""
_NAME_LENGTH = 40
_TITLE_LENGTH = 200
_SHOWN_LENGTH = 400


class Row(NamedTuple):
    """A heading, or a conversation if it has an id; `client` is the program that began it.

    A heading with a `fold` can be opened and closed. A tuple, because ten thousand may be made at
    once.
    """

    text: str
    conversation_id: str = ""
    client: str = ""
    fold: str = ""


class SidebarModel(QAbstractListModel):
    """Holds the rows. Signal: `renamed(str conversation_id, str title)` for a typed title."""

    renamed = Signal(str, str)

    def __init__(
        self, state_of: Callable[[str], SessionState], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state_of = state_of
        self._rows: list[Row] = []
        self._summaries: dict[str, ConversationSummary] = {}
        self.is_archive_open = False
        self.open_id = ""
        """The conversation that the window shows; '' for none."""

    @property
    def rows(self) -> list[Row]:
        """Return the rows that are shown, from the top."""
        return self._rows

    def show(self, summaries: Sequence[ConversationSummary], now: dt.datetime) -> None:
        """Show these conversations.

        Rows that do not move keep their selection and their editor in the view.
        """
        known, self._summaries = self._summaries, {one.id: one for one in summaries}
        before, rows = self._rows, rows_of(summaries, now, is_archive_open=self.is_archive_open)
        if rows != before:
            self._follow(before, rows)
        self._emit_marks(known)

    def summary(self, conversation_id: str) -> ConversationSummary | None:
        """Return the summary of a conversation, even if its row is folded; None if unknown."""
        return self._summaries.get(conversation_id)

    def _emit_marks(self, known: dict[str, ConversationSummary]) -> None:
        """Notify the view of rows whose unread mark or machine changed."""
        for one in self._summaries.values():
            before = known.get(one.id)
            if before is None or before is one:
                continue
            if (before.is_unread, before.machine) != (one.is_unread, one.machine):
                index = self.index_of(one.id)
                self.dataChanged.emit(index, index)

    def _follow(self, before: list[Row], rows: list[Row]) -> None:
        head = _common(before, rows)
        tail = _common(before[head:][::-1], rows[head:][::-1])
        old, new = before[head : len(before) - tail], rows[head : len(rows) - tail]
        if [row.conversation_id for row in old] == [row.conversation_id for row in new]:
            # Only renamed: removing a row would take the keyboard focus from the list.
            self._rows[head : head + len(new)] = new
            self.dataChanged.emit(self.index(head), self.index(head + len(new) - 1))
        else:
            self._exchange(head, len(before) - tail, new)

    def _exchange(self, first: int, end: int, rows: list[Row]) -> None:
        """Replace the rows from `first` up to `end`."""
        if end > first:
            self.beginRemoveRows(QModelIndex(), first, end - 1)
            del self._rows[first:end]
            self.endRemoveRows()
        if rows:
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._rows[first:first] = rows
            self.endInsertRows()

    def index_of(self, conversation_id: str) -> QModelIndex:
        """Return the index of a conversation; an invalid one if it is not shown."""
        for number, row in enumerate(self._rows):
            if row.conversation_id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def near(self, number: int) -> str:
        """Return the conversation of this row, else the nearest one above; '' if there is none."""
        for row in reversed(self._rows[: number + 1]):
            if row.conversation_id:
                return row.conversation_id
        return next((row.conversation_id for row in self._rows if row.conversation_id), "")

    def row_at(self, index: _Index) -> Row:
        """Return the row of an index."""
        return self._rows[index.row()] if index.isValid() else Row("")

    def is_unread(self, conversation_id: str) -> bool:
        """Return whether a conversation has something that the user has not seen yet."""
        one = self._summaries.get(conversation_id)
        return one is not None and one.is_unread

    def machine(self, conversation_id: str) -> str:
        """Return the short name of where a conversation's code runs; "" for this computer."""
        one = self._summaries.get(conversation_id)
        return one.machine if one is not None else ""

    def is_open(self, index: _Index) -> bool:
        """Return whether a row is the conversation that the window shows."""
        row = self.row_at(index)
        return bool(row.conversation_id) and row.conversation_id == self.open_id

    def state_at(self, index: _Index) -> SessionState:
        """Return the state of a row's conversation."""
        return self._state_of(self.row_at(index).conversation_id)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what the view and assistive technology read."""
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
        title = " ".join(str(value).split())[:_TITLE_LENGTH]
        row = self.row_at(index)
        if role != Qt.ItemDataRole.EditRole or not title or title == row.text:
            return False
        self.renamed.emit(row.conversation_id, title)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return the flags; headings cannot be chosen, and titles of programs not changed."""
        row = self.row_at(index)
        if row.fold:
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if not row.conversation_id:
            return Qt.ItemFlag.NoItemFlags
        usable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usable if row.client else usable | Qt.ItemFlag.ItemIsEditable

    def _words(self, row: Row) -> str:
        if row.fold:
            state = tr("open", about="a fold") if self.is_archive_open else tr("closed")
            return f"{row.text}, {state}"
        one = self._summaries.get(row.conversation_id)
        pinned = tr("pinned") if one is not None and one.is_pinned else ""
        maker = tr("begun by {client}", client=row.client) if row.client else ""
        machine = self.machine(row.conversation_id)
        where = tr("on {machine}", machine=machine) if machine else ""
        parts = (row.text, where, pinned, maker, self.state_words(row.conversation_id))
        return ", ".join(part for part in parts if part)

    def state_words(self, conversation_id: str) -> str:
        """Return the meaning of the sign beside a title; '' if there is no sign."""
        unread = tr("unread") if self.is_unread(conversation_id) else ""
        working = tr(STATE_WORDS.get(self._state_of(conversation_id), ""))
        return working or unread

    def _tip(self, row: Row) -> str:
        words = self.state_words(row.conversation_id)
        maker = tr("Begun by {client} over the API", client=row.client) if row.client else ""
        machine = self.machine(row.conversation_id)
        where = tr("Runs on {machine}", machine=machine) if machine else ""
        return "\n".join(filter(None, (row.text, where, maker, words[:1].upper() + words[1:])))


STATE_WORDS: dict[SessionState, str] = {
    "asking": mark("answering"),
    "awaiting_approval": mark("waiting for you"),
    "running": mark("running"),
    "paused": mark("paused"),
    "awaiting_input": mark("waiting for your answer"),
    "stopping": mark("stopping"),
}


def rows_of(
    summaries: Sequence[ConversationSummary], now: dt.datetime, *, is_archive_open: bool = False
) -> list[Row]:
    """Return headings and conversations: those of programs first, then the newest first."""
    visiting = [one for one in summaries if one.client]
    ordered = sorted(summaries, key=attrgetter("updated_at"), reverse=True)
    kept = [one for one in ordered if not (one.client or one.is_archived)]
    pinned = [Row(shown_title(one), one.id) for one in kept if one.is_pinned]
    archived = [Row(shown_title(one), one.id) for one in ordered if one.is_archived]
    rows = [*_program_rows(visiting)]
    if pinned:
        rows += [Row(tr("Pinned")), *pinned]
    rows += _day_rows([one for one in kept if not one.is_pinned], now)
    if archived:
        rows.append(Row(tr("Archived · {count}", count=len(archived)), fold=ARCHIVE))
    return rows + archived if is_archive_open else rows


def shown_title(summary: ConversationSummary) -> str:
    """Return a title that can be shown: one short line of visible characters."""
    title = summary.title
    if len(title) > _SHOWN_LENGTH:
        title = f"{title[:_SHOWN_LENGTH]}…"
    if not title.isprintable():
        title = " ".join("".join(sign if sign.isprintable() else " " for sign in title).split())
    return title or tr(UNTITLED)


def _program_rows(summaries: Sequence[ConversationSummary]) -> Iterator[Row]:
    """Yield rows by name and age, which do not change, so that a row does not leave the pointer."""
    heading = ""
    for summary in sorted(summaries, key=attrgetter("client", "created_at", "id")):
        client = client_name(summary.client)
        if client != heading:
            heading = client
            yield Row(client, client=client)
        yield Row(shown_title(summary), summary.id, client)


def _day_rows(summaries: Sequence[ConversationSummary], now: dt.datetime) -> Iterator[Row]:
    heading, since = "", float("inf")
    for summary in summaries:
        if summary.updated_at < since:
            group = group_of(summary.updated_at, now)
            since = _day_start(summary.updated_at, now)
            if group != heading:
                heading = group
                yield Row(group)
        yield Row(shown_title(summary), summary.id)


def _day_start(at: float, now: dt.datetime) -> float:
    """Return the midnight before a time, from which on the group is the same."""
    day = dt.datetime.fromtimestamp(at, now.tzinfo)
    return day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def _common(some: Sequence[Row], others: Sequence[Row]) -> int:
    """Return the number of rows at the beginning that are the same."""
    pairs = zip(some, others, strict=False)
    different = (number for number, (one, other) in enumerate(pairs) if one != other)
    return next(different, min(len(some), len(others)))


def client_name(client: str) -> str:
    """Return a program's name for itself as one short line of visible characters."""
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in client).split())
    return shown if len(shown) <= _NAME_LENGTH else f"{shown[:_NAME_LENGTH]}…"


def group_of(updated_at: float, now: dt.datetime) -> str:
    """Return the heading for a time in the local calendar."""
    day = dt.datetime.fromtimestamp(updated_at, now.tzinfo).date()
    days = (now.date() - day).days
    if days <= 0:
        return tr("Today")
    if days == 1:
        return tr("Yesterday")
    if days < 7:
        return tr("This week")
    if days < 14:
        return tr("Last week")
    return f"{day:%B}" if day.year == now.year else f"{day:%B %Y}"
