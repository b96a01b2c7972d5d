"""The history of conversations in a database, in the words of the session's port."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from msgspec.structs import replace

from playhead.domain.conversation.chunk import ChunkType, Role
from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.search import SearchFound
from playhead.domain.grants import Grant
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.places import machine_of
from playhead.domain.settings import ConversationConfig
from playhead.domain.text.unicode import whole_characters
from playhead.errors import StorageError, phrase
from playhead.storage.files import delete_folder, write_into
from playhead.storage.history import row_codec
from playhead.storage.history.history_writer import HistoryWriter
from playhead.storage.history.journal import (
    AppendEvent,
    Create,
    Delete,
    DropGrant,
    DropRecords,
    PutGrant,
    PutRecord,
    SetConfig,
    SetMark,
    SetPlace,
    is_kept,
    streamed_text,
    transaction,
)
from playhead.storage.history.message_search import MessageSearch, check_search
from playhead.storage.history.row_codec import TEXT, decode_config
from playhead.storage.history.schema import copy_database

_log = logging.getLogger(__name__)
_SUMMARY = (
    "SELECT id, title, created_at, updated_at,"
    " (SELECT count(*) FROM message WHERE conversation_id = conversation.id"
    " AND type <> 'usage' AND format IS NOT 'active_line'),"
    " is_pinned, is_archived, is_unread, leaf_id, folder, interpreter, config"
    " FROM conversation WHERE NOT is_deleted"
)
_LONGEST_TITLE = 500
_ROLES = frozenset(get_args(Role))
_TYPES = frozenset(get_args(ChunkType))


class HistoryRecords:
    """Written in order with all else of the history; a conversation's go with it."""

    def __init__(self, writer: HistoryWriter) -> None:
        self._writer = writer

    async def of(self, owner: str) -> list[Record]:
        """Return all records of an owner in the order in which they were first put.

        Raises StorageError.
        """
        answer = self._writer.ask(lambda connection: _of(connection, owner))
        return await asyncio.wrap_future(answer)

    def put(self, record: Record) -> None:
        """Keep a record, in the place of one of the same owner and id."""
        self._writer.put(PutRecord(record))

    def drop(self, owner: str, record_id: str = "") -> None:
        """Forget one record of an owner, or all of them."""
        self._writer.put(DropRecords(owner, record_id))


def _of(connection: sqlite3.Connection, owner: str) -> list[Record]:
    rows = connection.execute(
        "SELECT owner, id, content FROM record WHERE owner = ? ORDER BY seq", (owner,)
    )
    return [Record(*cast("tuple[str, str, str]", row)) for row in rows]


class HistoryGrants:
    """Stores what persons have granted to code; that of a conversation goes with it."""

    def __init__(self, writer: HistoryWriter) -> None:
        self._writer = writer

    async def all(self) -> list[Grant]:
        """Return all grants, the first one first. Raises StorageError."""
        return await asyncio.wrap_future(self._writer.ask(_grants))

    def put(self, grant: Grant) -> None:
        """Keep a grant, in the place of one of the same id."""
        self._writer.put(PutGrant(grant))

    def drop(self, grant_id: str) -> None:
        """Forget a grant."""
        self._writer.put(DropGrant(grant_id))


def _grants(connection: sqlite3.Connection) -> list[Grant]:
    """Return the grants, without those of conversations that were never stored."""
    rows = connection.execute(
        "SELECT content FROM access_grant WHERE scope = 'folder'"
        " OR conversation_id IN (SELECT id FROM conversation WHERE NOT is_deleted) ORDER BY rowid"
    )
    texts = [row_codec.stored_text(content) for (content,) in rows]
    return [grant for text in texts if (grant := row_codec.decode_grant(text)) is not None]


T = TypeVar("T")

CLOSE_LIMIT_S = 5.0
_DELETED_KEPT = 500
"""Conversations deleted last, for which events may still come."""


