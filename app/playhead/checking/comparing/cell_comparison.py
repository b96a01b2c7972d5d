"""Compare all that one cell gave with what it had given, and say what is likely behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from playhead.checking.comparing.figure_comparison import compare_figures
from playhead.checking.comparing.outcome import Match, Outcome
from playhead.checking.comparing.table_comparison import compare_tables
from playhead.checking.comparing.text_comparison import RunContext, compare_texts
from playhead.errors import phrase

_SHOWN = 200
Pair = tuple[Outcome | None, Outcome | None]
_INSTALL = re.compile(r"^\s*[%!]\s*(?:uv\s+)?(?:pip|conda|mamba)\b|^\s*$|^\s*#", re.MULTILINE)
_RANDOM = re.compile(
    r"\brandom\b|\brand\w*\(|\bshuffle\(|\bsample\(|\bchoices?\(|\bnormal\(|train_test_split"
    r"|default_rng\(\s*\)|uuid4|\bsecrets\."
)
_SEED = re.compile(r"\bseed\(|default_rng\(\s*[^)\s]|random_state\s*=|manual_seed\(|Random\(\s*\d")
_SET = re.compile(r"\bset\(|\{[^{}:,]*,[^{}:]*\}|\bhash\(")
_NO_NAME = re.compile(r"name ['\"‘](?P<name>\w+)['\"’] is not defined")


def pairs_of(before: Sequence[Outcome], now: Sequence[Outcome]) -> Iterator[Pair]:
    """Yield the results of two runs side by side, by their kinds and order."""
    kinds = [one.kind for one in before], [one.kind for one in now]
    matcher = SequenceMatcher(None, *kinds, autojunk=False)
    for _, first, last, other_first, other_last in matcher.get_opcodes():
        left: list[Outcome | None] = [*before[first:last]]
        right: list[Outcome | None] = [*now[other_first:other_last]]
        if kinds[0][first:last] == kinds[1][other_first:other_last]:
            yield from zip(left, right, strict=True)
        else:
            yield from ((one, None) for one in left)
            yield from ((None, one) for one in right)


def compare_pair(pair: Pair, was: RunContext, now_is: RunContext) -> Match:
    """Compare one result with what it had been."""
    before, now = pair
    if before is None or now is None:
        return _one_sided(before, now)
    match before.kind:
        case "figure":
            return compare_figures(before.data, now.data)
        case "table" if before.table is not None and now.table is not None:
            return compare_tables(before.table, now.table, was, now_is)
        case "table":
            return Match("differs", phrase("a table that cannot be read"))
        case "error":
            if before.name != now.name:
                return Match(
                    "differs", phrase("{now}, recorded {before}", now=now.name, before=before.name)
                )
            return compare_texts(before.text, now.text, was, now_is)
        case _:
            return compare_texts(before.text, now.text, was, now_is)


_MISSING = {
    "text": phrase("an output is missing"),
    "figure": phrase("a figure is missing"),
    "table": phrase("a table is missing"),
    "markup": phrase("a formatted text is missing"),
    "question": phrase("it does not ask for input, as recorded"),
}
_ADDED = {
    "text": phrase("an output that is not recorded"),
    "figure": phrase("a figure that is not recorded"),
    "table": phrase("a table that is not recorded"),
    "markup": phrase("a formatted text that is not recorded"),
    "question": phrase("it asks for input, which is not recorded"),
}


def _one_sided(before: Outcome | None, now: Outcome | None) -> Match:
    if now is not None and now.kind == "error":
        told = " ".join(f"{now.name}: {now.text}".split())[:_SHOWN]
        return Match("differs", phrase("it failed: {error}", error=told))
    if before is not None and before.kind == "error":
        words = phrase("it did not fail with {error}, as recorded", error=before.name)
        return Match("differs", words)
    if before is not None:
        return Match("differs", _MISSING[before.kind])
    assert now is not None  # noqa: S101 - one of them is there
    return Match("differs", _ADDED[now.kind])


def is_installation(code: str) -> bool:
    """Return whether a cell only installs packages: what that prints is not compared."""
    rows = [row for row in code.split("\n") if row.strip() and not row.lstrip().startswith("#")]
    return bool(rows) and all(_INSTALL.match(row) for row in rows)


def likely_cause(now: Outcome | None, code: str, made_anywhere: frozenset[str]) -> str:
    """Return what is likely behind a difference; "" if nothing is known.

    `code` is that of the cell with all before it, `made_anywhere` the names that any cell makes.
    """
    if now is not None and now.kind == "error":
        return _cause_of_error(now, made_anywhere)
    if _RANDOM.search(code) and not _SEED.search(code):
        return phrase("it uses random numbers without a seed")
    if now is not None and now.kind == "text" and _SET.search(code):
        return phrase("the order of a set of texts is another one in each process")
    return ""


def _cause_of_error(now: Outcome, made_anywhere: frozenset[str]) -> str:
    if now.name == "NameError" and (found := _NO_NAME.search(now.text)):
        name = found["name"]
        if name in made_anywhere:
            return phrase("only a later cell makes {name}", name=name)
        return phrase("no cell makes {name}: code that is not here had left it", name=name)
    if now.name in ("ModuleNotFoundError", "ImportError"):
        return phrase("the package is not in the environment of the check")
    if now.name in ("FileNotFoundError", "NotADirectoryError"):
        return phrase("it reads a file that is not among the inputs")
    if now.name in ("ConnectionError", "URLError", "gaierror", "ConnectError", "timeout"):
        return phrase("it needs the network, which it does not reach here")
    return ""
