"""How many tokens a text is, guessed from its letters and mended by what providers count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

IMAGE_TOKENS = 1_100
"""What a picture costs with most providers at the size in which it is sent."""

ENTRY_TOKENS = 4
"""What the frame around a message costs."""

_DIGITS = b"0123456789"
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum() and chr(code) != " ")

# Characters per token by class, measured with a tokenizer of 100,000 words over prose, code,
# tables, tracebacks and eleven scripts: rather too many tokens than too few.
_PER_LETTER = 4.4
_PER_DIGIT = 1.5
_PER_SIGN = 1.9
_PER_TWO_BYTES = 1.4  # Latin with accents, Greek, Cyrillic, Hebrew, Arabic
_PER_THREE_BYTES = 0.9  # Indian scripts, Thai, Chinese, Japanese, Korean
_PER_FOUR_BYTES = 0.35  # pictures

_CLOSEST, _FARTHEST = 0.5, 2.5
_FORGETS = 0.5


def count_text(text: str) -> int:
    """About how many tokens a text is; a few C calls, whatever its length."""
    if not text:
        return 0
    plain = text.encode("ascii", "ignore")
    digits = len(plain) - len(plain.translate(None, _DIGITS))
    signs = len(plain) - len(plain.translate(None, _SIGNS))
    tokens = (len(plain) - digits - signs) / _PER_LETTER + digits / _PER_DIGIT + signs / _PER_SIGN
    if len(plain) != len(text):
        tokens += _count_others(text, len(plain))
    return int(tokens) + 1


def _count_others(text: str, plain: int) -> float:
    """Characters of two, three and four bytes, told apart by the lengths of two encodings."""
    size = len(text.encode("utf-8", "surrogatepass"))
    four = len(text.encode("utf-16-le", "surrogatepass")) // 2 - len(text)
    both = len(text) - plain - four
    three = size - plain - 4 * four - 2 * both
    return (both - three) / _PER_TWO_BYTES + three / _PER_THREE_BYTES + four / _PER_FOUR_BYTES


def count_entry(entry: Mapping[str, Any]) -> int:
    """One message in the shape that servers take."""
    content = entry.get("content")
    tokens = ENTRY_TOKENS
    if isinstance(content, str):
        tokens += count_text(content)
    elif isinstance(content, list):
        tokens += sum(_count_part(part) for part in cast("list[dict[str, Any]]", content))
    for call in entry.get("tool_calls") or ():
        function = call["function"]
        tokens += ENTRY_TOKENS + count_text(function["name"]) + count_text(function["arguments"])
    return tokens


def _count_part(part: Mapping[str, Any]) -> int:
    return count_text(part["text"]) if part.get("type") == "text" else IMAGE_TOKENS


def count_entries(entries: Iterable[Mapping[str, Any]]) -> int:
    """All messages."""
    return sum(count_entry(entry) for entry in entries)


class Calibration:
    """What providers' own counts say of the guesses, by conversation; 1.0 where nothing is known.

    A guess is multiplied by it.
    """

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def factor(self, conversation_id: str) -> float:
        """By how much guesses in this conversation are off."""
        return self._factors.get(conversation_id, 1.0)

    def learn(self, conversation_id: str, guessed: int, counted: int) -> None:
        """A request that was guessed at so many tokens had so many; both without calibration."""
        if guessed <= 0 or counted <= 0:
            return
        seen = min(max(counted / guessed, _CLOSEST), _FARTHEST)
        before = self._factors.get(conversation_id)
        factor = seen if before is None else before + (seen - before) * _FORGETS
        self._factors[conversation_id] = factor
