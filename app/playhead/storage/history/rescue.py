"""Copy the conversations of a damaged file into a new one, and count what is not in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path

from msgspec import Struct

from playhead.domain.grants import GRANT_SCOPES
from playhead.domain.text.quantities import count_in_english
from playhead.domain.text.titles import UNTITLED, title_from
from playhead.storage.history.damaged_file import DamagedFile, Fits, Row, Tree

Lost = Mapping[tuple[str, str], str | None]
_TITLES_NAMED = 5
_AT_ONCE = 500


class Rescue(Struct, frozen=True, kw_only=True):
    """Counts what was read of a damaged file, and what was not.

    `titles` are those of the conversations that miss messages. `is_at_least`: there may be more
    that is lost than is counted.
    """

    conversations: int = 0
    messages: int = 0
    lost_messages: int = 0
    titles: tuple[str, ...] = ()
    renamed: int = 0
    """Conversations whose title and settings are lost."""
    lost_conversations: int = 0
    """Conversations of which nothing is left."""
    lost_records: int = 0
    is_at_least: bool = False

    def words(self, aside: Path) -> str:
        """Return the notice for the user."""
        kept = f"The damaged file is kept as {aside}."
        if not self.conversations:
            return (
                f"The stored conversations could not be read. They are kept as {aside};"
                " Playhead starts with an empty list."
            )
        lost = list(self._losses())
        begin = "The file of the conversations was damaged."
        if not lost:
            return f"{begin} Nothing of them is lost; they are in a new file. {kept}"
        some = "at least " if self.is_at_least else ""
        return (
            f"{begin} What can be read, {_count(self.messages, 'message')} of"
            f" {_count(self.conversations, 'conversation')}, is in a new file."
            f" Lost: {some}{'; '.join(lost)}. {kept}"
        )

    def _losses(self) -> Iterator[str]:
        if self.lost_messages:
            named = ", ".join(f"“{title}”" for title in self.titles[:_TITLES_NAMED])
            more = len(self.titles) - _TITLES_NAMED
            named += f" and {more} more" if more > 0 else ""
            yield _count(self.lost_messages, "message") + (f" (in {named})" if named else "")
        if self.renamed:
            yield f"the titles of {_count(self.renamed, 'conversation')}"
        if self.lost_conversations:
            yield _count(self.lost_conversations, "conversation")
        if self.lost_records:
            yield f"{_count(self.lost_records, 'record')} of other programs"
        if self.is_at_least and not self.lost_messages:
            yield "messages that cannot be counted"


def rescue(path: Path, new: sqlite3.Connection) -> Rescue:
    """Copy what can be read of the file into an empty database of today's form.

    Raises sqlite3.Error when the disk refuses, and OSError.
    """
    with closing(DamagedFile(path)) as file:
        return _Copier(file, new).copy()


class _Table(Struct, frozen=True, kw_only=True):
    """A table of ours: how its rows look in the file, and how they are put in."""

    name: str
    fits: Fits
    put: str
    width: int
    defaults: Row
    index: str = ""
    """An index that has an entry for each row, with the key at its end."""


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_text_or_none(*values: object) -> bool:
    return all(value is None or isinstance(value, str) for value in values)


def _is_number(*values: object) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _is_conversation(row: Row) -> bool:
    return (
        7 <= len(row) <= 12
        and _is_text(row[0], row[1], row[5], row[6], *row[11:12])
        and _is_number(row[2], row[3], *row[7:11])
        and _is_text_or_none(row[4])
    )


def _is_message(row: Row) -> bool:
    return (
        len(row) == 13
        and row[0] is None
        and _is_text(row[1], row[2], row[4], row[5], row[7])
        and _is_text_or_none(row[3], row[6], row[8], row[9], row[10])
        and _is_number(row[11])
        and row[12] in ("streaming", "complete", "interrupted")
    )


def _is_delta(row: Row) -> bool:
    return len(row) == 3 and row[0] is None and isinstance(row[1], int) and _is_text(row[2])


def _is_record(row: Row) -> bool:
    return len(row) == 4 and row[0] is None and _is_text(*row[1:])


def _is_grant(row: Row) -> bool:
    return len(row) == 4 and _is_text(*row) and row[1] in GRANT_SCOPES


def _put(table: str, columns: int) -> str:
    """Return the statement that puts a row in, its key first."""
    return f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * columns)})"  # noqa: S608 - ours


_CONVERSATION = _Table(
    name="conversation",
    fits=_is_conversation,
    put="INSERT OR IGNORE INTO conversation (rowid, id, title, created_at, updated_at, leaf_id,"
    " folder, interpreter, is_pinned, is_archived, is_unread, is_deleted, config)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    width=12,
    defaults=[0, 0, 0, 0, "{}"],
    index="sqlite_autoindex_conversation_1",
)
_MESSAGE = _Table(
    name="message",
    fits=_is_message,
    put=_put("message", 13),
    width=13,
    defaults=[],
    index="sqlite_autoindex_message_1",
)
_DELTA = _Table(
    name="delta",
    fits=_is_delta,
    put="INSERT OR IGNORE INTO delta SELECT ?1, ?2, ?3 WHERE EXISTS"
    " (SELECT 1 FROM message WHERE seq = ?2 AND state = 'streaming')",
    width=3,
    defaults=[],
    index="delta_of_message",
)
_RECORD = _Table(
    name="record",
    fits=_is_record,
    put=_put("record", 4),
    width=4,
    defaults=[],
    index="sqlite_autoindex_record_1",
)
_GRANT = _Table(
    name="access_grant",
    fits=_is_grant,
    put="INSERT OR IGNORE INTO access_grant (rowid, id, scope, conversation_id, content)"
    " VALUES (?, ?, ?, ?, ?)",
    width=4,
    defaults=[],
)
_TABLES = (_CONVERSATION, _MESSAGE, _RECORD, _GRANT)


class _Copier:
    """Copies the tables of one file."""

    def __init__(self, file: DamagedFile, new: sqlite3.Connection) -> None:
        self._file = file
        self._new = new
        self._roots = file.roots()
        self._known = {1} | file.free_pages()
        self._trees: dict[str, Tree] = {}
        self._is_at_least = False

    def copy(self) -> Rescue:
        """Copy all, and return what became of it."""
        self._new.execute("BEGIN")
        for table in _TABLES:
            self._copy_tree(table)
        for table in _TABLES:
            self._copy_strays(table)
        self._copy_tree(_DELTA)  # which belong to messages
        self._copy_strays(_DELTA)
        lost = self._lost_messages()
        renamed = self._name_conversations()
        self._join_to_parents(lost)
        found = self._counted(lost, renamed)
        self._new.execute("COMMIT")
        return found

    def _copy_tree(self, table: _Table) -> None:
        tree = self._trees[table.name] = Tree(set(), [])
        named = self._roots.get(table.name)
        for root in [named] if named else self._file.roots_like(table.fits, self._known):
            rows = self._file.rows(root, tree)
            self._put_all(table, self._fitting(table, rows, tree))
        self._known |= tree.pages

    def _copy_strays(self, table: _Table) -> None:
        """Copy the rows of pages whose way is lost."""
        tree = self._trees[table.name]
        self._put_all(table, self._file.lost_rows(tree, self._known, table.fits))

    def _fitting(
        self, table: _Table, rows: Iterator[tuple[int, Row]], tree: Tree
    ) -> Iterator[tuple[int, Row]]:
        for key, row in rows:
            if table.fits(row):
                yield key, row
            elif table is not _RECORD or row[1] != "":  # the writer's own, to try for room
                tree.lost.append((key, key))

    def _put_all(self, table: _Table, rows: Iterator[tuple[int, Row]]) -> None:
        values = (_values(table, key, row) for key, row in rows)
        while some := list(islice(values, _AT_ONCE)):
            self._new.executemany(table.put, some)

    def _missing(self, table: _Table) -> dict[int, Row]:
        """Return the entries of the table's index, by their keys, whose rows are not copied."""
        tree = Tree(set(), [])
        if not self._trees[table.name].lost:
            return {}
        if not (root := self._roots.get(table.index)):
            self._is_at_least = True
            return {}
        query = f"SELECT rowid FROM {table.name}"  # noqa: S608 - a table of ours
        there = {key for (key,) in self._new.execute(query)}
        found = {
            row[-1]: row
            for row in self._file.entries(root, tree)
            if isinstance(row[-1], int) and row[-1] not in there
        }
        self._is_at_least = self._is_at_least or bool(tree.lost)
        return found

    def _lost_messages(self) -> Lost:
        """Return the lost messages by conversation and id, with their parents; '' is not known."""
        missing = self._missing(_MESSAGE)
        parents: dict[int, str | None] = {}
        if missing and (root := self._roots.get("message_by_parent")):
            for row in self._file.entries(root, Tree(set(), [])):
                if len(row) == 3 and row[2] in missing:
                    parents[row[2]] = row[1]
        return {
            (row[0], row[1]): parents.get(key, "")
            for key, row in missing.items()
            if len(row) == 3 and _is_text(row[0], row[1])
        }

    def _name_conversations(self) -> int:
        """Make the conversations whose row is lost but not their messages; return how many."""
        orphans = self._new.execute(
            "SELECT conversation_id, min(created_at), max(created_at) FROM message"
            " WHERE conversation_id NOT IN (SELECT id FROM conversation)"
            " GROUP BY conversation_id"
        ).fetchall()
        for conversation_id, first, last in orphans:
            asked = self._new.execute(
                "SELECT content FROM message WHERE conversation_id = ? AND role = 'user'"
                " AND type = 'message' AND kind = 'text' ORDER BY seq LIMIT 1",
                (conversation_id,),
            ).fetchone()
            title = title_from(asked[0] or "") if asked else UNTITLED
            self._new.execute(
                "INSERT INTO conversation (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
                (conversation_id, title, first, last),
            )
        return len(orphans)

    def _join_to_parents(self, lost: Lost) -> None:
        """Have messages whose parent is lost follow its parent, or the message before them."""
        loose = self._new.execute(
            "SELECT seq, conversation_id, parent_id FROM message AS one"
            " WHERE parent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message"
            " WHERE conversation_id = one.conversation_id AND id = one.parent_id)"
        ).fetchall()
        for seq, conversation_id, parent_id in loose:
            wanted = _ancestor(lost, conversation_id, parent_id)
            found = self._new.execute(  # the one before where the right one is not known
                "SELECT id FROM message WHERE conversation_id = ? AND seq < ?"
                " ORDER BY id = ? DESC, seq DESC LIMIT 1",
                (conversation_id, seq, wanted),
            ).fetchone()
            parent = found[0] if found and wanted is not None else None
            self._new.execute("UPDATE message SET parent_id = ? WHERE seq = ?", (parent, seq))

    def _counted(self, lost: Lost, renamed: int) -> Rescue:
        missing = self._missing(_CONVERSATION)
        there = dict(self._new.execute("SELECT id, title FROM conversation"))
        gone = [row for row in missing.values() if row[0] not in there]
        owners = dict.fromkeys(owner for owner, _ in lost)
        incomplete = self._missing(_DELTA)
        return Rescue(
            conversations=len(there),
            messages=self._new.execute("SELECT count(*) FROM message").fetchone()[0],
            lost_messages=len(lost) + len({row[0] for row in incomplete.values()}),
            titles=tuple(there[owner] or UNTITLED for owner in owners if owner in there),
            renamed=renamed,
            lost_conversations=len(gone),
            lost_records=sum(row[0] != "" for row in self._missing(_RECORD).values()),
            is_at_least=self._is_at_least,
        )


def _ancestor(lost: Lost, conversation_id: str, message_id: str | None) -> str | None:
    """Return the nearest ancestor that is not lost: None at the beginning, '' if not known."""
    for _ in range(len(lost) + 1):
        if message_id is None or (conversation_id, message_id) not in lost:
            return message_id
        message_id = lost[conversation_id, message_id]
    return ""


def _values(table: _Table, key: int, row: Row) -> Row:
    """Return what is put in for a row: columns that are younger than it have their defaults."""
    full = row + table.defaults[len(row) - table.width :] if len(row) < table.width else row
    return [key, *(full[1:] if full[0] is None else full)]


def _count(count: int, one: str) -> str:
    return count_in_english(f"%n {one}s", count, one=f"1 {one}")
