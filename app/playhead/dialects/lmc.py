"""Native chunks, whole: docs/wire-formats.md, sections 2 and 2a.

What each dialect's front module has: `Encoder` and `Decoder` of a stream, `whole` for an answer in
one piece, `read_messages` for a request.
"""

from __future__ import annotations

from playhead.dialects.lmc_chunks import EXTENDED, Wire, decode, encode, is_extended
from playhead.dialects.lmc_messages import answer_keys, whole
from playhead.dialects.lmc_requests import read_messages
from playhead.dialects.lmc_stream import Decoder, Encoder

__all__ = [
    "EXTENDED",
    "Decoder",
    "Encoder",
    "Wire",
    "answer_keys",
    "decode",
    "encode",
    "is_extended",
    "read_messages",
    "whole",
]
