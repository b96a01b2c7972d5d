"""An estimate of the number of tokens in a text, made without a tokenizer."""

from __future__ import annotations

from playhead.domain.text.unicode import utf8_length, utf16_length

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


class TokenCounter:
    """Estimates the tokens of a text that comes in pieces; each piece costs a few C calls."""

    def __init__(self) -> None:
        self._tokens = 0.0

    @property
    def tokens(self) -> int:
        """The tokens of all pieces; 0 where there is no text."""
        return int(self._tokens) + 1 if self._tokens else 0

    def add(self, text: str) -> None:
        """Count a piece."""
        plain = text.encode("ascii", "ignore")
        digits = len(plain) - len(plain.translate(None, _DIGITS))
        signs = len(plain) - len(plain.translate(None, _SIGNS))
        letters = len(plain) - digits - signs
        self._tokens += letters / _PER_LETTER + digits / _PER_DIGIT + signs / _PER_SIGN
        if len(plain) != len(text):
            self._tokens += _count_others(text, len(plain))


def count_text(text: str) -> int:
    """Return about how many tokens a text has."""
    counter = TokenCounter()
    counter.add(text)
    return counter.tokens


def _count_others(text: str, plain: int) -> float:
    """Count characters of two, three and four bytes from the lengths in two encodings."""
    size, four = utf8_length(text), utf16_length(text) - len(text)
    both = len(text) - plain - four
    three = size - plain - 4 * four - 2 * both
    return (both - three) / _PER_TWO_BYTES + three / _PER_THREE_BYTES + four / _PER_FOUR_BYTES
