"""The sidebar's rows: conversations grouped by day, filtered by title."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Row:
    """A heading, or a conversation if it has an id."""

    text: str
    conversation_id: str = ""


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
        """Show the conversations whose title has `wanted` in it."""
        rows = rows_of(summaries, wanted, now)
        if [row.conversation_id for row in rows] == [row.conversation_id for row in self._rows]:
            self._rows = rows
            last = self.index(max(len(rows) - 1, 0))
            self.dataChanged.emit(self.index(0), last)
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

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
                return row.text if row.conversation_id else None
            case Qt.ItemDataRole.AccessibleTextRole:
                words = STATE_WORDS.get(self.state_at(index), "") if row.conversation_id else ""
                return f"{row.text}, {words}" if words else row.text
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
        """Headings can neither be chosen nor changed."""
        if not self.row_at(index).conversation_id:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable


STATE_WORDS: dict[SessionState, str] = {
    "asking": "answering",
    "awaiting_approval": "waiting for you",
    "running": "running",
    "stopping": "stopping",
}


def rows_of(summaries: Sequence[ConversationSummary], wanted: str, now: dt.datetime) -> list[Row]:
    """Headings and conversations, the last changed first."""
    wanted = wanted.casefold().strip()
    rows: list[Row] = []
    heading = ""
    for summary in sorted(summaries, key=lambda one: -one.updated_at):
        title = summary.title or UNTITLED
        if wanted not in title.casefold():
            continue
        group = group_of(summary.updated_at, now)
        if group != heading:
            heading = group
            rows.append(Row(group))
        rows.append(Row(title, summary.id))
    return rows


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
