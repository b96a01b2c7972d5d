"""Search terms, hits, and the places of the terms in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from playhead.domain.conversation.chunk import ChunkType, Role

LONGEST_QUERY = 200
"""Longer queries are cut: they are pasted, not typed, and would only match themselves."""
_MOST_TERMS = 12
_BEFORE, _EXCERPT = 20, 160
_CHUNK, _OVERLAP, _MOST_CHARS = 20_000, 400, 1_000_000
_PIECE = re.compile(r'"([^"]+)("?)|[^\s"]+')
_MARKS = (
    (r"(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|(?:```|~~~)\S*)", ""),
    (r"(?m)^[ \t]*(?:[|:\- ]{3,}$|\|)|[ \t]*\|[ \t]*$", ""),
    (r"!?\[([^\]\n]*)\]\([^)\s]*\)", r"\1"),
    (r"[ \t]+\|[ \t]+", " · "),
    (r"\*\*|__(?=\w)|(?<=\w)__|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", ""),
)
"""Signs of lines, links, cells and emphasis, and what is read in their place."""
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Scripts that put no spaces between words: an index of words does not find inside of theirs."""

Span = tuple[int, int]


class Term(Struct, frozen=True, kw_only=True):
    """A word, a phrase, or signs; a text must have all terms of a query.

    `is_indexed`: an index of words can find it. `is_checked`: it has signs that are not in such
    an index, so the text itself is searched. `is_open`: a word may continue after it.
    """

    text: str
    is_indexed: bool
    is_checked: bool
    is_open: bool = True


class SearchHit(Struct, frozen=True, kw_only=True):
    """A message that was found: its text around the match, and the places of the words in that."""

    conversation_id: str
    message_id: str
    role: Role
    type: ChunkType
    excerpt: str
    marks: tuple[Span, ...] = ()


class SearchFound(Struct, frozen=True):
    """Hits, the newest message first; `more` counts per conversation those that are left out.

    `is_cut`: there are others still, in older conversations.
    """

    hits: tuple[SearchHit, ...] = ()
    more: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    is_cut: bool = False


def terms_of(query: str) -> tuple[Term, ...]:
    """Return the terms of a typed query; text between quotes is a phrase."""
    clean = "".join(_visible(sign) for sign in query[:LONGEST_QUERY])
    terms: dict[Term, None] = {}
    for piece in _PIECE.finditer(clean):
        phrase = piece.group(1)
        text = piece.group() if phrase is None else " ".join(phrase.split())
        if phrase is None and text.endswith("*") and text[:-1].isalnum():
            text = text[:-1]  # any word may continue, so a wildcard at its end changes nothing
        if text:
            terms[_term(text, is_open=not piece.group(2))] = None
    return tuple(terms)[:_MOST_TERMS]


def pattern_of(terms: Sequence[Term]) -> re.Pattern[str]:
    """Return a pattern that finds any of the terms in a text returned by `folded`."""
    return re.compile("|".join(_expression(term) for term in terms) or r"(?!)")


def folded(text: str) -> str:
    """Return the text in lower case and without accents; places in it stay the same."""
    return text.lower() if text.isascii() else text.translate(_FOLDING)


def has_all(text: str, terms: Sequence[Term]) -> bool:
    """Return whether a (folded) short text such as a title has each of the terms somewhere."""
    return all(folded(term.text) in text for term in terms)


def spans_in(text: str, terms: Sequence[Term]) -> tuple[Span, ...]:
    """Return the places of the terms in a short text, also in words; in order, without overlaps."""
    if not terms:
        return ()
    any_of = re.compile("|".join(re.escape(folded(term.text)) for term in terms))
    return tuple(found.span() for found in any_of.finditer(folded(text)))


def excerpt_of(
    text: str, pattern: re.Pattern[str], *, is_markdown: bool = False
) -> tuple[str, tuple[Span, ...]]:
    """Return one line of a message around the first match, and the places in that line.

    Markdown is shown without its marks, unless the query has marks.
    """
    place = first_place(text, pattern)
    start = _line_start(text, place[0]) if place else 0
    piece = text[start : start + _EXCERPT]
    if is_markdown:
        bare = _without_marks(piece)
        if len(pattern.findall(folded(bare))) >= len(pattern.findall(folded(piece))):
            piece = bare
    words = " ".join(piece.split())
    shown = "".join(sign if sign.isprintable() else " " for sign in words)
    before = "… " if start else ""
    after = "…" if start + _EXCERPT < len(text) else ""
    line = f"{before}{shown}{after}"
    return line, tuple(found.span() for found in pattern.finditer(folded(line)))


def _without_marks(text: str) -> str:
    """Return a line of markdown without the marks of headings, lists, quotes, emphasis, links."""
    for pattern, instead in _MARKS:  # compiled at the first search: none of it is for the start
        text = re.sub(pattern, instead, text)
    return text


def first_place(text: str, pattern: re.Pattern[str]) -> Span | None:
    """Return the first match of the pattern; the end of a very long text is not searched."""
    for begin in range(0, min(len(text), _MOST_CHARS), _CHUNK):
        found = pattern.search(folded(text[begin : begin + _CHUNK + _OVERLAP]))
        if found is not None:
            return begin + found.start(), begin + found.end()
    return None


def _term(text: str, is_open: bool) -> Term:
    has_words = any(unicodedata.category(sign)[0] in "LN" for sign in text)
    is_indexed = has_words and re.search(_UNSPACED, text) is None
    has_signs = not all(_is_of_word(sign) or sign == " " for sign in text)
    return Term(
        text=text, is_indexed=is_indexed, is_checked=has_signs or not is_indexed, is_open=is_open
    )


def _expression(term: Term) -> str:
    words = [re.escape(word) for word in folded(term.text).split(" ")]
    if term.is_checked:
        return r"\s+".join(words)
    end = "" if term.is_open else r"(?![^\W_])"
    return r"(?<![^\W_])" + r"[\W_]+".join(words) + end


def _is_of_word(sign: str) -> bool:
    category = unicodedata.category(sign)
    return category[0] in "LNM" or category == "Co"


def _visible(sign: str) -> str:
    """Return the character to index: a space for controls, U+FFFD for half a surrogate pair."""
    match unicodedata.category(sign):
        case "Cc" | "Zl" | "Zp" | "Zs":
            return " "
        case "Cs":
            return "\ufffd"
        case _:
            return sign


def _line_start(text: str, place: int) -> int:
    """Return a place a little before another, at the start of a word."""
    if place <= _BEFORE:
        return 0
    start = place - _BEFORE
    gap = re.search(r"\s", text[start:place])
    return start + gap.end() if gap else start


class _Folding(dict[int, int]):
    """Learns per sign what it is without accent and size; filled as signs come by."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code))[0].lower()
        self[code] = ord(base) if len(base) == 1 else code
        return self[code]


_FOLDING = _Folding()
