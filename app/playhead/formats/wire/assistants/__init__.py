"""OpenAI Assistants, the stream of a run: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.formats.wire.assistants.decode import Decoder
from playhead.formats.wire.assistants.encode import EXPIRED, Encoder
from playhead.formats.wire.assistants.objects import RunFacts
from playhead.formats.wire.assistants.steps import Ids

__all__ = ["EXPIRED", "Decoder", "Encoder", "Ids", "RunFacts"]
