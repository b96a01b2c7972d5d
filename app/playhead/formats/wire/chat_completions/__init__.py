"""OpenAI chat completions: docs/wire-formats.md, section 3."""

from __future__ import annotations

from playhead.domain.model import EXECUTE
from playhead.formats.wire.chat_completions.decode import Decoder
from playhead.formats.wire.chat_completions.encode import Encoder
from playhead.formats.wire.chat_completions.projection import QUESTION, last_proposed_code
from playhead.formats.wire.chat_completions.requests import proposed_in, read_messages, read_tools

__all__ = [
    "EXECUTE",
    "QUESTION",
    "Decoder",
    "Encoder",
    "last_proposed_code",
    "proposed_in",
    "read_messages",
    "read_tools",
]
