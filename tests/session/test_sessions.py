"""The list of conversations and what of it survives a restart, on a real database."""

from __future__ import annotations

from pathlib import Path

from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.storage.history import SqliteHistory
from tests.support.ports import RecordingExecutor, ScriptedProvider, coded, ports_with, said
from tests.support.waiting import until


def sessions_in(folder: Path, *answers: list) -> Sessions:
    ports = ports_with(ScriptedProvider(*answers), RecordingExecutor())
    return Sessions(ports, SqliteHistory(folder / "history.sqlite3", folder / "outputs"))


async def rests(session: Session) -> None:
    await until(lambda: session.state == "idle")


async def test_a_conversation_is_there_again_after_a_restart(tmp_path: Path):
    first = sessions_in(tmp_path, coded("x = 1", call_id="c"), said("Done."))
    assert await first.start() == ""
    session = first.new()
    session.set_auto_run(True)
    session.set_folder(str(tmp_path))
    session.send("Set x")
    await rests(session)
    seen = session.conversation.messages
    await first.close()

    second = sessions_in(tmp_path)
    await second.start()
    assert [row.title for row in second.summaries] == ["Set x"]
    again = await second.open(session.conversation.id)
    assert again.conversation.messages == seen
    assert again.folder == str(tmp_path.resolve())  # noqa: ASYNC240
    assert again.names_are_gone
    assert not again.auto_run
    await second.close()


async def test_an_empty_conversation_leaves_no_trace(tmp_path: Path):
    sessions = sessions_in(tmp_path)
    await sessions.start()
    sessions.new()
    assert sessions.summaries == []
    await sessions.close()


async def test_the_last_used_conversation_stands_first_and_listeners_hear_it(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"), said("b"), said("c"))
    await sessions.start()
    heard: list[list[str]] = []
    sessions.subscribe(lambda: heard.append([row.title for row in sessions.summaries]))
    for title in ("one", "two"):
        session = sessions.new()
        session.send(title)
        await rests(session)
    assert [row.title for row in sessions.summaries] == ["two", "one"]
    oldest = await sessions.open(sessions.summaries[1].id)
    oldest.send("again")
    await rests(oldest)
    assert [row.title for row in sessions.summaries] == ["one", "two"]
    assert heard[-1] == ["one", "two"]
    await sessions.close()


async def test_renaming_and_deleting_hold_after_a_restart(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"), said("b"))
    await sessions.start()
    ids: list[str] = []
    for title in ("keep", "drop"):
        session = sessions.new()
        session.send(title)
        await rests(session)
        ids.append(session.conversation.id)
    await sessions.rename(ids[0], "kept")
    await sessions.delete(ids[1])
    await sessions.close()

    again = sessions_in(tmp_path)
    await again.start()
    assert [row.title for row in again.summaries] == ["kept"]
    await again.close()


async def test_deleting_a_busy_conversation_ends_its_run(tmp_path: Path):
    sessions = sessions_in(tmp_path)
    await sessions.start()
    session = sessions.new()
    session.run_code("python", "wait")
    await until(lambda: session.state == "running")
    assert sessions.state_of(session.conversation.id) == "running"
    await sessions.delete(session.conversation.id)
    assert sessions.summaries == []
    assert session.state == "idle"
    await sessions.close()


async def test_deleting_a_programs_conversation_deletes_the_files_of_its_outputs(tmp_path: Path):
    sessions = sessions_in(tmp_path)
    await sessions.start()
    session = sessions.new(is_kept=False, client="a program")
    folder = tmp_path / "outputs" / session.conversation.id
    folder.mkdir(parents=True)
    await sessions.delete(session.conversation.id)
    assert not folder.exists()
    await sessions.close()


async def test_a_conversation_begun_before_the_list_was_read_stays_in_it(tmp_path: Path):
    before = sessions_in(tmp_path, said("a"))
    await before.start()
    session = before.new()
    session.send("earlier")
    await rests(session)
    await before.close()

    sessions = sessions_in(tmp_path, said("b"))
    session = sessions.new()
    session.send("at once")
    await sessions.start()
    await rests(session)
    assert [row.title for row in sessions.summaries] == ["at once", "earlier"]
    await sessions.close()
