"""Grants in a conversation: who gets them, how long they hold, and what they change."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Attachment
from playhead.domain.conversation.payloads import RunEnd, RunReport
from playhead.domain.trust import Policy, Reach
from playhead.errors import AppError, SessionError
from playhead.session.session import Session
from playhead.session.trust.grant_book import GrantBook
from playhead.session.turn_settings import TurnOptions
from playhead.storage.history.no_history import GrantsInMemory
from tests.support.ports import (
    Answer,
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    coded,
    ports_with,
    said,
)
from tests.support.waiting import until

INSIDE = Policy(files="folder", network="off", ask="risky")


def session_in(
    folder: Path, executor: RecordingExecutor, book: GrantBook | None = None, *answers: Answer
) -> Session:
    folder.mkdir(exist_ok=True)
    provider = ScriptedProvider(*(answers or (coded("print(1)"), said("Done."))))
    ports = ports_with(provider, executor, ReportedSandbox())
    session = Session(Conversation(), ports, str(folder), book=book)
    session.policy.choose(INSIDE)
    return session


async def ended(session: Session) -> None:
    await until(lambda: session.pending is not None or session.is_idle)
    if session.pending is not None:
        session.approve(session.pending.id)
    await until(lambda: session.is_idle)


async def test_each_scope_holds_for_what_it_says(tmp_path: Path) -> None:
    book, executors = GrantBook(), [RecordingExecutor() for _ in range(3)]
    one = session_in(tmp_path / "work", executors[0], book)
    same_folder = session_in(tmp_path / "work", executors[1], book)
    other_folder = session_in(tmp_path / "else", executors[2], book)
    for name in ("run", "conversation", "folder"):
        (tmp_path / name).mkdir()
        one.grants.give("read", str(tmp_path / name), name)  # pyright: ignore[reportArgumentType]
    shown = [str(tmp_path / name) for name in ("conversation", "folder", "run")]
    assert one.grants.reach == Reach(readable=tuple(shown))
    assert same_folder.grants.reach == Reach(readable=(shown[1],))
    assert other_folder.grants.reach == Reach()
    one.send("Go")
    await ended(one)
    assert executors[0].reaches == [Reach(readable=tuple(shown))]
    assert one.grants.reach == Reach(readable=tuple(shown[:2]))
    assert [grant.uses for grant in one.grants.held] == [1, 1]
    await until(lambda: executors[0].reach == one.grants.reach)
    one.set_folder(str(tmp_path / "else"))
    assert one.grants.reach == Reach(readable=(shown[0],))


async def test_what_is_revoked_is_cut_at_once_and_the_end_of_the_kernel_is_reported(
    tmp_path: Path,
) -> None:
    executor = RecordingExecutor()
    session = session_in(tmp_path / "work", executor)
    grant = session.grants.give("read", str(tmp_path), "conversation", cause="“Sum up”")
    session.send("Go")
    await ended(session)
    assert not session.grants.restarts("read", str(tmp_path))
    session.grants.revoke(grant.id)
    await until(lambda: executor.reach == Reach())
    assert executor.restarts == 1
    await until(lambda: session.has_lost_variables)
    last = session.conversation.messages[-1].content
    assert isinstance(last, RunReport)
    assert last.end == RunEnd(kind="policy_changed")
    with pytest.raises(SessionError):
        session.grants.revoke(grant.id)


async def test_grants_are_there_after_a_restart_and_those_for_a_run_are_not(tmp_path: Path) -> None:
    stored = GrantsInMemory()
    book = GrantBook(lambda: stored)
    session = session_in(tmp_path / "work", RecordingExecutor(), book)
    session.grants.give("variable", "MY_TOKEN", "run")
    kept = session.grants.give("variable", "OTHER", "folder")
    again = GrantBook(lambda: stored)
    await again.load()
    assert again.grants == (kept,)
    book.forget(session.conversation.id)
    assert book.grants == (kept,)


async def test_code_that_may_do_more_is_asked_about_again(tmp_path: Path) -> None:
    executor = RecordingExecutor()
    session = session_in(
        tmp_path / "work", executor, None, coded("x"), said("1"), coded("x"), said("2")
    )
    for _ in range(2):
        session.send("Go")
        await until(lambda: session.pending is not None or session.is_idle)
        assert session.pending is not None
        session.grants.give("variable", "MY_TOKEN", "conversation")
        await ended(session)
    assert executor.reach == Reach(variables=("MY_TOKEN",))


async def test_attached_files_are_grants_of_a_person_and_never_of_a_client(tmp_path: Path) -> None:
    executor = RecordingExecutor()
    session = session_in(tmp_path / "work", executor, None, said("1"), said("2"))
    sales, client = tmp_path / "sales.csv", tmp_path / "keys"
    sales.write_text("1")
    client.write_text("2")
    session.send("Sum it up", [Attachment(path=str(sales), name="sales.csv", kind="file")])
    await ended(session)
    asked = Chunk(role="user", type="file", format="path", content=str(client))
    session.take([asked, Chunk(role="user", type="message", content="Read it")], TurnOptions())
    await ended(session)
    assert session.grants.reach == Reach(readable=(str(sales),))
    (grant,) = session.grants.held
    assert (grant.scope, grant.cause) == ("conversation", "You attached it.")


async def test_a_denial_beats_the_grant_and_shuts_the_open_network(tmp_path: Path) -> None:
    session = session_in(tmp_path / "work", RecordingExecutor())
    grants = session.grants
    denial = grants.give("host", "evil.example", "folder", is_denial=True)
    with pytest.raises(SessionError, match="denied"):
        grants.give("host", "evil.example:443", "run")
    with pytest.raises(AppError, match="open network"):
        session.policy.choose(replace(INSIDE, network="on"))
    grants.revoke(denial.id)
    session.policy.choose(replace(INSIDE, network="on"))
    with pytest.raises(SessionError, match="open network"):
        grants.give("host", "evil.example", "run", is_denial=True)
    with pytest.raises(SessionError, match="open already"):
        grants.give("host", "good.example", "run")
    session.policy.choose(Policy())
    with pytest.raises(SessionError, match="outside of the sandbox"):
        grants.give("read", str(tmp_path), "run")


async def test_what_the_sandbox_refuses_is_not_granted(tmp_path: Path) -> None:
    grants = session_in(tmp_path / "work", RecordingExecutor()).grants
    for text in (str(Path.home()), str(tmp_path / "nothing"), "relative"):
        with pytest.raises(AppError):
            grants.give("read", text, "conversation")
    assert grants.held == ()
