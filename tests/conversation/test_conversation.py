"""The fold of chunks into a tree of messages."""

from __future__ import annotations

import logging

import pytest

from playhead.conversation.assembler import ChunkOrderError
from playhead.conversation.chunk import Chunk
from playhead.conversation.conversation import Conversation
from playhead.conversation.events import ConversationEvent, MoveTo, RemoveFrom, Rename
from playhead.conversation.payloads import RunReport
from playhead.conversation.requests import ConversationSummary, StoredConversation


def say(conversation: Conversation, *pieces: str) -> str:
    conversation.apply(Chunk("assistant", "message", start=True))
    for piece in pieces:
        conversation.apply(Chunk("assistant", "message", content=piece))
    return conversation.apply(Chunk("assistant", "message", end=True))


def ask(conversation: Conversation, text: str) -> str:
    return conversation.apply(Chunk("user", "message", content=text))


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
    conversation.apply(Chunk("assistant", "message", start=True))
    conversation.apply(Chunk("assistant", "message", content="For"))
    assert (conversation.messages[-1].text, conversation.messages[-1].state) == ("For", "streaming")
    conversation.apply(Chunk("assistant", "message", content="ty"))
    assert conversation.messages[-1].text == "Forty"


def test_active_lines_grow_a_console_without_becoming_its_text():
    conversation = Conversation()
    conversation.apply(Chunk("computer", "console", start=True))
    conversation.apply(Chunk("computer", "console", "active_line", content=3))
    conversation.apply(Chunk("computer", "console", "output", content="42\n"))
    conversation.apply(Chunk("computer", "console", end=True))
    assert conversation.messages[-1].text == "42\n"


@pytest.mark.parametrize(
    "wrong",
    [
        Chunk("assistant", "code", "python", start=True),
        Chunk("assistant", "code", "python", content="x"),
        Chunk("computer", "console", end=True),
        Chunk("assistant", "message", content=""),
        Chunk("computer", "run", content=RunReport("started")),
    ],
)
def test_a_chunk_that_does_not_fit_the_open_message_is_refused(wrong: Chunk):
    conversation = Conversation()
    conversation.apply(Chunk("assistant", "message", start=True))
    with pytest.raises(ChunkOrderError):
        conversation.apply(wrong)


def test_an_end_without_a_start_is_refused():
    with pytest.raises(ChunkOrderError):
        Conversation().apply(Chunk("assistant", "message", end=True))


def test_what_is_cut_off_is_kept_as_interrupted():
    conversation = Conversation()
    conversation.apply(Chunk("assistant", "message", start=True))
    conversation.apply(Chunk("assistant", "message", content="half"))
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
    with caplog.at_level(logging.CRITICAL, logger="playhead.conversation.conversation"):
        conversation.change(Rename("Sums"))
    assert (heard, conversation.title) == (["renamed"], "Sums")


def test_events_tell_the_whole_story_in_order():
    conversation = Conversation()
    events: list[ConversationEvent] = []
    unsubscribe = conversation.subscribe(events.append)
    ask(conversation, "?")
    say(conversation, "a")
    conversation.apply(Chunk("server", "status", content="complete"))
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
    summary = ConversationSummary(original.id, "Sums", 1.0, 2.0)
    for leaf in (original.leaf_id, "lost"):
        restored = Conversation.restore(StoredConversation(summary, tree, leaf))
        assert texts(restored) == ["?", "two"]
        assert restored.title == "Sums"
