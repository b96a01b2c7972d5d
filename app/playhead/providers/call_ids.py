"""Ids of tool calls as the model that is asked next takes them: another may have given them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from playhead.domain.model import ModelSettings
from playhead.providers.catalog import provider_of

_OPENAI_LIMIT = 40
_MISTRAL_LENGTH = 9
_MISTRAL = re.compile(r"[a-zA-Z0-9]{9}")


def taken_ids(ids: Iterable[str], model: ModelSettings) -> list[str]:
    """The ids in a form that the model's provider takes; the same ones for a call and its result.

    Servers behind an address of the user's own get theirs back as they gave them.
    """
    match provider_of(model.model), model.api_base:
        case "mistral", _:
            return [found if _MISTRAL.fullmatch(found) else _made(found) for found in ids]
        case ("openai", None | "") | ("azure", _):
            return [_short(found) for found in ids]
        case _:
            return list(ids)


def _short(id_: str) -> str:
    return id_ if len(id_) <= _OPENAI_LIMIT else f"call_{_digest(id_)[:24]}"


def _made(id_: str) -> str:
    return _digest(id_)[:_MISTRAL_LENGTH]


def _digest(id_: str) -> str:
    return hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()
