"""What programs may ask of the sessions: continuing, deciding, refusing, ending."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.api.turns import session_lifetimes
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import ApiPolicy, ClientRequest
from playhead.api.turns.model_state import ModelState
from playhead.api.turns.turns import Turns
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure
from playhead.domain.execution import Answered, Approve, Deny
from playhead.domain.model import ToolOffer
from playhead.domain.settings import AppSettings
from playhead.errors import ProviderError, RequestError, SessionError
from playhead.formats.wire.entry import Entry
from playhead.session.sessions import Sessions
from playhead.session.turn_settings import TurnOptions
from playhead.storage.history.no_history import NoHistory
from tests.support.ports import (
    RecordingExecutor,
    ScriptedProvider,
    SettingsInMemory,
    called,
    coded,
    ports_with,
    said,
)
from tests.support.waiting import until


class Reader:
    """A client that keeps what it hears."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.is_closed = False
        self.takes_more = True

    def put(self, chunk: Chunk) -> bool:
        self.chunks.append(chunk)
        return self.takes_more

    def close(self) -> None:
        self.is_closed = True

    @property
    def status(self) -> object:
        return self.chunks[-1].content

    @property
    def output(self) -> str:
        return "".join(str(c.content) for c in self.chunks if c.format == "output")


class Bench:
    """Turns over scripted ports."""

    def __init__(
        self, tmp_path: Path, *answers: list, may_approve: bool = True, may_auto_run: bool = False
    ) -> None:
        self.provider = ScriptedProvider(*answers)
        self.executor = RecordingExecutor()
        ports = ports_with(self.provider, self.executor)
        history = NoHistory(tmp_path)
        self.sessions = Sessions(ports, history)
        policy = ApiPolicy(
            may_approve=lambda: may_approve,
            may_auto_run=lambda: may_auto_run,
            approve_switch="the approval switch",
            auto_run_switch="the auto-run switch",
        )
        models = ModelState(ports.settings, ports.keys, ports.catalog)
        self.turns = Turns(self.sessions, models, policy, history.records)

    async def ask(
        self,
        *entries: Entry,
        options: TurnOptions | None = None,
        wire_format: str = "native",
        **more,
    ) -> tuple[ApiTurn, Reader]:
        reader = Reader()
        incoming = ClientRequest(
            wire_format=wire_format, entries=entries, options=options or TurnOptions(), **more
        )
        return await self.turns.begin(incoming, reader), reader

    async def told(self, *entries: Entry, **more) -> tuple[ApiTurn, Reader]:
        """Ask, and wait for the end of the stream."""
        turn, reader = await self.ask(*entries, **more)
        await until(lambda: reader.is_closed)
        return turn, reader

    @property
    def ran(self) -> list[str]:
        return [request.code for request in self.executor.requests]

    async def close(self) -> None:
        await self.turns.close()
        await self.sessions.close()


def user(text: str, *, is_yes: bool = False) -> Entry:
    return Entry(
        chunks=(Chunk(role="user", type="message", content=text),),
        key=f"user:{text}",
        is_yes=is_yes,
    )


def answer(chunks: Sequence[Chunk]) -> Entry:
    text = "".join(str(chunk.content) for chunk in chunks if chunk.content)
    return Entry(chunks=tuple(chunks), key=f"assistant:{text}")


def output(text: str) -> Entry:
    chunks = (
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="output", content=text),
        Chunk(role="computer", type="console", end=True),
    )
    return Entry(chunks=chunks, key=f"output:{text}")


def result(call_id: str, text: str) -> Entry:
    chunks = (
        Chunk(role="computer", type="tool_result", format="lookup", start=True, id=call_id),
        Chunk(role="computer", type="tool_result", format="lookup", content=text),
        Chunk(role="computer", type="tool_result", format="lookup", end=True),
    )
    return Entry(chunks=chunks, key=f"tool:{call_id}:{text}")


GO = Entry(decision=Approve())
STOP = Entry(decision=Deny())


