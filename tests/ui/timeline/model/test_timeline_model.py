import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import (
    Citation,
    CodeError,
    Failure,
    InputRequest,
    LineTiming,
    RunEnd,
    RunReport,
    Source,
)
from playhead.ui.timeline.model.rows import Note
from playhead.ui.timeline.model.timeline_model import TimelineModel


@pytest.fixture
def model(talk):
    model = TimelineModel()
    talk.subscribe(model.apply)
    return model


def kinds(model: TimelineModel) -> list[str]:
    return [row.kind for row in model.rows]


def test_a_message_grows_row_by_row_while_it_streams(talk, model):
    talk.ask("Hello?")
    talk.begin("assistant", "message")
    talk.apply(Chunk(role="assistant", type="message", content="Good "))
    talk.apply(Chunk(role="assistant", type="message", content="day"))
    assert kinds(model) == ["question", "answer"]
    assert (model.rows[1].text, model.rows[1].is_streaming) == ("Good day", True)
    talk.apply(Chunk(role="assistant", type="message", end=True))
    assert not model.rows[1].is_streaming
    assert model.rows[1].is_last


def test_only_the_end_of_a_turn_is_its_last_answer(talk, model):
    talk.answer("one")
    talk.code("1 + 1")
    talk.answer("two")
    talk.ask("And?")
    talk.answer("three")
    assert [row.text for row in model.rows if row.is_last] == ["two", "three"]


def test_the_state_of_code_follows_its_proposal_and_its_run(talk, model):
    message_id = talk.code("1 + 1")
    [row] = model.rows
    assert row.state == ""
    talk.propose(message_id, "1 + 1")
    assert row.state == "waiting"
    talk.report(RunReport(state="started"))
    assert row.state == "running"
    talk.output("2\n")
    talk.report(RunReport(state="finished", seconds=1.94, exit_status=0))
    assert (row.state, row.detail) == ("ran", "1.9 s")
    assert model.rows[1].detail == "exit 0 · 1.9 s"
    assert kinds(model) == ["code", "console"]


def test_code_that_raised_has_failed_and_the_next_run_starts_anew(talk, model):
    for error, state in ((CodeError(name="ValueError", message="no"), "failed"), (None, "ran")):
        message_id = talk.code("int(x)")
        talk.propose(message_id, "int(x)")
        talk.report(RunReport(state="started"))
        if error:
            talk.apply(Chunk(role="computer", type="error", content=error))
        talk.report(RunReport(state="finished", seconds=0.009))
        code = [row for row in model.rows if row.kind == "code"][-1]
        assert (code.state, code.detail) == (state, "9 ms")


def test_a_time_that_is_not_known_is_not_shown(talk, model):
    for status, detail in ((None, ""), (3, "exit 3")):
        message_id = talk.code("1 + 1")
        talk.propose(message_id, "1 + 1")
        talk.report(RunReport(state="started"))
        talk.output("2\n")
        talk.report(RunReport(state="finished", exit_status=status))
        assert [row.detail for row in model.rows[-2:]] == ["", detail]


def test_code_that_was_edited_shows_what_ran(talk, model):
    message_id = talk.code("1 + 1")
    talk.propose(message_id, "1 + 1")
    talk.propose(message_id, "2 + 2")
    assert (model.rows[0].text, model.rows[0].is_edited) == ("2 + 2", True)


def test_of_parallel_calls_each_gets_its_own_state(talk, model):
    first, second = talk.code("1"), talk.code("2")
    talk.propose(first, "1")
    talk.report(RunReport(state="started"))
    talk.report(RunReport(state="finished", seconds=0.1))
    talk.propose(second, "2")
    assert [row.state for row in model.rows] == ["ran", "waiting"]


