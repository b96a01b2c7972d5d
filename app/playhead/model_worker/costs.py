"""Count the tokens of an answer, and its cost by litellm's prices."""

from __future__ import annotations

import math
from typing import Any

import litellm

from playhead.model_worker.protocol import Ask, Tokens

_CHARACTERS_PER_TOKEN = 4


def tokens_of(usage: Any, ask: Ask, *, is_given: bool, characters: int) -> Tokens:
    """Return the provider's numbers, else litellm's count, else an estimate by the characters.

    litellm adds a count of its own without marking it: `is_given` is whether the numbers are the
    provider's. `characters` is the number of characters of the answer.
    """
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        asked = sum(len(str(message.get("content") or "")) for message in ask.messages)
        return priced_tokens(
            ask.model, _estimated_tokens(asked), _estimated_tokens(characters), is_estimated=True
        )
    return priced_tokens(
        ask.model,
        usage.prompt_tokens or 0,
        usage.completion_tokens or 0,
        cached=_detail(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning=_detail(usage, "completion_tokens_details", "reasoning_tokens"),
        is_estimated=not is_given,
        usage=usage,
    )


def priced_tokens(
    model: str,
    asked: int,
    characters: int,
    *,
    cached: int = 0,
    reasoning: int = 0,
    is_estimated: bool = False,
    usage: Any = None,
) -> Tokens:
    """Return the numbers with their price."""
    cost = _cost(model, asked, characters, usage)
    return Tokens(
        input_tokens=asked,
        output_tokens=characters,
        is_estimated=is_estimated,
        cached_tokens=cached,
        reasoning_tokens=reasoning,
        cost=cost,
    )


def _cost(model: str, asked: int, characters: int, usage: Any) -> float | None:
    try:
        prices = litellm.cost_per_token(
            model=model, prompt_tokens=asked, completion_tokens=characters, usage_object=usage
        )
    # For models without a price litellm raises a bare Exception.
    except Exception:  # noqa: BLE001
        return None
    return round(sum(prices), 8)


def _detail(usage: Any, group: str, name: str) -> int:
    value = getattr(getattr(usage, group, None), name, None)
    return value if isinstance(value, int) else 0


def _estimated_tokens(characters: int) -> int:
    return math.ceil(characters / _CHARACTERS_PER_TOKEN)
