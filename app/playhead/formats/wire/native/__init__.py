"""Native chunks: docs/wire-formats.md, sections 2 and 2a.

Each façade of a wire format offers `Encoder` and `Decoder` for a stream, `whole` for an answer in
one piece and `read_messages` for a request.
"""

from __future__ import annotations

from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.decode import Decoder, decode_chunk
from playhead.formats.wire.native.encode import EXTENDED, Encoder, encode_chunk, is_extended
from playhead.formats.wire.native.fold import answer_keys, whole
from playhead.formats.wire.native.requests import messages_of_one, read_messages

__all__ = [
    "EXTENDED",
    "Decoder",
    "Encoder",
    "Wire",
    "answer_keys",
    "decode_chunk",
    "encode_chunk",
    "is_extended",
    "messages_of_one",
    "read_messages",
    "whole",
]
