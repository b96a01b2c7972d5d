"""Reads conversations from the database."""

from __future__ import annotations

import logging
import sqlite3
from typing import Any, get_args

from playhead.domain.conversation.chunk import ChunkType, Role
from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.message import Message
from playhead.domain.history import ConversationSummary
from playhead.errors import StorageError
from playhead.storage import payload_codec
from playhead.storage.history_journal import streamed_text
from playhead.storage.settings_codec import decode_config

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
    """All of them, the last changed first."""
    rows = connection.execute(_SUMMARY + " ORDER BY updated_at DESC, created_at DESC, id")
    return [_summary(row) for row in rows]


def deleted(connection: sqlite3.Connection) -> list[str]:
    """Those that wait to be taken away for good."""
    rows = connection.execute("SELECT id FROM conversation WHERE is_deleted")
    return [conversation_id for (conversation_id,) in rows]


def load(connection: sqlite3.Connection, conversation_id: str) -> StoredConversation:
    """One whole conversation. Raises StorageError if there is none of that id."""
    row = connection.execute(_SUMMARY + " AND id = ?", (conversation_id,)).fetchone()
    if row is None:
        raise StorageError(
            "That conversation is not there.",
            detail=f"id {conversation_id}",
            remedy="It may have been deleted in another window.",
            code="not_found",
        )
    leaf_id, folder, interpreter, config = row[-4:]
    fold = _TreeFold()
    for message_row in _message_rows(connection, conversation_id):
        fold.add(connection, message_row)
    return StoredConversation(
        _summary(row),
        tuple(fold.messages),
        fold.kept(leaf_id),
        folder,
        interpreter,
        decode_config(config),
        beside=tuple(fold.beside),
    )


def _summary(row: tuple[Any, ...]) -> ConversationSummary:
    id_, title, created_at, updated_at, count, *marks = row[:8]
    is_pinned, is_archived, is_unread = map(bool, marks)
    return ConversationSummary(
        id_,
        title,
        created_at,
        updated_at,
        count,
        is_pinned=is_pinned,
        is_archived=is_archived,
        is_unread=is_unread,
    )


class _TreeFold:
    """Collects messages; the children of a skipped one move up to its parent.

    What is kept beside messages lies in the same table, so that it goes with what it hangs on.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.beside: list[Message] = []
        self._stand_in: dict[str, str | None] = {}

    def kept(self, message_id: str | None) -> str | None:
        """The message itself, or its nearest ancestor that was not skipped."""
        while message_id in self._stand_in:
            message_id = self._stand_in[message_id]
        return message_id

    def add(self, connection: sqlite3.Connection, row: dict[str, Any]) -> None:
        seq, kind, text = row.pop("seq"), row.pop("kind"), row.pop("content")
        row["parent_id"] = self.kept(row["parent_id"])
        if row["state"] == "streaming":
            row["state"] = "interrupted"
            kind, text = payload_codec.TEXT, (text or "") + streamed_text(connection, seq)
        try:
            content = payload_codec.decode(kind, text)
            if row["role"] not in _ROLES or row["type"] not in _TYPES:
                raise payload_codec.UnknownContentError(f"{row['role']}/{row['type']}")
        except payload_codec.UnknownContentError as unknown:
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
