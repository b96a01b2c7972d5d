"""Stored conversations as a whole: list, load, copy and delete them."""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
from pathlib import Path
from typing import Any, get_args

from playhead.domain.conversation.chunk import ChunkType, Role
from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.message import Message
from playhead.domain.history import ConversationSummary
from playhead.domain.text.unicode import whole_characters
from playhead.errors import StorageError
from playhead.storage.history import row_codec
from playhead.storage.history.journal import streamed_text, transaction
from playhead.storage.history.row_codec import TEXT, decode_config

_log = logging.getLogger(__name__)
_SUMMARY = (
    "SELECT id, title, created_at, updated_at,"
    " (SELECT count(*) FROM message WHERE conversation_id = conversation.id"
    " AND type <> 'usage' AND format IS NOT 'active_line'),"
    " is_pinned, is_archived, is_unread, leaf_id, folder, interpreter, config"
    " FROM conversation WHERE NOT is_deleted"
)
_ROLES = frozenset(get_args(Role))
_TYPES = frozenset(get_args(ChunkType))


def conversations(connection: sqlite3.Connection) -> list[ConversationSummary]:
    """Return all conversations, the last changed first."""
    rows = connection.execute(_SUMMARY + " ORDER BY updated_at DESC, created_at DESC, id")
    return [_summary(row) for row in rows]