def test_a_declined_proposal_is_skipped_without_a_row_of_its_own(talk, model):
    message_id = talk.code("1")
    talk.propose(message_id, "1")
    talk.say("computer", "tool_result", "The user chose not to run this code.", "execute", "c1")
    assert kinds(model) == ["code"]
    assert model.rows[0].state == "skipped"


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (
            RunReport(state="interrupted", seconds=12.34, line=37),
            "Stopped at line 37 after 12.3 s.",
        ),
        (
            RunReport(state="killed", seconds=3.0, line=2, end=RunEnd(kind="stopped", grace_s=2.0)),
            (
                "The kernel ended at line 2 after 3.0 s: the code did not stop within 2 s. "
                "Its variables were lost."
            ),
        ),
        (
            RunReport(state="killed", end=RunEnd(kind="restarted")),
            "The kernel was restarted.",
        ),
    ],
)
def test_a_run_that_was_stopped_says_so_in_a_line(talk, model, report, text):
    talk.code("while True: pass")
    talk.report(RunReport(state="started"))
    talk.report(report)
    assert kinds(model) == ["code", "run"]
    assert model.rows[1].text == text
    assert model.rows[0].state == "stopped"


@pytest.mark.parametrize(
    "end", [RunEnd(kind="exited", exit_status=3), RunEnd(kind="signalled", signal=11)]
)
def test_a_kernel_that_ends_by_itself_was_not_stopped(talk, model, end):
    talk.code("import os\nos._exit(3)")
    talk.report(RunReport(state="started"))
    talk.report(RunReport(state="killed", seconds=0.02, line=2, end=end))
    assert kinds(model) == ["code", "run"]
    assert (model.rows[0].state, model.rows[0].detail) == ("failed", "20 ms")
    assert model.rows[1].text.startswith("The kernel ended at line 2")


def test_a_restart_leaves_code_that_has_run_as_it_is(talk, model):
    talk.code("1")
    talk.report(RunReport(state="started"))
    talk.report(RunReport(state="finished", seconds=0.1))
    talk.report(RunReport(state="killed", end=RunEnd(kind="restarted")))
    assert model.rows[0].state == "ran"


def test_what_is_not_for_the_reader_has_no_row(talk, model):
    talk.apply(Chunk(role="computer", type="timing", content=LineTiming(line=1, seconds=0.2)))
    talk.apply(Chunk(role="server", type="status", content="complete"))
    talk.apply(Chunk(role="user", type="message", content="secret", recipient="assistant"))
    model.reset([*talk.messages, Message(id="x", parent_id=None, role="server", type="novelty")])  # type: ignore[arg-type]
    assert model.rows == []


def test_problems_failures_inputs_and_tools_have_rows(talk, model):
    talk.apply(
        Chunk(role="computer", type="error", content=CodeError(name="ValueError", message="no"))
    )
    talk.apply(Chunk(role="server", type="error", content=Failure(code="x", title="No answer.")))
    talk.apply(Chunk(role="computer", type="input", content=InputRequest("i", "Name?")))
    talk.say("assistant", "tool_call", "{}", "search", "c")
    talk.say("computer", "tool_result", "found", "search", "c")
    assert kinds(model) == ["problem", "failure", "input", "tool_call", "tool_result"]


@pytest.mark.parametrize(("unanswered", "state"), [("", "answered"), ("i", "stopped")])
def test_a_question_of_code_is_open_until_it_is_answered_or_the_run_ends(
    talk, model, unanswered, state
):
    talk.apply(Chunk(role="computer", type="input", content=InputRequest("i", "Name?")))
    talk.say("computer", "console", "a thread goes on\n", "output")
    assert model.rows[0].state == "", "output is no answer"
    end = RunReport(state="interrupted", unanswered=unanswered)
    talk.apply(Chunk(role="computer", type="run", content=end))
    assert model.rows[0].state == state


