"""A key that is several secrets: kept as one JSON text, asked with as parameters of their own."""

from __future__ import annotations

import json
from typing import Any, cast

from playhead.domain.model import ModelSettings

_PARTS = frozenset({"aws_access_key_id", "aws_secret_access_key", "aws_session_token"})


def key_and_extra(model: ModelSettings) -> tuple[str | None, dict[str, Any]]:
    """The plain key, if it is one, and the extra parameters with the parts of one that is not."""
    extra = dict(model.extra)
    if model.api_key is None:
        return None, extra
    text = model.api_key.reveal()
    parts = _parts(text) if model.model.startswith("bedrock/") else {}
    return (None, extra | parts) if parts else (text, extra)


def _parts(text: str) -> dict[str, str]:
    """What the key is made of; {} where it is a plain one."""
    try:
        found: object = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    parts = cast("dict[str, object]", found).items()
    return {name: value for name, value in parts if name in _PARTS and isinstance(value, str)}
