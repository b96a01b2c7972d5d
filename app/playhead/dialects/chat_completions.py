"""OpenAI chat completions, whole: docs/wire-formats.md, section 3.

What each dialect's front module has: `Encoder` and `Decoder` of a stream, `whole` for an answer in
one piece, `read_messages` for a request; here also what only this format needs.
"""

from __future__ import annotations

from playhead.dialects.chat_completions_decoder import Decoder
from playhead.dialects.chat_completions_encoder import Encoder, whole
from playhead.dialects.chat_completions_requests import read_messages, read_tools
from playhead.dialects.chat_completions_text import QUESTION, last_proposed_code
from playhead.domain.model import EXECUTE

__all__ = [
    "EXECUTE",
    "QUESTION",
    "Decoder",
    "Encoder",
    "last_proposed_code",
    "read_messages",
    "read_tools",
    "whole",
]
