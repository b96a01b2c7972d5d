"""Money, durations and sizes in words.

`tr` and `tr_n` put a text into the language of its reader; without them the words are English.
"""

from __future__ import annotations

from collections.abc import Callable

Translate = Callable[..., str]
"""Takes an English text and the values for the names in its braces."""
TranslateNumber = Callable[..., str]
"""Takes a text with `%n`, a number, and `one`, the English for one."""

_CENT = 0.01


def in_english(text: str, /, **values: object) -> str:
    """Return the text with its values."""
    return text.format_map(values) if values else text


def count_in_english(many: str, count: int, /, *, one: str) -> str:
    """Return the text for one thing, or `many` with the number."""
    return one if count == 1 else many.replace("%n", f"{count:,}")


def format_dollars(cost: float) -> str:
    """Return a sum in cents where that says enough, else with the digits of a smaller one."""
    if cost == 0 or cost >= 1:
        return f"${cost:,.2f}"
    if cost >= _CENT:
        return f"${cost:.3f}".removesuffix("0")
    return f"${cost:.4f}" if cost >= _CENT / 100 else "under $0.0001"


def format_price(price: float) -> str:
    """Return a listed price with the digits that it has, three at most: $2, $0.0375."""
    digits = f"{price:.3g}"
    return format_dollars(price) if "e" in digits else f"${digits}"


def format_duration(seconds: float, tr: Translate = in_english, *, is_running: bool = False) -> str:
    """Return a time: 38 ms, 1.1 s, 2 min 5 s; in whole seconds while it still grows."""
    if round(seconds, 1) >= 60:
        minutes, rest = divmod(round(seconds), 60)
        return tr("{minutes} min {rest} s", minutes=minutes, rest=rest)
    if is_running:
        return tr("{seconds} s", seconds=round(seconds))
    if seconds < 0.0995:
        return tr("{number} ms", number=max(round(seconds * 1000), 0))
    return tr("{seconds:.1f} s", seconds=seconds)


def format_size(
    size_bytes: int, tr: Translate = in_english, tr_n: TranslateNumber = count_in_english
) -> str:
    """Return a size: 12 bytes, 3 kB, 1.5 MB, 212 MB, 2.0 GB."""
    if size_bytes < 1_000:
        return tr_n("%n bytes", size_bytes, one="1 byte")
    if size_bytes < 999_500:
        return tr("{number:.0f} kB", number=size_bytes / 1_000)
    if size_bytes < 99_950_000:
        return tr("{number:.1f} MB", number=size_bytes / 1_000_000)
    if size_bytes < 999_500_000:
        return tr("{number:.0f} MB", number=size_bytes / 1_000_000)
    return tr("{number:.1f} GB", number=size_bytes / 1_000_000_000)
