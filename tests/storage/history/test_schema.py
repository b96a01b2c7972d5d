"""Databases of older versions are brought up to date, with a copy of each before."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from playhead.domain.conversation.payloads import RunReport
from playhead.storage.history import message_search
from playhead.storage.history.schema import MIGRATIONS, open_database
from playhead.storage.history.sqlite_history import SqliteHistory

NOW = len(MIGRATIONS)
ADD_COLOUR = "ALTER TABLE conversation ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"
INSERT = "INSERT INTO conversation (id, title, created_at, updated_at) VALUES ('c1', 't', 1, 1)"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history.sqlite3"


def test_a_migration_keeps_a_copy_of_what_was(path):
    with closing(open_database(path).connection) as old:
        old.execute(INSERT)
    opened = open_database(path, (*MIGRATIONS, ADD_COLOUR))
    with closing(opened.connection) as new:
        assert opened.notice == ""
        assert new.execute("SELECT id, colour FROM conversation").fetchall() == [("c1", "red")]
        assert new.execute("PRAGMA user_version").fetchone() == (NOW + 1,)
    (copy,) = path.parent.glob(f"history.sqlite3.before-v{NOW + 1}-*")
    with closing(sqlite3.connect(copy)) as before:
        assert before.execute("PRAGMA user_version").fetchone() == (NOW,)
        assert before.execute("SELECT id FROM conversation").fetchall() == [("c1",)]


def test_a_migration_that_fails_changes_nothing(path):
    with closing(open_database(path).connection) as old:
        old.execute(INSERT)
    with pytest.raises(sqlite3.OperationalError):
        open_database(path, (*MIGRATIONS, f"{ADD_COLOUR}; SELECT * FROM nothing"))
    with closing(open_database(path).connection) as again:
        assert again.execute("PRAGMA user_version").fetchone() == (NOW,)
        names = [row[1] for row in again.execute("PRAGMA table_info(conversation)")]
        assert "colour" not in names


def test_opening_twice_copies_nothing(path):
    for _ in range(2):
        open_database(path).connection.close()
    assert [file.name for file in path.parent.iterdir()] == ["history.sqlite3"]


def test_without_full_text_search_messages_are_still_stored(path, monkeypatch):
    open_database(path).connection.close()
    monkeypatch.setattr(message_search, "has_search", lambda connection: False)
    with closing(open_database(path).connection) as connection:
        triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
        assert connection.execute(triggers).fetchone() == (0,)
        connection.execute(INSERT)
        connection.execute(
            "INSERT INTO message (conversation_id, id, role, type, kind, content, created_at,"
            " state) VALUES ('c1', 'm1', 'user', 'message', 'text', 'crocodile', 1, 'complete')"
        )
    monkeypatch.undo()
    with closing(open_database(path).connection) as connection:  # the index is built again
        found = connection.execute(
            "SELECT content FROM message_text WHERE message_text MATCH 'crocodile'"
        )
        assert found.fetchall() == [("crocodile",)]


async def test_a_database_of_the_first_version_opens_with_all_that_is_in_it(path):
    """The file was written by the program as it was then: branches, code and a run's report."""
    shutil.copy(Path(__file__).parents[2] / "data" / "history-v1.sqlite3", path)
    history = SqliteHistory(path)
    assert await history.open() == ""
    rows = await history.conversations()
    assert [(row.id, row.title) for row in rows] == [
        ("c2", "Où est le fichier?"),
        ("c1", "Sales by region"),
    ]
    assert not any(row.is_pinned or row.is_archived or row.is_unread for row in rows)
    stored = await history.load("c1")
    question, answer, other, code, report = stored.messages
    assert (question.parent_id, answer.parent_id) == (None, question.id)
    assert (other.parent_id, code.parent_id) == (None, other.id)
    assert stored.leaf_id == report.id
    assert isinstance(report.content, RunReport)
    assert (stored.folder, stored.interpreter) == ("/data/sales", "/usr/bin/python3")
    found = await history.search("columns")
    assert found is not None
    assert [hit.message_id for hit in found.hits] == [other.id]
    with closing(sqlite3.connect(path)) as database:  # the index is of now too
        (sql,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'message_text'")
        assert "prefix=" in sql[0]
    history.mark("c1", "pinned", True)
    assert (await history.conversations())[1].is_pinned
    await history.close()
    (copy,) = path.parent.glob("history.sqlite3.before-v2-*")
    with closing(sqlite3.connect(copy)) as before:
        assert before.execute("PRAGMA user_version").fetchone() == (1,)


def test_only_the_newest_copy_is_kept_and_not_for_ever(path):
    with closing(open_database(path).connection) as old:
        old.execute(INSERT)
    bystander = path.with_name("history.sqlite3.corrupt-1")
    bystander.write_text("kept")
    steps = [*MIGRATIONS]
    for number in range(3):
        steps.append(f"ALTER TABLE conversation ADD COLUMN c{number} TEXT")
        open_database(path, steps).connection.close()
    (copy,) = path.parent.glob("history.sqlite3.before-*")
    assert f"before-v{NOW + 3}-" in copy.name
    os.utime(copy, (1, 1))
    open_database(path, steps).connection.close()
    assert not copy.exists()
    assert bystander.read_text() == "kept"


def test_several_steps_at_once_make_one_copy_of_before_the_first(path):
    with closing(open_database(path, MIGRATIONS[:1]).connection) as old:
        old.execute(INSERT)
    with closing(open_database(path).connection) as new:
        assert new.execute("SELECT config FROM conversation").fetchall() == [("{}",)]
    (copy,) = path.parent.glob("history.sqlite3.before-*")
    with closing(sqlite3.connect(copy)) as before:
        assert before.execute("PRAGMA user_version").fetchone() == (1,)
