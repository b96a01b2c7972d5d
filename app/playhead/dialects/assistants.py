"""OpenAI Assistants, the stream of a run: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.dialects.assistants_decoder import Decoder
from playhead.dialects.assistants_encoder import EXPIRED, Encoder
from playhead.dialects.assistants_objects import RunFacts
from playhead.dialects.assistants_steps import Ids

__all__ = ["EXPIRED", "Decoder", "Encoder", "Ids", "RunFacts"]
