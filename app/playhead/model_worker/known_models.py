"""What litellm's own table says about models; nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import litellm

from playhead.model_worker.protocol import Model

_MILLION = 1_000_000
_CHAT = ("chat", "responses")
_OTHER_NAMES = {
    "cohere": ("cohere_chat", "cohere"),
    "cohere_chat": ("cohere_chat", "cohere"),
    "ollama_chat": ("ollama",),
    "bedrock": ("bedrock", "bedrock_converse"),
}


def about(model: str) -> Model:
    """What is known of one model."""
    entry = _entry(model)
    if entry is None:
        return Model(model)
    return Model(
        model,
        # The table says nothing of some that do take tools: that is tried out.
        takes_tools=True if entry.get("supports_function_calling") else None,
        takes_images=bool(entry.get("supports_vision")),
        takes_documents=bool(entry.get("supports_pdf_input")),
        reasons=bool(entry.get("supports_reasoning")),
        context_tokens=_number(entry.get("max_input_tokens")),
        output_tokens=_number(entry.get("max_output_tokens")),
        input_price=_price(entry.get("input_cost_per_token")),
        output_price=_price(entry.get("output_cost_per_token")),
    )


def of_provider(provider: str) -> list[Model]:
    """The chat models that the table has of a provider, by name."""
    names = _OTHER_NAMES.get(provider, (provider,))
    found = {
        _full(provider, name)
        for name, entry in _table().items()
        if entry.get("litellm_provider") in names and entry.get("mode") in _CHAT
    }
    return [about(name) for name in sorted(found)]


def _full(provider: str, name: str) -> str:
    return name if name.startswith(f"{provider}/") else f"{provider}/{name}"


def _entry(model: str) -> Mapping[str, Any] | None:
    """By its whole name, else by less and less of it: `openrouter/openai/x` is like `x`."""
    table = _table()
    return next((table[name] for name in _names(model) if name in table), None)


def _names(model: str) -> Iterator[str]:
    while True:
        yield model
        _, slash, model = model.partition("/")
        if not slash:
            return


def _table() -> Mapping[str, Mapping[str, Any]]:
    return cast("Mapping[str, Mapping[str, Any]]", litellm.model_cost)


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _price(value: object) -> float | None:
    return value * _MILLION if isinstance(value, int | float) else None
