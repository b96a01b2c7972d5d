"""Conversations are on disk as they stream, and come back whatever happened."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import ConversationEvent, MoveTo, RemoveFrom, Rename
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    InputRequest,
    LineTiming,
    Proposal,
    RunReport,
    Usage,
)
from playhead.domain.history import ConversationSummary
from playhead.errors import StorageError
from playhead.storage.history.sqlite_history import SqliteHistory
from tests.support.waiting import LIMIT_S, until, until_now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite3"


@asynccontextmanager
async def opened(path: Path, notice: str | None = "") -> AsyncGenerator[SqliteHistory, None]:
    history = SqliteHistory(path, path.parent / "outputs", "the first one")
    said = await history.open()
    assert notice is None or said == notice
    try:
        yield history
    finally:
        await history.close()


def recorded(history: SqliteHistory, conversation_id: str = "c1") -> Conversation:
    """A conversation whose events go to the history."""
    conversation = Conversation(conversation_id, created_at=1000.0)
    history.create(
        ConversationSummary(id=conversation_id, title="", created_at=1000.0, updated_at=1000.0),
        "/work",
        "/bin/py",
    )
    conversation.subscribe(lambda event: history.record(conversation_id, event))
    return conversation


def say(conversation: Conversation, *pieces: str, role: str = "assistant") -> str:
    """Stream a whole message; its id."""
    chunk = Chunk(role=role, type="message")  # pyright: ignore[reportArgumentType]
    message_id = conversation.apply(replace(chunk, start=True))
    for piece in pieces:
        conversation.apply(replace(chunk, content=piece))
    conversation.apply(replace(chunk, end=True))
    return message_id


def query(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql, values).fetchall()


async def test_a_conversation_comes_back_as_it_was(path):
    async with opened(path) as history:
        conversation = recorded(history)
        say(conversation, "What's 34/24?", role="user")
        say(conversation, "Let me ", "see.")
        code = Chunk(role="assistant", type="code", format="python", id="call_1")
        code_id = conversation.apply(replace(code, start=True))
        conversation.apply(Chunk(role="assistant", type="code", format="python", content="34/24"))
        conversation.apply(Chunk(role="assistant", type="code", format="python", end=True))
        proposal = Proposal(
            id="p",
            message_id=code_id,
            language="python",
            code="34/24",
            folder="/work",
            interpreter="/bin/py",
        )
        conversation.apply(
            Chunk(role="computer", type="confirmation", format="execution", content=proposal)
        )
        conversation.apply(
            Chunk(role="computer", type="run", content=RunReport(state="started"), id="r1")
        )
        conversation.apply(Chunk(role="computer", type="console", start=True, id="r1"))
        conversation.apply(Chunk(role="computer", type="console", format="active_line", content=1))
        conversation.apply(Chunk(role="computer", type="console", format="output", content="1.41"))
        conversation.apply(
            Chunk(role="computer", type="console", format="active_line", content=None)
        )
        conversation.apply(Chunk(role="computer", type="console", end=True))
        conversation.apply(
            Chunk(role="computer", type="timing", content=LineTiming(line=1, seconds=0.5))
        )
        conversation.apply(
            Chunk(role="computer", type="input", content=InputRequest("i", "Name? "))
        )
        conversation.apply(Chunk(role="server", type="status", content="complete"))
        conversation.change(Rename("A division"))
    async with opened(path) as history:
        stored = await history.load("c1")
        (summary,) = await history.conversations()
    assert list(stored.messages) == conversation.messages
    assert stored.leaf_id == conversation.leaf_id
    assert (stored.folder, stored.interpreter) == ("/work", "/bin/py")
    assert stored.summary == summary
    assert (summary.title, summary.created_at) == ("A division", 1000.0)
    assert summary.message_count == len(conversation.messages) == 8
    assert summary.updated_at > summary.created_at
    assert Conversation.restore(stored).messages == conversation.messages
    assert query(path, "SELECT * FROM delta") == []


async def test_the_last_changed_conversation_comes_first(path):
    async with opened(path) as history:
        first, second = recorded(history, "c1"), recorded(history, "c2")
        say(first, "one")
        say(second, "two")
        assert [summary.id for summary in await history.conversations()] == ["c2", "c1"]
        say(first, "three")
        assert [summary.id for summary in await history.conversations()] == ["c1", "c2"]


async def test_branches_keep_their_parents_and_the_chosen_one_its_leaf(path):
    async with opened(path) as history:
        conversation = recorded(history)
        question = say(conversation, "question", role="user")
        say(conversation, "first answer")
        conversation.change(MoveTo(question))
        second = say(conversation, "second answer")
        stored = await history.load("c1")
        assert [message.parent_id for message in stored.messages] == [None, question, question]
        assert stored.leaf_id == second
        conversation.change(MoveTo(question))
        assert (await history.load("c1")).leaf_id == question


async def test_removing_a_message_removes_what_hangs_on_it(path):
    async with opened(path) as history:
        conversation = recorded(history)
        question = say(conversation, "question", role="user")
        answer = say(conversation, "answer")
        say(conversation, "more", role="user")
        say(conversation, "even more")
        conversation.change(RemoveFrom(answer))
        stored = await history.load("c1")
        assert [message.id for message in stored.messages] == [question]
        assert stored.leaf_id == conversation.leaf_id == question


async def test_equal_message_ids_in_two_conversations_do_not_meet(path):
    async with opened(path) as history:
        for conversation_id in ("c1", "c2"):
            recorded(history, conversation_id)
            message = Message(
                id="m1",
                parent_id=None,
                role="user",
                type="message",
                content=f"of {conversation_id}",
            )
            history.record(
                conversation_id, ConversationEvent(kind="added", message_id="m1", message=message)
            )
        assert (await history.load("c1")).messages[0].text == "of c1"
        assert (await history.load("c2")).messages[0].text == "of c2"


async def test_the_place_can_be_changed(path):
    async with opened(path) as history:
        recorded(history)
        history.set_place("c1", "/elsewhere", "/bin/other")
        stored = await history.load("c1")
    assert (stored.folder, stored.interpreter) == ("/elsewhere", "/bin/other")


async def test_an_unknown_conversation_is_an_error(path):
    async with opened(path) as history:
        with pytest.raises(StorageError, match="does not exist"):
            await history.load("nothing")


async def test_deleting_takes_the_messages_and_the_files(path):
    async with opened(path) as history:
        conversation = recorded(history)
        other = recorded(history, "c2")
        say(other, "stays")
        say(conversation, "secret plan")
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        for name in ("c1", "c2"):
            (path.parent / "outputs" / name).mkdir(parents=True)
            (path.parent / "outputs" / name / "run").write_text("output")
        await history.delete("c1")
        conversation.apply(Chunk(role="assistant", type="message", content="too late"))
        conversation.close_open()
        assert [summary.id for summary in await history.conversations()] == ["c2"]
    assert [folder.name for folder in (path.parent / "outputs").iterdir()] == ["c2"]
    assert query(path, "SELECT DISTINCT conversation_id FROM message") == [("c2",)]
    assert query(path, "SELECT * FROM delta") == []


@pytest.mark.parametrize("name", ["..", ".", "", "../elsewhere", "/etc"])
async def test_deleting_never_leaves_the_folder_of_outputs(path, name):
    async with opened(path) as history:
        keep = path.parent / "outputs" / "keep"
        keep.mkdir(parents=True)
        with pytest.raises(ValueError, match="not the name"):
            await history.delete(name)
        assert keep.exists()


async def test_only_what_an_earlier_process_deleted_goes_for_good(path):
    async with opened(path) as history:
        for id_ in ("before", "now"):
            history.create(
                ConversationSummary(id=id_, title=id_, created_at=1.0, updated_at=1.0), "", ""
            )
        history.mark("before", "deleted", True)
    async with opened(path) as history:
        history.mark("now", "deleted", True)
        await history.purge()
        history.mark("now", "deleted", False)
        assert [row.id for row in await history.conversations()] == ["now"]
    assert query(path, "SELECT id FROM conversation") == [("now",)]


async def test_a_text_no_file_can_hold_is_stored_with_its_flaw_marked(path):
    async with opened(path) as history:
        conversation = recorded(history)
        history.set_place("c1", "/data/\udcff", "/bin/py")
        conversation.change(Rename("title \ud800"))
        say(conversation, "half \ud83c", "\udf88 pair")
        conversation.apply(Chunk(role="user", type="message", content="lone \ud800"))
        stored = await history.load("c1")
    assert [message.text for message in stored.messages] == ["half 🎈 pair", "lone \ufffd"]
    assert (stored.summary.title, stored.folder) == ("title \ufffd", "/data/\ufffd")


async def test_a_message_loaded_while_it_streams_has_its_text_so_far(path):
    async with opened(path) as history:
        conversation = recorded(history)
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        conversation.apply(Chunk(role="assistant", type="message", content="so far"))
        (message,) = (await history.load("c1")).messages
    assert (message.text, message.state) == ("so far", "interrupted")


async def test_messages_of_a_newer_kind_are_skipped_and_their_children_kept(path):
    async with opened(path) as history:
        conversation = recorded(history)
        question = say(conversation, "question", role="user")
        hologram = say(conversation, "hologram")
        answer = say(conversation, "answer")
        last = say(conversation, "last")
        await history.conversations()
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("UPDATE message SET kind = 'hologram' WHERE id = ?", (hologram,))
            other.execute("UPDATE message SET type = 'smell' WHERE id = ?", (last,))
        stored = await history.load("c1")
    assert [(m.id, m.parent_id) for m in stored.messages] == [(question, None), (answer, question)]
    assert stored.leaf_id == answer


async def test_an_event_that_does_not_fit_stops_nothing_else(path, expect_log):
    expect_log("not stored, .*UNIQUE")
    expect_log("not stored, no such message")
    expect_log("not stored, no kind for list")
    async with opened(path) as history:
        recorded(history)
        message = Message(id="m1", parent_id=None, role="user", type="message", content="once")
        for _ in range(2):
            history.record("c1", ConversationEvent(kind="added", message_id="m1", message=message))
        stray = Chunk(role="assistant", type="message", content="stray")
        history.record("c1", ConversationEvent(kind="grew", message_id="m2", chunk=stray))
        strange = replace(message, id="m3", content=[])  # pyright: ignore
        history.record("c1", ConversationEvent(kind="added", message_id="m3", message=strange))
        history.record("c1", ConversationEvent(kind="renamed", title="after"))
        stored = await history.load("c1")
    assert [message.text for message in stored.messages] == ["once"]
    assert stored.summary.title == "after"


async def test_final_texts_can_be_searched(path):
    async with opened(path) as history:
        conversation = recorded(history)
        say(conversation, "Où est le crocodile?", role="user")
        removed = say(conversation, "A crocodile is here")
        conversation.apply(
            Chunk(role="user", type="image", format="base64.png", content="crocodile")
        )
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        conversation.apply(Chunk(role="assistant", type="message", content="unfinished crocodile"))
        await history.conversations()
        find = (
            "SELECT message.content FROM message_text JOIN message ON message.seq ="
            " message_text.rowid WHERE message_text MATCH ? ORDER BY message.seq"
        )
        assert query(path, find, "crocodile") == [
            ("Où est le crocodile?",),
            ("A crocodile is here",),
        ]
        assert query(path, find, "ou") == [("Où est le crocodile?",)]
        conversation.close_open()
        await history.conversations()
        assert query(path, find, "unfinished") == [("unfinished crocodile",)]
        conversation.change(RemoveFrom(removed))
        await history.conversations()
        assert query(path, find, "here OR unfinished") == []
    check = "INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 0)"
    assert query(path, check) == []


async def test_after_closing_questions_are_answered_with_an_error(path):
    async with opened(path) as history:
        pass
    with pytest.raises(StorageError, match="closed"):
        await history.conversations()
    await history.close()


async def test_a_history_that_was_never_opened_can_be_closed(path):
    await SqliteHistory(path).close()
    assert not path.exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
async def test_the_database_is_for_its_user_only(path):
    async with opened(path) as history:
        say(recorded(history), "private")
        await history.conversations()
        for file in path.parent.glob("history.sqlite3*"):
            assert file.stat().st_mode & 0o077 == 0, file
    assert path.parent.stat().st_mode & 0o777 == 0o700


# A crash

STREAM = """
    import asyncio, os, sys, time
    from pathlib import Path
    from playhead.domain.conversation.chunk import Chunk
    from playhead.domain.conversation.conversation import Conversation
    from playhead.domain.history import ConversationSummary
    from playhead.storage.history.sqlite_history import SqliteHistory

    async def main():
        history = SqliteHistory(Path(sys.argv[1]))
        await history.open()
        conversation = Conversation("c1")
        summary = ConversationSummary(id="c1", title="", created_at=1.0, updated_at=1.0)
        history.create(summary, "", "")
        conversation.subscribe(lambda event: history.record("c1", event))
        conversation.apply(Chunk(role="user", type="message", content="question"))
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        for number in range(1_000_000):
            conversation.apply(Chunk(role="assistant", type="message", content=f"{number} "))
            os.write(1, f"{number} {time.monotonic()}\\n".encode())
            await asyncio.sleep(0.005)

    asyncio.run(main())
