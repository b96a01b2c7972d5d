"""A history that keeps nothing: conversations live as long as their process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from playhead.conversation.events import ConversationEvent
from playhead.conversation.requests import ConversationSummary, StoredConversation
from playhead.errors import StorageError
from playhead.storage.files import delete_folder


class NoHistory:
    """Stores no message; `outputs_dir` is where the whole outputs of runs lie until a `delete`."""

    def __init__(self, outputs_dir: Path) -> None:
        self._outputs_dir = outputs_dir

    async def open(self) -> str:
        """Nothing to open."""
        return ""

    async def conversations(self) -> list[ConversationSummary]:
        """None."""
        return []

    async def load(self, conversation_id: str) -> StoredConversation:
        """Raises StorageError (`not_found`): what is not in memory is nowhere."""
        raise StorageError(
            "That conversation is not there.", detail=f"id {conversation_id}", code="not_found"
        )

    def create(self, summary: ConversationSummary, folder: str, interpreter: str) -> None:
        """Nothing is written."""

    def record(self, conversation_id: str, event: ConversationEvent) -> None:
        """Nothing is written."""

    def set_place(self, conversation_id: str, folder: str, interpreter: str) -> None:
        """Nothing is written."""

    async def delete(self, conversation_id: str) -> None:
        """Delete the outputs of a conversation's runs."""
        await asyncio.to_thread(delete_folder, self._outputs_dir, conversation_id)

    def on_failure(self, listener: Callable[[Exception], None]) -> None:
        """Nothing can fail that is not done."""

    async def close(self) -> None:
        """Nothing is open."""