def test_sources_of_one_answer_share_a_row(talk, model):
    talk.answer("So it is.")
    for source in ("a.csv", "b.csv"):
        talk.apply(Chunk(role="assistant", type="citation", content=source))
    assert kinds(model) == ["answer", "citation"]
    assert model.rows[1].items == ["a.csv", "b.csv"]
    assert [row.is_last for row in model.rows] == [False, True]


def test_a_reset_gives_the_same_rows_as_the_stream_did(talk, model):
    message_id = talk.code("1")
    talk.propose(message_id, "1")
    talk.report(RunReport(state="started"))
    talk.output("1\n")
    talk.report(RunReport(state="finished", seconds=0.5, exit_status=0))
    talk.answer("One.")
    fresh = TimelineModel()
    fresh.reset(talk.messages)

    def shown(model):
        return [(row.kind, row.text, row.state, row.detail, row.is_last) for row in model.rows]

    assert shown(fresh) == shown(model)


def test_a_fold_outlives_a_reset(talk, model):
    talk.say("assistant", "reasoning", "Hm.")
    model.rows[0].is_open = True
    model.reset(talk.messages)
    assert model.rows[0].is_open


def test_notes_come_at_the_end_and_go_without_a_trace(talk, model):
    message_id = talk.code("1")
    model.add_note(Note(kind="info", title="The kernel's names are gone."))
    talk.answer("x")
    assert kinds(model) == ["code", "note", "answer"]
    model.clear_notes()
    assert kinds(model) == ["code", "answer"]
    model.set_code_state(message_id, "ran", "1.0 s")
    assert model.rows[0].state == "ran"
    talk.report(RunReport(state="started"))
    assert model.rows[0].state == "running"


def test_code_that_was_never_decided_is_skipped_when_the_turn_is_over(talk, model):
    message_id = talk.code("1")
    talk.propose(message_id, "1")
    talk.apply(Chunk(role="server", type="status", content="cancelled"))
    assert model.rows[0].state == "skipped"


def test_a_run_without_an_end_is_stopped_when_the_next_question_comes(talk, model):
    talk.code("1")
    talk.report(RunReport(state="started"))
    talk.ask("And now?")
    assert model.rows[0].state == "stopped"


def test_the_code_of_one_answer_is_one_card_whose_tab_follows_the_runs(talk, model):
    first, second = talk.code("a"), talk.code("b")
    talk.propose(first, "a")
    rows = list(model.rows)
    assert [row.is_hidden for row in rows] == [False, True]
    model.take_changes()
    model.choose(second)
    assert [row.is_hidden for row in rows] == [True, False]
    assert model.take_changes().changed == {first, second}
    talk.propose(first, "a")
    talk.report(RunReport(state="started"))
    talk.output("x")
    talk.report(RunReport(state="finished", seconds=0.1))
    assert model.rows[2].detail.startswith("block 1 · ")
    talk.propose(second, "b")
    assert [row.is_hidden for row in rows] == [True, False]
    again = TimelineModel()
    again.reset(talk.messages)  # as when the conversation is opened again
    assert [row.is_hidden for row in again.rows] == [True, False, False]


def test_code_of_another_answer_is_a_card_of_its_own(talk, model):
    first = talk.code("a")
    talk.propose(first, "a")
    talk.report(RunReport(state="started"))
    talk.report(RunReport(state="finished"))
    talk.propose(talk.code("b"), "b")
    assert [row.group for row in model.rows] == [[], []]


def test_a_source_that_comes_after_a_note_is_still_one_of_the_answer(talk, model):
    key = talk.answer("Paris is large.")
    model.add_note(Note(kind="info", title="Of the window's own"))
    for start, title in ((0, "A"), (6, "B")):
        citation = Citation(start=start, end=start + 5, text="", sources=(Source(title=title),))
        talk.apply(Chunk(role="assistant", type="citation", content=citation))
    assert kinds(model) == ["answer", "note", "citation"]
    [answer] = model.rows_of([key])
    assert answer.text == "Paris \\[1\\] is la \\[2\\]rge."
