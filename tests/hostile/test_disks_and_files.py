"""Files that are damaged, endless, unreadable or gone: nothing hangs, dies or is lost unsaid."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from playhead.api.assistants.threads import readable
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.history import Record
from playhead.domain.settings import AppSettings
from playhead.errors import AppError, DocumentError, StorageError
from playhead.formats.documents.document import read_document
from playhead.formats.documents.profiles_toml import from_toml
from playhead.providers.attached_files import read_attached
from playhead.storage.history.schema import open_database
from playhead.storage.history.sqlite_history import SqliteHistory
from playhead.storage.settings import SettingsFile, stored_scale
from playhead.ui.composer import message_drafts
from playhead.ui.composer.attachment_files import attachment_from, words_about
from playhead.ui.editor import tab_drafts
from playhead.ui.shell.document_actions import load
from tests.support.waiting import LIMIT_S

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX files")

DEEP = "[" * 50_000 + "]" * 50_000
LONG = 100_000_000
MESSAGE = (
    "INSERT INTO message (conversation_id, id, parent_id, role, type, kind, content, created_at,"
    " state) VALUES ('c', ?, ?, ?, ?, ?, ?, 1, 'complete')"
)

Make = Callable[[Path], object]


def noise(count: int) -> bytes:
    return random.Random(count).randbytes(count)


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def one_long_line(path: Path) -> None:
    """100 MB without a line end; the file has holes, so that it costs no disk."""
    with path.open("wb") as file:
        file.truncate(LONG)


# Databases. Each is made from a sound one with a conversation of two messages.


def talk(path: Path) -> None:
    with closing(open_database(path).connection) as connection:
        connection.execute(
            "INSERT INTO conversation (id, title, created_at, updated_at, leaf_id)"
            " VALUES ('c', 'Birds', 1, 2, 'm2')"
        )
        connection.execute(MESSAGE, ("m1", None, "user", "message", "text", "the quail"))
        connection.execute(MESSAGE, ("m2", "m1", "assistant", "message", "text", "an answer"))


def changed(*statements: str) -> Make:
    def make(path: Path) -> None:
        talk(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return make


def with_message(kind: str, content: str, type_: str = "console") -> Make:
    def make(path: Path) -> None:
        talk(path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(MESSAGE, ("m3", "m2", "computer", type_, kind, content))
            connection.execute("UPDATE conversation SET leaf_id = 'm3'")

    return make


def then(change: Make) -> Make:
    def make(path: Path) -> None:
        talk(path)
        change(path)

    return make


def overwritten(start: int, content: bytes) -> Make:
    def make(path: Path) -> None:
        talk(path)
        data = path.read_bytes()
        path.write_bytes(data[:start] + content + data[start + len(content) :])

    return make


PUT_ASIDE: dict[str, Make] = {
    "a text": lambda path: path.write_text("no database " * 9_000),
    "zeroes": lambda path: path.write_bytes(bytes(1_000_000)),
    "noise": lambda path: path.write_bytes(noise(1_000_000)),
    "one line of 20 MB": lambda path: path.write_bytes(bytes(20_000_000)),
    "its first 16 bytes": then(lambda path: os.truncate(path, 16)),
    "its first 100 bytes": then(lambda path: os.truncate(path, 100)),
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to /dev/full": lambda path: path.symlink_to("/dev/full"),
}
"""Files with nothing in them that could be read."""
WHOLE: dict[str, Make] = {
    "as it was": talk,
    "a first page of zeroes": overwritten(0, bytes(4096)),
    "a header of noise": overwritten(0, noise(100)),
    "another page size": overwritten(16, b"\0\3"),
    "a negative version": changed("PRAGMA user_version = -5"),
    "a journal of noise": then(lambda path: beside(path, "-wal").write_bytes(noise(50_000))),
    "an index of the journal of noise": then(
        lambda path: beside(path, "-shm").write_bytes(noise(32_768))
    ),
    "parents in a circle": changed("UPDATE message SET parent_id = 'm2' WHERE id = 'm1'"),
    "its own parent": changed("UPDATE message SET parent_id = 'm2' WHERE id = 'm2'"),
    "no parent": changed("UPDATE message SET parent_id = 'gone' WHERE id = 'm2'"),
    "no end": changed("UPDATE conversation SET leaf_id = 'gone'"),
    "a state that is none": changed("UPDATE message SET state = char(0)"),
    "times that are texts": changed(
        "UPDATE message SET created_at = 'soon'", "UPDATE conversation SET updated_at = 'soon'"
    ),
    "infinite times": changed("UPDATE conversation SET updated_at = 1e999, created_at = -1e999"),
    "times of no calendar": changed("UPDATE message SET created_at = 1e300"),
    "settings nested deeply": changed(f"UPDATE conversation SET config = '{DEEP}'"),
    "a folder with a zero": changed("UPDATE conversation SET folder = 'a' || char(0)"),
    "a table nested deeply": with_message("table", DEEP, "table"),
    "a table of nothing": with_message("table", "{}", "table"),
    "a table with numbers for rows": with_message("table", '{"columns": 5, "rows": 7}', "table"),
    "counts that are words": with_message("usage", '{"input_tokens": "many"}', "usage"),
    "a number of 100,000 digits": with_message("number", "7" * 100_000),
    "a kind of a later version": with_message("hologram", "{}"),
}
"""Files whose two messages are there; what cannot be used beside them is left out."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


