"""Messages of @unternet/kernel: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.formats.wire.kernel_messages.decode import Decoder
from playhead.formats.wire.kernel_messages.encode import Encoder
from playhead.formats.wire.kernel_messages.requests import answer_keys, read_messages, read_tools

__all__ = ["Decoder", "Encoder", "answer_keys", "read_messages", "read_tools"]
