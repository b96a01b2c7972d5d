"""Versions of questions and answers, and turns that are deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Attachment
from playhead.domain.conversation.payloads import Failure
from playhead.errors import ProviderError, SessionError
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.storage.history.sqlite_history import SqliteHistory
from tests.support.ports import RecordingExecutor, ScriptedProvider, coded, ports_with, said
from tests.support.waiting import until


def sessions_in(home: Path, *answers: list) -> Sessions:
    ports = ports_with(ScriptedProvider(*answers), RecordingExecutor())
    return Sessions(ports, SqliteHistory(home))


def texts(session: Session) -> list[str]:
    return [message.text for message in session.conversation.messages]


async def ask(session: Session, text: str, *attachments: Attachment) -> None:
    session.send(text, attachments)
    await until(lambda: session.is_idle)


async def rests(session: Session) -> None:
    await until(lambda: session.is_idle)


def bench(*answers: list) -> Session:
    ports = ports_with(ScriptedProvider(*answers), RecordingExecutor())
    return Session(Conversation(), ports, str(Path.home()))


async def test_a_new_answer_stands_beside_the_old_one_and_either_can_be_shown():
    session = bench(said("first"), said("second"))
    await ask(session, "Question")
    old = session.conversation.messages[-1].id
    session.retry(old)
    await rests(session)
    assert texts(session) == ["Question", "second"]
    session.choose_version(old)
    assert texts(session) == ["Question", "first"]
    versions = session.conversation.versions()
    assert (versions[old].number, len(versions[old].ids)) == (1, 2)


async def test_a_step_that_failed_is_asked_for_again_and_what_ran_before_stays():
    half = [*said("half")[:2], ProviderError("The answer broke off.")]
    session = bench(coded("x = 1"), half, said("whole"), said("anew"))
    session.set_auto_run(True)
    await ask(session, "Question")
    ran = [message.id for message in session.conversation.messages if message.type == "run"]
    session.retry(session.conversation.messages[-1].id)
    await rests(session)
    assert [m.id for m in session.conversation.messages if m.type == "run"] == ran
    assert (texts(session)[0], texts(session)[-1]) == ("Question", "whole")
    assert "half" not in texts(session)
    answer = session.conversation.messages[-1].id
    session.retry(answer)  # an answer, on the other hand, is one of the question
    await rests(session)
    assert texts(session) == ["Question", "anew"]


async def test_code_that_could_not_begin_is_no_failure_of_the_model():
    session = bench(coded("x = 1"), said("anew"))
    session.set_auto_run(True)
    session.conversation.apply(Chunk(role="user", type="message", content="Question"))
    session.conversation.apply(
        Chunk(role="computer", type="tool_result", format="execute", content="not run")
    )
    failure = Failure(code="execution_error", title="No Python here.")
    session.retry(session.conversation.apply(Chunk(role="server", type="error", content=failure)))
    await rests(session)
    assert "not run" not in texts(session)


async def test_versions_cannot_be_changed_while_a_turn_runs():
    session = bench(said("first"), coded("wait here"))
    await ask(session, "Question")
    old = session.conversation.messages[-1].id
    session.retry(old)
    with pytest.raises(SessionError, match="busy"):
        session.choose_version(old)
    with pytest.raises(SessionError, match="busy"):
        session.delete_turn(old)
    await session.stopped()


async def test_a_chosen_version_is_shown_again_after_a_restart(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("first"), said("second"))
    await sessions.start()
    session = sessions.new()
    await ask(session, "Question")
    old = session.conversation.messages[-1].id
    session.retry(old)
    await rests(session)
    session.choose_version(old)
    await sessions.close()
    again = sessions_in(tmp_path)
    await again.start()
    session = await again.open(session.conversation.id)
    assert texts(session) == ["Question", "first"]
    assert len(session.conversation.siblings(old)) == 2
    await again.close()


async def test_names_of_runs_in_another_branch_of_the_same_kernel_are_not_gone():
    session = bench(coded("print(1)"), said("one"), coded("print(2)"), said("two"))
    session.set_auto_run(True)
    await ask(session, "Question")
    answer = session.conversation.messages[1].id
    session.restart_kernel()
    await until(lambda: session.has_lost_variables)
    session.retry(answer)
    await rests(session)
    assert not session.has_lost_variables
    session.choose_version(answer)
    assert session.has_lost_variables


async def test_a_turn_is_deleted_with_what_hangs_below_it_and_comes_back(tmp_path: Path):
    session = bench(said("1"), said("2"), said("3"))
    for text in ("One", "Two", "Three"):
        await ask(session, text)
    before = texts(session)
    deletion = session.delete_turn(session.conversation.messages[3].id)
    assert (deletion.question, deletion.more) == ("Two", 1)
    assert texts(session) == ["One", "1"]
    session.undo_deletion()
    assert texts(session) == before


async def test_files_go_with_their_question_unless_another_version_needs_them():
    session = bench(said("1"), said("2"))
    await ask(session, "One", Attachment(kind="file", path="/data/a.csv", name="a.csv"))
    question = session.conversation.messages[1].id
    session.edit_and_send(question, "Other")
    await rests(session)
    session.delete_turn(session.conversation.messages[-1].id)
    assert texts(session) == ["/data/a.csv", "One", "1"]
    session.delete_turn(session.conversation.messages[-1].id)
    assert texts(session) == []


async def test_a_deletion_is_stored_only_when_it_is_final(tmp_path: Path):
    history = SqliteHistory(tmp_path)
    provider = ScriptedProvider(said("1"), said("2"), said("3"))
    sessions = Sessions(ports_with(provider, RecordingExecutor()), history)
    await sessions.start()
    session = sessions.new()
    await ask(session, "One")
    await ask(session, "Two")
    kept, name = texts(session), session.conversation.id
    session.delete_turn(session.conversation.messages[-1].id)
    stored = await history.load(name)
    assert [one.text for one in stored.messages] == kept
    await ask(session, "Three")
    assert texts(session) == ["One", "1", "Three", "3"]
    await sessions.close()
    again = sessions_in(tmp_path)
    await again.start()
    assert texts(await again.open(name)) == ["One", "1", "Three", "3"]
    await again.close()


async def test_what_was_deleted_is_gone_when_the_program_ends(tmp_path: Path):
    sessions = sessions_in(tmp_path, said("1"), said("2"))
    await sessions.start()
    session = sessions.new()
    await ask(session, "One")
    session.edit_and_send(session.conversation.messages[0].id, "Other")
    await rests(session)
    session.delete_turn(session.conversation.messages[-1].id)
    await sessions.close()
    again = sessions_in(tmp_path)
    await again.start()
    opened = await again.open(session.conversation.id)
    assert texts(opened) == ["One", "1"]
    assert opened.conversation.versions() == {}
    await again.close()
