"""The table of models, their abilities and prices, which litellm brings as a file.

It is read without an import of litellm, which would take seconds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import msgspec

from playhead.model_worker.protocol import Ask, Model, Tokens

_FILE = "model_prices_and_context_window_backup.json"
_MILLION = 1_000_000
_CHAT = ("chat", "responses")
_OTHER_NAMES = {
    "cohere": ("cohere_chat", "cohere"),
    "cohere_chat": ("cohere_chat", "cohere"),
    "ollama_chat": ("ollama",),
    "bedrock": ("bedrock", "bedrock_converse"),
    "custom_openai": ("openai",),
}

Entry = Mapping[str, Any]


@functools.cache
def model_table() -> Mapping[str, Entry]:
    """Return the table by model; without the file it is empty."""
    found = find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        return {}
    try:
        data = Path(found.submodule_search_locations[0], _FILE).read_bytes()
        return msgspec.json.decode(data, type=dict[str, dict[str, Any]])
    except (OSError, msgspec.DecodeError):
        return {}


def entry_of(model: str) -> Entry | None:
    """Return the entry by the whole name, else by parts: `openrouter/openai/x` is like `x`."""
    table = model_table()
    return next((table[name] for name in _names(model) if name in table), None)


def _names(model: str) -> Iterator[str]:
    while True:
        yield model
        _, slash, model = model.partition("/")
        if not slash:
            return


def known_model(model: str) -> Model:
    """Return the known facts about a model."""
    entry = entry_of(model)
    if entry is None:
        return Model(model=model)
    return Model(
        model=model,
        # The table lacks this for some models that do take tools: that is tried out.
        takes_tools=True if entry.get("supports_function_calling") else None,
        supports_images=bool(entry.get("supports_vision")),
        takes_documents=bool(entry.get("supports_pdf_input")),
        reasons=bool(entry.get("supports_reasoning")),
        context_tokens=_number(entry.get("max_input_tokens")),
        output_tokens=_number(entry.get("max_output_tokens")),
        input_price=_million_price(entry.get("input_cost_per_token")),
        output_price=_million_price(entry.get("output_cost_per_token")),
    )


def known_models(provider: str) -> list[Model]:
    """Return the chat models that the table has of a provider, by name."""
    names = _OTHER_NAMES.get(provider, (provider,))
    found = {
        name if name.startswith(f"{provider}/") else f"{provider}/{name}"
        for name, entry in model_table().items()
        if entry.get("litellm_provider") in names and entry.get("mode") in _CHAT
    }
    return [known_model(name) for name in sorted(found)]


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _million_price(value: object) -> float | None:
    return value * _MILLION if isinstance(value, int | float) else None


_CHARACTERS_PER_TOKEN = 4


def estimated_tokens(ask: Ask, characters: int) -> Tokens:
    """Return an estimate by the characters of the question and of its answer, with its price."""
    asked = sum(len(str(message.get("content") or "")) for message in ask.messages)
    count = Tokens(
        input_tokens=math.ceil(asked / _CHARACTERS_PER_TOKEN),
        output_tokens=math.ceil(characters / _CHARACTERS_PER_TOKEN),
    )
    return priced(ask.model, count)


def priced(model: str, count: Tokens, *, written: int = 0) -> Tokens:
    """Return the tokens with their price, if there is one.

    `written` is how many of the input were written to the provider's cache.
    """
    if count.cost is not None or (entry := _priced_entry(model)) is None:
        return count
    plain = max(count.input_tokens - count.cached_tokens - written, 0)
    price = _Price(entry, count.input_tokens)
    asked, said = price.of("input_cost_per_token"), price.of("output_cost_per_token")
    cached = price.of("cache_read_input_token_cost", asked)
    stored = price.of("cache_creation_input_token_cost", asked)
    thought = price.of("output_cost_per_reasoning_token", said)
    reasoning = min(count.reasoning_tokens, count.output_tokens)
    cost = plain * asked + count.cached_tokens * cached + written * stored
    cost += (count.output_tokens - reasoning) * said + reasoning * thought
    return msgspec.structs.replace(count, cost=round(cost, 8))


def _priced_entry(model: str) -> Entry | None:
    """Return the entry of just this provider's model: others ask other prices for the same."""
    table = model_table()
    provider, slash, name = model.partition("/")
    entry = table.get(model)
    if entry is None and slash:
        entry = table.get(name)
        providers = _OTHER_NAMES.get(provider, (provider,))
        if entry is not None and entry.get("litellm_provider") not in providers:
            return None
    has_price = entry is not None and "input_cost_per_token" in entry
    return entry if has_price else None


class _Price:
    """The prices of one entry for a request of this size: some rise with it."""

    def __init__(self, entry: Entry, input_tokens: int) -> None:
        self._entry = entry
        self._input_tokens = input_tokens

    def of(self, name: str, default: float = 0.0) -> float:
        """Return the price of a token."""
        above = {
            int(key[len(name) + 7 : -8]): value
            for key, value in self._entry.items()
            if key.startswith(f"{name}_above_") and key.endswith("k_tokens")
            if key[len(name) + 7 : -8].isdigit()
        }
        for thousands in sorted(above, reverse=True):
            if self._input_tokens > thousands * 1000:
                return float(cast("float", above[thousands]))
        value = self._entry.get(name)
        return float(value) if isinstance(value, int | float) else default
