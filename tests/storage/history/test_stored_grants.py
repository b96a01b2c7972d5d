"""What a person has granted is there in the next process, and goes with its conversation."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.grants import Grant
from playhead.domain.history import ConversationSummary
from playhead.storage.history.rescue import rescue
from playhead.storage.history.schema import MIGRATIONS, open_database
from playhead.storage.history.sqlite_history import SqliteHistory

OWN = Grant(
    id="g1",
    kind="read",
    target="/home/me/Downloads",
    scope="conversation",
    conversation_id="c1",
    folder="/work",
    cause="“Sum up the downloads”",
    made_at=1.0,
)
FOLDERS = replace(OWN, id="g2", scope="folder", is_denial=True, made_at=2.0)
SUMMARY = ConversationSummary(id="c1", title="One", created_at=1.0, updated_at=1.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


async def opened(path: Path) -> SqliteHistory:
    history = SqliteHistory(path, path.parent / "outputs")
    assert await history.open() == ""
    return history


async def test_grants_of_a_conversation_go_with_it_and_those_of_a_folder_stay(path: Path) -> None:
    history = await opened(path)
    history.create(SUMMARY, "/work", "")
    for grant in (OWN, FOLDERS, replace(OWN, id="g3", conversation_id="never stored")):
        history.grants.put(grant)
    history.grants.put(replace(OWN, uses=2))
    await history.close()
    history = await opened(path)
    stored = sorted(await history.grants.all(), key=lambda one: one.id)
    assert stored == [replace(OWN, uses=2), FOLDERS]
    await history.delete("c1")
    assert await history.grants.all() == [FOLDERS]
    history.grants.drop("g2")
    assert await history.grants.all() == []
    await history.close()


async def test_an_older_database_gets_the_table_and_keeps_its_conversations(path: Path) -> None:
    with closing(open_database(path, MIGRATIONS[:4]).connection) as old:
        old.execute(
            "INSERT INTO conversation (id, title, created_at, updated_at) VALUES ('c1', 'A', 1, 1)"
        )
    history = await opened(path)
    assert [row.id for row in await history.conversations()] == ["c1"]
    history.grants.put(OWN)
    assert await history.grants.all() == [OWN]
    await history.close()


async def test_what_cannot_be_read_grants_nothing(path: Path) -> None:
    history = await opened(path)
    history.grants.put(FOLDERS)
    await history.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute(
            "INSERT INTO access_grant VALUES"
            " ('x', 'folder', '', '{\"kind\": \"everything\"}'), ('y', 'folder', '', 'x')"
        )
    history = await opened(path)
    assert await history.grants.all() == [FOLDERS]
    await history.close()


async def test_denials_are_rescued_from_a_damaged_file(path: Path, tmp_path: Path) -> None:
    history = await opened(path)
    history.grants.put(FOLDERS)
    await history.close()
    with closing(open_database(tmp_path / "new.sqlite3").connection) as new:
        rescue(path, new)
        (content,) = new.execute("SELECT content FROM access_grant").fetchone()
    assert "/home/me/Downloads" in content