async def test_a_question_is_answered_and_the_users_own_words_do_not_come_back(tmp_path):
    bench = Bench(tmp_path, said("Hello"))
    _, reader = await bench.told(user("hi"))
    assert [(c.role, c.type) for c in reader.chunks] == [("assistant", "message")] * 3 + [
        ("server", "status")
    ]
    assert reader.status == "complete"
    await bench.close()


async def test_an_answer_is_continued_in_its_conversation(tmp_path):
    bench = Bench(tmp_path, said("Hello"), said("Fine"))
    turn, _ = await bench.told(user("hi"))
    bench.turns.remember(turn, ["assistant:Hello"])
    second, _ = await bench.told(user("hi"), answer(said("Hello")), user("how are you?"))
    assert second.session is turn.session
    assert [m.text for m in bench.provider.requests[1].messages] == ["hi", "Hello", "how are you?"]
    await bench.close()


async def test_another_question_after_the_same_answer_is_a_branch(tmp_path):
    bench = Bench(tmp_path, said("Hello"), said("A"), said("B"))
    turn, _ = await bench.told(user("hi"))
    bench.turns.remember(turn, ["assistant:Hello"])
    await bench.told(user("hi"), answer(said("Hello")), user("first"))
    await bench.told(user("hi"), answer(said("Hello")), user("second"))
    assert [m.text for m in bench.provider.requests[2].messages] == ["hi", "Hello", "second"]
    await bench.close()


async def test_a_history_from_elsewhere_gets_a_conversation_of_its_own(tmp_path):
    bench = Bench(tmp_path, said("Hello"), said("Again"))
    turn, _ = await bench.told(user("hi"))
    bench.turns.remember(turn, ["assistant:Hello"])
    other, _ = await bench.told(user("hi"), answer(said("Other")), user("x"))
    assert other.session is not turn.session
    assert [m.text for m in bench.provider.requests[1].messages] == ["hi", "Other", "x"]
    await bench.close()


async def test_a_very_long_history_leaves_the_core_time_for_others(tmp_path):
    bench = Bench(tmp_path, said("done"))
    history = [entry for n in range(300) for entry in (user(f"q{n}"), answer(said(f"a{n}")))]
    others = 0

    async def do_other_things() -> None:
        nonlocal others
        while True:
            others += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(do_other_things())
    turn, _ = await bench.ask(*history, user("and now?"))
    other.cancel()
    assert others >= 5
    await until(lambda: turn.has_ended)
    assert len(bench.provider.requests[0].messages) == 601
    await bench.close()


async def test_code_waits_for_the_client_and_go_runs_it(tmp_path):
    bench = Bench(tmp_path, coded("6 * 7"), said("42"))
    turn, reader = await bench.told(user("go on"))
    assert (reader.status, bench.ran) == ("awaiting_approval", [])
    assert reader.chunks[-2].type == "confirmation"
    bench.turns.remember(turn, ["assistant:6 * 7"])
    _, more = await bench.told(user("go on"), answer(coded("6 * 7")), GO)
    assert bench.ran == ["6 * 7"]
    assert more.output == "ran 6 * 7\n"
    assert more.status == "complete"
    await bench.close()


async def test_go_runs_the_code_as_the_request_holds_it(tmp_path):
    bench = Bench(tmp_path, coded("6 * 7"), said("done"))
    turn, _ = await bench.told(user("go on"))
    bench.turns.remember(turn, ["assistant:6 * 7"])
    second, _ = await bench.told(user("go on"), answer(coded("7 * 8")), GO)
    assert bench.ran == ["7 * 8"]
    assert second.session is turn.session
    await bench.close()


async def test_of_two_proposals_each_gets_its_own_decision(tmp_path):
    both = [*coded("one", call_id="a"), *coded("two", call_id="b")]
    bench = Bench(tmp_path, both, said("done"))
    turn, _ = await bench.told(user("x"))
    keys = ["assistant:one", "assistant:two"]
    bench.turns.remember(turn, keys)
    codes = (answer(coded("one", call_id="a")), answer(coded("TWO", call_id="b")))
    second, reader = await bench.told(user("x"), *codes, GO)
    assert reader.status == "awaiting_approval"
    bench.turns.remember(second, ["output:ran one\n"])
    await bench.told(user("x"), *codes, output("ran one\n"), GO)
    assert bench.ran == ["one", "TWO"]
    await bench.close()