class SqliteHistory:
    """Conversations in one SQLite file; all of its work is done in a thread. Owned by `bootstrap`.

    `outputs_dir` holds a folder per conversation, named by its id, that goes with it; `delete_more`
    deletes what else is kept of one, in a thread. `holder` names this process to others that would
    open the file.
    """

    def __init__(
        self,
        path: Path,
        outputs_dir: Path | None = None,
        holder: str = "",
        delete_more: Callable[[str], None] = lambda conversation_id: None,
    ) -> None:
        self._path = path
        self._delete_more = delete_more
        self._outputs_dir = outputs_dir
        self._writer = HistoryWriter(path, self._on_refused, holder)
        self._finder = MessageSearch(lambda: self._writer.opened_path)
        self.records = HistoryRecords(self._writer)
        """The records that programs keep for conversations."""
        self.grants = HistoryGrants(self._writer)
        """What persons have granted to code."""
        self._listeners: list[Callable[[Exception | None], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deleted: dict[str, None] = {}
        self._marked: set[str] = set()

    async def open(self) -> str:
        """Open or make the store; a sentence for the user if something is not as it should be."""
        self._loop = asyncio.get_running_loop()
        self._writer.start()
        try:
            await self._ask(lambda connection: None)
        except StorageError as error:
            return str(error)
        refusal = self._writer.refusal
        return refusal.notice if refusal else self._writer.notice

    @property
    def unsaved(self) -> int:
        """Return the number of changes that wait for a disk that refuses them, else 0."""
        return self._writer.unsaved

    def expect_writable(self) -> None:
        """Raise StorageError with the reason if the history is read-only."""
        if self._writer.refusal is not None:
            raise self._writer.refusal.error

    @property
    def problem(self) -> StorageError | None:
        """Return why nothing is stored now, else None."""
        return self._writer.problem

    async def expect_room(self, size_bytes: int = 0) -> None:
        """Raise StorageError unless about so much can be stored now, with all before it."""
        await asyncio.wrap_future(self._writer.ask_for_room(size_bytes))

    async def conversations(self) -> list[ConversationSummary]:
        """Return all conversations, the last changed first. Raises StorageError."""
        return await self._ask(conversations)

    async def load(self, conversation_id: str) -> StoredConversation:
        """Return a whole conversation. Raises StorageError."""
        return await self._ask(lambda connection: load(connection, conversation_id))

    def create(self, summary: ConversationSummary, folder: str, interpreter: str) -> None:
        """Queue a new conversation."""
        self._writer.put(Create(summary, folder, interpreter))

    def record(self, conversation_id: str, event: ConversationEvent) -> None:
        """Queue an event; returns at once, on disk within 250 ms."""
        if conversation_id not in self._deleted and is_kept(event):
            self._writer.put(AppendEvent(conversation_id, event, time.time()))

    def set_place(self, conversation_id: str, folder: str, interpreter: str) -> None:
        """Queue the working folder and interpreter of a conversation."""
        self._writer.put(SetPlace(conversation_id, folder, interpreter))

    def set_config(self, conversation_id: str, config: ConversationConfig) -> None:
        """Queue the settings of a conversation for writing."""
        self._writer.put(SetConfig(conversation_id, config))

    def mark(self, conversation_id: str, mark: ConversationMark, is_on: bool) -> None:
        """Queue a mark; a conversation marked as deleted is in no list and no search."""
        if mark == "deleted":
            (self._marked.add if is_on else self._marked.discard)(conversation_id)
        self._writer.put(SetMark(conversation_id, mark, is_on))

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Return the messages with all words of the query, the newest first; of one conversation
        all.

        Returns None if another search has begun in the meantime. Raises StorageError.
        """
        try:
            found = await self._finder.find(query, conversation_id)
        except StorageError as error:
            if not isinstance(error.__cause__, sqlite3.DatabaseError):
                raise
            await self._ask(check_search)  # what is damaged is mended
            found = await self._finder.find(query, conversation_id)
        hidden = self._marked | self._deleted.keys()  # which may not be on the disk yet
        if found is None or not hidden:
            return found
        return replace(
            found,
            hits=tuple(hit for hit in found.hits if hit.conversation_id not in hidden),
            more={owner: count for owner, count in found.more.items() if owner not in hidden},
        )

    async def duplicate(self, source_id: str, copy: ConversationSummary) -> None:
        """Store a conversation once more, its files too, as `copy`. Raises StorageError."""
        await self._ask(lambda connection: copy_conversation(connection, source_id, copy))
        if self._outputs_dir is None:
            return
        old, new = self._outputs_dir / source_id, self._outputs_dir / copy.id
        try:
            await asyncio.to_thread(copy_files, old, new)
            await self._ask(lambda connection: rewrite_paths(connection, copy.id, old, new))
        except StorageError:
            await self.delete(copy.id)
            raise

    async def keep_file(self, conversation_id: str, name: str, data: bytes) -> str:
        """Write a file that goes with a conversation; its path. Raises StorageError."""
        folder = self._outputs_dir or self._path.with_name("outputs")
        return await asyncio.to_thread(write_into, folder / conversation_id, name, data)

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation with its files; events that still come for it are dropped."""
        self._deleted[conversation_id] = None
        if len(self._deleted) > _DELETED_KEPT:
            del self._deleted[next(iter(self._deleted))]
        if self._writer.refusal is None:
            while await self._ask(lambda connection: delete_slice(connection, conversation_id)):
                pass
            self._writer.put(Delete(conversation_id))
            await self._ask(lambda connection: None)
        if self._outputs_dir is not None:
            await asyncio.to_thread(delete_folder, self._outputs_dir, conversation_id)
        await asyncio.to_thread(self._delete_more, conversation_id)

    async def copy_to(self, path: Path) -> None:
        """Write all conversations as they are now into another file. Raises StorageError."""
        await self._ask(lambda connection: copy_database(connection, path))

    async def purge(self) -> None:
        """Delete what was marked as deleted when an earlier process ended."""
        if self._writer.refusal:
            return
        for conversation_id in await self._ask(deleted_ids):
            if conversation_id not in self._marked:  # by this one: it can still be taken back
                await self.delete(conversation_id)

    def on_failure(self, listener: Callable[[Exception | None], None]) -> None:
        """Call the listener, in the opener's loop, when writing fails; with None when it works."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Write what is queued and close; gives up after a few seconds."""
        await asyncio.to_thread(self._finder.close)
        if not await asyncio.to_thread(self._writer.close, CLOSE_LIMIT_S):
            _log.error("the history was closed before all of it was on disk")

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.wrap_future(self._writer.ask(question))

    def _on_refused(self, error: StorageError | None) -> None:
        """Report a refusal, or its end, in the writer's thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._report, error)

    def _report(self, error: StorageError | None) -> None:
        for listener in tuple(self._listeners):
            listener(error)


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
            detail=phrase("id {id}", id=conversation_id),
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
        folder=row_codec.stored_text(folder),
        interpreter=row_codec.stored_text(interpreter),
        config=decode_config(row_codec.stored_text(config)),
        beside=tuple(fold.beside),
    )


def _summary(row: tuple[Any, ...]) -> ConversationSummary:
    id_, title, created_at, updated_at, count, *marks = row[:8]
    is_pinned, is_archived, is_unread = map(bool, marks)
    return ConversationSummary(
        id=id_,
        title=row_codec.stored_text(title)[:_LONGEST_TITLE],
        created_at=row_codec.stored_time(created_at),
        updated_at=row_codec.stored_time(updated_at),
        message_count=count,
        is_pinned=is_pinned,
        is_archived=is_archived,
        is_unread=is_unread,
        machine=machine_of(row_codec.stored_text(row[10])),
    )


class _TreeFold:
    """Collects messages; the children of a skipped one move up to its parent.

    What is kept beside messages is in the same table, so that it is deleted with its message.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.beside: list[Message] = []
        self._stand_in: dict[str, str | None] = {}
        self._known: set[str] = set()

    def kept(self, message_id: str | None) -> str | None:
        """Return the message itself, or its nearest ancestor that was not skipped."""
        while message_id in self._stand_in:
            message_id = self._stand_in[message_id]
        return message_id

    def add(self, connection: sqlite3.Connection, row: dict[str, Any]) -> None:
        seq, kind, text = row.pop("seq"), row.pop("kind"), row.pop("content")
        row["parent_id"] = self._parent(row["parent_id"])
        row["created_at"] = row_codec.stored_time(row["created_at"])
        if row["state"] != "complete":
            if row["state"] == "streaming":
                kind, text = row_codec.TEXT, (text or "") + streamed_text(connection, seq)
            row["state"] = "interrupted"
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
            self._known.add(row["id"])

    def _parent(self, message_id: str | None) -> str | None:
        """Return the parent that was kept; that of a damaged row, which none before it has, is the
        message before.
        """
        message_id = self.kept(message_id)
        if message_id is None or message_id in self._known:
            return message_id
        return self.messages[-1].id if self.messages else None


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
