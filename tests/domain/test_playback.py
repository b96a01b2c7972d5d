"""A conversation played by time is the same conversation at its end, and in order on the way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import PrintedLines, Proposal
from playhead.domain.playback import Moment, moments_of, with_own_ids, without_waits
from tests.support.recorded_runs import run, said
from tests.support.talks import talks

TEXTS = st.text(alphabet="ab \n", min_size=1, max_size=60)


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    conversation, at = Conversation(), draw(st.sampled_from([0.0, 1e9]))
    for _ in range(draw(st.integers(1, 4))):
        at += draw(st.floats(0, 100)) if at else 0.0
        said(conversation, "user", "message", draw(TEXTS), at)
        said(conversation, "assistant", "message", draw(TEXTS), at + 2 if at else 0.0)
        if draw(st.booleans()):
            run(conversation, draw(TEXTS), draw(TEXTS), at + 3 if at else 0.0)
            at += 12 if at else 0.0
    return conversation


def played(moments: list[Moment]) -> Conversation:
    copy, ids = Conversation(), dict[str, str]()
    for moment in moments:
        if made := copy.apply(with_own_ids(moment.chunk, ids)):
            ids.setdefault(moment.message_id, made)
    return copy


def contents(conversation: Conversation) -> list[tuple[object, ...]]:
    """All that is stored but ids: a proposal by the place of its code."""
    places = {one.id: number for number, one in enumerate(conversation.messages)}
    return [
        (one.role, one.type, one.format, places[one.content.message_id], one.content.code)
        if isinstance(one.content, Proposal)
        else (one.role, one.type, one.format, one.content)
        for one in conversation.messages
    ]


@given(conversations())
def test_at_its_end_a_replay_is_the_conversation(conversation: Conversation) -> None:
    moments = moments_of(conversation.messages, conversation.printed)
    times = [one.at for one in moments]
    assert times == sorted(times)
    assert contents(played(moments)) == contents(conversation)
    short = without_waits(moments)
    assert [one.chunk for one in short] == [one.chunk for one in moments]
    assert short[-1].at <= moments[-1].at + 1e-6


def test_lines_and_outputs_come_while_their_statements_ran() -> None:
    conversation = Conversation()
    run(conversation, "first()\nsecond()", "a\nb\nc\n", 1000.0)
    printed = PrintedLines((0.0, 2.0), (1, 2))
    moments = moments_of(conversation.messages, lambda _: printed)
    lit = [(one.at, one.chunk.content) for one in moments if one.chunk.format == "active_line"]
    outputs = [(one.at, one.chunk.content) for one in moments if one.chunk.format == "output"]
    assert lit[0] == (5.0, 1)
    assert [line for _, line in lit] == [1, 1, 1, 2, 2, None]
    assert (6.0, 2) in lit
    assert [text for _, text in outputs] == ["a\n", "b\n", "c\n"]
    assert 5.0 < outputs[0][0] < outputs[1][0] < 6.0 < outputs[2][0] < 9.0
    assert moments[-1].at == 9.0
    waits = [one.chunk.type for one in moments if one.is_wait]
    assert waits == ["code", "confirmation", "run"]
    assert without_waits(moments)[-1].at < 7.0  # the person had thought for four seconds


@given(talks())
def test_every_stored_conversation_can_be_replayed(messages: list[Message]) -> None:
    copy = played(moments_of(messages))
    texts = [one.text for one in messages if one.content not in (None, "")]
    assert [one.text for one in copy.messages if one.content not in (None, "")] == texts