async def test_a_decision_about_other_code_than_waits_changes_nothing(tmp_path):
    first, second = coded("one", call_id="a"), coded("two", call_id="b")
    calls = [*first, *second, *called("lookup", "{}", "c")]
    bench = Bench(tmp_path, calls, said("done"))
    offered = {"is_call_clients": True, "options": TurnOptions(tools=(ToolOffer("lookup"),))}
    turn, _ = await bench.told(user("x"), **offered)
    bench.turns.remember(turn, ["calls"])
    history = (user("x"), Entry(chunks=(*calls,), key="calls"), result("c", "found"))
    known = turn.session.conversation.messages
    with pytest.raises(RequestError) as caught:
        await bench.ask(*history, Entry(decision=Approve(), call_id="b"), **offered)
    assert (caught.value.code, bench.ran) == ("invalid_state", [])
    assert turn.session.conversation.messages == known
    both = [Entry(decision=Approve(), call_id=call) for call in ("a", "b")]
    await bench.told(*history, *both, **offered)
    assert bench.ran == ["one", "two"]
    await bench.close()


async def test_stop_declines_and_the_model_goes_on(tmp_path):
    bench = Bench(tmp_path, coded("rm"), said("As you wish"))
    turn, _ = await bench.told(user("x"))
    bench.turns.remember(turn, ["assistant:rm"])
    _, reader = await bench.told(user("x"), answer(coded("rm")), STOP)
    assert bench.ran == []
    assert reader.status == "complete"
    assert "chose not to run" in bench.provider.requests[1].messages[-1].text
    await bench.close()


async def test_a_second_decision_finds_nothing(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("done"))
    turn, _ = await bench.told(user("x"))
    bench.turns.remember(turn, ["assistant:1"])
    pending = turn.session.pending
    assert pending is not None
    assert turn.session.approve(pending.id)  # the click in the window comes first
    await until(lambda: turn.session.state == "idle")
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), answer(coded("1")), GO)
    assert caught.value.code == "invalid_state"
    assert bench.ran == ["1"]
    await bench.close()


async def test_go_after_a_forgotten_history_runs_what_the_request_holds(tmp_path):
    bench = Bench(tmp_path, said("done"))
    _, reader = await bench.told(user("x"), answer(coded("3 * 3")), GO)
    assert bench.ran == ["3 * 3"]
    assert [c.type for c in reader.chunks][:2] == ["confirmation", "run"]
    assert bench.provider.requests[0].messages[0].text == "x"
    await bench.close()


async def test_go_without_code_has_nothing_to_approve(tmp_path):
    bench = Bench(tmp_path)
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), GO)
    assert caught.value.code == "nothing_to_approve"
    await bench.close()


async def test_a_refused_request_leaves_no_conversation_behind(tmp_path):
    bench = Bench(tmp_path, said("Hello"))
    turn, _ = await bench.told(user("hi"))
    for _ in range(3):
        with pytest.raises(RequestError):
            await bench.ask(user("x"), GO)
    await until(lambda: bench.sessions.open_sessions == (turn.session,))
    await bench.close()


async def test_where_only_the_window_approves_the_stream_stays_open(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("done"), may_approve=False)
    turn, reader = await bench.ask(user("x"))
    await until(lambda: turn.session.pending)
    assert not reader.is_closed
    pending = turn.session.pending
    assert pending is not None
    turn.session.approve(pending.id)
    await until(lambda: reader.is_closed)
    assert reader.status == "complete"
    await bench.close()


async def test_where_only_the_window_approves_a_decision_is_refused_and_names_the_switch(tmp_path):
    bench = Bench(tmp_path, coded("1"), may_approve=False)
    turn, reader = await bench.ask(user("x"))
    await until(lambda: turn.session.pending)
    bench.turns.remember(turn, ["assistant:1"])
    for entries in ((user("x"), answer(coded("1")), GO), (user("y"), answer(coded("2")), GO)):
        with pytest.raises(RequestError) as caught:
            await bench.ask(*entries)
        assert caught.value.code == "approval_forbidden"
        assert "the approval switch" in str(caught.value)
    assert (bench.ran, reader.is_closed) == ([], False)
    await bench.close()


