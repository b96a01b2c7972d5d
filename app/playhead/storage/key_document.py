"""All keys as one text, so that a keyring has one entry of ours and asks for it once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from playhead.domain.secret import Secret

_VERSION = 1


class UnreadableKeysError(ValueError):
    """The text is none that this release wrote; it must not be written over."""


def encode(keys: Mapping[str, Secret]) -> str:
    """The keys as JSON; ASCII, since some keyrings take no lone surrogates and some count units."""
    texts = {name: keys[name].reveal() for name in sorted(keys)}
    return json.dumps({"version": _VERSION, "keys": texts}, separators=(",", ":"))


def decode(text: str) -> dict[str, Secret]:
    """The keys by name. Raises UnreadableKeysError, which never repeats the text."""
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableKeysError("no JSON") from None
    body = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if body.get("version") != _VERSION:
        raise UnreadableKeysError("of another version")
    kept: Any = body.get("keys")
    if not isinstance(kept, dict):
        raise UnreadableKeysError("without keys")
    texts = cast("dict[str, Any]", kept)
    if not all(isinstance(value, str) for value in texts.values()):
        raise UnreadableKeysError("with keys that are no text")
    return {name: Secret(value) for name, value in texts.items()}
