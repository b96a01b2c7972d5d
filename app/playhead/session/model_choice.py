"""Choose the model that answers a turn: settings, profile, conversation, then the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from msgspec.structs import asdict, replace

from playhead.domain.model import (
    ConnectionSettings,
    ModelChoice,
    ModelOverride,
    ModelSettings,
    merge_parameters,
)
from playhead.domain.settings import AppSettings, ConversationConfig, Profile
from playhead.domain.text.json_text import read_json
from playhead.errors import ProviderError, phrase
from playhead.session.ports import Catalog, Keys, Settings

_OWN = frozenset({"name", "profile", "model", "api_base", "auto_run", "parameters"})
"""The fields of a profile and a conversation that do not replace a setting of the same name."""


def profile_of(current: AppSettings, config: ConversationConfig) -> Profile | None:
    """Return the profile of a conversation; None if it has none or the profile no longer exists."""
    name = current.profile if config.profile is None else config.profile
    return next((one for one in current.profiles if one.name == name), None)


def settings_for(
    current: AppSettings, catalog: Catalog, config: ConversationConfig | None = None
) -> AppSettings:
    """Return a conversation's settings: those of its profile and its own override the user's."""
    config = config or ConversationConfig()
    profile = profile_of(current, config)
    settings = current if profile is None else _over(current, profile, profile.api_base or "")
    address = config.api_base
    if config.model is not None and address is None:
        address = api_base_for(config.model, settings, catalog)
    settings = _over(settings, config, address)
    if _is_same_provider(settings.model, current, catalog):
        return settings
    return replace(settings, extra_parameters="")  # they are for the provider of the settings


def is_auto_run(current: AppSettings, config: ConversationConfig) -> bool:
    """Return whether code of a conversation runs without approval, by its profile or its config."""
    profile = profile_of(current, config)
    wished = (config.auto_run, profile.auto_run if profile else None)
    return next((one for one in wished if one is not None), False)


async def model_for(
    choice: ModelChoice,
    settings: Settings,
    keys: Keys,
    catalog: Catalog,
    config: ConversationConfig | None = None,
) -> ModelSettings:
    """Return the model with its address, key and parameters; Direct mode if none is chosen.

    Raises ProviderError (`missing_api_key`) where the model is known not to answer without a key.
    """
    current = settings_for(settings.current, catalog, config)
    model = current.model if choice.model is None else choice.model
    if not model:
        return ModelSettings()
    api_base = api_base_for(model, current, catalog)
    secret = choice.api_key
    if choice.api_base is not None:  # stored keys go to no address that a request names
        api_base = choice.api_base
    elif secret is None:
        secret = (await keys.get(catalog.key_name(model, api_base))).secret
        if secret is None and catalog.needs_key(model, api_base):
            raise _no_key(model, catalog.key_variable(model))
    found = describe_model(model, current, catalog, is_own_address=choice.api_base is None)
    retries = current.retries if choice.retries is None else choice.retries
    return replace(
        found,
        connection=replace(found.connection, retries=retries),
        api_base=api_base or None,
        api_key=secret,
        is_address_given=choice.api_base is not None,
        parameters=merge_parameters(current.parameters, choice.parameters),
    )


def _no_key(model: str, variable: str) -> ProviderError:
    return ProviderError(
        phrase("“{model}” needs a key, and there is none.", model=model),
        remedy=phrase("Enter it in the settings, or set {variable}.", variable=variable),
        code="missing_api_key",
    )


def describe_model(
    model: str, current: AppSettings, catalog: Catalog, *, is_own_address: bool = True
) -> ModelSettings:
    """Return a model with its settings and connection, but without its address and key.

    The user's extra parameters are not sent to an address that a request names.
    """
    return ModelSettings(
        model=model,
        override=current.model_overrides.get(model, ModelOverride()),
        extra=parameters_for(model, current, catalog) if is_own_address else {},
        connection=connection_of(current),
    )


def parameters_for(model: str, current: AppSettings, catalog: Catalog) -> dict[str, Any]:
    """Return the additional parameters of requests: the provider's fields and the user's own."""
    provider = catalog.key_name(model, "")
    own: dict[str, Any] = {}
    for name, value in current.provider_fields.items():
        owner, _, parameter = name.partition(".")
        if owner == provider and parameter and value:
            own[parameter] = value
    return own | (dict(_extra(current)) if _is_same_provider(model, current, catalog) else {})


def connection_of(current: AppSettings) -> ConnectionSettings:
    """Return the settings of the connection to providers."""
    return ConnectionSettings(
        proxy=current.proxy,
        ca_file=current.ca_file,
        connect_s=current.connect_limit_s,
        first_s=current.first_limit_s,
        between_s=current.silence_limit_s,
        retries=current.retries,
    )


def api_base_for(model: str, current: AppSettings, catalog: Catalog) -> str:
    """Return the address in the settings if it belongs to the model's provider; else ''."""
    return current.api_base if _is_same_provider(model, current, catalog) else ""


def _is_same_provider(model: str, current: AppSettings, catalog: Catalog) -> bool:
    return not current.model or catalog.key_name(model, "") == catalog.key_name(current.model, "")


def _extra(current: AppSettings) -> Mapping[str, Any]:
    """Return the user's extra parameters; an empty mapping if they are not a JSON object."""
    try:
        found: object = read_json(current.extra_parameters or "{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _over(
    settings: AppSettings, wishes: Profile | ConversationConfig, api_base: str | None
) -> AppSettings:
    """Return the settings with the given overrides; an address always comes with its model."""
    said = asdict(wishes)
    changes = {
        name: value for name, value in said.items() if value is not None and name not in _OWN
    }
    changes["parameters"] = merge_parameters(settings.parameters, wishes.parameters)
    if wishes.model is not None:
        changes |= {"model": wishes.model, "api_base": api_base or ""}
    elif api_base:
        changes["api_base"] = api_base
    return replace(settings, **changes)