async def test_code_that_we_run_approves_nothing(tmp_path):
    bench = Bench(tmp_path, may_auto_run=True)
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), answer(coded("1")), GO, is_from_own_code=True)
    assert caught.value.code == "approval_forbidden"
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), options=TurnOptions(auto_run=True), is_from_own_code=True)
    assert caught.value.code == "auto_run_forbidden"
    assert bench.ran == []
    await bench.close()


async def test_yes_runs_what_this_server_proposed(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("done"))
    turn, _ = await bench.told(user("x"), wire_format="chat")
    bench.turns.remember(turn, ["assistant: fence"])
    asked = Entry(chunks=(*said("a fence"),), key="assistant: fence")
    await bench.told(user("x"), asked, user("yes", is_yes=True), wire_format="chat")
    assert bench.ran == ["1"]
    await bench.close()


async def test_yes_after_a_changed_history_still_runs_what_this_server_proposed(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("done"))
    turn, _ = await bench.told(user("x"), wire_format="chat")
    bench.turns.remember(turn, ["assistant: fence"])
    asked = Entry(chunks=(*said("a fence"),), key="assistant: other words")
    proposed = ("python", "1")
    entries = (user("rewritten"), asked, user("yes", is_yes=True))
    await bench.told(*entries, wire_format="chat", proposed=proposed)
    assert bench.ran == ["1"]
    await bench.close()


async def test_yes_to_a_forged_history_is_an_ordinary_message(tmp_path):
    bench = Bench(tmp_path, said("Yes what?"))
    asked = Entry(chunks=(*said("a fence"),), key="assistant: fence")
    entries = (user("x"), asked, user("yes", is_yes=True))
    await bench.told(*entries, wire_format="chat", proposed=("python", "evil"))
    assert bench.ran == []
    assert bench.provider.requests[0].messages[-1].text == "yes"
    await bench.close()


async def test_going_on_with_something_else_withdraws_the_proposal(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("fine"))
    turn, _ = await bench.told(user("x"))
    bench.turns.remember(turn, ["assistant:1"])
    second, reader = await bench.told(user("x"), answer(coded("1")), user("rather not"))
    assert second.session is turn.session
    assert (bench.ran, reader.status) == ([], "complete")
    await bench.close()


async def test_auto_run_needs_the_switch(tmp_path):
    bench = Bench(tmp_path)
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), options=TurnOptions(auto_run=True))
    assert caught.value.code == "auto_run_forbidden"
    assert "the auto-run switch" in str(caught.value)
    await bench.close()


async def test_auto_run_of_the_window_does_not_hold_for_programs(tmp_path):
    bench = Bench(tmp_path, coded("x"), may_approve=False)
    session = bench.sessions.new()
    session.set_auto_run(True)
    await bench.ask(user("x"), session_id=session.conversation.id)
    await until(lambda: session.pending is not None)
    assert bench.ran == []
    await bench.close()


async def test_with_the_switch_code_runs_unasked(tmp_path):
    bench = Bench(tmp_path, coded("1"), said("done"), may_auto_run=True)
    _, reader = await bench.told(user("x"), options=TurnOptions(auto_run=True))
    assert (bench.ran, reader.status) == (["1"], "complete")
    await bench.close()


LOOKUP = TurnOptions(tools=(ToolOffer("lookup"),), offers_execute=False)


async def test_a_call_of_a_clients_tool_ends_the_turn_and_its_result_goes_on(tmp_path):
    bench = Bench(tmp_path, called("lookup", "{}", "c1"), said("19 degrees"))
    turn, reader = await bench.told(user("x"), options=LOOKUP)
    assert reader.status == "complete"
    bench.turns.remember(turn, ["call"])
    call = Entry(chunks=tuple(called("lookup", "{}", "c1")), key="call")
    _, more = await bench.told(user("x"), call, result("c1", "19"), options=LOOKUP)
    assert more.status == "complete"
    request = bench.provider.requests[1]
    assert (request.messages[-1].text, request.offers_execute) == ("19", False)
    await bench.close()


