"""The journal of conversations: rows for messages, deltas for the text that is still streaming."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.grants import Grant
from playhead.domain.history import ConversationMark, ConversationSummary
from playhead.domain.history import Record as ProgramsRecord
from playhead.domain.settings import ConversationConfig
from playhead.domain.text.unicode import whole_characters
from playhead.storage.history import row_codec
from playhead.storage.history.row_codec import encode_config, encode_grant

_log = logging.getLogger(__name__)

_BELOW = (
    "WITH RECURSIVE gone (conversation_id, id) AS (VALUES (?, ?) UNION"
    " SELECT message.conversation_id, message.id FROM message JOIN gone"
    " ON message.conversation_id = gone.conversation_id AND message.parent_id = gone.id) "
)
_FOLLOW = (
    _BELOW + "UPDATE conversation SET leaf_id = ? WHERE id = ? AND leaf_id IN (SELECT id FROM gone)"  # noqa: S608
)
_PRUNE = _BELOW + "DELETE FROM message WHERE (conversation_id, id) IN (SELECT * FROM gone)"  # noqa: S608


class Create(Struct, frozen=True):
    """A new conversation."""

    summary: ConversationSummary
    folder: str
    interpreter: str


class SetPlace(Struct, frozen=True):
    """Another folder or interpreter."""

    conversation_id: str
    folder: str
    interpreter: str


class SetConfig(Struct, frozen=True):
    """The settings of a conversation that override the user's."""

    conversation_id: str
    config: ConversationConfig


class SetMark(Struct, frozen=True):
    """A mark of a conversation, put on or taken away."""

    conversation_id: str
    mark: ConversationMark
    is_on: bool


class Delete(Struct, frozen=True):
    """A conversation that goes with all its messages."""

    conversation_id: str


class AppendEvent(Struct, frozen=True):
    """An event of a conversation; `at` is its time, in seconds since the epoch."""

    conversation_id: str
    event: ConversationEvent
    at: float


class PutRecord(Struct, frozen=True):
    """A program's record, new or in the place of an older one."""

    record: ProgramsRecord


class DropRecords(Struct, frozen=True):
    """A record of an owner that is to be deleted, or with no id all of them."""

    owner: str
    record_id: str = ""


class PutGrant(Struct, frozen=True):
    """A grant to code, new or in the place of what it was."""

    grant: Grant


class DropGrant(Struct, frozen=True):
    """A grant that was revoked."""

    grant_id: str


Entry = (
    Create
    | SetPlace
    | SetConfig
    | SetMark
    | Delete
    | AppendEvent
    | PutRecord
    | DropRecords
    | PutGrant
    | DropGrant
)
_ROOM_BYTES = 64 * 1024
"""What a turn takes, as a rule: a question, an answer, and the output of some code."""
_MARKS: dict[ConversationMark, str] = {
    "pinned": "UPDATE conversation SET is_pinned = ? WHERE id = ?",
    "archived": "UPDATE conversation SET is_archived = ? WHERE id = ?",
    "unread": "UPDATE conversation SET is_unread = ? WHERE id = ?",
    "deleted": "UPDATE conversation SET is_deleted = ? WHERE id = ?",
}


def is_kept(event: ConversationEvent) -> bool:
    """Return whether the history keeps the event (not for running lines, tails and status)."""
    if event.kind in ("transient", "tail", "put_aside", "put_back"):  # those may still be undone
        return False
    if event.kind != "grew":
        return True
    chunk = event.chunk
    return chunk is not None and chunk.format != "active_line" and isinstance(chunk.content, str)


