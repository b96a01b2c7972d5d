"""The list of conversations and what of it survives a restart, on a real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.settings import AppSettings
from playhead.errors import StorageError
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.storage.history.sqlite_history import SqliteHistory
from playhead.storage.working_folders import WorkingFolders
from tests.support.ports import (
    RecordingExecutor,
    ScriptedProvider,
    SettingsInMemory,
    coded,
    ports_with,
    said,
)
from tests.support.run_effects import EffectsInMemory
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
    assert again.has_lost_variables
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
    sessions.rename(ids[0], "kept")
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


async def begun(sessions: Sessions, text: str) -> str:
    """A conversation that has come to rest; its id."""
    session = sessions.new()
    session.send(text)
    await rests(session)
    return session.conversation.id


async def reread(folder: Path) -> Sessions:
    sessions = sessions_in(folder)
    await sessions.start()
    return sessions


def titles(sessions: Sessions) -> list[str]:
    return [row.title for row in sessions.summaries]


async def test_a_deleted_conversation_comes_back_as_it_was_until_it_goes_for_good(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"), said("b"))
    await sessions.start()
    old, new = await begun(sessions, "old"), await begun(sessions, "new")
    session = sessions.get(old)
    await sessions.trash(old)
    assert titles(sessions) == ["new"]
    found = await sessions.search("old")
    assert found is not None
    assert found.hits == ()
    with pytest.raises(StorageError, match="deleted"):
        await sessions.open(old)
    sessions.restore(old)
    assert titles(sessions) == ["new", "old"]
    assert await sessions.open(old) is session
    await sessions.trash(new)
    await sessions.delete(new)
    sessions.restore(new)
    assert titles(sessions) == ["old"]
    await sessions.close()
    again = await reread(tmp_path)
    assert titles(again) == ["old"]
    await again.close()


async def test_deleting_stops_the_work_at_once_and_its_kernel_at_the_end(tmp_path: Path):
    executor = RecordingExecutor()
    history = SqliteHistory(tmp_path / "history.sqlite3")
    sessions = Sessions(ports_with(ScriptedProvider(), executor), history)
    await sessions.start()
    session = sessions.new()
    session.run_code("python", "wait")
    await until(lambda: session.state == "running")
    await sessions.trash(session.conversation.id)
    assert session.state == "idle"
    assert executor.restarts == 0
    await sessions.delete(session.conversation.id)
    assert executor.restarts == 1
    await sessions.close()


async def test_a_copy_for_a_review_goes_when_its_conversation_goes_for_good(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"))
    files = EffectsInMemory()
    sessions._ports = replace(sessions._ports, files=files)
    await sessions.start()
    gone = await begun(sessions, "gone")
    await sessions.trash(gone)
    assert files.asked == []
    await sessions.close()
    assert files.asked == [("", gone, ("forget",))]


async def test_what_was_deleted_when_the_program_ends_is_gone_with_its_files(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"))
    await sessions.start()
    gone = await begun(sessions, "gone")
    folder = tmp_path / "outputs" / gone
    folder.mkdir(parents=True)
    await sessions.trash(gone)
    await sessions.close()
    assert not folder.exists()
    again = await reread(tmp_path)
    assert titles(again) == []
    await again.close()


async def test_what_was_deleted_before_a_crash_is_gone_with_its_files(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"))
    await sessions.start()
    gone = await begun(sessions, "gone")
    folder = tmp_path / "outputs" / gone
    folder.mkdir(parents=True)
    await sessions.trash(gone)
    await sessions._history.close()  # as after a kill: nobody came to delete it
    again = await reread(tmp_path)
    assert titles(again) == []
    assert not folder.exists()
    await again.close()
    for session in sessions.open_sessions:
        await session.close()


async def test_pins_archive_and_titles_hold_and_leave_the_order_alone(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"), said("b"))
    await sessions.start()
    old, new = await begun(sessions, "old"), await begun(sessions, "new")
    await sessions.close()
    again = await reread(tmp_path)
    again.pin(old, True)
    again.archive(new, True)
    again.rename(old, "older")
    assert titles(again) == ["new", "older"]
    assert again.get(old) is None  # no need to read a whole conversation for its title
    await again.close()
    last = await reread(tmp_path)
    marks = [(row.title, row.is_pinned, row.is_archived) for row in last.summaries]
    assert marks == [("new", False, True), ("older", True, False)]
    last.pin(old, False)
    assert not last.summaries[1].is_pinned
    await last.close()


async def test_an_answer_is_unread_until_its_conversation_is_looked_at(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("a"), said("b"))
    await sessions.start()
    session = sessions.new()
    sessions.look_at(session.conversation.id)
    session.send("seen")
    await rests(session)
    assert not sessions.summaries[0].is_unread
    sessions.look_at("another")
    session.send("not seen")
    await rests(session)
    assert sessions.summaries[0].is_unread
    await sessions.close()
    again = await reread(tmp_path)
    assert again.summaries[0].is_unread
    again.look_at(session.conversation.id)
    assert not again.summaries[0].is_unread
    await again.close()


async def test_a_copy_has_the_whole_tree_and_goes_its_own_way(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("one"), said("two"), said("three"))
    await sessions.start()
    source = await begun(sessions, "question")
    session = await sessions.open(source)
    session.retry(session.conversation.messages[-1].id)
    await rests(session)
    session.set_folder(str(tmp_path))
    copy_id = await sessions.duplicate(source)
    assert titles(sessions) == ["question (copy)", "question"]
    copy = await sessions.open(copy_id)
    assert copy.conversation.messages == session.conversation.messages
    assert copy.conversation._messages == session.conversation._messages
    assert copy.folder == session.folder
    copy.send("more")
    await rests(copy)
    await sessions.delete(source)
    assert [m.text for m in copy.conversation.messages] == ["question", "two", "more", "three"]
    await sessions.close()


async def test_a_copy_has_nothing_of_what_was_just_deleted(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("one"), said("two"))
    await sessions.start()
    source = await begun(sessions, "first")
    session = await sessions.open(source)
    session.send("second")
    await rests(session)
    second = next(one for one in session.conversation.messages if one.text == "second")
    session.delete_turn(second.id)
    copy = await sessions.open(await sessions.duplicate(source))
    assert [one.text for one in copy.conversation.messages] == ["first", "one"]
    session.undo_deletion()
    assert "second" in [one.text for one in session.conversation.messages]
    await sessions.close()


async def test_a_conversation_takes_its_folder_with_its_first_turn_and_keeps_it(tmp_path: Path):
    folders = WorkingFolders(tmp_path / "Playhead", tmp_path / "spare")

    def opened() -> Sessions:
        ports = replace(
            ports_with(ScriptedProvider(coded("x = 1"), said("Done.")), RecordingExecutor()),
            folders=folders,
        )
        return Sessions(ports, SqliteHistory(tmp_path / "history.sqlite3"))

    first = opened()
    await first.start()
    session = first.new()
    assert session.folder == folders.base
    session.send("What's 34/24?")
    taken = session.folder
    assert Path(taken).parent == tmp_path / "Playhead"
    assert taken.endswith(" What's 34 24")
    await until(lambda: session.pending is not None)
    assert session.pending is not None
    assert session.pending.folder == taken
    session.approve(session.pending.id)
    await rests(session)
    first.rename(session.conversation.id, "Division")
    assert session.folder == taken
    await first.close()

    second = opened()
    await second.start()
    again = await second.open(session.conversation.id)
    assert again.folder == taken
    assert not Path(taken).exists()  # noqa: ASYNC240 - RecordingExecutor runs nothing
    await second.close()


async def test_a_folder_of_the_settings_is_the_one_of_all_new_conversations(tmp_path: Path):
    folders = WorkingFolders(tmp_path / "Playhead", tmp_path / "spare")
    settings = SettingsInMemory(AppSettings(folder=str(tmp_path)))
    ports = ports_with(ScriptedProvider(said("Hello.")), RecordingExecutor())
    ports = replace(ports, folders=folders, settings=settings)
    sessions = Sessions(ports, SqliteHistory(tmp_path / "history.sqlite3"))
    await sessions.start()
    session = sessions.new()
    session.send("hello")
    await rests(session)
    assert session.folder == str(tmp_path)
    await sessions.close()


async def test_where_documents_take_nothing_that_is_said_and_another_folder_taken(tmp_path: Path):
    (tmp_path / "Documents").touch()
    folders = WorkingFolders(tmp_path / "Documents" / "Playhead", tmp_path / "spare")
    ports = ports_with(ScriptedProvider(said("Hello.")), RecordingExecutor())
    sessions = Sessions(
        replace(ports, folders=folders), SqliteHistory(tmp_path / "history.sqlite3")
    )
    await sessions.start()
    session = sessions.new()
    told: list[str] = []
    session.subscribe(lambda event: told.append(str(event.error)) if event.error else None)
    session.send("hello")
    await rests(session)
    assert Path(session.folder).parent == tmp_path / "spare"
    assert "Nothing can be written in the folder for documents" in told[0]
    await sessions.close()
