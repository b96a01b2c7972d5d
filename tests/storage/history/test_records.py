"""What programs keep beside conversations is there after a restart, and goes with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from playhead.domain.history import ConversationSummary, Record
from playhead.session.ports import Records
from playhead.storage.history.no_history import RecordsInMemory
from playhead.storage.history.sqlite_history import SqliteHistory

ONE, TWO = Record("c1", "run_1", "{}"), Record("c1", "run_2", '{"at": 2}')
OTHER = Record("c2", "run_1", "[]")


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[SqliteHistory, None]:
    history = SqliteHistory(folder / "history.sqlite3", folder / "outputs")
    assert await history.open() == ""
    try:
        yield history
    finally:
        await history.close()


@asynccontextmanager
async def some_records(folder: Path, *, on_disk: bool) -> AsyncGenerator[Records, None]:
    if on_disk:
        async with opened(folder) as history:
            yield history.records
    else:
        yield RecordsInMemory()


@pytest.mark.parametrize("on_disk", [True, False], ids=["on disk", "in memory"])
async def test_a_record_is_replaced_in_its_place_and_dropped(tmp_path: Path, on_disk: bool):
    async with some_records(tmp_path, on_disk=on_disk) as records:
        await check(records)


async def check(records: Records) -> None:
    for record in (ONE, TWO, OTHER):
        records.put(record)
    records.put(Record("c1", "run_1", "[1]"))
    assert await records.of("c1") == [Record("c1", "run_1", "[1]"), TWO]
    records.drop("c1", "run_1")
    assert await records.of("c1") == [TWO]
    records.drop("c1")
    assert await records.of("c1") == []
    assert await records.of("c2") == [OTHER]


async def test_records_are_there_in_the_next_process(tmp_path: Path):
    async with opened(tmp_path) as history:
        history.records.put(ONE)
    async with opened(tmp_path) as history:
        assert await history.records.of("c1") == [ONE]


async def test_records_of_a_conversation_go_with_it(tmp_path: Path):
    async with opened(tmp_path) as history:
        history.create(
            ConversationSummary(id="c1", title="", created_at=1.0, updated_at=1.0), "", ""
        )
        for record in (ONE, OTHER):
            history.records.put(record)
        await history.delete("c1")
        assert await history.records.of("c1") == []
        assert await history.records.of("c2") == [OTHER]
