"""The lanes: a table of the providers that are asked by HTTP.

All others are litellm's, and so are requests to these that their format does not carry.
"""

from __future__ import annotations

import re
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from playhead.model_worker.model_table import entry_of, model_table
from playhead.model_worker.protocol import Ask

Wire = Literal["chat", "anthropic", "cohere"]


class HttpProvider(Struct, frozen=True, kw_only=True):
    """A provider of the HTTP lane: its format, its address, and its differences from OpenAI.

    `lacks` are parameters that it refuses, `forced` is its word for a call that must be made,
    `own` what each request has. `strips_strict`: it refuses schemas that are marked as strict.
    """

    wire: Wire = "chat"
    base: str = ""
    lacks: frozenset[str] = frozenset()
    forced: str = "required"
    own: tuple[tuple[str, Any], ...] = ()
    strips_strict: bool = False


_NO_USAGE = frozenset({"stream_options"})

HTTP_PROVIDERS = {
    "openai": HttpProvider(base="https://api.openai.com/v1"),
    "custom_openai": HttpProvider(base="https://api.openai.com/v1"),
    "azure": HttpProvider(),
    "openrouter": HttpProvider(
        base="https://openrouter.ai/api/v1", own=(("usage", {"include": True}),)
    ),
    "mistral": HttpProvider(base="https://api.mistral.ai/v1", lacks=_NO_USAGE, forced="any"),
    "groq": HttpProvider(base="https://api.groq.com/openai/v1"),
    "deepseek": HttpProvider(base="https://api.deepseek.com/beta"),
    "xai": HttpProvider(base="https://api.x.ai/v1", strips_strict=True),
    "together_ai": HttpProvider(base="https://api.together.xyz/v1"),
    "fireworks_ai": HttpProvider(
        base="https://api.fireworks.ai/inference/v1", forced="any", strips_strict=True
    ),
    "cerebras": HttpProvider(base="https://api.cerebras.ai/v1", lacks=_NO_USAGE),
    "lm_studio": HttpProvider(base="http://localhost:1234/v1"),
    "hosted_vllm": HttpProvider(base="http://localhost:8000/v1", strips_strict=True),
    "llamafile": HttpProvider(base="http://127.0.0.1:8080/v1"),
    "anthropic": HttpProvider(wire="anthropic", base="https://api.anthropic.com"),
    "cohere": HttpProvider(wire="cohere", base="https://api.cohere.com"),
    "cohere_chat": HttpProvider(wire="cohere", base="https://api.cohere.com"),
}

_BY_BEGINNING = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude-": "anthropic",
    "command-": "cohere",
}
_LITELLMS = frozenset(
    {
        *("organization", "extra_query", "base_model", "model_info", "hf_model_name", "roles"),
        *("input_cost_per_token", "output_cost_per_token", "metadata", "litellm_metadata"),
        *("allowed_openai_params", "additional_drop_params", "web_search_options", "prompt_id"),
        *("tenant_id", "client_id", "client_secret", "region_name", "use_litellm_proxy"),
        *("response_format", "guardrails", "tags", "thinking"),
    }
)
_LITELLMS_BEGINNINGS = ("aws_", "vertex_", "azure_", "litellm_", "cache_control_", "reasoning_s")
"""Extra parameters that litellm itself takes or translates."""

_ANTHROPICS = frozenset({"headers", "extra_headers", "extra_body", "thinking"})
_GPT = re.compile(r"gpt-(\d+)(?:\.(\d+))?(?=[.-]|$)")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_FIRST_WITHOUT_TOOLS = (5, 4)
"""From this version on OpenAI's chat format takes no tools from a model that reasons."""


def provider_name(model: str) -> str:
    """Return the provider that a model string names; "" if only litellm may know it."""
    provider, slash, _ = model.partition("/")
    if slash:
        return provider
    matching = (name for start, name in _BY_BEGINNING.items() if model.startswith(start))
    return next(matching, "")


def model_name(model: str) -> str:
    """Return the model's name without its provider."""
    return model.partition("/")[2] if "/" in model else model


def http_provider(ask: Ask) -> HttpProvider | None:
    """Return the provider for a request of the HTTP lane; None for one of litellm's lane."""
    name = provider_name(ask.model)
    found = HTTP_PROVIDERS.get(name)
    if found is None or (ask.through_litellm and found.wire != "cohere"):
        return None  # of Cohere's stream litellm loses most
    match found.wire:
        case "chat":
            is_plain = not _has_litellms(ask) and not _needs_responses(ask, name)
            is_plain = is_plain and (name != "azure" or _is_plain_azure(ask))
        case "anthropic":
            is_plain = _is_plain_anthropic(ask)
        case "cohere":
            is_plain = True
    return found if is_plain else None


def is_no_provider(model: str) -> bool:
    """Return whether a model string names no provider, and nobody knows the model."""
    return "/" not in model and not provider_name(model) and model not in model_table()


def _has_litellms(ask: Ask) -> bool:
    return any(
        name in _LITELLMS or name.startswith(_LITELLMS_BEGINNINGS) for name in ask.extra
    ) or not isinstance(ask.extra.get("reasoning_effort", ""), str)


def _needs_responses(ask: Ask, provider: str) -> bool:
    """Return whether the model answers such a request only in OpenAI's format of responses."""
    name = model_name(ask.model)
    if name.startswith("responses/") or (entry_of(ask.model) or {}).get("mode") == "responses":
        return True
    found = _GPT.match(name.rpartition("/")[2])
    if provider not in ("openai", "azure") or not ask.tools or found is None:
        return False
    if (int(found[1]), int(found[2] or 0)) < _FIRST_WITHOUT_TOOLS:
        return False
    effort = ask.extra.get("reasoning_effort")
    is_own = provider == "azure" or _host(ask.api_base).endswith("api.openai.com")
    return effort != "none" and (effort is not None or is_own)


def _host(api_base: str | None) -> str:
    return (urlsplit(api_base).hostname or "") if api_base else "api.openai.com"


def _is_plain_azure(ask: Ask) -> bool:
    """Return whether it is a deployment at a resource's own address."""
    path = urlsplit(ask.api_base or "").path.rstrip("/")
    has_address = bool(ask.api_base) and ("openai" not in path or path.endswith("/openai/v1"))
    return has_address and "/" not in model_name(ask.model)


def _is_plain_anthropic(ask: Ask) -> bool:
    entry = entry_of(ask.model) or {}
    names = [tool.get("function", {}).get("name", "") for tool in ask.tools]
    thinking = ask.extra.get("thinking")
    is_legacy = isinstance(thinking, dict) and not entry.get("supports_adaptive_thinking")
    return (
        set(ask.extra) <= _ANTHROPICS
        and (thinking is None or is_legacy)
        and all(_TOOL_NAME.fullmatch(name) for name in names)
    )
