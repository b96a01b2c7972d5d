"""What answers cost is kept beside the messages and summed by turn."""

from __future__ import annotations

import itertools

import pytest

from playhead.domain.conversation.assembler import Assembler
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.events import MoveTo, PutAside, PutBack, RemoveFrom
from playhead.domain.conversation.payloads import Proposal, RunReport, Usage


@pytest.fixture
def now() -> list[float]:
    return [1_000.0]


@pytest.fixture
def talk(now: list[float]) -> Conversation:
    numbers = itertools.count(1)
    return Conversation("c", assembler=Assembler(lambda: str(next(numbers)), lambda: now[0]))


def ask(talk: Conversation, text: str) -> str:
    return talk.apply(Chunk(role="user", type="message", content=text))


def answer(talk: Conversation, text: str, usage: Usage) -> str:
    key = talk.apply(Chunk(role="assistant", type="message", content=text))
    assert talk.apply(Chunk(role="server", type="usage", content=usage)) == ""
    return key


def test_the_answers_of_a_turn_are_summed_and_those_of_all_turns(talk):
    first = ask(talk, "How much?")
    answer(talk, "Let me see.", Usage(input_tokens=100, output_tokens=5, model="m", cost=0.25))
    talk.apply(Chunk(role="computer", type="run", content=RunReport(state="started")))
    answer(talk, "45", Usage(input_tokens=120, output_tokens=6, model="m", cost=0.5))
    second = ask(talk, "Sure?")
    answer(talk, "Yes.", Usage(input_tokens=10, output_tokens=1, model="n", is_estimated=True))
    usages = talk.usages
    assert [turn.question_id for turn in usages.turns] == [first, second]
    assert (usages.turns[0].total.input_tokens, usages.turns[0].total.cost) == (220, 0.75)
    assert usages.turns[1].total.cost is None
    assert (usages.total.answers, usages.total.cost, usages.total.models) == (3, 0.75, ("m", "n"))
    assert usages.total.is_cost_partial
    assert usages.total.is_estimated


def test_a_usage_is_no_message(talk):
    ask(talk, "How much?")
    key = answer(talk, "45", Usage(input_tokens=1, output_tokens=2))
    assert [message.type for message in talk.messages] == ["message", "message"]
    assert talk.leaf_id == key
    ask(talk, "Sure?")
    assert talk.messages[-1].parent_id == key
    assert talk.versions() == {}


def test_the_wait_for_a_decision_is_no_time_of_the_turn(talk, now):
    ask(talk, "How much?")
    now[0] += 1
    key = answer(talk, "Let me see.", Usage(input_tokens=1, output_tokens=2))
    talk.apply(
        Chunk(
            role="computer",
            type="confirmation",
            format="execution",
            content=Proposal(id="p", message_id=key, language="python", code="1"),
        )
    )
    now[0] += 600
    talk.apply(Chunk(role="computer", type="run", content=RunReport(state="started")))
    now[0] += 2
    answer(talk, "45", Usage(input_tokens=1, output_tokens=2))
    assert talk.usages.turns[0].seconds == pytest.approx(3)


def test_attachments_before_a_question_are_part_of_its_turn(talk, now):
    talk.apply(Chunk(role="user", type="file", format="path", content="/data/a.csv"))
    question = ask(talk, "How much?")
    answer(talk, "45", Usage(input_tokens=1, output_tokens=2))
    assert [turn.question_id for turn in talk.usages.turns] == [question]


def test_other_branches_count_in_the_total_only_and_what_is_removed_not_at_all(talk):
    question = ask(talk, "How much?")
    first = answer(talk, "45", Usage(input_tokens=10, output_tokens=1))
    talk.change(MoveTo(question))
    answer(talk, "46", Usage(input_tokens=20, output_tokens=1))
    assert talk.usages.turns[0].total.input_tokens == 20
    assert talk.usages.total.input_tokens == 30
    talk.change(PutAside(first))
    assert talk.usages.total.input_tokens == 20
    talk.change(PutBack())
    assert talk.usages.total.input_tokens == 30
    talk.change(RemoveFrom(question))
    assert talk.usages.total.answers == 0
