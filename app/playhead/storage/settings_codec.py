"""AppSettings and what a conversation wants otherwise ↔ JSON, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from playhead.conversation.requests import SCALES_PERCENT, AppSettings, ConversationConfig
from playhead.storage.value_codec import ValueReader, plain, said

LONGEST_LIMIT_S = 24 * 3600.0
"""A day: longer than any model thinks."""
MOST_RETRIES = 20
MOST_RECENT = 12
"""How many of the models used last are kept."""

_FROM_ONE = ("max_steps", "max_tokens", "context_tokens")
_LIMITS = ("connect_limit_s", "first_limit_s", "silence_limit_s")


def decode(raw: Mapping[str, object]) -> tuple[AppSettings, list[str]]:
    """The settings, and the names of the fields whose values were unusable and fell back."""
    reader = ValueReader(is_sensible)
    settings = reader.read(AppSettings, raw)
    return settings, reader.refused


def encode(settings: AppSettings) -> dict[str, Any]:
    """The fields as JSON values; there is no key among them."""
    return plain(settings)


def decode_config(text: str) -> ConversationConfig:
    """What a conversation wants; nothing where the text makes no sense."""
    try:
        raw: object = json.loads(text or "{}")
    except ValueError:
        return ConversationConfig()
    if not isinstance(raw, dict):
        return ConversationConfig()
    return ValueReader(is_sensible).read(ConversationConfig, cast("dict[str, object]", raw))


def encode_config(config: ConversationConfig) -> str:
    """What is said otherwise, as JSON; `{}` for nothing."""
    return json.dumps(said(config))


def is_sensible(name: str, value: object) -> bool:
    """Whether a value of the right type means something in the field of this name."""
    if name in _FROM_ONE and isinstance(value, int):
        return value >= 1
    if name in _LIMITS and isinstance(value, int | float):
        return 0 < value <= LONGEST_LIMIT_S
    if name == "temperature" and isinstance(value, int | float):
        return 0 <= value <= 2
    if name == "budget" and isinstance(value, int | float):
        return value >= 0
    if name == "retries":
        return isinstance(value, int) and 0 <= value <= MOST_RETRIES
    if name == "name":
        return bool(str(value).strip())
    return name != "scale_percent" or value in SCALES_PERCENT
