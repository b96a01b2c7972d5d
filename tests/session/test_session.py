"""What a user can do with a conversation, over scripted ports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import ConversationEvent
from playhead.domain.conversation.message import Attachment
from playhead.domain.conversation.payloads import Failure, Proposal, RunEnd, RunReport
from playhead.domain.execution import (
    Approve,
    Deny,
    EnvironmentStatus,
    Interpreter,
    Place,
    RunRequest,
)
from playhead.errors import ExecutionError, ProviderError, SessionError
from playhead.providers.transcript import chat_messages
from playhead.session.session import Session
from playhead.session.stops import open_question
from playhead.session.turn_settings import TurnOptions
from tests.support.ports import (
    OneInterpreter,
    RecordingExecutor,
    ScriptedProvider,
    called,
    coded,
    ports_with,
    said,
)
from tests.support.waiting import until


class Bench:
    """A session with its ports and what its conversation told."""

    def __init__(self, *answers: list) -> None:
        self.provider = ScriptedProvider(*answers)
        self.executor = RecordingExecutor()
        self.session = Session(
            Conversation(), ports_with(self.provider, self.executor), str(Path.home())
        )
        self.statuses: list[str] = []
        self.session.conversation.subscribe(self._note)

    def _note(self, event: ConversationEvent) -> None:
        if event.kind == "transient" and event.chunk and event.chunk.type == "status":
            self.statuses.append(str(event.chunk.content))

    async def rests(self) -> None:
        await until(lambda: self.session.state == "idle")

    async def proposes(self) -> Proposal:
        await until(lambda: self.session.pending)
        pending = self.session.pending
        assert pending is not None
        return pending

    @property
    def kinds(self) -> list[str]:
        return [f"{m.role}/{m.type}" for m in self.session.conversation.messages]

    @property
    def ran(self) -> list[str]:
        return [request.code for request in self.executor.requests]


async def test_an_approved_proposal_runs_and_the_model_sees_its_output():
    bench = Bench(coded("34 / 24", call_id="c1"), said("About 1.42."))
    bench.session.send("What's 34/24?")
    proposal = await bench.proposes()
    assert (bench.ran, bench.session.state) == ([], "awaiting_approval")
    assert {one for one, _ in bench.executor.expected} == {bench.session.conversation.id}
    assert bench.session.approve(proposal.id)
    await bench.rests()
    assert bench.ran == ["34 / 24"]
    assert bench.kinds == [
        "user/message",
        "assistant/code",
        "computer/confirmation",
        "computer/run",
        "computer/console",
        "computer/run",
        "assistant/message",
    ]
    assert bench.provider.requests[1].messages[-2].text == "ran 34 / 24\n"
    assert bench.statuses == ["complete"]


async def test_a_decision_counts_once_and_only_for_its_own_proposal():
    bench = Bench(coded("1"), coded("2"))
    bench.session.send("go")
    first = await bench.proposes()
    assert not bench.session.approve("another")
    assert bench.session.approve(first.id)
    assert not bench.session.approve(first.id)
    assert not bench.session.reject(first.id)
    await until(lambda: bench.session.pending and bench.session.pending.id != first.id)
    assert not bench.session.approve(first.id)
    assert bench.ran == ["1"]
    bench.session.stop()
    await bench.rests()
    assert bench.ran == ["1"]


async def test_skipped_code_does_not_run_and_the_model_is_told_why():
    bench = Bench(coded("rm", call_id="c1"), said("Then not."))
    bench.session.send("go")
    bench.session.reject((await bench.proposes()).id, "too risky")
    await bench.rests()
    told = bench.provider.requests[1].messages[-1]
    assert (bench.ran, told.type, told.call_id) == ([], "tool_result", "c1")
    assert "too risky" in told.text


async def test_edited_code_is_what_runs_and_is_announced():
    bench = Bench(coded("old"))
    bench.session.send("go")
    bench.session.approve((await bench.proposes()).id, "new")
    await bench.rests()
    proposals = [
        m.content for m in bench.session.conversation.messages if isinstance(m.content, Proposal)
    ]
    assert bench.ran == ["new"]
    assert [proposal.code for proposal in proposals] == ["old", "new"]
    assert proposals[0].id == proposals[1].id


async def test_not_asking_again_holds_for_this_turn_only():
    bench = Bench(coded("1"), coded("2"), [], coded("3"))
    bench.session.send("go")
    bench.session.approve((await bench.proposes()).id, rest_of_turn=True)
    await bench.rests()
    assert bench.ran == ["1", "2"]
    bench.session.send("more")
    await bench.proposes()
    assert bench.ran == ["1", "2"]
    bench.session.stop()
    await bench.rests()


async def test_auto_run_announces_the_code_and_runs_it():
    bench = Bench(coded("1"))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    assert bench.ran == ["1"]
    assert "computer/confirmation" in bench.kinds


async def test_parallel_calls_are_queued_in_order_and_none_is_dropped():
    bench = Bench([*coded("1", call_id="a"), *coded("2", call_id="b")])
    bench.session.send("go")
    first = await bench.proposes()
    bench.session.approve(first.id)
    await until(lambda: bench.session.pending and bench.session.pending.id != first.id)
    second = await bench.proposes()
    bench.session.approve(second.id)
    await bench.rests()
    assert bench.ran == ["1", "2"]
    codes = [index for index, kind in enumerate(bench.kinds) if kind == "assistant/code"]
    assert codes == [1, 2]


async def test_stop_while_code_runs_interrupts_it_and_does_not_ask_the_model_again():
    bench = Bench(coded("wait"), said("never"))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await until(lambda: bench.session.state == "running")
    await until(lambda: "computer/console" in bench.kinds)
    bench.session.stop()
    assert bench.session.state == "stopping"
    await bench.rests()
    report = bench.session.conversation.messages[-1].content
    assert isinstance(report, RunReport)
    assert report.state == "interrupted"
    assert (len(bench.provider.requests), bench.statuses) == (1, ["cancelled"])


async def test_stop_while_the_model_writes_closes_its_stream_and_keeps_the_text():
    bench = Bench(said("a long story"))
    bench.provider.gate = asyncio.Semaphore(2)
    bench.session.send("tell")
    await until(lambda: bench.session.conversation.messages[-1].text == "a long story")
    bench.session.stop()
    await bench.rests()
    last = bench.session.conversation.messages[-1]
    assert (last.text, last.state, bench.provider.closed_streams) == (
        "a long story",
        "interrupted",
        1,
    )
    assert bench.statuses == ["cancelled"]


async def test_a_stop_before_the_turn_has_begun_ends_it():
    bench = Bench(said("never"))
    bench.session.send("go")
    bench.session.stop()
    await bench.rests()
    assert bench.kinds == ["user/message"]


async def test_a_failing_provider_leaves_an_error_that_retry_answers_anew():
    cut = [*said("half")[:2], ProviderError("The model's answer broke off.", remedy="Retry.")]
    bench = Bench(cut, said("whole"))
    bench.session.send("go")
    await bench.rests()
    half, failure = bench.session.conversation.messages[-2:]
    assert (half.text, half.state) == ("half", "interrupted")
    assert isinstance(failure.content, Failure)
    assert (failure.content.remedy, bench.statuses) == ("Retry.", [])
    bench.session.retry(failure.id)
    await bench.rests()
    assert [m.text for m in bench.session.conversation.messages] == ["go", "whole"]
    assert bench.session.conversation.message(half.id) is not None


async def test_code_that_was_cut_off_is_never_offered():
    cut = [*coded("rm -rf")[:2], ProviderError("cut", code="upstream_truncated")]
    bench = Bench(cut)
    bench.session.send("go")
    await bench.rests()
    assert "computer/confirmation" not in bench.kinds


async def test_broken_calls_are_given_back_three_times_then_the_person_is_asked():
    bench = Bench(*[called("execute", "{bad", f"c{number}") for number in range(5)], said("done"))
    bench.session.send("go")
    await bench.rests()
    assert len(bench.provider.requests) == 4
    assert bench.kinds.count("computer/tool_result") == 4
    assert open_question(bench.session.conversation.messages)
    bench.session.go_on()
    await bench.rests()
    assert bench.session.conversation.messages[-1].text == "done"


async def test_half_a_call_has_its_result_at_once_and_nobody_is_asked_about_it():
    half = [
        *coded("rm -rf /tmp", call_id="c1"),
        Chunk(role="computer", type="tool_result", format="execute", start=True, id="c1"),
        Chunk(role="computer", type="tool_result", format="execute", content="half"),
        Chunk(role="computer", type="tool_result", format="execute", end=True),
    ]
    bench = Bench(half, coded("1", call_id="c2"), said("done"))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    assert bench.ran == ["1"]
    assert bench.kinds.count("computer/confirmation") == 1
    assert [m.text for m in bench.provider.requests[1].messages][-1] == "half"


async def test_broken_calls_of_one_answer_count_once_and_a_good_one_among_them_none():
    broken = [chunk for number in range(4) for chunk in called("execute", "{bad", f"c{number}")]
    mixed = [*coded("1", call_id="c8"), *called("execute", "{bad", "c9")]
    bench = Bench(broken, broken, mixed, broken, said("done"))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    assert len(bench.provider.requests) == 5
    assert bench.statuses == ["complete"]


async def test_a_turn_ends_visibly_at_its_step_limit():
    bench = Bench(*[coded(str(number)) for number in range(30)])
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    failure = bench.session.conversation.messages[-1].content
    assert len(bench.ran) == 20
    assert isinstance(failure, Failure)
    assert failure.code == "step_limit"


async def test_a_second_message_while_busy_is_refused_and_loses_nothing():
    bench = Bench(coded("1"))
    bench.session.send("go")
    await bench.proposes()
    with pytest.raises(SessionError):
        bench.session.send("more")
    assert bench.kinds.count("user/message") == 1
    bench.session.stop()
    await bench.rests()


async def test_attachments_come_before_the_text_and_survive_an_edit_of_it():
    bench = Bench(said("one"), said("two"))
    image = Attachment(kind="image", path="/pictures/a.png", name="a.png")
    bench.session.send(
        "what is this", [image, Attachment(kind="file", path="/data/b.csv", name="b.csv")]
    )
    await bench.rests()
    assert bench.kinds[:3] == ["user/image", "user/file", "user/message"]
    asked = bench.session.conversation.messages[2]
    bench.session.edit_and_send(asked.id, "and now")
    await bench.rests()
    assert [m.text for m in bench.session.conversation.messages] == [
        "/pictures/a.png",
        "/data/b.csv",
        "and now",
        "two",
    ]


async def test_code_that_the_user_runs_is_a_message_of_theirs():
    bench = Bench()
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    roles = [m.role for m in bench.session.conversation.messages if m.type == "code"]
    assert roles == ["user"]


async def test_the_users_own_click_runs_code_without_asking_a_model():
    bench = Bench()
    bench.session.run_code("py", "1 + 1")
    await bench.rests()
    assert (bench.ran, bench.provider.requests) == (["1 + 1"], [])
    assert bench.session.conversation.title == "1 + 1"
    with pytest.raises(SessionError, match="cannot be run"):
        bench.session.run_code("cobol", "DISPLAY 1")
    assert bench.session.can_run("py")
    assert bench.session.why_not("cobol") == "COBOL is not installed here. Ask the bank."


async def test_what_is_only_shown_needs_no_click():
    bench = Bench(coded("<b>1</b>", "html", "c1"), said("A page."))
    bench.session.send("Show a page.")
    await bench.rests()
    assert bench.ran == ["<b>1</b>"]
    assert bench.session.pending is None


async def test_a_model_that_wants_a_language_that_is_missing_is_told_what_it_needs():
    arguments = '{"language": "cobol", "code": "DISPLAY 1"}'
    bench = Bench(called("execute", arguments), said("Sorry."))
    bench.session.send("go")
    await bench.rests()
    result = next(m for m in bench.session.conversation.messages if m.type == "tool_result")
    assert "language one of" in result.text
    assert result.text.endswith("COBOL is not installed here. Ask the bank.")


async def test_other_languages_run_where_no_python_can_be_had(monkeypatch: pytest.MonkeyPatch):
    bench = Bench()

    async def none_found(_self: OneInterpreter) -> Interpreter:
        raise ExecutionError("No Python was found.")

    monkeypatch.setattr(OneInterpreter, "default", none_found)
    monkeypatch.setattr(OneInterpreter, "status", EnvironmentStatus("failed"))
    monkeypatch.setattr(bench.executor, "canonical", lambda word: word)
    bench.session.run_code("bash", "echo 1")
    await bench.rests()
    assert [request.interpreter for request in bench.executor.requests] == [""]
    bench.session.run_code("python", "1")
    await bench.rests()
    assert bench.kinds[-1] == "server/error"


async def test_an_install_is_proposed_not_run():
    bench = Bench()
    bench.session.propose_install("sklearn.linear_model")
    proposal = await bench.proposes()
    assert proposal.code == "%pip install scikit-learn"
    assert bench.ran == []
    bench.session.reject(proposal.id)
    await bench.rests()
    with pytest.raises(SessionError):
        bench.session.propose_install("x; rm -rf /")


async def test_a_restart_is_told_to_the_timeline_and_to_the_model():
    bench = Bench(said("ok"))
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    assert not bench.session.has_lost_variables
    bench.session.restart_kernel()
    await until(lambda: bench.session.has_lost_variables)
    assert bench.kinds[-1] == "computer/run"
    bench.session.send("go on")
    await bench.rests()
    assert "no longer exist" in bench.provider.requests[0].instructions
    bench.session.run_code("python", "x = 2")
    await bench.rests()
    assert not bench.session.has_lost_variables


async def test_code_approved_after_a_restart_belongs_to_the_new_kernel():
    bench = Bench(coded("y = 2"), said("ok"))
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    bench.session.send("go on")
    proposal = await bench.proposes()
    bench.session.restart_kernel()
    await until(lambda: bench.session.has_lost_variables)
    bench.session.approve(proposal.id)
    await bench.rests()
    assert not bench.session.has_lost_variables
    assert bench.kinds[-1] == "assistant/message"
    assert "after the first 1 code run(s)" in bench.provider.requests[1].instructions


async def test_a_stop_while_the_kernel_starts_kills_no_names():
    bench = Bench()
    bench.executor.run = _never_starting  # type: ignore[method-assign]
    bench.session.run_code("python", "x = 1")
    await until(lambda: bench.session.state == "running")
    bench.session.stop()
    await bench.rests()
    report = bench.session.conversation.messages[-1].content
    assert isinstance(report, RunReport)
    assert report.state == "interrupted"
    assert report.end == RunEnd(kind="stopped_early")


async def _never_starting(_request: RunRequest) -> AsyncGenerator[Chunk, None]:
    await asyncio.Event().wait()
    yield Chunk(role="computer", type="console")  # makes it a generator


async def test_code_that_could_not_begin_has_a_result_that_says_so():
    bench = Bench()
    bench.executor.run = _refused  # type: ignore[method-assign]
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    assert bench.kinds[-2:] == ["computer/tool_result", "server/error"]
    assert "was not run: No place." in bench.session.conversation.messages[-2].text


async def _refused(_request: RunRequest) -> AsyncGenerator[Chunk, None]:
    raise ExecutionError("No place.")
    yield Chunk(role="computer", type="console")  # makes it a generator


async def test_a_place_runs_its_own_language_and_the_others_run_here():
    place = Place(language="julia", label="Julia 1.10", folder="/kernels/julia")
    bench = Bench(said("ok"))
    assert not bench.session.can_run("julia")
    bench.session.set_interpreter(place.id)
    for language in ("Julia", "python"):
        bench.session.run_code(language, "1")
        await bench.rests()
    bench.session.send("go on")
    await bench.rests()
    asked = [(one.language, one.interpreter) for one in bench.executor.requests]
    assert asked == [("julia", place.id), ("python", OneInterpreter.python.path)]
    assert bench.provider.requests[0].languages[0] == "julia"


async def test_what_was_approved_for_another_machine_never_runs_here():
    place = Place(kind="ssh", language="julia", label="gpu-box", address="gpu-box")
    bench = Bench()
    bench.session.set_interpreter(place.id)
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    assert bench.executor.requests == []
    assert "gpu-box” runs no python" in bench.session.conversation.messages[-2].text
    bench.session.run_code("julia", "x = 1")
    await bench.rests()
    assert [one.interpreter for one in bench.executor.requests] == [place.id]


async def test_another_python_begins_a_new_kernel_and_the_model_is_told():
    bench = Bench(said("ok"))
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    bench.session.set_interpreter("/usr/bin/other-python")
    bench.session.send("go on")
    await bench.rests()
    assert bench.executor.restarts == 1
    assert "computer/run" in bench.kinds[-2:]
    assert "no longer exist" in bench.provider.requests[0].instructions
    bench.session.run_code("python", "x = 2")
    await bench.rests()
    assert bench.executor.restarts == 1


async def test_a_reopened_conversation_knows_that_its_names_are_gone():
    bench = Bench()
    bench.session.run_code("python", "x = 1")
    await bench.rests()
    again = Session(
        bench.session.conversation, ports_with(bench.provider, bench.executor), str(Path.home())
    )
    assert again.has_lost_variables
    assert again.has_run_here


async def test_closing_kills_the_run_and_says_so():
    bench = Bench()
    bench.session.run_code("python", "wait")
    await until(lambda: "computer/console" in bench.kinds)
    await bench.session.close()
    report = bench.session.conversation.messages[-1].content
    assert isinstance(report, RunReport)
    assert report.state == "killed"
    assert bench.executor.restarts == 1


async def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    real = tmp_path.resolve()  # noqa: ASYNC240
    bench = Bench()
    with pytest.raises(SessionError):
        bench.session.set_folder(str(tmp_path / "missing"))
    bench.session.set_folder(str(tmp_path))
    assert bench.session.folder == str(real)


async def test_a_conversation_is_titled_by_its_first_message():
    bench = Bench(said("ok"))
    bench.session.send(
        "## Load **sales.csv** and show the revenue by region with a trend line\nnow"
    )
    await bench.rests()
    assert bench.session.conversation.title == "Load sales.csv and show the revenue by region…"


async def test_only_the_first_answer_of_a_turn_has_to_be_a_call():
    bench = Bench(coded("1", call_id="c1"), said("done"))
    options = TurnOptions(must_call=True, auto_run=True)
    bench.session.take([Chunk(role="user", type="message", content="x")], options)
    await bench.rests()
    assert [request.must_call for request in bench.provider.requests] == [True, False]


class Deserted(OneInterpreter):
    """A machine whose chosen Python was deleted."""

    async def probe(self, path: str) -> Interpreter:
        raise ExecutionError("The chosen Python is not there any more.", detail=path)


async def test_a_chosen_python_that_is_gone_is_said_before_anything_runs():
    bench = Bench(coded("1", call_id="c1"))
    bench.session._ports = replace(bench.session._ports, interpreters=Deserted())
    bench.session.set_interpreter("/old/bin/python")
    bench.session.send("go")
    bench.session.approve((await bench.proposes()).id)
    await bench.rests()
    assert bench.ran == []
    failure = bench.session.conversation.messages[-1].content
    assert isinstance(failure, Failure)
    assert failure.title == "The chosen Python is not there any more."
    bench.session.set_interpreter("")
    bench.session.run_code("python", "2")
    await bench.rests()
    assert bench.ran == ["2"]


async def test_a_question_whose_answer_the_end_cut_off_says_so_and_can_be_asked_again():
    bench = Bench(said("never"))
    bench.provider.gate = asyncio.Semaphore(0)
    bench.session.send("go")
    await until(lambda: bench.provider.requests != [])
    await bench.session.close()
    question, failure = bench.session.conversation.messages
    assert isinstance(failure.content, Failure)
    assert failure.content.title.startswith("Interrupted")
    again = Bench(said("whole"))
    again.session.add([Chunk(role="user", type="message", content=question.text)])
    again.session.add([Chunk(role="server", type="error", content=failure.content)])
    again.session.retry(again.session.conversation.messages[-1].id)
    await again.rests()
    assert [m.text for m in again.session.conversation.messages] == ["go", "whole"]


async def test_an_answer_that_has_begun_is_marked_and_gets_no_second_mark():
    bench = Bench(said("half of it"))
    bench.provider.gate = asyncio.Semaphore(2)
    bench.session.send("go")
    await until(lambda: bench.session.conversation.messages[-1].text == "half of it")
    await bench.session.close()
    assert [m.state for m in bench.session.conversation.messages] == ["complete", "interrupted"]


GROUP = [*said("First:"), *coded("a"), *coded("b"), *coded("c"), *said("Shall I?")]


def codes(proposals: Iterable[Proposal]) -> list[str]:
    return [proposal.code for proposal in proposals]


async def test_the_code_that_an_answer_ends_with_waits_together_and_is_decided_once():
    bench = Bench(GROUP, said("done"))
    bench.session.send("go")
    first = await bench.proposes()
    later = bench.session.pending_later
    assert codes([first, *later]) == ["a", "b", "c"]
    decisions = {first.message_id: Approve(), later[0].message_id: Deny("no")}
    assert bench.session.decide({**decisions, later[1].message_id: Approve("c2")})
    await bench.rests()
    assert bench.ran == ["a", "c2"]
    assert bench.session.pending_later == ()
    contents = [m.content for m in bench.session.conversation.messages]
    proposals = [content for content in contents if isinstance(content, Proposal)]
    assert codes(proposals) == ["a", "b", "c", "c2"]
    assert [p.id for p in proposals[1:3]] == [p.id for p in later]  # just what was shown


async def test_examples_within_an_answer_are_not_proposed_and_have_no_result():
    answer = [*coded("rm"), *said("This is only shown."), *coded("b"), *said("Shall I?")]
    bench = Bench(answer, said("done"))
    bench.session.send("go")
    proposal = await bench.proposes()
    assert (proposal.code, bench.session.pending_later) == ("b", ())
    bench.session.approve(proposal.id)
    await bench.rests()
    entries = chat_messages(bench.provider.requests[1].messages, takes_tools=False)
    assert "rm" in entries[1]["content"]
    assert "not run" not in entries[-1]["content"]
    assert entries[-1]["content"].count("What came of the code") == 1


async def test_an_answer_with_nothing_but_examples_ends_its_turn():
    bench = Bench([*coded("rm"), *said("x" * 301)])
    bench.session.set_auto_run(True)
    bench.session.send("explain")
    await bench.rests()
    assert (bench.ran, bench.statuses) == ([], ["complete"])
    assert len(bench.provider.requests) == 1


@pytest.mark.parametrize("failing", ["fail", "die"])
async def test_what_follows_failed_code_without_a_call_is_not_run_and_the_model_is_told(
    failing: str,
):
    bench = Bench([*coded(failing), *coded("b"), *coded("c")], said("Oh."))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    assert bench.ran == [failing]
    results = [m.text for m in bench.provider.requests[1].messages if m.type == "tool_result"]
    assert len(results) == 2
    assert all("before it failed" in text for text in results)


async def test_calls_after_a_failed_one_are_carried_out_as_ever():
    bench = Bench([*coded("fail", call_id="1"), *coded("b", call_id="2")], said("Oh."))
    bench.session.set_auto_run(True)
    bench.session.send("go")
    await bench.rests()
    assert bench.ran == ["fail", "b"]
