"""Cohere v2 chat, whole: docs/wire-formats.md, section 4."""

from __future__ import annotations

from playhead.dialects.chat_completions_requests import read_tools
from playhead.dialects.cohere_decoder import CohereDecoder as Decoder
from playhead.dialects.cohere_encoder import Encoder, whole
from playhead.dialects.cohere_requests import (
    CohereMessages,
    cohere_messages,
    documents_told,
    read_documents,
    read_messages,
)

__all__ = [
    "CohereMessages",
    "Decoder",
    "Encoder",
    "cohere_messages",
    "documents_told",
    "read_documents",
    "read_messages",
    "read_tools",
    "whole",
]
