"""What is known about a model, in words as short as a line of a list has room for."""

from __future__ import annotations

from playhead.domain.model import ModelFacts
from playhead.ui.wording import tr

_THOUSAND, _MILLION = 1_000, 1_000_000


def context_words(tokens: int) -> str:
    """A size in tokens: 8k, 128k, 1M."""
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.3g}M"
    return f"{tokens / _THOUSAND:.0f}k" if tokens >= _THOUSAND else f"{tokens}"


def price_words(facts: ModelFacts) -> str:
    """What a million tokens cost, in and out; '' where nobody knows."""
    if facts.input_price is None or facts.output_price is None:
        return ""
    if not facts.input_price and not facts.output_price:
        return tr("free")
    return f"${facts.input_price:.3g} / ${facts.output_price:.3g}"


def marks(facts: ModelFacts) -> list[tuple[str, str]]:
    """What a model can as (short mark, whole words)."""
    found: list[tuple[str, str]] = []
    if facts.takes_tools:
        found.append((tr("tools"), tr("calls tools")))
    elif facts.takes_tools is False:
        found.append((tr("no tools"), tr("writes code in fences, as it calls no tools")))
    if facts.takes_images:
        found.append((tr("vision"), tr("sees images")))
    if facts.reasons:
        found.append((tr("reasoning"), tr("thinks before it answers")))
    if facts.context_tokens:
        size = context_words(facts.context_tokens)
        found.append((size, tr("reads {size} tokens", size=size)))
    return found


def facts_words(facts: ModelFacts) -> str:
    """All that is known, as a sentence; '' where nothing is."""
    parts = [whole for _short, whole in marks(facts)]
    if price := price_words(facts):
        parts.append(tr("{price} for a million tokens in / out", price=price))
    text = ", ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""
