"""Citations for models that give none: what stands word for word in a result or a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from playhead.domain.conversation.payloads import Citation, Source

SHORTEST = 2
"""Of how many characters a value must be to be cited."""
_MOST_VALUES = 5_000
_MOST_PLACES = 200
"""Of one value that are looked at: answers are searched while others wait for theirs."""


class VerbatimCiter:
    """Cites every value of the sources once in an answer: longest first, without overlap."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources: dict[str, list[Source]] = {}
        for source in sources:
            for value in dict.fromkeys(_values(source.text)):
                self._sources.setdefault(value, []).append(source)
        self._left = sorted(self._sources, key=len, reverse=True)[:_MOST_VALUES]

    def cite(self, text: str) -> list[Citation]:
        """What the next message of the answer cites, in the order of its places."""
        spans: list[tuple[int, int, str]] = []
        left: list[str] = []
        for value in self._left:
            start = _place(value, text, spans)
            if start is None:
                left.append(value)
            else:
                spans.append((start, start + len(value), value))
        self._left = left
        return [
            Citation(start, end, value, tuple(self._sources[value]))
            for start, end, value in sorted(spans)
        ]


def _place(value: str, text: str, spans: list[tuple[int, int, str]]) -> int | None:
    start = -1
    for _ in range(_MOST_PLACES):
        start = text.find(value, start + 1)
        if start < 0:
            break
        end = start + len(value)
        is_free = all(end <= first or last <= start for first, last, _ in spans)
        if is_free and not _is_amid_a_word(text, start, end):
            return start
    return None


def _is_amid_a_word(text: str, start: int, end: int) -> bool:
    """19 does not stand in 2019; scripts without spaces between words have no such edges."""
    before = start > 0 and _is_letter(text[start - 1]) and _is_letter(text[start])
    after = end < len(text) and _is_letter(text[end]) and _is_letter(text[end - 1])
    return before or after


def _is_letter(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()


def _values(text: str) -> Iterator[str]:
    """Every text and number in a JSON document, also in JSON that stands in its texts."""
    waiting: list[Any] = [_parsed(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += cast("dict[str, Any]", value).values()
        elif isinstance(value, list):
            waiting += cast("list[Any]", value)
        elif isinstance(value, str) and (inner := _parsed(value)) is not value:
            waiting.append(inner)
        elif (told := _written(value)) is not None:
            yield told


def _written(value: object) -> str | None:
    """A text or a number as an answer would say it; None where it says too little."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    told = value.strip() if isinstance(value, str) else json.dumps(value)
    return told if len(told) >= SHORTEST else None


def _parsed(text: str) -> Any:
    """The object or list that a text is, else the text."""
    if not text.lstrip()[:1] or text.lstrip()[0] not in "{[":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