def deleted_ids(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of conversations that are to be deleted for good."""
    rows = connection.execute("SELECT id FROM conversation WHERE is_deleted")
    return [conversation_id for (conversation_id,) in rows]


def load(connection: sqlite3.Connection, conversation_id: str) -> StoredConversation:
    """Return a whole conversation. Raises StorageError if there is none of that id."""
    row = connection.execute(_SUMMARY + " AND id = ?", (conversation_id,)).fetchone()
    if row is None:
        raise StorageError(
            "That conversation does not exist.",
            detail=f"id {conversation_id}",
            remedy="It may have been deleted in another window.",
            code="not_found",
        )
    leaf_id, folder, interpreter, config = row[-4:]
    fold = _TreeFold()
    for message_row in _message_rows(connection, conversation_id):
        fold.add(connection, message_row)
    return StoredConversation(
        summary=_summary(row),
        messages=tuple(fold.messages),
        leaf_id=fold.kept(leaf_id),
        folder=folder,
        interpreter=interpreter,
        config=decode_config(config),
        beside=tuple(fold.beside),
    )


def _summary(row: tuple[Any, ...]) -> ConversationSummary:
    id_, title, created_at, updated_at, count, *marks = row[:8]
    is_pinned, is_archived, is_unread = map(bool, marks)
    return ConversationSummary(
        id=id_,
        title=title,
        created_at=created_at,
        updated_at=updated_at,
        message_count=count,
        is_pinned=is_pinned,
        is_archived=is_archived,
        is_unread=is_unread,
    )


class _TreeFold:
    """Collects messages; the children of a skipped one move up to its parent.

    What is kept beside messages is in the same table, so that it is deleted with its message.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.beside: list[Message] = []
        self._stand_in: dict[str, str | None] = {}

    def kept(self, message_id: str | None) -> str | None:
        """Return the message itself, or its nearest ancestor that was not skipped."""
        while message_id in self._stand_in:
            message_id = self._stand_in[message_id]
        return message_id

    def add(self, connection: sqlite3.Connection, row: dict[str, Any]) -> None:
        seq, kind, text = row.pop("seq"), row.pop("kind"), row.pop("content")
        row["parent_id"] = self.kept(row["parent_id"])
        if row["state"] == "streaming":
            row["state"] = "interrupted"
            kind, text = row_codec.TEXT, (text or "") + streamed_text(connection, seq)
        try:
            content = row_codec.decode(kind, text)
            if row["role"] not in _ROLES or row["type"] not in _TYPES:
                raise row_codec.UnknownContentError(f"{row['role']}/{row['type']}")
        except row_codec.UnknownContentError as unknown:
            _log.info("skipped a message that this version does not know: %s", unknown)
            self._stand_in[row["id"]] = row["parent_id"]
        else:
            is_beside = row["type"] == "usage" or row["format"] == "active_line"
            kept = self.beside if is_beside else self.messages
            kept.append(Message(content=content, **row))


def _message_rows(connection: sqlite3.Connection, conversation_id: str) -> list[dict[str, Any]]:
    cursor = connection.execute(
        "SELECT seq, id, parent_id, role, type, format, kind, content, call_id, recipient,"
        " created_at, state FROM message WHERE conversation_id = ? ORDER BY seq",
        (conversation_id,),
    )
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


_SLICE = 500
"""Messages that are deleted at once: the index of words makes 40,000 of them a second's work."""
_COLUMNS = "id, parent_id, role, type, format, kind, content, call_id, recipient, created_at, state"
_COPY = (
    f"INSERT INTO message (conversation_id, {_COLUMNS})"  # noqa: S608 - columns of ours
    f" SELECT ?, {_COLUMNS} FROM message WHERE conversation_id = ? ORDER BY seq"
)
_WITH_PATHS = (
    "UPDATE message SET content = replace(content, ?, ?) WHERE conversation_id = ?"
    " AND (kind NOT IN ('text', 'number', 'nothing') OR format = 'path') AND instr(content, ?)"
)


def copy_conversation(
    connection: sqlite3.Connection, source_id: str, copy: ConversationSummary
) -> None:
    """Store the whole tree of one conversation under the id and title of another.

    Raises StorageError (`not_found`) if it is not there.
    """
    with transaction(connection):
        made = connection.execute(
            "INSERT INTO conversation (id, title, created_at, updated_at, leaf_id, folder,"
            " interpreter, config) SELECT ?, ?, ?, ?, leaf_id, folder, interpreter, config"
            " FROM conversation WHERE id = ?",
            (copy.id, whole_characters(copy.title), copy.created_at, copy.updated_at, source_id),
        )
        if made.rowcount == 0:
            raise StorageError("That conversation does not exist.", code="not_found")
        connection.execute(_COPY, (copy.id, source_id))
        _close_streaming(connection, source_id, copy.id)


def rewrite_paths(connection: sqlite3.Connection, copy_id: str, old: Path, new: Path) -> None:
    """Have the messages of a copy name the copied files."""
    plain = (f"{old}/", f"{new}/")
    for before, after in {plain, (_as_json(plain[0]), _as_json(plain[1]))}:
        connection.execute(_WITH_PATHS, (before, after, copy_id, before))


def copy_files(old: Path, new: Path) -> None:
    """Copy the plain files of a folder; what kernels keep there for themselves stays out.

    Raises StorageError when the disk refuses.
    """
    try:
        if not old.is_dir():
            return
        new.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in old.iterdir():
            if file.is_file() and not file.is_symlink():
                shutil.copy2(file, new / file.name)
    except OSError as error:
        raise StorageError(
            "The conversation's files could not be copied.",
            detail=f"{new}: {error.strerror or error}",
            remedy="Check that the disk is not full.",
        ) from error


def delete_slice(connection: sqlite3.Connection, conversation_id: str) -> bool:
    """Delete a slice of the messages; whether there may be more."""
    deleted = connection.execute(
        "DELETE FROM message WHERE seq IN"
        " (SELECT seq FROM message WHERE conversation_id = ? LIMIT ?)",
        (conversation_id, _SLICE),
    )
    return deleted.rowcount == _SLICE


def _close_streaming(connection: sqlite3.Connection, source_id: str, copy_id: str) -> None:
    """End the streaming messages of the copy with their text so far."""
    streaming = connection.execute(
        "SELECT seq, id, content FROM message WHERE conversation_id = ? AND state = 'streaming'",
        (source_id,),
    ).fetchall()
    for seq, message_id, content in streaming:
        connection.execute(
            "UPDATE message SET content = ?, kind = ?, state = 'interrupted'"
            " WHERE conversation_id = ? AND id = ?",
            ((content or "") + streamed_text(connection, seq), TEXT, copy_id, message_id),
        )


def _as_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]
