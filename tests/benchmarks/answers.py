"""The answer that the measured model gives: so many chunks as the question's first word says."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.model_server import Reply, Request, text

_WORDS = (
    "Streaming ",
    "text ",
    "with ",
    "some ",
    "**weight**, ",
    "a ",
    "`name` ",
    "and ",
    "more. ",
)


def many_chunks(request: Request) -> Reply:
    """Words of a plausible answer: a new paragraph every 60."""
    numbers = [word for word in request.user_text.split() if word.isdigit()]
    return text(*_words(int(numbers[0])))


def _words(count: int) -> Iterator[str]:
    for number in range(count):
        yield "\n\n" if number % 60 == 59 else _WORDS[number % len(_WORDS)]
