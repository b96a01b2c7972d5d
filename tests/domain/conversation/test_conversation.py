"""The fold of chunks into a tree of messages."""

from __future__ import annotations

import logging

import pytest

from playhead.domain.conversation.assembler import ChunkOrderError
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation, StoredConversation
from playhead.domain.conversation.events import (
    ConversationEvent,
    MoveTo,
    PutAside,
    PutBack,
    RemoveFrom,
    Rename,
    Settle,
)
from playhead.domain.conversation.payloads import RunReport
from playhead.domain.history import ConversationSummary


def say(conversation: Conversation, *pieces: str) -> str:
    conversation.apply(Chunk(role="assistant", type="message", start=True))
    for piece in pieces:
        conversation.apply(Chunk(role="assistant", type="message", content=piece))
    return conversation.apply(Chunk(role="assistant", type="message", end=True))


def ask(conversation: Conversation, text: str) -> str:
    return conversation.apply(Chunk(role="user", type="message", content=text))


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.messages]


def test_pieces_of_a_message_are_joined_and_chained_to_their_parent():
    conversation = Conversation()
    question = ask(conversation, "How many?")
    say(conversation, "Forty", "-two")
    answer = conversation.messages[-1]
    assert (answer.text, answer.state, answer.parent_id) == ("Forty-two", "complete", question)


def test_a_streaming_message_shows_its_text_so_far():
    conversation = Conversation()
    conversation.apply(Chunk(role="assistant", type="message", start=True))
    conversation.apply(Chunk(role="assistant", type="message", content="For"))
    assert (conversation.messages[-1].text, conversation.messages[-1].state) == ("For", "streaming")
    conversation.apply(Chunk(role="assistant", type="message", content="ty"))
    assert conversation.messages[-1].text == "Forty"


def test_active_lines_grow_a_console_without_becoming_its_text():
    conversation = Conversation()
    conversation.apply(Chunk(role="computer", type="console", start=True))
    conversation.apply(Chunk(role="computer", type="console", format="active_line", content=3))
    conversation.apply(Chunk(role="computer", type="console", format="output", content="42\n"))
    conversation.apply(Chunk(role="computer", type="console", end=True))
    assert conversation.messages[-1].text == "42\n"


@pytest.mark.parametrize(
    "wrong",
    [
        Chunk(role="assistant", type="code", format="python", start=True),
        Chunk(role="assistant", type="code", format="python", content="x"),
        Chunk(role="computer", type="console", end=True),
        Chunk(role="assistant", type="message", content=""),
        Chunk(role="computer", type="run", content=RunReport(state="started")),
    ],
)
def test_a_chunk_that_does_not_fit_the_open_message_is_refused(wrong: Chunk):
    conversation = Conversation()
    conversation.apply(Chunk(role="assistant", type="message", start=True))
    with pytest.raises(ChunkOrderError):
        conversation.apply(wrong)


def test_an_end_without_a_start_is_refused():
    with pytest.raises(ChunkOrderError):
        Conversation().apply(Chunk(role="assistant", type="message", end=True))


def test_what_is_cut_off_is_kept_as_interrupted():
    conversation = Conversation()
    conversation.apply(Chunk(role="assistant", type="message", start=True))
    conversation.apply(Chunk(role="assistant", type="message", content="half"))
    conversation.close_open()
    assert (conversation.messages[-1].text, conversation.messages[-1].state) == (
        "half",
        "interrupted",
    )


def test_moving_back_and_asking_again_makes_a_branch_and_keeps_the_old_one():
    conversation = Conversation()
    question = ask(conversation, "?")
    first = say(conversation, "one")
    conversation.change(MoveTo(question))
    second = say(conversation, "two")
    assert texts(conversation) == ["?", "two"]
    conversation.change(MoveTo(first))
    assert texts(conversation) == ["?", "one"]
    kept = conversation.message(second)
    assert kept is not None
    assert kept.parent_id == question


def test_removing_a_message_takes_all_below_it_in_every_branch():
    conversation = Conversation()
    root = ask(conversation, "root")
    first = ask(conversation, "one")
    conversation.change(MoveTo(root))
    say(conversation, "two")
    conversation.change(RemoveFrom(root))
    assert texts(conversation) == []
    assert conversation.message(first) is None
    assert conversation.leaf_id is None


