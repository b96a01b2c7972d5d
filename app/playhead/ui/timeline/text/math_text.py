"""Find the formulas in markdown and put marks in their place.

Markdown would remove stars, underscores and backslashes from a formula: so it is taken out before
the text is parsed as Markdown, and put back, drawn, at its mark.

A formula on lines of its own begins a line with `$$` or `\\[` and ends with the other half of
that sign, a blank line or the end of what surrounds it. It need not be valid LaTeX, so
nothing that comes later changes what came before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from playhead.domain.text.fences import Fence, opening_fence

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock


_OPEN, _CLOSE = "\ue2f0", "\ue2f1"
_LINE_LIMIT = 1_000
"""The most characters between two single dollars that belong together."""
_LIMIT = 4_000
_NESTING = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*")
_BLANK = re.compile(r"[ \t>\r]*\n?\Z")
_TOKEN = re.compile(
    r"\\[\s\S]|(?P<ticks>`+)|(?P<dollars>\$+)"
    r"|\]\([^()\s]{0,2000}\)|<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,2000}>|https?://\S{0,2000}"
)
_TICKS = re.compile(r"`+")
_PREFIX = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_MATHS = re.compile(r"[\\^_={}<>+*/]")


class Formula(Struct, frozen=True):
    """LaTeX that was found in a text; `source` is the original text with its delimiters."""

    latex: str
    source: str
    is_display: bool = False


def placeholder(number: int) -> str:
    """Return the mark for the formula of this number; it has no meaning in Markdown."""
    return f"{_OPEN}{number}{_CLOSE}"


def mark_formulas(source: str) -> tuple[str, list[Formula]]:
    """Return the text with marks for its formulas, and the formulas."""
    if ("$" not in source and "\\(" not in source and "\\[" not in source) or _OPEN in source:
        return source, []
    formulas: list[Formula] = []
    return "".join(_marked(source, formulas)), formulas


def _marked(source: str, formulas: list[Formula]) -> Iterator[str]:
    for text, is_prose in _parts(source):
        if not is_prose:
            yield text
            continue
        at = 0
        for start, end, latex, is_display in _found(text):
            yield text[at:start]
            yield placeholder(len(formulas))
            formulas.append(Formula(_bare(latex), text[start:end], is_display))
            at = end
        yield text[at:]


def _parts(source: str) -> Iterator[tuple[str, bool]]:
    """Yield runs of lines without a blank one, and what is between: blanks and fences."""
    prose: list[str] = []
    fence: Fence | None = None
    for line in source.splitlines(keepends=True):
        nesting = _NESTING.match(line)
        opener = opening_fence(line[nesting.end() :] if nesting else line)
        if not fence and opener is None and _BLANK.match(line) is None:
            prose.append(line)
            continue
        yield "".join(prose), True
        prose.clear()
        yield line, False
        if fence is None:
            fence = opener
        elif fence.closes(line.lstrip(" \t>")):
            fence = None
    yield "".join(prose), True


def _found(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield start, end, LaTeX and whether it is on its own line, of each formula."""
    at = 0
    while token := _TOKEN.search(text, at):
        at = token.end()
        if token["ticks"]:
            at = _after_code(text, token)
        elif formula := _formula(text, token):
            latex, at, is_display = formula
            yield token.start(), at, latex, is_display


def _formula(text: str, token: re.Match[str]) -> tuple[str, int, bool] | None:
    start = token.end()
    match token[0]:
        case "\\(":
            return _until(text, start, "\\)", is_display=False)
        case "\\[":
            return _until(text, start, "\\]", is_display=True)
        case "$$":
            return _until(text, start, "$$", is_display=True)
        case "$":
            return _between_dollars(text, start)
        case _:
            return None


def _until(text: str, start: int, closer: str, *, is_display: bool) -> tuple[str, int, bool] | None:
    end = text.find(closer, start, start + _LIMIT)
    latex = text[start:end] if end >= 0 else ""
    if latex.isdigit():  # no formula, but the number of a source in brackets
        return None
    return (latex, end + len(closer), is_display) if latex.strip() else None


def _between_dollars(text: str, start: int) -> tuple[str, int, bool] | None:
    """Return a formula between single dollars, which touch it and are no part of a price."""
    before = text[start - 2 : start - 1]
    if before.isalnum() or text[start : start + 1].isspace():
        return None
    stop = text.find("\n", start, start + _LINE_LIMIT)
    limit = start + _LINE_LIMIT if stop < 0 else stop
    end = text.find("$", start, limit)
    while end > start and text[end - 1] == "\\":
        end = text.find("$", end + 1, limit)
    if end <= start or text[end - 1].isspace():
        return None
    after = text[end + 1 : end + 2]
    latex = text[start:end]
    if after.isalnum() or after == "$" or "`" in latex or _is_price(latex):
        return None
    return latex, end + 1, False


def _is_price(latex: str) -> bool:
    """Return whether it is a price: a number followed by words, without a sign of a formula."""
    return latex[:1].isdigit() and bool(_WORD.search(latex) and not _MATHS.search(latex))


def _after_code(text: str, opener: re.Match[str]) -> int:
    """Return where a code span ends, or its first ticks if it has no end."""
    size = len(opener[0])
    for ticks in _TICKS.finditer(text, opener.end(), opener.end() + _LIMIT):
        if len(ticks[0]) == size:
            return ticks.end()
    return opener.end()


def _bare(latex: str) -> str:
    """Return the LaTeX without the quotation marks at the start of its lines."""
    return _PREFIX.sub("\n", latex).strip() if "\n" in latex else latex.strip()


FORMULA_RULE = "formula"
_RULE_OPENER = re.compile(r"(\$\$)(?!\$)|\\\[")


def add_formula_rule(parser: MarkdownIt) -> None:
    """Add a rule that finds formulas; they may follow a paragraph without a blank line."""
    parser.block.ruler.before(
        "fence",
        FORMULA_RULE,
        _formula_rule,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _formula_rule(state: StateBlock, first: int, last: int, silent: bool) -> bool:
    if state.is_code_block(first):
        return False
    line = _rule_line(state, first)
    opener = _RULE_OPENER.match(line)
    if opener is None:
        return False
    closer = "$$" if opener[1] else "\\]"
    rest = line[opener.end() :]
    if closer in rest and not rest.rstrip().endswith(closer):
        return False  # it is part of a sentence
    if silent:
        return True
    after = first + 1
    if closer not in rest:
        after = _rule_end(state, after, last, closer)
    state.line = after
    token = state.push(FORMULA_RULE, "math", 0)
    token.map = [first, after]
    token.block = True
    return True


def _rule_end(state: StateBlock, after: int, last: int, closer: str) -> int:
    while after < last and not state.isEmpty(after):
        if state.sCount[after] < state.blkIndent:
            break
        after += 1
        if closer in _rule_line(state, after - 1):
            break
    return after


def _rule_line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
