"""AppSettings and what a conversation wants otherwise ↔ JSON, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from playhead.domain.settings import (
    AppSettings,
    ConversationConfig,
    ValueReader,
    given_fields,
    is_sensible,
    to_plain,
)


def decode(raw: Mapping[str, object]) -> tuple[AppSettings, list[str]]:
    """The settings, and the names of the fields whose values were unusable and fell back."""
    reader = ValueReader(is_sensible)
    settings = reader.read(AppSettings, raw)
    return settings, reader.refused


def encode(settings: AppSettings) -> dict[str, Any]:
    """The fields as JSON values; there is no key among them."""
    return to_plain(settings)


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
    return json.dumps(given_fields(config))
