"""Messages of @unternet/kernel, whole: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.dialects.kernel_messages_decoder import Decoder
from playhead.dialects.kernel_messages_encoder import Encoder, whole
from playhead.dialects.kernel_messages_requests import answer_keys, read_messages, read_tools

__all__ = ["Decoder", "Encoder", "answer_keys", "read_messages", "read_tools", "whole"]
