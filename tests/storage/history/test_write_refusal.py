"""A newer version's conversations, and those in a place that takes nothing, are only read."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.errors import StorageError
from playhead.session.sessions import Sessions
from playhead.storage.history.schema import MIGRATIONS
from playhead.storage.history.sqlite_history import SqliteHistory
from tests.support.namespaces import with_mount
from tests.support.ports import RecordingExecutor, ScriptedProvider, ports_with
from tests.support.waiting import LIMIT_S

ROOT = Path(__file__).parents[3]
NEWER = len(MIGRATIONS) + 1


def on(folder: Path) -> Sessions:
    """The conversations of a folder."""
    ports = ports_with(ScriptedProvider(), RecordingExecutor())
    return Sessions(ports, SqliteHistory(folder / "history.sqlite3", folder / "outputs"))


async def fill(folder: Path) -> None:
    """A conversation in it, as it is after an end in order."""
    sessions = on(folder)
    assert await sessions.start() == ""
    session = sessions.new()
    session.add([Chunk(role="user", type="message", content="where is the quail")])
    sessions.rename(session.conversation.id, "Birds")
    await sessions.close()


def make_newer(folder: Path, change: str = "ALTER TABLE conversation ADD COLUMN hue TEXT") -> None:
    """Have the file as a version to come would have it."""
    with closing(sqlite3.connect(folder / "history.sqlite3")) as future, future:
        future.execute(change)
        future.execute(f"PRAGMA user_version = {NEWER}")


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder but SQLite's and ours for locking, which hold nothing."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.stat().st_size and not path.name.endswith("-shm")
    }


async def test_a_newer_version_s_conversations_are_read_searched_and_nothing_is_written(tmp_path):
    await fill(tmp_path)
    make_newer(tmp_path)
    before = contents(tmp_path)
    sessions = on(tmp_path)
    notice = await sessions.start()
    assert "written by a newer Playhead" in notice
    (row,) = sessions.summaries
    assert row.title == "Birds"
    session = await sessions.open(row.id)
    assert [message.text for message in session.conversation.messages] == ["where is the quail"]
    found = await sessions.search("quail")
    assert found is not None
    assert [hit.conversation_id for hit in found.hits] == [row.id]
    sessions.look_at(row.id)
    session.set_folder(str(tmp_path))
    await sessions.close()
    assert contents(tmp_path) == before


async def test_all_that_would_change_it_is_refused_with_the_reason(tmp_path):
    await fill(tmp_path)
    make_newer(tmp_path)
    sessions = on(tmp_path)
    await sessions.start()
    (row,) = sessions.summaries
    session = await sessions.open(row.id)
    verbs = [
        lambda: session.send("one more"),
        lambda: session.run_code("python", "1"),
        lambda: session.delete_turn(session.conversation.messages[0].id),
        lambda: sessions.new().send("a new one"),
        lambda: sessions.rename(row.id, "Fish"),
        lambda: sessions.pin(row.id, True),
        lambda: sessions.archive(row.id, True),
    ]
    for verb in verbs:
        with pytest.raises(StorageError, match="newer Playhead"):
            verb()
    for wanted in (sessions.trash, sessions.delete, sessions.duplicate):
        with pytest.raises(StorageError, match="newer Playhead"):
            await wanted(row.id)
    assert [row.title for row in sessions.summaries] == ["Birds"]
    assert len(session.conversation.messages) == 1
    await sessions.close()


async def test_what_a_program_brings_along_is_not_kept_and_goes_on(tmp_path):
    await fill(tmp_path)
    make_newer(tmp_path)
    sessions = on(tmp_path)
    await sessions.start()
    visit = sessions.new(is_kept=False, client="curl")
    visit.send("hello")
    await visit.stopped()
    with pytest.raises(StorageError):
        sessions.keep(visit.conversation.id)
    await sessions.forget(visit.conversation.id)
    assert sessions.get(visit.conversation.id) is None
    await sessions.close()


async def test_a_newer_file_without_the_index_of_words_is_searched_all_the_same(tmp_path):
    await fill(tmp_path)
    make_newer(tmp_path, "DROP TABLE message_text")
    sessions = on(tmp_path)
    await sessions.start()
    found = await sessions.search("quail")
    assert found is not None
    assert len(found.hits) == 1
    await sessions.close()


async def test_a_newer_file_that_cannot_be_understood_is_said_and_kept(tmp_path):
    await fill(tmp_path)
    make_newer(tmp_path, "ALTER TABLE conversation RENAME COLUMN title TO name")
    before = contents(tmp_path)
    sessions = on(tmp_path)
    with pytest.raises(StorageError, match="This Playhead cannot read the conversations") as caught:
        await sessions.start()
    assert "newer Playhead" in caught.value.remedy
    await sessions.close()
    assert contents(tmp_path) == before


# Places that take nothing: real file systems, in a namespace of their own.

READ_ONLY = "mount -t tmpfs none {place} && cp -r {source}/. {place} && mount -o remount,ro {place}"
FULL = (
    "mount -t tmpfs -o size=1m none {place} && cp -r {source}/. {place};"
    " dd if=/dev/zero of={place}/filler bs=4k 2>/dev/null"
)
SCRIPT = """
    import asyncio, sys
    from pathlib import Path
    from tests.storage.history.test_write_refusal import on

    async def main():
        sessions = on(Path(sys.argv[1]))
        print(await sessions.start())
        (row,) = sessions.summaries
        session = await sessions.open(row.id)
        print([message.text for message in session.conversation.messages])
        print(len((await sessions.search("quail")).hits))
        try:
            session.send("more")
        except Exception as error:
            print("refused:", error)
        await sessions.close()

    from PySide6.QtCore import QCoreApplication
    asyncio.run(main())
"""


def in_a_place(mount: str, source: Path, place: Path) -> str:
    """What the script says of a folder that was mounted so for it alone."""
    script = textwrap.dedent(SCRIPT)
    command = [sys.executable, "-c", script, str(place)]
    done = subprocess.run(
        with_mount(place, mount.replace("{source}", str(source)), command),
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("mount", "reason"),
    [(READ_ONLY, "Read-only file system"), (FULL, "full")],
    ids=["read-only", "full"],
)
def test_in_a_place_that_takes_nothing_conversations_are_still_read(tmp_path, mount, reason):
    source = tmp_path / "source"
    asyncio.run(fill(source))
    said = in_a_place(mount, source, tmp_path / "place")
    assert reason in said, said
    assert "['where is the quail']\n1\n" in said
    assert "refused: The conversations can only be read here." in said