async def opened(path: Path) -> tuple[str, SqliteHistory]:
    history = SqliteHistory(path, path.parent / "outputs")
    async with asyncio.timeout(LIMIT_S):
        return await history.open(), history


@pytest.mark.parametrize("make", PUT_ASIDE.values(), ids=PUT_ASIDE)
async def test_what_is_no_database_is_kept_aside_with_a_word(path, make):
    make(path)
    notice, history = await opened(path)
    (aside,) = path.parent.glob("*.corrupt-*")
    assert f"They are kept as {aside}" in notice
    assert await history.conversations() == []
    await history.expect_room()
    await history.close()


@pytest.mark.parametrize("make", WHOLE.values(), ids=WHOLE)
async def test_a_conversation_opens_whatever_is_around_it(path, make):
    make(path)
    _, history = await opened(path)
    (row,) = await history.conversations()
    conversation = Conversation.restore(await history.load(row.id))
    assert [message.text for message in conversation.messages[:2]] == ["the quail", "an answer"]
    assert all(0 <= message.created_at < 1e12 for message in conversation.messages)
    assert 0 <= row.updated_at < 1e12
    assert conversation.usages.total.input_tokens == 0
    found = await history.search("quail")
    assert found is not None
    assert [hit.message_id for hit in found.hits] == ["m1"]
    await history.expect_room()
    await history.close()


LEFT_OUT: dict[str, Make] = {
    "a title that is no text": changed("UPDATE conversation SET title = x'ff00fe'"),
    "a title of 10 MB": changed("UPDATE conversation SET title = hex(zeroblob(5000000))"),
    "contents that are no texts": changed("UPDATE message SET content = x'ff00fe'"),
    "contents that are not UTF-8": changed("UPDATE message SET content = CAST(x'ff41' AS TEXT)"),
    "roles that are none": changed("UPDATE message SET role = 'god'"),
    "a text of 20 MB": with_message("text", "x" * 20_000_000),
}


@pytest.mark.parametrize("make", LEFT_OUT.values(), ids=LEFT_OUT)
async def test_a_damaged_row_does_not_hide_the_list(path, make):
    make(path)
    _, history = await opened(path)
    (row,) = await history.conversations()
    assert len(row.title) <= 500
    stored = await history.load(row.id)
    assert all(isinstance(message.text, str) for message in stored.messages)
    Conversation.restore(stored)
    await history.close()


