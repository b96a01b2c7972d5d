"""A damaged file of conversations is copied, page by page, and what is lost is counted."""

from __future__ import annotations

import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playhead.storage.history.schema import MIGRATIONS, OpenedDatabase, open_database
from playhead.storage.history.sqlite_history import SqliteHistory, conversations, load

PAGE = 4096
CONVERSATIONS = 200
WORDS = [f"word{number}" for number in range(400)]
INSERT = (
    "INSERT INTO message (conversation_id, id, parent_id, role, type, kind, content, created_at,"
    " state) VALUES (?, ?, ?, ?, 'message', 'text', ?, 1000, 'complete')"
)

Talks = dict[str, tuple[str, list[tuple[str, str | None, str]]]]
"""Title and messages (id, parent, text) by conversation."""


class Sample:
    """A file of 200 conversations, some deleted ones before them, as bytes and as it is read."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "history.sqlite3"
        with closing(open_database(self.path).connection) as connection:
            _fill(connection)
            self.talks = talks(connection)
            query = "SELECT name, rootpage FROM sqlite_master"
            self.roots: dict[str, int] = dict(connection.execute(query))
        self.data = self.path.read_bytes()
        self.pages = len(self.data) // PAGE

    def damaged(self, page: int, content: bytes) -> OpenedDatabase:
        """The file with one page overwritten, opened."""
        for file in self.path.parent.iterdir():
            file.unlink()
        start = (page - 1) * PAGE
        self.path.write_bytes(self.data[:start] + content + self.data[start + len(content) :])
        return open_database(self.path)

    def leaves(self, name: str) -> list[int]:
        """The pages below the first one of a tree."""
        start = (self.roots[name] - 1) * PAGE
        count = int.from_bytes(self.data[start + 3 : start + 5], "big")
        places = [self.data[start + 12 + 2 * n : start + 14 + 2 * n] for n in range(count)]
        offsets = [start + int.from_bytes(place, "big") for place in places]
        return [int.from_bytes(self.data[offset : offset + 4], "big") for offset in offsets]


def _fill(connection: sqlite3.Connection) -> None:
    chance = random.Random(7)
    connection.execute("BEGIN")
    for number in range(CONVERSATIONS + 20):
        owner, parent = f"{chance.getrandbits(128):032x}", None
        connection.execute(
            "INSERT INTO conversation (id, title, created_at, updated_at) VALUES (?, ?, 1000, ?)",
            (owner, f"Title {number}", 2000 + number),
        )
        for place in range(chance.randrange(1, 9)):
            name = f"{chance.getrandbits(128):032x}"
            text = " ".join(chance.choices(WORDS, k=chance.choice((5, 20, 60, 900))))
            role = "assistant" if place % 2 else "user"
            connection.execute(INSERT, (owner, name, parent, role, text))
            parent = name
        connection.execute("UPDATE conversation SET leaf_id = ? WHERE id = ?", (parent, owner))
        connection.execute(
            "INSERT INTO record (owner, id, content) VALUES (?, 't', '{}')", (owner,)
        )
    connection.execute("DELETE FROM conversation WHERE title LIKE 'Title 10_'")
    connection.execute("DELETE FROM conversation WHERE title LIKE 'Title 20_'")
    connection.execute("DELETE FROM record WHERE owner NOT IN (SELECT id FROM conversation)")
    connection.execute("COMMIT")


def talks(connection: sqlite3.Connection) -> Talks:
    return {
        row.id: (
            row.title,
            [(m.id, m.parent_id, m.text) for m in load(connection, row.id).messages],
        )
        for row in conversations(connection)
    }


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Sample:
    made = Sample(tmp_path_factory.mktemp("sample"))
    assert len(made.talks) == CONVERSATIONS
    return made


def counts(notice: str) -> Iterator[int]:
    """The numbers of lost messages and of lost titles that the notice says."""
    for what in (r"Lost: (\d+) message", r"the titles of (\d+) conversation"):
        found = re.search(what, notice)
        yield int(found[1]) if found else 0


def check(sample: Sample, opened: OpenedDatabase) -> None:
    """What is there is true, in its place, and what is not is counted."""
    with closing(opened.connection) as connection:
        read = talks(connection)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        count = connection.execute("SELECT count(*) FROM message").fetchone()[0]
        found = connection.execute(
            "SELECT count(*) FROM message_text WHERE message_text MATCH 'word1'"
        ).fetchone()[0]
    assert read.keys() == sample.talks.keys()
    kept = {m for _, messages in read.values() for m, _, _ in messages}
    lost, renamed = counts(opened.notice)
    assert lost == sum(len(messages) for _, messages in sample.talks.values()) - count
    assert renamed == sum(read[name][0] != title for name, (title, _) in sample.talks.items())
    for name, (title, messages) in sample.talks.items():
        if all(message in kept for message, _, _ in messages):
            assert read[name][1] == messages
        for message, parent, text in read[name][1]:  # the rest is there, in its order
            assert any((message, text) == (m, t) for m, _, t in messages)
            assert parent is None or parent in kept
        if read[name][0] != title:
            assert "the titles of" in opened.notice
    with_word = [t for _, ms in sample.talks.values() for m, _, t in ms if m in kept]
    assert found == sum("word1" in text.split() for text in with_word)
    if opened.notice:
        (aside,) = sample.path.parent.glob("*.corrupt-*")
        assert str(aside) in opened.notice
        assert "\n" not in opened.notice
        assert "***" not in opened.notice  # SQLite's own words are in the log


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.floats(0, 1, exclude_max=True), seed=st.integers(0, 2**32))
def test_whichever_page_is_destroyed_the_rest_is_there_and_the_count_is_true(sample, place, seed):
    page = 1 + int(place * sample.pages)
    check(sample, sample.damaged(page, random.Random(seed).randbytes(PAGE)))


LOST_NOTHING = [
    "page 1",
    "conversation",
    "message",
    "record",
    "sqlite_autoindex_conversation_1",
    "sqlite_autoindex_message_1",
    "message_by_parent",
    "message_text_data",
    "message_text_idx",
    "message_text_docsize",
    "message_text_config",
]


@pytest.mark.parametrize("name", LOST_NOTHING)
def test_without_an_index_a_root_or_the_schema_nothing_is_lost(sample, name):
    content = bytes(PAGE) if len(name) % 2 else b"\xff" * PAGE
    opened = sample.damaged(1 if name == "page 1" else sample.roots[name], content)
    assert "Nothing of them is lost" in opened.notice
    check(sample, opened)


@pytest.mark.parametrize("index", ["message_text_data", "message_by_parent"])
def test_a_leaf_of_an_index_loses_nothing(sample, index):
    opened = sample.damaged(sample.leaves(index)[-1], bytes(PAGE))
    assert "Nothing of them is lost" in opened.notice
    check(sample, opened)


def test_a_leaf_of_messages_costs_those_that_are_in_it_and_names_their_conversations(sample):
    opened = sample.damaged(sample.leaves("message")[5], bytes(PAGE))
    assert re.search(r"Lost: \d+ messages \(in “Title \d+”", opened.notice), opened.notice
    assert f"of {CONVERSATIONS} conversations" in opened.notice
    check(sample, opened)


def test_conversations_whose_row_is_lost_are_named_by_their_first_question(sample):
    opened = sample.damaged(sample.leaves("conversation")[0], bytes(PAGE))
    check(sample, opened)
    assert "the titles of" in opened.notice


def test_of_a_file_that_is_cut_off_what_is_left_is_read(sample):
    half = len(sample.data) // 2
    for file in sample.path.parent.iterdir():
        file.unlink()
    sample.path.write_bytes(sample.data[:half])
    opened = open_database(sample.path)
    with closing(opened.connection) as connection:
        read = talks(connection)
    assert len(read) > CONVERSATIONS // 4
    for name, (title, messages) in read.items():
        assert not title.startswith("Title") or title == sample.talks[name][0]
        assert {m for m, _, _ in messages} <= {m for m, _, _ in sample.talks[name][1]}
    assert "at least" in opened.notice


def test_what_another_process_left_in_the_journal_is_read_too(sample, tmp_path):
    path = tmp_path / "history.sqlite3"
    path.write_bytes(sample.data)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        name = next(iter(sample.talks))
        writer.execute(
            INSERT, (name, "new", sample.talks[name][1][-1][0], "user", "in the journal")
        )
        writer.commit()
        journal = beside(path, "-wal").read_bytes()
    path.write_bytes(sample.data)
    overwrite(path, sample.roots["sqlite_autoindex_conversation_1"], bytes(PAGE))
    beside(path, "-wal").write_bytes(journal)
    opened = open_database(path)
    with closing(opened.connection) as connection:
        assert "in the journal" in [text for _, _, text in talks(connection)[name][1]]
    assert "Nothing of them is lost" in opened.notice


def test_behind_a_damaged_part_of_the_journal_the_rest_is_read(sample, tmp_path):
    path = tmp_path / "history.sqlite3"
    path.write_bytes(sample.data)
    name = next(iter(sample.talks))
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        for number in range(30):
            last = sample.talks[name][1][-1][0]
            writer.execute(INSERT, (name, f"new{number}", last, "user", f"late {number}"))
            writer.commit()
        data, journal = path.read_bytes(), beside(path, "-wal").read_bytes()
    path.write_bytes(data)
    place = 32 + 24 + 100  # in the page of the first frame
    beside(path, "-wal").write_bytes(journal[:place] + b"\xff" * 64 + journal[place + 64 :])
    opened = open_database(path)
    with closing(opened.connection) as connection:
        texts = [text for _, _, text in talks(connection)[name][1]]
    assert [f"late {number}" in texts for number in range(30)] == [True] * 30
    assert "was damaged. Nothing of them is lost" in opened.notice


def test_a_journal_that_ends_in_the_middle_of_a_write_is_no_damage(sample, tmp_path):
    path = tmp_path / "history.sqlite3"
    path.write_bytes(sample.data)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("UPDATE conversation SET title = title || '!'")
        writer.commit()
        data, journal = path.read_bytes(), beside(path, "-wal").read_bytes()
    path.write_bytes(data)
    beside(path, "-wal").write_bytes(journal[:-2000])
    opened = open_database(path)
    with closing(opened.connection) as connection:
        assert talks(connection) == sample.talks
    assert opened.notice == ""


def test_a_rescue_that_was_cut_off_between_its_two_renamings_is_completed(sample, tmp_path):
    path = tmp_path / "history.sqlite3"
    beside(path, ".rescued").write_bytes(sample.data)
    with closing(open_database(path).connection) as connection:
        assert talks(connection) == sample.talks


def test_an_older_version_s_damaged_file_is_brought_up_to_date(tmp_path):
    path = tmp_path / "history.sqlite3"
    path.write_bytes((Path(__file__).parents[2] / "data" / "history-v1.sqlite3").read_bytes())
    with closing(sqlite3.connect(path)) as old:
        (root,) = old.execute("SELECT rootpage FROM sqlite_master WHERE name = 'message_by_parent'")
        titles = old.execute("SELECT id, title FROM conversation ORDER BY id").fetchall()
    with path.open("r+b") as file:
        file.seek((root[0] - 1) * PAGE)
        file.write(bytes(PAGE))
    opened = open_database(path)
    with closing(opened.connection) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("SELECT id, title FROM conversation ORDER BY id").fetchall() == (
            titles
        )
    assert "Nothing of them is lost" in opened.notice


# Damage that is found while the program runs


def overwrite(path: Path, page: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(content)


async def test_damage_that_a_check_at_the_start_missed_is_mended_when_it_is_met(
    sample, tmp_path, expect_log
):
    expect_log("is damaged")
    path = tmp_path / "history.sqlite3"
    path.write_bytes(sample.data)
    os.utime(path, (1, 1))
    history = SqliteHistory(path)
    reported: list[Exception | None] = []
    history.on_failure(reported.append)
    assert await history.open() == ""
    overwrite(path, sample.leaves("message")[5], bytes(PAGE))
    whole = 0
    for name, (_, messages) in sample.talks.items():
        stored = await history.load(name)
        whole += [m.id for m in stored.messages] == [m for m, _, _ in messages]
    assert CONVERSATIONS - 30 < whole < CONVERSATIONS
    assert any("What can be read" in str(error) for error in reported if error)
    found = await history.search("word1")
    assert found is not None
    assert found.hits
    await history.close()
    assert list(tmp_path.glob("*.corrupt-*"))


async def test_a_damaged_index_of_words_is_built_again_by_the_search(sample, tmp_path, expect_log):
    expect_log("is damaged")
    path = tmp_path / "history.sqlite3"
    path.write_bytes(sample.data)
    with closing(sqlite3.connect(path)) as connection:  # well-formed pages, with another content
        rows = connection.execute(
            "SELECT id, block FROM message_text_data WHERE id > 10"
        ).fetchall()
        damaged = [(b"\xff" * len(block), key) for key, block in rows]
        connection.executemany("UPDATE message_text_data SET block = ? WHERE id = ?", damaged)
        connection.commit()
    history = SqliteHistory(path)
    assert await history.open() == ""
    found = await history.search("word1")
    assert found is not None
    assert found.hits
    assert not list(tmp_path.glob("*.corrupt-*"))
    await history.close()


async def test_a_text_with_damaged_letters_hides_no_conversation(sample, tmp_path):
    path = tmp_path / "history.sqlite3"
    place = sample.data.rindex(b"Title 42") + 2
    path.write_bytes(sample.data[:place] + b"\xff" + sample.data[place + 1 :])
    history = SqliteHistory(path)
    assert await history.open() == ""
    titles = {row.title for row in await history.conversations()}
    assert (len(titles), "Ti\ufffdle 42" in titles) == (CONVERSATIONS, True)
    await history.close()