async def test_own_code_runs_beside_a_clients_call_and_waits_for_its_result(tmp_path):
    options = TurnOptions(tools=(ToolOffer("lookup"),), auto_run=True)
    both = [*coded("1", call_id="a"), *called("lookup", "{}", "b")]
    bench = Bench(tmp_path, both, said("done"), may_auto_run=True)
    _, reader = await bench.told(user("x"), options=options)
    assert (bench.ran, reader.status) == (["1"], "complete")
    assert len(bench.provider.requests) == 1
    await bench.close()


EXECUTE = TurnOptions(tools=(ToolOffer("execute"),), auto_run=False)


async def test_decisions_in_tool_messages_count_for_their_calls(tmp_path):
    both = [*coded("one", call_id="a"), *coded("two", call_id="b")]
    bench = Bench(tmp_path, both, said("done"))
    turn, reader = await bench.told(user("x"), options=EXECUTE, is_call_clients=True)
    assert reader.status == "awaiting_approval"
    bench.turns.remember(turn, ["calls"])
    calls = Entry(chunks=tuple(both), key="calls")
    first = Entry(key="tool:a", decision=Approve("ONE"), call_id="a")
    second = Entry(key="tool:b", decision=Answered("it was 5"), call_id="b")
    _, more = await bench.told(user("x"), calls, first, second, options=EXECUTE)
    assert bench.ran == ["ONE"]
    assert more.status == "complete"
    assert [m.text for m in bench.provider.requests[1].messages if m.type == "tool_result"] == [
        "it was 5"
    ]
    await bench.close()


async def test_a_client_with_its_own_execute_decides_even_if_it_allows_auto_run(tmp_path):
    bench = Bench(tmp_path, coded("one", call_id="a"), may_auto_run=True)
    options = replace(EXECUTE, auto_run=True)
    _, reader = await bench.told(user("x"), options=options, is_call_clients=True)
    assert (bench.ran, reader.status) == ([], "awaiting_approval")
    await bench.close()


async def test_old_decisions_in_a_foreign_history_run_nothing(tmp_path):
    bench = Bench(tmp_path, said("done"))
    call = Entry(chunks=tuple(coded("rm", call_id="a")), key="call")
    decided = Entry(key="tool:a", decision=Approve(), call_id="a")
    await bench.told(user("x"), call, decided, answer(said("It ran")), user("and now?"))
    assert bench.ran == []
    assert len(bench.provider.requests[0].messages) == 5
    await bench.close()


async def test_a_client_that_goes_ends_its_turn_and_code(tmp_path):
    bench = Bench(tmp_path, coded("wait"), may_auto_run=True)
    turn, reader = await bench.ask(user("x"), options=TurnOptions(auto_run=True, stop_grace_s=1.0))
    await until(lambda: bench.ran)
    assert bench.executor.requests[0].stop_grace_s == 1.0
    bench.turns.cancel(turn)
    await until(lambda: turn.session.state == "idle")
    heard = len(reader.chunks)
    assert reader.is_closed
    await asyncio.sleep(0)
    assert len(reader.chunks) == heard
    await bench.close()


async def test_a_client_that_cannot_keep_up_ends_its_turn(tmp_path):
    bench = Bench(tmp_path, [*said("a"), *said("b")])
    bench.provider.gate = asyncio.Semaphore(0)
    turn, reader = await bench.ask(user("x"))
    reader.takes_more = False
    bench.provider.gate.release()
    await until(lambda: turn.session.state == "idle")
    assert turn.has_ended
    assert len(reader.chunks) == 1
    await bench.close()


async def test_a_failure_is_the_last_chunk(tmp_path):
    bench = Bench(
        tmp_path, [ProviderError("Too many", code="rate_limit_exceeded", retry_after_s=7)]
    )
    turn, reader = await bench.told(user("x"))
    failure = reader.chunks[-1].content
    assert isinstance(failure, Failure)
    assert (failure.code, failure.retry_after_s) == ("rate_limit_exceeded", 7)
    assert turn.failure == failure
    await bench.close()