"""


def run_child(code: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("numbers", [40, 111, 175])
def test_a_kill_in_mid_stream_costs_at_most_a_quarter_of_a_second(path, numbers):
    import asyncio

    with run_child(STREAM, path) as child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(numbers)]
        child.send_signal(signal.SIGKILL)
        lines += child.stdout.readlines()
        child.wait()
    times = {int(number): float(at) for number, at in (line.split() for line in lines)}
    killed_at = max(times.values())
    due = [number for number, at in times.items() if at < killed_at - 0.25]

    async def reopen() -> tuple[Message, ...]:
        async with opened(path) as history:
            return (await history.load("c1")).messages

    question, answer = asyncio.run(reopen())
    assert question.text == "question"
    assert answer.state == "interrupted"
    kept = [int(number) for number in answer.text.split()]
    assert kept == list(range(len(kept)))
    assert set(due) <= set(kept)
    assert query(path, "PRAGMA quick_check") == [("ok",)]
    assert query(path, "SELECT * FROM delta") == []


async def test_a_second_process_only_reads_and_leaves_the_first_one_s_stream_alone(path):
    async with opened(path) as first:
        conversation = recorded(first)
        conversation.apply(Chunk(role="assistant", type="message", start=True))
        conversation.apply(Chunk(role="assistant", type="message", content="still "))
        await first.conversations()
        async with opened(path, None) as second:
            (message,) = (await second.load("c1")).messages
            assert message.text == "still "
            with pytest.raises(StorageError, match="in use by the first one"):
                second.expect_writable()
            with pytest.raises(StorageError, match="in use"):
                await second.expect_room()
        assert query(path, "SELECT state FROM message") == [("streaming",)]
        conversation.apply(Chunk(role="assistant", type="message", content="here"))
        conversation.apply(Chunk(role="assistant", type="message", end=True))
        (message,) = (await first.load("c1")).messages
        assert (message.text, message.state) == ("still here", "complete")


# Files that are not as they should be


def aside(path: Path) -> list[Path]:
    return [file for file in path.parent.glob("*.corrupt-*") if "-wal" not in file.name[-4:]]


async def test_what_is_no_database_is_kept_aside_and_a_new_one_opened(path):
    path.parent.mkdir()
    path.write_bytes(b"this is not a database, it is a text " * 1000)
    before = path.read_bytes()
    async with opened(path, None) as history:
        (kept,) = aside(path)
        assert kept.read_bytes() == before
        assert await history.conversations() == []
        say(recorded(history), "new life")
        assert len((await history.load("c1")).messages) == 1
    assert kept.read_bytes() == before
    async with opened(path, "") as history:
        assert len(await history.conversations()) == 1


async def test_the_notice_of_a_broken_database_names_the_copy(path):
    path.parent.mkdir()
    path.write_text("nonsense" * 100)
    history = SqliteHistory(path)
    notice = await history.open()
    await history.close()
    assert str(aside(path)[0]) in notice
    assert "could not be read" in notice


async def test_another_program_s_database_is_kept_aside(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as foreign, foreign:
        foreign.execute("CREATE TABLE message (recipe TEXT)")
    async with opened(path, None) as history:
        say(recorded(history), "ours")
    assert query(aside(path)[0], "SELECT sql FROM sqlite_master") == [
        ("CREATE TABLE message (recipe TEXT)",)
    ]


# A disk that refuses


async def test_writing_goes_on_when_the_place_comes_back(tmp_path):
    obstacle = tmp_path / "data"
    obstacle.write_text("a file in the folder's place")
    history = SqliteHistory(obstacle / "history.sqlite3")
    told: list[Exception | None] = []
    history.on_failure(told.append)
    assert "not being saved" in await history.open()
    conversation = recorded(history)
    say(conversation, "kept ", "in memory")
    with pytest.raises(StorageError):
        await history.conversations()
    await until(lambda: told)
    obstacle.unlink()
    path = obstacle / "history.sqlite3"
    await until(lambda: path.exists() and query(path, "SELECT name FROM sqlite_master"))
    await until(lambda: told[-1] is None)
    await history.close()
    assert [error is None for error in told] == [False, True]
    assert query(path, "SELECT content FROM message") == [("kept in memory",)]


FULL_DISK = """
    import asyncio, json, resource, sys
    from pathlib import Path
    from playhead.domain.conversation.chunk import Chunk
    from playhead.domain.conversation.conversation import Conversation
    from playhead.domain.history import ConversationSummary
    from playhead.storage.history.sqlite_history import SqliteHistory

    def limit(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def tell(**facts):
        print(json.dumps(facts), flush=True)

    async def main():
        history = SqliteHistory(Path(sys.argv[1]))
        told = []
        history.on_failure(lambda error: told.append(str(error)))
        await history.open()
        conversation = Conversation("c1")
        summary = ConversationSummary(id="c1", title="", created_at=1.0, updated_at=1.0)
        history.create(summary, "", "")
        conversation.subscribe(lambda event: history.record("c1", event))
        conversation.apply(Chunk(role="user", type="message", content="before"))
        await history.conversations()
        limit(200_000)
        for number in range(20):
            large = f"{number} " + "x" * 50_000
            conversation.apply(Chunk(role="user", type="message", content=large))
            await asyncio.sleep(0.06)
        tell(told=told, seen=len((await history.load("c1")).messages))
        limit(resource.RLIM_INFINITY)
        while len((await history.load("c1")).messages) < 21:
            await asyncio.sleep(0.01)
        await history.close()
        tell(told=told)

    asyncio.run(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_is_told_once_and_loses_nothing(path):
    with run_child(FULL_DISK, path) as child:
        out, _ = child.communicate(timeout=LIMIT_S)
    full, after = [json.loads(line) for line in out.splitlines()]
    assert len(full["told"]) == 1, full
    assert "not being saved" in full["told"][0]
    assert full["seen"] >= 1  # what is on disk can still be read
    assert after["told"] == [*full["told"], "None"]  # it works again
    texts = [str(text).split()[0] for (text,) in query(path, "SELECT content FROM message")]
    assert texts == ["before", *map(str, range(20))]


async def test_closing_on_a_dead_disk_does_not_hang(tmp_path, expect_log):
    expect_log("changes of conversations could not be written")
    expect_log("closed before all of it was on disk")
    (tmp_path / "file").write_text("in the way")
    history = SqliteHistory(tmp_path / "file" / "history.sqlite3")
    await history.open()
    say(recorded(history), "lost")
    await history.close()
    until_now(lambda: not history._writer._thread.is_alive())


async def test_what_answers_cost_comes_back_without_being_a_message(path):
    async with opened(path) as history:
        conversation = recorded(history)
        question = say(conversation, "How much?", role="user")
        answer = say(conversation, "45")
        conversation.apply(
            Chunk(
                role="server",
                type="usage",
                content=Usage(input_tokens=100, output_tokens=5, model="m", cost=0.5),
            )
        )
        usages = conversation.usages
        assert (await history.conversations())[0].message_count == 2
        stored = await history.load("c1")
        assert [message.id for message in stored.messages] == [question, answer]
        assert stored.leaf_id == answer
        await history.duplicate(
            "c1", ConversationSummary(id="c2", title="", created_at=1.0, updated_at=1.0)
        )
        assert Conversation.restore(await history.load("c2")).usages == usages
    async with opened(path) as history:
        again = Conversation.restore(await history.load("c1"))
        assert again.usages == usages
        again.subscribe(lambda event: history.record("c1", event))
        again.change(RemoveFrom(answer))
        assert Conversation.restore(await history.load("c1")).usages.turns == ()


async def test_the_lines_that_printed_an_output_come_back_with_it(path):
    async with opened(path) as history:
        conversation = recorded(history)
        console = conversation.apply(Chunk(role="computer", type="console", start=True))
        conversation.apply(Chunk(role="computer", type="console", format="active_line", content=3))
        conversation.apply(Chunk(role="computer", type="console", format="output", content="45\n"))
        conversation.apply(Chunk(role="computer", type="console", end=True))
        printed = conversation.printed(console)
        assert printed is not None
        stored = await history.load("c1")
        assert [message.id for message in stored.messages] == [console]
        assert stored.leaf_id == console
        assert (await history.conversations())[0].message_count == 1
        assert Conversation.restore(stored).printed(console) == printed


async def test_what_else_is_kept_of_a_conversation_goes_with_it(path):
    deleted = []
    history = SqliteHistory(path, path.parent / "outputs", delete_more=deleted.append)
    await history.open()
    for id_ in ("one", "two"):
        history.create(
            ConversationSummary(id=id_, title=id_, created_at=1.0, updated_at=1.0), "", ""
        )
    await history.delete("one")
    history.mark("two", "deleted", True)
    await history.close()
    later = SqliteHistory(path, path.parent / "outputs", delete_more=deleted.append)
    await later.open()
    await later.purge()
    await later.close()
    assert deleted == ["one", "two"]
