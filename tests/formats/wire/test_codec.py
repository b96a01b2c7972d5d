"""Encoders get chunks as they come: each closes and cuts messages by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.formats.wire import (
    assistants,
    chat_completions,
    codec,
    kernel_messages,
    native,
)
from playhead.formats.wire.codec import Encoder, Pieces
from playhead.formats.wire.cohere import encode as cohere_encode
from tests.support.chunk_streams import extended, plain, streams


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
