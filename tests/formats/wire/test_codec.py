"""Encoders get chunks as they come: each closes and cuts messages by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import Usage
from playhead.formats.wire import (
    assistants,
    chat_completions,
    codec,
    kernel_messages,
    native,
)
from playhead.formats.wire.codec import Encoder, Pieces, ProposedCode
from playhead.formats.wire.cohere import encode as cohere_encode
from tests.support.chunk_streams import extended, plain, streams
from tests.support.ports import coded, said


def _assistants() -> assistants.Encoder:
    run = assistants.RunFacts(
        id="run_1",
        thread_id="thread_1",
        assistant_id="asst_1",
        model="m",
        created_at=1,
        waits_s=9,
    )
    numbers = count()
    return assistants.Encoder(
        run, assistants.Ids(lambda kind: f"{kind}_{next(numbers)}", lambda: 1), has_tools=True
    )


def _kernel_messages() -> kernel_messages.Encoder:
    clock = count()
    return kernel_messages.Encoder("t", lambda: next(clock), has_tools=True)


ENCODERS: dict[str, Callable[[], Encoder]] = {
    "assistants": _assistants,
    "chat completions": lambda: chat_completions.Encoder("c", 1, "m", has_tools=True),
    "cohere": lambda: cohere_encode.Encoder("c", is_call_clients=True, has_tools=True),
    "kernel": _kernel_messages,
    "native": native.Encoder,
    "native, extended": lambda: native.Encoder(extended=True),
}


@st.composite
def broken_off(draw: st.DrawFn) -> list[Chunk]:
    """A stream whose last message is perhaps open when the end comes."""
    *chunks, end = draw(streams(plain | extended))
    return [*chunks[: len(chunks) - draw(st.integers(0, 2))], end]


def events_of(encoder: Encoder, chunks: Iterable[Chunk]) -> list[dict[str, Any]]:
    return [event for chunk in chunks for event in encoder.encode(chunk)] + encoder.finish()


@pytest.mark.parametrize("name", ENCODERS)
@given(chunks=broken_off())
def test_an_encoder_gains_nothing_by_chunks_that_were_closed_and_cut_before(
    name: str, chunks: list[Chunk]
):
    make, before = ENCODERS[name], Pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "PIECE_CHARACTERS", 7)
        prepared = [piece for chunk in chunks for piece in before.feed(chunk)]
        assert events_of(make(), chunks) == events_of(make(), prepared)


@given(chunks=broken_off())
def test_native_chunks_beside_the_format_gain_nothing_either(chunks: list[Chunk]):
    def native_of(given: list[Chunk]) -> list[dict[str, Any]]:
        encoder = chat_completions.Encoder("c", 1, "m", has_tools=True, is_lossless=True)
        return [wire for event in events_of(encoder, given) for wire in event["lmc"]]

    before = Pieces()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "PIECE_CHARACTERS", 7)
        assert native_of(chunks) == native_of(
            [one for chunk in chunks for one in before.feed(chunk)]
        )


def _passed(answer: list[Chunk]) -> tuple[list[Chunk], set[str]]:
    """What `ProposedCode` lets pass of an answer, and the text of its examples."""
    conversation, held = Conversation(), ProposedCode()
    end = Chunk(role="server", type="status", content="complete")
    passed: list[Chunk] = []
    for chunk in [*answer, end]:
        message_id = conversation.apply(chunk)
        passed += [one for _id, one in held.feed(chunk, message_id)]
    found = drafts(conversation.messages)
    return passed, {m.text for m in conversation.messages if m.id in found}


_ANSWERS = st.lists(
    st.builds(said, st.sampled_from(["a", "b" * 200, "c" * 400]))
    | st.builds(coded, st.sampled_from(["1", "2"]), call_id=st.sampled_from([None, None, "call"]))
    | st.just([Chunk(role="server", type="usage", content=Usage(input_tokens=1, output_tokens=1))]),
    max_size=6,
)


@given(parts=_ANSWERS)
def test_only_proposed_code_passes_as_code_and_nothing_is_lost(parts: list[list[Chunk]]):
    answer = [chunk for part in parts for chunk in part]
    passed, examples = _passed(answer)
    replayed = Conversation()
    for chunk in passed:  # the order of messages is still right
        replayed.apply(chunk)
    assert not drafts(replayed.messages)
    texts = [chunk.content for chunk in passed if isinstance(chunk.content, str)]
    assert all(any(text in str(one) for one in texts) for text in examples)
    kept = [chunk for chunk in answer if chunk.type == "usage"]
    assert [chunk for chunk in passed if chunk in kept] == kept


def test_an_example_becomes_prose_as_soon_as_that_is_certain():
    held, conversation = ProposedCode(), Conversation()
    answer = [*said("So:"), *coded("rm()"), *said("x" * 400)]
    told = [held.feed(chunk, conversation.apply(chunk)) for chunk in answer]
    counts = [len(one) for one in told]
    assert counts == [1, 1, 1, 0, 0, 0, 0, 5, 1]
    assert told[7][1][1].content == "```python\nrm()\n```"