def test_a_failing_listener_does_not_stop_the_others(caplog: pytest.LogCaptureFixture):
    conversation = Conversation()
    heard: list[str] = []

    def fail(_event: ConversationEvent) -> None:
        raise RuntimeError("broken view")

    conversation.subscribe(fail)
    conversation.subscribe(lambda event: heard.append(event.kind))
    with caplog.at_level(logging.CRITICAL, logger="playhead.domain.conversation.conversation"):
        conversation.change(Rename("Sums"))
    assert (heard, conversation.title) == (["renamed"], "Sums")


def test_events_tell_the_whole_story_in_order():
    conversation = Conversation()
    events: list[ConversationEvent] = []
    unsubscribe = conversation.subscribe(events.append)
    ask(conversation, "?")
    say(conversation, "a")
    conversation.apply(Chunk(role="server", type="status", content="complete"))
    unsubscribe()
    ask(conversation, "unheard")
    assert [event.kind for event in events] == ["added", "started", "grew", "ended", "transient"]
    assert len({event.message_id for event in events[1:4]}) == 1


def test_a_restored_conversation_goes_on_where_it_was():
    original = Conversation(title="Sums")
    question = ask(original, "?")
    say(original, "one")
    original.change(MoveTo(question))
    say(original, "two")
    tree = tuple(
        message
        for message_id in original._messages
        if (message := original.message(message_id)) is not None
    )
    summary = ConversationSummary(id=original.id, title="Sums", created_at=1.0, updated_at=2.0)
    for leaf in (original.leaf_id, "lost"):
        restored = Conversation.restore(
            StoredConversation(summary=summary, messages=tree, leaf_id=leaf)
        )
        assert texts(restored) == ["?", "two"]
        assert restored.title == "Sums"


def forked() -> tuple[Conversation, list[str]]:
    """Two versions of a first question, the first one with two answers."""
    conversation = Conversation()
    first = ask(conversation, "One?")
    say(conversation, "1")
    conversation.change(MoveTo(first))
    say(conversation, "one")
    conversation.change(MoveTo(None))
    second = ask(conversation, "Two?")
    say(conversation, "2")
    return conversation, [first, second]


def test_versions_of_questions_and_answers_are_told_along_the_path():
    conversation, (first, second) = forked()
    shown = conversation.versions()
    assert list(shown) == [second]
    assert (shown[second].number, shown[second].previous, shown[second].following) == (2, first, "")
    conversation.change(MoveTo(conversation.leaf_below(first)))
    versions = list(conversation.versions().values())
    assert [(one.number, len(one.ids)) for one in versions] == [(1, 2), (2, 2)]


def test_a_version_is_shown_as_it_was_left():
    conversation, (first, _) = forked()
    older = conversation.siblings(conversation.leaf_below(first))[0]
    conversation.change(MoveTo(older))
    conversation.change(MoveTo(conversation.leaf_below(forked_second(conversation))))
    assert texts(conversation) == ["Two?", "2"]
    assert conversation.leaf_below(first) == older


def forked_second(conversation: Conversation) -> str:
    return conversation.siblings(conversation.messages[0].id)[1]


def test_what_was_put_aside_can_be_put_back_with_all_its_branches():
    conversation, (first, second) = forked()
    told: list[ConversationEvent] = []
    conversation.subscribe(told.append)
    conversation.change(PutAside(second))
    assert texts(conversation) == ["One?", "one"]
    assert conversation.siblings(first) == (first,)
    assert conversation.message(second) is None
    conversation.change(PutBack())
    assert texts(conversation) == ["Two?", "2"]
    assert conversation.siblings(first) == (first, second)
    assert [event.kind for event in told] == ["put_aside", "put_back"]


def test_the_next_change_makes_a_deletion_final():
    conversation, (_, second) = forked()
    conversation.change(PutAside(second))
    told: list[ConversationEvent] = []
    conversation.subscribe(told.append)
    conversation.change(Rename("Other"))
    assert conversation.aside_id == second
    say(conversation, "more")
    kinds = [event.kind for event in told]
    assert kinds == ["renamed", "removed", "moved", "started", "grew", "ended"]
    conversation.change(PutBack())
    assert texts(conversation) == ["One?", "one", "more"]


def test_the_path_ends_before_what_was_put_aside_if_nothing_stands_beside_it():
    conversation = Conversation()
    ask(conversation, "One?")
    say(conversation, "1")
    second = ask(conversation, "Two?")
    say(conversation, "2")
    conversation.change(PutAside(second))
    assert texts(conversation) == ["One?", "1"]
    conversation.change(Settle())
    assert texts(conversation) == ["One?", "1"]
    assert conversation.aside_id is None
