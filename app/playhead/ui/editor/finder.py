"""Finds words and patterns in a text, a slice at a time so that the window stays awake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRegularExpression, QRegularExpressionMatch

from playhead.ui.wording import tr

SLICE = 16_000
"""Characters looked at in one go; a slice ends at the end of a line."""
MOST = 20_000
"""Places that are counted; nobody steps through more."""

_Option = QRegularExpression.PatternOption
_GROUP = re.compile(r"\\(\d|\\|n|t)|\$(\d)")


class PatternError(ValueError):
    """A pattern that cannot be understood, or takes too long."""


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for."""

    text: str
    is_case: bool = False
    is_word: bool = False
    is_pattern: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A place in the text, in characters, and what a pattern's groups caught there."""

    start: int
    end: int
    groups: tuple[str, ...] = ()


def compiled(query: Query) -> QRegularExpression:
    """The query as an expression. Raises PatternError.

    PCRE gives up on patterns that would run for ever (`(a+)+$`), Python's `re` does not.
    """
    source = query.text if query.is_pattern else QRegularExpression.escape(query.text)
    if query.is_word:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    options = _Option.MultilineOption | _Option.UseUnicodePropertiesOption
    if not query.is_case:
        options |= _Option.CaseInsensitiveOption
    expression = QRegularExpression(source, options)
    if not expression.isValid():
        raise PatternError(expression.errorString() or tr("This is no pattern."))
    return expression


def search(text: str, query: Query) -> Iterator[list[Found]]:
    """Places by slices of the text, in order, empty ones too. Raises PatternError.

    A pattern matches within a slice; words and patterns over several lines are found unless they
    lie across two slices.
    """
    if not query.text:
        return
    expression = compiled(query)
    start = 0
    while start < len(text):
        end = _end_of_slice(text, start)
        yield _found_in(expression, text[start:end], start)
        start = end


def expanded(template: str, found: Found, query: Query) -> str:
    """What is put in the place of a match; `\\1` and `$1` are a pattern's groups."""
    if not query.is_pattern:
        return template

    def put(match: re.Match[str]) -> str:
        word = match.group(1) or match.group(2)
        if word.isdigit():
            number = int(word)
            return found.groups[number] if number < len(found.groups) else ""
        return {"n": "\n", "t": "\t"}.get(word, "\\")

    return _GROUP.sub(put, template)


def _end_of_slice(text: str, start: int) -> int:
    if len(text) - start <= SLICE:
        return len(text)
    line_end = text.find("\n", start + SLICE)
    return len(text) if line_end < 0 else line_end + 1


def _found_in(expression: QRegularExpression, piece: str, offset: int) -> list[Found]:
    """All matches of one slice; Qt counts in UTF-16, where an emoji is two."""
    to_characters = _counter(piece)
    places: list[Found] = []
    after = 0
    matches = expression.globalMatch(piece)
    while matches.hasNext():
        match = matches.next()
        after = match.capturedEnd()
        if match.capturedLength() > 0:
            first = to_characters(match.capturedStart())
            last = to_characters(after)
            places.append(Found(offset + first, offset + last, _groups(match)))
    if not expression.match(piece, after).isValid():  # that is how it gives up
        raise PatternError(tr("This pattern takes too long."))
    return places


def _groups(match: QRegularExpressionMatch) -> tuple[str, ...]:
    return tuple(match.captured(number) for number in range(match.lastCapturedIndex() + 1))


class _Counter:
    """Turns growing places in UTF-16 into characters."""

    def __init__(self, text: str) -> None:
        self._data = text.encode("utf-16-le", "surrogatepass")
        self._units = self._characters = 0

    def __call__(self, units: int) -> int:
        piece = self._data[self._units * 2 : units * 2]
        self._characters += len(piece.decode("utf-16-le", "surrogatepass"))
        self._units = units
        return self._characters


def _counter(text: str) -> Callable[[int], int]:
    has_wide = not text.isascii() and any(character > "\uffff" for character in text)
    return _Counter(text) if has_wide else int
