"""The extra parameters of a question that a model's server may get, and its files."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, cast

from msgspec import Struct

from playhead.model_worker.model_table import known_model
from playhead.model_worker.protocol import (
    FILE_PARTS,
    IMAGE_DATA_PART,
    IMAGE_PART,
    Ask,
    parts_of,
)

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


class Extra(Struct, frozen=True):
    """The user's extra parameters of a request: headers, and fields of its body."""

    headers: dict[str, str]
    body: dict[str, Any]


def extra_of(ask: Ask) -> Extra:
    """Return the extra parameters; those in `extra_body` are fields like the others."""
    body = allowed_extra(ask.extra)
    headers = {name: str(value) for way in _HEADERS for name, value in body.pop(way, {}).items()}
    inner = body.pop("extra_body", None)
    more = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    return Extra(headers, body | allowed_extra(more))


async def messages_of(ask: Ask, *, is_blind: bool = False) -> list[dict[str, Any]]:
    """Return the messages with their files as the model can take them."""
    if not has_files(ask.messages):
        return ask.messages
    return await asyncio.to_thread(_with_files, ask, is_blind)


def tries_images(ask: Ask) -> bool:
    """Return whether there are pictures, and nothing is known of whether the model takes any."""
    return has_files(ask.messages, (IMAGE_PART, IMAGE_DATA_PART)) and _sees(ask) is None


def has_files(messages: Iterable[dict[str, Any]], kinds: tuple[str, ...] = FILE_PARTS) -> bool:
    """Return whether any message has parts of these kinds."""
    return any(part.get("type") in kinds for message in messages for part in parts_of(message))


def _sees(ask: Ask) -> bool | None:
    """Return whether the model sees pictures: the user's setting overrides the table."""
    if ask.supports_images is not None:
        return ask.supports_images
    return known_model(ask.model).supports_images


def _with_files(ask: Ask, is_blind: bool) -> list[dict[str, Any]]:
    """Return the messages with the files that the model can read; pictures may be tried out."""
    # With Pillow, which most requests do not need.
    from playhead.model_worker.file_parts import InputSupport, limits_for, with_files

    can_see = not is_blind and _sees(ask) is not False
    takes_documents = bool(known_model(ask.model).takes_documents)
    support = InputSupport(can_see, takes_documents, limits_for(ask.model, ask.api_base))
    return with_files(ask.messages, support)
