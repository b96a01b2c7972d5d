"""What a reopened conversation says of work that the program's end cut off."""

from __future__ import annotations

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Proposal, RunEnd, RunReport
from playhead.session.code_runs import close_unfinished


def proposed(call_id: str | None = None) -> Conversation:
    conversation = Conversation()
    conversation.apply(Chunk(role="user", type="message", content="go"))
    conversation.apply(
        Chunk(role="assistant", type="code", format="python", start=True, id=call_id)
    )
    conversation.apply(Chunk(role="assistant", type="code", format="python", content="x = 1"))
    message_id = conversation.apply(Chunk(role="assistant", type="code", format="python", end=True))
    proposal = Proposal(id="p", message_id=message_id, language="python", code="x = 1")
    conversation.apply(
        Chunk(role="computer", type="confirmation", format="execution", content=proposal)
    )
    return conversation


def report(conversation: Conversation, state: str) -> None:
    conversation.apply(Chunk(role="computer", type="run", content=RunReport(state=state)))  # type: ignore[arg-type]


def test_a_run_without_an_end_is_said_to_have_been_ended() -> None:
    conversation = proposed()
    report(conversation, "started")
    close_unfinished(conversation)
    last = conversation.messages[-1].content
    assert isinstance(last, RunReport)
    assert last.state == "killed"
    assert last.end == RunEnd(kind="app_ended")


def test_code_without_a_decision_was_not_run_and_its_call_has_a_result() -> None:
    conversation = proposed("call-1")
    close_unfinished(conversation)
    last = conversation.messages[-1]
    assert (last.type, last.call_id) == ("tool_result", "call-1")
    assert "not run" in last.text


def test_what_came_to_its_end_stays_as_it_is() -> None:
    conversation = proposed()
    report(conversation, "started")
    report(conversation, "finished")
    before = conversation.messages
    close_unfinished(conversation)
    assert conversation.messages == before


def test_it_is_said_once() -> None:
    conversation = proposed()
    close_unfinished(conversation)
    before = conversation.messages
    close_unfinished(conversation)
    assert conversation.messages == before
