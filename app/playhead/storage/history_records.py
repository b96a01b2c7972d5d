"""Records of programs: in the history's file, or in memory where there is none."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import cast

from playhead.domain.history import Record
from playhead.storage.history_journal import DropRecords, PutRecord
from playhead.storage.history_writer import HistoryWriter


class HistoryRecords:
    """Written in order with all else of the history; a conversation's go with it."""

    def __init__(self, writer: HistoryWriter) -> None:
        self._writer = writer

    async def of(self, owner: str) -> list[Record]:
        """All of an owner, in the order in which they were first put. Raises StorageError."""
        answer = self._writer.ask(lambda connection: _of(connection, owner))
        return await asyncio.wrap_future(answer)

    def put(self, record: Record) -> None:
        """Keep a record, in the place of one of the same owner and id."""
        self._writer.put(PutRecord(record))

    def drop(self, owner: str, record_id: str = "") -> None:
        """Forget one record of an owner, or all of them."""
        self._writer.put(DropRecords(owner, record_id))


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


def _of(connection: sqlite3.Connection, owner: str) -> list[Record]:
    rows = connection.execute(
        "SELECT owner, id, content FROM record WHERE owner = ? ORDER BY seq", (owner,)
    )
    return [Record(*cast("tuple[str, str, str]", row)) for row in rows]