REFUSED: dict[str, Make] = {
    "a link to itself": lambda path: path.symlink_to(path),
    "a journal that is a folder": then(lambda path: beside(path, "-wal").mkdir()),
    "a lock that is a folder": then(lambda path: beside(path, ".lock").mkdir()),
    "no table of messages": changed("DROP TABLE message"),
    "a column of another name": changed("ALTER TABLE conversation RENAME COLUMN title TO name"),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
async def test_what_cannot_be_opened_is_said_and_not_touched(path, make):
    make(path)
    _, history = await opened(path)
    with pytest.raises(StorageError) as caught:
        await history.conversations()
    assert str(path) in str(caught.value)
    assert caught.value.remedy
    assert not list(path.parent.glob("*.corrupt-*"))
    await history.close()


# Settings and drafts

SETTINGS: dict[str, Make] = {
    "nested deeply": lambda path: path.write_text(DEEP),
    "nested deeply in a field": lambda path: path.write_text(f'{{"window": {DEEP}}}'),
    "one line of 100 MB": one_long_line,
    "zeroes": lambda path: path.write_bytes(bytes(1_000)),
    "not UTF-8": lambda path: path.write_bytes(b'{"model": "\xff\xfe"}'),
    "half of it": lambda path: path.write_text('{"model": "openai/te'),
    "a list": lambda path: path.write_text("[1, 2]"),
    "a number of 100,000 digits": lambda path: path.write_text('{"a": ' + "7" * 100_000 + "}"),
    "a pipe": os.mkfifo,
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("make", SETTINGS.values(), ids=SETTINGS)
async def test_settings_that_cannot_be_read_are_kept_aside_with_a_word(tmp_path, make):
    path = tmp_path / "settings.json"
    make(path)
    assert stored_scale(path) == 100
    settings = SettingsFile(path)
    (aside,) = tmp_path.glob("*.corrupt-*")
    assert str(aside) in settings.notice
    assert settings.current == AppSettings()
    await settings.save(AppSettings(model="openai/test"))
    assert SettingsFile(path).current.model == "openai/test"


def test_settings_of_wrong_types_fall_back_one_by_one(tmp_path):
    path = tmp_path / "settings.json"
    wrong: list[object] = [None, 7, -1, 1e300, "x" * 100_000, [], {}, [[]], True]
    fields = AppSettings.__struct_fields__
    for value in wrong:
        path.write_text(json.dumps(dict.fromkeys(fields, value)))
        settings = SettingsFile(path)
        assert isinstance(settings.current, AppSettings)
        assert "fell back" in settings.notice


DRAFTS = ["nested deeply", "zeroes", "half of it", "a pipe", "a link to /dev/zero"]


@pytest.mark.parametrize("name", DRAFTS)
def test_drafts_that_cannot_be_read_are_kept(tmp_path, name, expect_log):
    expect_log("is kept as")
    for read, empty in (
        (message_drafts.read, message_drafts.StoredDrafts({})),
        (tab_drafts.read, tab_drafts.TabDrafts()),
    ):
        path = tmp_path / f"{read.__module__}.json"
        SETTINGS[name](path)
        assert read(path) == empty
        assert os.path.lexists(beside(path, ".corrupt"))
        assert not os.path.lexists(path)


# Attachments and imports

PATHS: dict[str, Make] = {
    "a pipe": os.mkfifo,
    "a link to itself": lambda path: path.symlink_to(path),
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "gone": lambda path: None,
}
SUFFIXES = (".csv", ".pdf", ".png", ".ipynb")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("make", PATHS.values(), ids=PATHS)
def test_what_is_no_file_is_neither_attached_nor_imported(tmp_path, make, suffix):
    path = tmp_path / f"file{suffix}"
    make(path)
    with pytest.raises(AppError) as attached:
        attachment_from(str(path))
    assert attached.value.remedy
    assert read_attached(path).text == ""  # it was one when it was attached
    with pytest.raises(AppError) as imported:
        load(path)
    assert imported.value.remedy


CONTENTS: dict[str, Make] = {
    "zeroes": lambda path: path.write_bytes(bytes(100_000)),
    "noise": lambda path: path.write_bytes(noise(100_000)),
    "one line of 100 MB": one_long_line,
    "nested deeply": lambda path: path.write_text(DEEP),
    "quotes that do not end": lambda path: path.write_text('"' * 99_999),
    "not UTF-8": lambda path: path.write_bytes(b"a,b\n\xff,\xfe\n" * 1_000),
    "dictionaries of a PDF": lambda path: path.write_bytes(b"<<" * 50_000 + b"/Type /Pages"),
    "nothing": Path.touch,
}


@pytest.mark.parametrize("suffix", [".csv", ".pdf", ".txt"])
@pytest.mark.parametrize("make", CONTENTS.values(), ids=CONTENTS)
def test_an_attached_file_is_described_shortly_whatever_is_in_it(tmp_path, make, suffix):
    path = tmp_path / f"file{suffix}"
    make(path)
    words_about(attachment_from(str(path)))
    assert len(read_attached(path).text) < 100_000


@pytest.mark.parametrize("make", CONTENTS.values(), ids=CONTENTS)
def test_an_import_that_is_no_conversation_is_refused_in_words(tmp_path, make):
    path = tmp_path / "file.json"
    make(path)
    with pytest.raises(DocumentError) as caught:
        load(path)
    assert str(caught.value)


def test_an_attached_folder_is_listed_shortly_whatever_is_in_it(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for number in range(2_000):
        (tmp_path / f"{number}\n.txt").touch()
    listed = read_attached(tmp_path)
    assert (listed.is_cut, len(listed.text) < 10_000) == (True, True)


TABLES = [
    DEEP,
    '{"cells": 5}',
    '{"cells": [5, null, [], {"cell_type": "code", "source": {"a": 1}}]}',
    '{"cells": [{"cell_type": "code", "source": "1", "outputs": [{"data": {"image/png": 7}}]}]}',
    '{"messages": [[[[]]]]}',
    '[{"role": 5, "content": {"a": [null]}}]',
    '[{"role": "user", "type": "image", "format": "base64.png", "content": "!!!"}]',
    '[{"role": "user", "type": "image", "format": "path", "content": "/dev/zero"}]',
    "\0" * 1_000,
    '"' + "x" * 10_000_000,
]


@pytest.mark.parametrize("text", TABLES, ids=[text[:24] for text in TABLES])
def test_documents_of_odd_values_are_read_or_refused(text):
    with suppress(DocumentError):
        read = read_document(text.encode())
        assert all(message.text != "/dev/zero" for message in read.messages)


TOMLS = ["a = " + "[" * 50_000, "\0", "playhead_profiles = 99", "x" * 2_000_000, "profile = 1"]


@pytest.mark.parametrize("text", TOMLS, ids=[text[:24] for text in TOMLS])
def test_profiles_that_are_none_are_refused_in_words(text):
    with pytest.raises(StorageError) as caught:
        from_toml(text.encode())
    assert str(caught.value)


@pytest.mark.parametrize("text", [DEEP, "", "\0", "[]", "7", '{"kind": '])
def test_a_damaged_record_is_left_out_and_not_those_beside_it(text, expect_log):
    expect_log("damaged")
    records = [Record("c", "one", text), Record("c", "two", '{"kind": "thread"}')]
    assert dict(readable(records)) == {"two": {"kind": "thread"}}


# Places that take nothing


async def test_settings_that_a_disk_refuses_are_in_force_and_said_not_to_be_saved(tmp_path):
    settings = SettingsFile(tmp_path / "config" / "settings.json")
    (tmp_path / "config").write_text("in the folder's place")
    with pytest.raises(StorageError, match="not saved") as caught:
        await settings.save(AppSettings(model="openai/test"))
    assert str(tmp_path) in caught.value.detail
    assert caught.value.remedy
    assert settings.current.model == "openai/test"
