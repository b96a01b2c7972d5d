"""A query for words in a conversation, and how often the text of a row contains them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from playhead.domain.conversation.payloads import Table
from playhead.domain.conversation.search import folded
from playhead.domain.text.terminal import SGR, without_colours
from playhead.ui.timeline.model.console_text import ConsoleText
from playhead.ui.timeline.model.rows import Row

_PIECE, _OVERLAP = 24_000, 400
MARKDOWN_KINDS = frozenset({"answer", "plan", "rendered", "reasoning", "tool_call", "tool_result"})
_PLAIN = frozenset({"question", "code", "markup", "run", "unknown"})
IN_COLUMN = MARKDOWN_KINDS | _PLAIN | {"console"}
"""Rows that show all that is searched of them as text."""
_MARKUP = re.compile(SGR + r"|\]\([^)\s]*\)|(?<!\w)_+|_+(?!\w)|[*`~\\]")
_SIGNS = frozenset("*`~\\_[]()")


class Span(Struct, frozen=True):
    """A range in a text, in characters."""

    start: int
    end: int


class FindQuery(Struct, frozen=True, dict=True):
    """The words to find; white space of any kind and length is equal."""

    text: str
    is_case: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern for a text that went through `fold`."""
        return re.compile(r"\s+".join(re.escape(self.fold(one)) for one in self.text.split()))

    @property
    def is_nothing(self) -> bool:
        """Return whether there is nothing to find."""
        return not self.text.strip()

    def fold(self, text: str) -> str:
        """Return the text as it is compared; positions remain the same."""
        return text if self.is_case else folded(text)

    def spans(self, text: str) -> list[Span]:
        """Return all matches in a short text."""
        found = self.pattern.finditer(self.fold(text))
        return [Span(*one.span()) for one in found]

    def may_be_in(self, source: str) -> bool:
        """Return whether a block of Markdown, or plain text, with this source may show a match."""
        fold = self.fold(source)
        if self.pattern.search(fold):
            return True
        return self.pattern.search(_MARKUP.sub("", fold)) is not None

    def counts(self, row: Row, others: str) -> Iterator[int]:
        """Yield the numbers of matches in a row, piece by piece.

        `others` is the text of rows without prose.
        """
        is_marked_up = row.kind in MARKDOWN_KINDS and not _SIGNS & set(self.text)
        for text in _texts(row, others):
            yield 0  # somebody may look at the clock, also where there is no text
            yield from self._counts_in(text, is_marked_up)

    def _counts_in(self, text: str, is_marked_up: bool) -> Iterator[int]:
        for begin in range(0, len(text), _PIECE):
            piece = self.fold(text[begin : begin + _PIECE + _OVERLAP])
            limit = min(_PIECE, len(piece))
            if is_marked_up and _MARKUP.search(piece):
                limit = len(_MARKUP.sub("", piece[:limit]))
                piece = _MARKUP.sub("", piece)
            yield sum(one.start() < limit for one in self.pattern.finditer(piece))


def _texts(row: Row, others: str) -> Iterator[str]:
    if row.kind == "console":
        yield from _printed(row.text)
    elif row.kind in IN_COLUMN:
        yield row.text
    elif row.message is not None and isinstance(row.message.content, Table):
        yield "\n".join(map(str, row.message.content.columns))
        for cells in row.message.content.rows:
            yield "\n".join(map(str, cells))
    else:
        yield others


def _printed(text: str) -> Iterator[str]:
    """Yield the pieces of an output as a terminal would show it."""
    console = ConsoleText()
    for begin in range(0, len(text), _PIECE):
        console.feed(text[begin : begin + _PIECE])
        yield ""
    yield "\n".join(map(without_colours, console.lines()))
