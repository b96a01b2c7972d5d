"""The history of conversations in a database, in the words of the session's port."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.search import SearchFound
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.settings import ConversationConfig
from playhead.errors import StorageError
from playhead.storage.files import delete_folder, write_into
from playhead.storage.history import stored_conversations
from playhead.storage.history.history_writer import HistoryWriter
from playhead.storage.history.journal import (
    AppendEvent,
    Create,
    Delete,
    DropRecords,
    PutRecord,
    SetConfig,
    SetMark,
    SetPlace,
    is_kept,
)
from playhead.storage.history.message_search import MessageSearch
from playhead.storage.history.schema import copy_database
from playhead.storage.history.stored_conversations import (
    copy_conversation,
    copy_files,
    delete_slice,
    rewrite_paths,
)


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


T = TypeVar("T")

_log = logging.getLogger(__name__)
CLOSE_LIMIT_S = 5.0


class SqliteHistory:
    """Conversations in one SQLite file; all of its work is done in a thread. Owned by `bootstrap`.

    `outputs_dir` holds a folder per conversation, named by its id, that goes with it.
    """

    def __init__(self, path: Path, outputs_dir: Path | None = None) -> None:
        self._path = path
        self._outputs_dir = outputs_dir
        self._writer = HistoryWriter(path, self._on_refused)
        self._finder = MessageSearch(lambda: self._writer.opened_path)
        self.records = HistoryRecords(self._writer)
        """The records that programs keep for conversations."""
        self._listeners: list[Callable[[Exception], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._deleted: set[str] = set()
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

    async def conversations(self) -> list[ConversationSummary]:
        """Return all conversations, the last changed first. Raises StorageError."""
        return await self._ask(stored_conversations.conversations)

    async def load(self, conversation_id: str) -> StoredConversation:
        """Return a whole conversation. Raises StorageError."""
        return await self._ask(
            lambda connection: stored_conversations.load(connection, conversation_id)
        )

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
        return await self._finder.find(query, conversation_id)

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
        self._deleted.add(conversation_id)
        if self._writer.refusal is None:
            while await self._ask(lambda connection: delete_slice(connection, conversation_id)):
                pass
            self._writer.put(Delete(conversation_id))
            await self._ask(lambda connection: None)
        if self._outputs_dir is not None:
            await asyncio.to_thread(delete_folder, self._outputs_dir, conversation_id)

    async def copy_to(self, path: Path) -> None:
        """Write all conversations as they are now into another file. Raises StorageError."""
        await self._ask(lambda connection: copy_database(connection, path))

    async def purge(self) -> None:
        """Delete what was marked as deleted when an earlier process ended."""
        if not self._writer.is_sole or self._writer.refusal:  # another one may still take it back
            return
        for conversation_id in await self._ask(stored_conversations.deleted_ids):
            if conversation_id not in self._marked:  # by this one: it can still be taken back
                await self.delete(conversation_id)

    def on_failure(self, listener: Callable[[Exception], None]) -> None:
        """Call the listener, in the loop that opened the history, when writing fails."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Write what is queued and close; gives up after a few seconds."""
        await asyncio.to_thread(self._finder.close)
        if not await asyncio.to_thread(self._writer.close, CLOSE_LIMIT_S):
            _log.error("the history was closed before all of it was on disk")

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.wrap_future(self._writer.ask(question))

    def _on_refused(self, error: StorageError) -> None:
        """Report a refusal, in the writer's thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._report, error)

    def _report(self, error: StorageError) -> None:
        for listener in tuple(self._listeners):
            listener(error)
