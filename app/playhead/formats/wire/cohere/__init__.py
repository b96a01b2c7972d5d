"""Cohere v2 chat: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.formats.wire.chat_completions.requests import read_tools
from playhead.formats.wire.cohere.decode import CohereDecoder as Decoder
from playhead.formats.wire.cohere.encode import Encoder, whole
from playhead.formats.wire.cohere.requests import (
    CohereMessages,
    cohere_messages,
    documents_as_instructions,
    read_documents,
    read_messages,
)

__all__ = [
    "CohereMessages",
    "Decoder",
    "Encoder",
    "cohere_messages",
    "documents_as_instructions",
    "read_documents",
    "read_messages",
    "read_tools",
    "whole",
]
