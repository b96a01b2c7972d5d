"""A history that stores nothing: conversations and records live as long as their process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.search import SearchFound
from playhead.domain.grants import Grant
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.settings import ConversationConfig
from playhead.errors import StorageError, phrase
from playhead.storage.files import delete_folder, write_into


class RecordsInMemory:
    """Records that live as long as their process."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Record]] = {}

    async def of(self, owner: str) -> list[Record]:
        """Return all records of an owner in the order in which they were first put."""
        return [*self._records.get(owner, {}).values()]

    def put(self, record: Record) -> None:
        """Keep a record, in the place of one of the same owner and id."""
        self._records.setdefault(record.owner, {})[record.id] = record

    def drop(self, owner: str, record_id: str = "") -> None:
        """Forget one record of an owner, or all of them."""
        if record_id:
            self._records.get(owner, {}).pop(record_id, None)
        else:
            self._records.pop(owner, None)


class GrantsInMemory:
    """Grants that live as long as their process."""

    def __init__(self) -> None:
        self._grants: dict[str, Grant] = {}

    async def all(self) -> list[Grant]:
        """Return all grants, the first one first."""
        return [*self._grants.values()]

    def put(self, grant: Grant) -> None:
        """Keep a grant, in the place of one of the same id."""
        self._grants[grant.id] = grant

    def drop(self, grant_id: str) -> None:
        """Forget a grant."""
        self._grants.pop(grant_id, None)


class NoHistory:
    """Stores no message; `outputs_dir` has the whole outputs of runs until a `delete`."""

    def __init__(self, outputs_dir: Path) -> None:
        self._outputs_dir = outputs_dir
        self.records = RecordsInMemory()
        """The records that programs keep for conversations."""
        self.grants = GrantsInMemory()
        """What persons have granted to code."""

    async def open(self) -> str:
        """Do nothing; return ''."""
        return ""

    @property
    def unsaved(self) -> int:
        """Return 0: nothing is written."""
        return 0

    def expect_writable(self) -> None:
        """Allow everything: nothing is written."""

    @property
    def problem(self) -> StorageError | None:
        """Return None: nothing is to be stored."""
        return None

    async def expect_room(self, size_bytes: int = 0) -> None:
        """Allow everything: nothing is written."""

    async def conversations(self) -> list[ConversationSummary]:
        """Return no conversations."""
        return []

    async def load(self, conversation_id: str) -> StoredConversation:
        """Raise StorageError (`not_found`): only the memory has conversations."""
        raise _not_there(conversation_id)

    def create(self, summary: ConversationSummary, folder: str, interpreter: str) -> None:
        """Do nothing."""

    def record(self, conversation_id: str, event: ConversationEvent) -> None:
        """Do nothing."""

    def set_place(self, conversation_id: str, folder: str, interpreter: str) -> None:
        """Do nothing."""

    def set_config(self, conversation_id: str, config: ConversationConfig) -> None:
        """Do nothing."""

    def mark(self, conversation_id: str, mark: ConversationMark, is_on: bool) -> None:
        """Do nothing."""

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Return no messages."""
        return SearchFound()

    async def duplicate(self, source_id: str, copy: ConversationSummary) -> None:
        """Raise StorageError (`not_found`)."""
        raise _not_there(source_id)

    async def keep_file(self, conversation_id: str, name: str, data: bytes) -> str:
        """Write a file that is there until a `delete`; its path. Raises StorageError."""
        folder = self._outputs_dir / conversation_id
        return await asyncio.to_thread(write_into, folder, name, data)

    async def copy_to(self, path: Path) -> None:
        """Do nothing."""

    async def purge(self) -> None:
        """Do nothing."""

    async def delete(self, conversation_id: str) -> None:
        """Delete the outputs of a conversation's runs."""
        self.records.drop(conversation_id)
        await asyncio.to_thread(delete_folder, self._outputs_dir, conversation_id)

    def on_failure(self, listener: Callable[[Exception | None], None]) -> None:
        """Do nothing: no writing can fail."""

    async def close(self) -> None:
        """Do nothing."""


def _not_there(conversation_id: str) -> StorageError:
    return StorageError(
        "That conversation does not exist.",
        detail=phrase("id {id}", id=conversation_id),
        code="not_found",
    )
