"""Which model answers a turn: what the request chose, else what the settings say."""

from __future__ import annotations

from typing import TypeVar

from playhead.conversation.requests import ModelChoice, ModelSettings
from playhead.session.ports import Catalog, Keys, Settings

_Number = TypeVar("_Number", int, float)


async def model_for(
    choice: ModelChoice, settings: Settings, keys: Keys, catalog: Catalog
) -> ModelSettings:
    """The model with its address and key; Direct mode where neither names one."""
    current = settings.current
    model = current.model if choice.model is None else choice.model
    if not model:
        return ModelSettings()
    api_base = api_base_for(model, settings, catalog)
    secret = choice.api_key
    if choice.api_base is not None:  # stored keys go to no address that a request names
        api_base = choice.api_base
    elif secret is None:
        secret = (await keys.get(catalog.key_name(model, api_base))).secret
    return ModelSettings(
        model=model,
        api_base=api_base or None,
        api_key=secret,
        temperature=_first(choice.temperature, current.temperature),
        max_tokens=_first(choice.max_tokens, current.max_tokens),
        top_p=choice.top_p,
        stop=choice.stop,
    )


def api_base_for(model: str, settings: Settings, catalog: Catalog) -> str:
    """The address of the settings, for models of the provider that it belongs to; else ''."""
    current = settings.current
    provider = catalog.key_name(model, "")
    is_same = not current.model or provider == catalog.key_name(current.model, "")
    return current.api_base if is_same else ""


def _first(value: _Number | None, otherwise: _Number | None) -> _Number | None:
    return otherwise if value is None else value
