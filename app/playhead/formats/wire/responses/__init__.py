"""OpenAI Responses: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.formats.wire.responses.encode import Encoder
from playhead.formats.wire.responses.objects import ResponseFacts
from playhead.formats.wire.responses.requests import ResponseInput, read_input, read_tools

__all__ = ["Encoder", "ResponseFacts", "ResponseInput", "read_input", "read_tools"]
