"""A history that stores nothing: conversations and records live as long as their process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from playhead.domain.conversation.conversation import StoredConversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.search import SearchFound
from playhead.domain.history import ConversationMark, ConversationSummary, Record
from playhead.domain.settings import ConversationConfig
from playhead.errors import StorageError
from playhead.storage.files import delete_folder, write_into


class RecordsInMemory:
    """Records that live as long as their process."""

    def __init__(self) -> None:
        self._records: dict[str, dict[str, Record]] = {}

    async def of(self, owner: str) -> list[Record]:
        """All of an owner, in the order in which they were first put."""
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


class NoHistory:
    """Stores no message; `outputs_dir` is where the whole outputs of runs lie until a `delete`."""

    def __init__(self, outputs_dir: Path) -> None:
        self._outputs_dir = outputs_dir
        self.records = RecordsInMemory()
        """What programs keep beside the conversations."""

    async def open(self) -> str:
        """Nothing to open."""
        return ""

    @property
    def unsaved(self) -> int:
        """Nothing is written."""
        return 0

    def expect_writable(self) -> None:
        """All is allowed: nothing is written."""

    async def conversations(self) -> list[ConversationSummary]:
        """None."""
        return []

    async def load(self, conversation_id: str) -> StoredConversation:
        """Raises StorageError (`not_found`): what is not in memory is nowhere."""
        raise _not_there(conversation_id)

    def create(self, summary: ConversationSummary, folder: str, interpreter: str) -> None:
        """Nothing is written."""

    def record(self, conversation_id: str, event: ConversationEvent) -> None:
        """Nothing is written."""

    def set_place(self, conversation_id: str, folder: str, interpreter: str) -> None:
        """Nothing is written."""

    def set_config(self, conversation_id: str, config: ConversationConfig) -> None:
        """Nothing is written."""

    def mark(self, conversation_id: str, mark: ConversationMark, is_on: bool) -> None:
        """Nothing is written."""

    async def search(self, query: str, conversation_id: str | None = None) -> SearchFound | None:
        """Nothing is stored, nothing is found."""
        return SearchFound()

    async def duplicate(self, source_id: str, copy: ConversationSummary) -> None:
        """Raises StorageError (`not_found`)."""
        raise _not_there(source_id)

    async def keep_file(self, conversation_id: str, name: str, data: bytes) -> str:
        """Write a file that is there until a `delete`; its path. Raises StorageError."""
        folder = self._outputs_dir / conversation_id
        return await asyncio.to_thread(write_into, folder, name, data)

    async def copy_to(self, path: Path) -> None:
        """Nothing is stored."""

    async def purge(self) -> None:
        """Nothing was left."""

    async def delete(self, conversation_id: str) -> None:
        """Delete the outputs of a conversation's runs."""
        self.records.drop(conversation_id)
        await asyncio.to_thread(delete_folder, self._outputs_dir, conversation_id)

    def on_failure(self, listener: Callable[[Exception], None]) -> None:
        """Nothing can fail that is not done."""

    async def close(self) -> None:
        """Nothing is open."""


def _not_there(conversation_id: str) -> StorageError:
    return StorageError(
        "That conversation is not there.", detail=f"id {conversation_id}", code="not_found"
    )
