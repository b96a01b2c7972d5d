"""Makes a second conversation of one that is stored, and takes one away without a long stall."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

from playhead.domain.history import ConversationSummary
from playhead.errors import StorageError
from playhead.storage.history_journal import streamed_text, transaction
from playhead.storage.payload_codec import TEXT, storable

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
            (copy.id, storable(copy.title), copy.created_at, copy.updated_at, source_id),
        )
        if made.rowcount == 0:
            raise StorageError("That conversation is not there.", code="not_found")
        connection.execute(_COPY, (copy.id, source_id))
        _close_streaming(connection, source_id, copy.id)


def lead_to_copies(connection: sqlite3.Connection, copy_id: str, old: Path, new: Path) -> None:
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


def delete_some(connection: sqlite3.Connection, conversation_id: str) -> bool:
    """Delete a slice of the messages; whether there may be more."""
    deleted = connection.execute(
        "DELETE FROM message WHERE seq IN"
        " (SELECT seq FROM message WHERE conversation_id = ? LIMIT ?)",
        (conversation_id, _SLICE),
    )
    return deleted.rowcount == _SLICE


def _close_streaming(connection: sqlite3.Connection, source_id: str, copy_id: str) -> None:
    """What is still being said in the one ends in the other as it is now."""
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