def write(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Write all entries or, when the disk refuses (sqlite3.Error), none of them."""
    with transaction(connection):
        _write_all(connection, entries)


def try_room(connection: sqlite3.Connection, size_bytes: int = 0) -> None:
    """Write at least so many bytes and take them back; sqlite3.Error when the disk refuses.

    The pages stay free in the file, for what is written next.
    """
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO record (owner, id, content) VALUES ('', 'room', zeroblob(?))",
            (_ROOM_BYTES + size_bytes,),
        )
    with transaction(connection):
        connection.execute("DELETE FROM record WHERE owner = '' AND id = 'room'")


def recover(connection: sqlite3.Connection) -> None:
    """Make interrupted messages of those that were streaming when a process ended."""
    orphans = connection.execute(
        "SELECT seq, content FROM message WHERE state = 'streaming'"
    ).fetchall()
    if not orphans:
        return
    with transaction(connection):
        for seq, content in orphans:
            text = (content or "") + streamed_text(connection, seq)
            connection.execute(
                "UPDATE message SET content = ?, kind = ?, state = 'interrupted' WHERE seq = ?",
                (text, row_codec.TEXT, seq),
            )
            connection.execute("DELETE FROM delta WHERE message_seq = ?", (seq,))


def streamed_text(connection: sqlite3.Connection, message_seq: int) -> str:
    """Return the text so far of a message that is still streaming."""
    rows = connection.execute(
        "SELECT text FROM delta WHERE message_seq = ? ORDER BY seq", (message_seq,)
    )
    return "".join(text for (text,) in rows)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Generator[None]:
    """Do everything inside, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back on some errors
            connection.execute("ROLLBACK")
        raise


def _write_all(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    growing: list[str] = []
    owner = ("", "")
    for entry in entries:
        if isinstance(entry, AppendEvent) and entry.event.kind == "grew":
            if owner != (entry.conversation_id, entry.event.message_id):
                _append(connection, owner, growing)
                owner = (entry.conversation_id, entry.event.message_id)
            growing.append(_text(entry.event))
        else:
            _append(connection, owner, growing)
            _write_one(connection, entry)
    _append(connection, owner, growing)


def _append(connection: sqlite3.Connection, owner: tuple[str, str], growing: list[str]) -> None:
    """Add one row for all the text that one message grew by in this batch."""
    if growing:
        text = whole_characters("".join(growing))
        growing.clear()
        cursor = connection.execute(
            "INSERT INTO delta (message_seq, text)"
            " SELECT seq, ? FROM message WHERE conversation_id = ? AND id = ?",
            (text, *owner),
        )
        _expect_row(cursor, "grew", owner)


def _write_one(connection: sqlite3.Connection, entry: Entry) -> None:
    try:
        match entry:
            case Create(summary, folder, interpreter):
                _create(connection, summary, folder, interpreter)
            case SetPlace(conversation_id, folder, interpreter):
                connection.execute(
                    "UPDATE conversation SET folder = ?, interpreter = ? WHERE id = ?",
                    _row(folder, interpreter, conversation_id),
                )
            case SetConfig(conversation_id, config):
                connection.execute(
                    "UPDATE conversation SET config = ? WHERE id = ?",
                    (encode_config(config), conversation_id),
                )
            case SetMark(conversation_id, mark, is_on):
                connection.execute(_MARKS[mark], (is_on, conversation_id))
            case Delete(conversation_id):
                connection.execute("DELETE FROM conversation WHERE id = ?", (conversation_id,))
                connection.execute("DELETE FROM record WHERE owner = ?", (conversation_id,))
                connection.execute(
                    "DELETE FROM access_grant WHERE scope <> 'folder' AND conversation_id = ?",
                    (conversation_id,),
                )
            case PutRecord() | DropRecords() | PutGrant() | DropGrant():
                _write_beside(connection, entry)
            case AppendEvent(conversation_id, event, at):
                _record(connection, conversation_id, event, at)
    except (sqlite3.IntegrityError, TypeError) as error:
        # A defect of the sender; it must not stop the entries after it.
        _log.error("not stored, %s: %s", error, type(entry).__name__)


def _write_beside(
    connection: sqlite3.Connection, entry: PutRecord | DropRecords | PutGrant | DropGrant
) -> None:
    match entry:
        case PutRecord(record):
            connection.execute(
                "INSERT INTO record (owner, id, content) VALUES (?, ?, ?)"
                " ON CONFLICT (owner, id) DO UPDATE SET content = excluded.content",
                _row(record.owner, record.id, record.content),
            )
        case DropRecords(owner, record_id):
            connection.execute(
                "DELETE FROM record WHERE owner = ? AND ? IN (id, '')", (owner, record_id)
            )
        case PutGrant(grant):
            connection.execute(
                "INSERT OR REPLACE INTO access_grant (id, scope, conversation_id, content)"
                " VALUES (?, ?, ?, ?)",
                _row(grant.id, grant.scope, grant.conversation_id, encode_grant(grant)),
            )
        case DropGrant(grant_id):
            connection.execute("DELETE FROM access_grant WHERE id = ?", (grant_id,))


def _create(
    connection: sqlite3.Connection, summary: ConversationSummary, folder: str, interpreter: str
) -> None:
    connection.execute(
        "INSERT INTO conversation (id, title, created_at, updated_at, folder, interpreter)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        _row(
            summary.id, summary.title, summary.created_at, summary.updated_at, folder, interpreter
        ),
    )


def _record(
    connection: sqlite3.Connection, conversation_id: str, event: ConversationEvent, at: float
) -> None:
    match event.kind:
        case "started" | "added" if event.message is not None:
            _insert(connection, conversation_id, event.message)
            _move(connection, conversation_id, event.message.id)
        case "noted" if event.message is not None:  # the tree has no node for it
            _insert(connection, conversation_id, event.message)
        case "ended" if event.message is not None:
            _finish(connection, conversation_id, event.message)
        case "removed":
            _remove(connection, conversation_id, event.message_id)
        case "renamed":
            connection.execute(
                "UPDATE conversation SET title = ? WHERE id = ?", _row(event.title, conversation_id)
            )
            return
        case "moved":
            _move(connection, conversation_id, event.message_id or None)
            return
        case _:
            return
    connection.execute("UPDATE conversation SET updated_at = ? WHERE id = ?", (at, conversation_id))


def _insert(connection: sqlite3.Connection, conversation_id: str, message: Message) -> None:
    kind, content = row_codec.encode(message.content)
    connection.execute(
        "INSERT INTO message (conversation_id, id, parent_id, role, type, format, kind, content,"
        " call_id, recipient, created_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _row(
            conversation_id,
            message.id,
            message.parent_id,
            message.role,
            message.type,
            message.format,
            kind,
            content,
            message.call_id,
            message.recipient,
            message.created_at,
            message.state,
        ),
    )


