"""Whole answers of the encoders of formats, as a client that does not stream gets them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from playhead.domain.conversation.chunk import Chunk
from playhead.formats.wire.codec import Encoder, Wire, joined


class AnswerEncoder(Encoder, Protocol):
    """An encoder that keeps the whole answer."""

    def answer(self) -> Wire:
        """Return the whole answer."""
        ...


def whole(chunks: Iterable[Chunk], encoder: AnswerEncoder) -> Wire:
    """Encode an answer to its end; return all of it."""
    for chunk in joined(chunks):
        encoder.encode(chunk)
    encoder.finish()
    return encoder.answer()
