"""Turn a question into the arguments for a model's server: only parameters that the user set."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import httpx

from playhead.model_worker.file_parts import InputSupport, has_files, limits_for, with_files
from playhead.model_worker.model_lists import known_model
from playhead.model_worker.protocol import IMAGE_DATA_PART, IMAGE_PART, Ask

NO_KEY = "none"
"""Local servers need no key, but the client library insists on one."""

_RESERVED = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "tools", "tool_choice", "functions"),
        *("api_key", "api_base", "base_url", "client", "timeout", "num_retries", "max_retries"),
        *("acompletion", "custom_llm_provider", "shared_session", "logger_fn", "fallbacks"),
        *("context_window_fallback_dict", "litellm_credential_name", "callbacks"),
        *("success_callback", "failure_callback", "input_callback", "mock_response"),
        *("ssl_verify", "drop_params", "user_continue_message", "model_list", "cache"),
    }
)
"""Extra parameters that are not allowed: the model, the messages, the key, the connection."""
_HEADERS = ("headers", "extra_headers")
_CREDENTIALS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "host"})


def allowed_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the extra parameters without those that the user may not set there."""
    kept: dict[str, Any] = {}
    for name, value in extra.items():
        if name in _RESERVED or name.startswith(("_", "mock_")):
            continue
        kept[name] = _headers(value) if name in _HEADERS else value
    return kept


def _headers(value: object) -> dict[str, Any]:
    headers = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {name: text for name, text in headers.items() if name.lower() not in _CREDENTIALS}


async def litellm_arguments(ask: Ask, *, is_blind: bool = False) -> dict[str, Any]:
    """Return all arguments but those that a server may not support; `is_blind`: nor pictures."""
    optional = {
        "api_base": ask.api_base,
        "api_key": ask.api_key or (NO_KEY if ask.api_base and not _signs(ask) else None),
    }
    return {
        **allowed_extra(ask.extra),
        "model": ask.model,
        "messages": await messages_of(ask, is_blind=is_blind),
        "stream": True,
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,  # a model without temperature is asked without it
        "timeout": httpx.Timeout(ask.first_s + 5, connect=ask.connect_s),
        **ask.parameters,
        **{name: value for name, value in optional.items() if value is not None},
    }


def _signs(ask: Ask) -> bool:
    """Return whether requests are signed: a key would be sent in place of the signature."""
    return ask.model.startswith("bedrock/")


async def messages_of(ask: Ask, *, is_blind: bool = False) -> list[dict[str, Any]]:
    """Return the messages with their files as the model can take them."""
    if not has_files(ask.messages):
        return ask.messages
    return await asyncio.to_thread(with_files, ask.messages, _reader(ask, is_blind))


def tries_images(ask: Ask) -> bool:
    """Return whether there are pictures, and nothing is known of whether the model takes any."""
    return _sees(ask) is None and has_files(ask.messages, (IMAGE_PART, IMAGE_DATA_PART))


def _sees(ask: Ask) -> bool | None:
    """Return whether the model sees pictures: the user's setting overrides the table."""
    if ask.supports_images is not None:
        return ask.supports_images
    return known_model(ask.model).supports_images


def _reader(ask: Ask, is_blind: bool) -> InputSupport:
    """Return the files that the model can read; pictures are tried out if nothing is known."""
    known = known_model(ask.model)
    limits = limits_for(ask.model, ask.api_base)
    can_see = not is_blind and _sees(ask) is not False
    return InputSupport(can_see, bool(known.takes_documents), limits)