def _finish(connection: sqlite3.Connection, conversation_id: str, message: Message) -> None:
    """Replace the deltas by the whole text."""
    kind, content = row_codec.encode(message.content)
    key = (conversation_id, message.id)
    cursor = connection.execute(
        "UPDATE message SET format = ?, kind = ?, content = ?, call_id = ?, recipient = ?,"
        " state = ? WHERE conversation_id = ? AND id = ?",
        _row(
            message.format, kind, content, message.call_id, message.recipient, message.state, *key
        ),
    )
    _expect_row(cursor, "ended", key)
    connection.execute(
        "DELETE FROM delta WHERE message_seq ="
        " (SELECT seq FROM message WHERE conversation_id = ? AND id = ?)",
        key,
    )


def _remove(connection: sqlite3.Connection, conversation_id: str, message_id: str) -> None:
    key = (conversation_id, message_id)
    parent = connection.execute(
        "SELECT parent_id FROM message WHERE conversation_id = ? AND id = ?", key
    ).fetchone()
    if parent is None:
        return
    connection.execute(_FOLLOW, (*key, parent[0], conversation_id))
    connection.execute(_PRUNE, key)


def _move(connection: sqlite3.Connection, conversation_id: str, leaf_id: str | None) -> None:
    connection.execute(
        "UPDATE conversation SET leaf_id = ? WHERE id = ?", (leaf_id, conversation_id)
    )


def _row(*values: str | float | None) -> tuple[str | float | None, ...]:
    """Return values that SQLite takes: a path or a name may hold lone surrogates too."""
    return tuple(whole_characters(value) if isinstance(value, str) else value for value in values)


def _text(event: ConversationEvent) -> str:
    content = event.chunk.content if event.chunk is not None else None
    return content if isinstance(content, str) else ""


def _expect_row(cursor: sqlite3.Cursor, what: str, key: tuple[str, str]) -> None:
    if cursor.rowcount == 0:
        _log.error("not stored, no such message: %s of %s", what, key)