async def test_a_session_by_name_takes_only_what_is_new_and_is_busy_while_it_works(tmp_path):
    bench = Bench(tmp_path, said("one"), said("two"), said("three"))
    session = bench.sessions.new()
    session.send("from the window")
    await until(lambda: session.state == "idle")
    await bench.told(user("from a program"), session_id=session.conversation.id)
    texts = [message.text for message in bench.provider.requests[1].messages]
    assert texts == ["from the window", "one", "from a program"]
    bench.provider.gate = asyncio.Semaphore(0)
    session.send("again")
    with pytest.raises(SessionError) as caught:
        await bench.ask(user("now"), session_id=session.conversation.id)
    assert caught.value.code == "session_busy"
    await bench.close()


async def test_an_unknown_session_is_not_found(tmp_path):
    bench = Bench(tmp_path)
    with pytest.raises(RequestError) as caught:
        await bench.ask(user("x"), session_id="nowhere")
    assert caught.value.code == "not_found"
    await bench.close()


async def test_a_programs_conversation_is_listed_while_it_works_with_its_name(tmp_path):
    bench = Bench(tmp_path, said("hi"))
    bench.provider.gate = asyncio.Semaphore(0)
    _, reader = await bench.ask(user("what is this?"), client="openai-python")
    assert [(row.client, row.title) for row in bench.sessions.summaries] == [
        ("openai-python", "what is this?")
    ]
    for _ in range(3):
        bench.provider.gate.release()
    await until(lambda: reader.is_closed)
    await until(lambda: not bench.sessions.summaries)
    await bench.close()


async def test_a_kept_conversation_stays_in_the_list(tmp_path):
    bench = Bench(tmp_path, said("hi"))
    turn, _ = await bench.told(user("x"), client="curl")
    await until(lambda: turn.session.is_idle)
    bench.sessions.keep(turn.session.conversation.id)
    assert [(row.client, row.title) for row in bench.sessions.summaries] == [("", "x")]
    await bench.close()


@pytest.mark.parametrize(("limit", "value"), [("KERNEL_REST_S", 0.0), ("MAX_WAITING_KERNELS", 10)])
async def test_kernels_of_resting_conversations_are_few(tmp_path, monkeypatch, limit, value):
    monkeypatch.setattr(session_lifetimes, limit, value)
    bench = Bench(tmp_path, *_answers_with_code(12), may_auto_run=True)
    for n in range(12):
        await bench.told(user(f"q{n}"), options=TurnOptions(auto_run=True))
    await until(lambda: bench.executor.restarts >= 1)
    await bench.close()


async def test_many_conversations_at_once_all_keep_their_kernels(tmp_path):
    bench = Bench(tmp_path, *_answers_with_code(20), may_auto_run=True)
    for n in range(20):
        await bench.told(user(f"q{n}"), options=TurnOptions(auto_run=True))
    await asyncio.sleep(0)
    assert bench.executor.restarts == 0
    await bench.close()


def _answers_with_code(count: int) -> list[list[Chunk]]:
    return [answer for n in range(count) for answer in (coded(str(n)), said("x"))]


async def test_health_tells_of_a_missing_key_and_of_the_last_failure(tmp_path):
    bench = Bench(tmp_path, [ProviderError("away")], said("back"))
    assert (await bench.turns.health()).status == "ready"
    await bench.told(user("x"))
    assert (await bench.turns.health()).status == "unreachable"
    await bench.told(user("y"))
    assert (await bench.turns.health()).status == "ready"
    await bench.close()


async def test_health_says_when_there_is_no_key():
    ports = ports_with(ScriptedProvider(), RecordingExecutor())
    settings = SettingsInMemory(AppSettings(model="mistral/large"))
    health = await ModelState(settings, ports.keys, ports.catalog).health("")
    assert (health.model, health.status) == ("mistral/large", "no_key")


async def test_models_are_those_that_are_known(tmp_path):
    bench = Bench(tmp_path)
    assert await bench.turns.models() == ["openai/test", "playhead/direct"]
    detail = bench.turns.detail()
    assert json.dumps(detail)
    assert detail["sessions"] == {"active": 0, "total": 0}
    await bench.close()
