"""Only the code that an answer ends with is proposed, wherever its text is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.closing_code import LONGEST_CLOSING, drafts
from playhead.domain.conversation.conversation import Conversation
from playhead.model_worker.protocol import Delta
from playhead.providers.parser.delta_parser import DeltaParser
from tests.support.ports import called, coded, said

LONG = "x" * (LONGEST_CLOSING + 1)
AT_MOST = f"  {'x' * LONGEST_CLOSING}\n\n"


def examples(*answer: list[Chunk]) -> list[str]:
    """The code that is not proposed, of an answer in these messages."""
    conversation = Conversation()
    for chunk in (chunk for message in answer for chunk in message):
        conversation.apply(chunk)
    found = drafts(conversation.messages)
    return [message.text for message in conversation.messages if message.id in found]


@pytest.mark.parametrize(
    ("answer", "not_proposed"),
    [
        ([coded("1")], []),
        ([said("So:"), coded("1"), coded("2")], []),
        ([coded("1"), said("Shall I?")], []),
        ([coded("1"), said(AT_MOST)], []),
        ([coded("1"), said(LONG)], ["1"]),
        ([coded("1"), coded("2"), said(LONG)], ["1", "2"]),
        ([coded("1"), said("then"), coded("2")], ["1"]),
        ([coded("1"), said("a"), coded("2"), said("b"), coded("3"), coded("4")], ["1", "2"]),
        ([coded("1"), coded("2", call_id="c")], ["1"]),
        ([coded("1"), called("lookup", "{}")], ["1"]),
        ([coded("1", call_id="c"), said(LONG)], []),
    ],
)
def test_fences_at_the_end_are_proposed_and_others_are_examples(
    answer: list[list[Chunk]], not_proposed: list[str]
) -> None:
    assert examples(*answer) == not_proposed


def test_an_explanation_with_five_examples_proposes_at_most_the_last() -> None:
    parts = [part for number in range(5) for part in (said("Like this:"), coded(str(number)))]
    assert examples(*parts, said("All do the same.")) == ["0", "1", "2", "3"]


def test_what_came_before_a_result_or_a_question_stays_as_it_was() -> None:
    result = [Chunk(role="computer", type="image", format="path", content="a.png")]
    question = [Chunk(role="user", type="message", content="And then?")]
    assert examples(coded("1"), result, said(LONG)) == []
    assert examples(coded("1"), question, said(LONG)) == []


def _proposed(text: str, cuts: list[int]) -> list[tuple[str, str, bool]]:
    """Every message of a text cut there: its kind, its text and whether it is an example."""
    parser = DeltaParser({"py": "python", "sh": "shell"}.get)
    places = [0, *sorted(cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(places)]
    chunks = [chunk for piece in pieces for chunk in parser.feed(Delta(text=piece))]
    conversation = Conversation()
    for chunk in [*chunks, *parser.finish()]:
        conversation.apply(chunk)
    found = drafts(conversation.messages)
    return [(m.type, m.text, m.id in found) for m in conversation.messages]


_PARTS = st.sampled_from(
    ["```py\n1\n```\n", "~~~sh\nls\n~~~\n", "```\nplain\n```\n", "Words.\n", "\n", "  \n", LONG]
)


@given(parts=st.lists(_PARTS, max_size=8), data=st.data())
def test_any_split_of_an_answer_proposes_the_same(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    whole = _proposed(text, [])
    assert _proposed(text, cuts) == whole
    assert _proposed(text, list(range(len(text)))) == whole
    code = [is_example for kind, _text, is_example in whole if kind == "code"]
    assert code == sorted(code, reverse=True)  # the proposed ones are the last
