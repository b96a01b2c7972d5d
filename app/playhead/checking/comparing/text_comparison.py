"""Compare texts: what no two runs have in common is left out, numbers have a tolerance."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from difflib import SequenceMatcher

from msgspec import Struct

from playhead.checking.comparing.outcome import SAME, Match
from playhead.errors import phrase

TOLERANCE = 1e-6
"""The relative difference up to which two decimal numbers are the same; whole ones are exact."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")
_ADDRESS = re.compile(
    r"(?<=\bat )0x[0-9a-fA-F]{5,16}\b|\b0x[0-9a-fA-F]{5,16}(?=>)|\b0x(?:7f|5[56])[0-9a-f]{10}\b"
)
"""As objects are shown, or where Linux puts them: other such numbers are results."""
_PATH = re.compile(r"(?<![\w.:/])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+~%-]+)+[/\\](?P<name>[\w.@+~%-]*)")
_TEMPORARY = re.compile(r"(?<!\w)tmp[a-z0-9_]{8}(?!\w)")
_CELL_FILE = re.compile(r"(?:<|\b)(?:ipython-input-\d+-[0-9a-f]+|block[ -]\d+)(?:>|\b)")
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")
_CLOCK = re.compile(
    r"perf_counter|process_time|monotonic|\btime\.time\b|timeit|%%?time\b|tqdm|progress"
    r"|\.now\(|\.today\(|utcnow|\btime\(\)|\bclock\b"
)
_DURATION = re.compile(
    r"(?<!\d)\d+(?:\.\d+)?(?:e[-+]?\d+)?"
    r"\s?(?:ns|µs|μs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b"
)
_NAMED_DURATION = re.compile(
    r"(?i)\b(?:elapsed|took|duration|runtime|run time|wall time|cpu time|seconds)\b\W{0,3}"
    r"\d+(?:\.\d+)?(?:e[-+]?\d+)?(?:\s?\w{1,7})?"
)
_PROGRESS = re.compile(
    r"\|[^|\n]*\|\s*[\d.,]+\w?/[\d.,]+\w?\s*\[[^\]\n]*\]|(?<![\d.])[\d.]+\s?(?:it|B)/s"
)
_STAMP = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
)
_CTIME = "%a %b %d %H:%M:%S %Y"
_NEAR_S = 15 * 3600.0
"""A local time differs from UTC by at most 14 hours."""
_MOST_LINES = 2000
_MOST_ALIGNED = 20_000
"""Pairs of equal lines: many, as of blank ones, take long in the window's thread."""
_SHOWN = 60


class RunContext(Struct, frozen=True, kw_only=True):
    """The code of a run with all before it, and its times in seconds, 0 if not known."""

    code: str = ""
    began_at: float = 0.0
    ended_at: float = 0.0


NO_CONTEXT = RunContext()


def compare_texts(
    before: str, now: str, was: RunContext = NO_CONTEXT, now_is: RunContext = NO_CONTEXT
) -> Match:
    """Compare two texts; `was` and `now_is` are the runs that they are from."""
    if before.rstrip() == now.rstrip():
        return SAME
    masked = (settled(before, was), settled(now, now_is))
    if masked[0] == masked[1]:
        return Match("volatile", phrase("addresses, times or paths"))
    if before.split() == now.split():
        return Match("differs", phrase("the same words with other spaces or lines"))
    widest = max_difference(*masked)
    if widest is None:
        return Match("differs", _first_difference(*masked))
    is_same = settled_equal(before, now)
    return Match(
        "same" if is_same else "volatile",
        phrase("numbers by up to {share} of their value", share=f"{widest:.1g}"),
    )


def settled_equal(before: str, now: str) -> bool:
    """Return whether two texts differ by nothing but the last digits of numbers."""
    return max_difference(_lines(before), _lines(now)) is not None


def settled(text: str, run: RunContext) -> str:
    """Return the text with a word in place of what no two runs have in common.

    Dates and times only if they are those of the run itself, durations only if the code looks at a
    clock: other numbers and dates are results.
    """
    text = _lines(text)
    text = _ADDRESS.sub("<address>", text)
    text = _CELL_FILE.sub("<block>", text)
    text = _PATH.sub(lambda found: f"<folder>/{found['name']}", text)
    text = _TEMPORARY.sub("<temporary>", text)
    if "uuid" in run.code:
        text = _UUID.sub("<uuid>", text)
    if run.began_at:
        text = _STAMP.sub(_as_moment(run), text)
    if _CLOCK.search(run.code):
        for pattern in (_PROGRESS, _NAMED_DURATION, _DURATION):
            text = pattern.sub("<time>", text)
    return text


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def _as_moment(run: RunContext) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        moment = _moment(found[0])
        first, last = run.began_at - _NEAR_S, max(run.ended_at, run.began_at) + _NEAR_S
        if len(found[0]) == 10:
            first -= 86400.0
        return "<time of the run>" if moment and first <= moment <= last else found[0]

    return replaced


def _moment(text: str) -> float:
    """Return a written time in seconds since the epoch, as if it were UTC; 0 for other texts."""
    try:
        if text[0].isalpha():
            return datetime.strptime(text, _CTIME).replace(tzinfo=UTC).timestamp()
        moment = datetime.fromisoformat(text.replace(",", "."))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def max_difference(before: str, now: str) -> float | None:
    """Return the largest relative difference of numbers; None if more differs than the tolerance.

    Spaces do not count where numbers are: a column is as wide as its longest number.
    """
    parts, others = _NUMBER.split(before), _NUMBER.split(now)
    if len(parts) != len(others):
        return None
    if any(_words(one) != _words(other) for one, other in zip(parts, others, strict=True)):
        return None
    widest = 0.0
    for one, other in zip(_NUMBER.findall(before), _NUMBER.findall(now), strict=True):
        difference = number_difference(one, other)
        if difference is None:
            return None
        widest = max(widest, difference)
    return widest


def _words(text: str) -> list[list[str]]:
    return [line.split() for line in text.split("\n")]


def number_difference(one: str, other: str) -> float | None:
    """Return the relative difference of two written numbers; None above the tolerance."""
    if one == other:
        return 0.0
    if not any(mark in one + other for mark in ".eE"):
        return None  # whole numbers count something
    values = float(one), float(other)
    return value_difference(*values) if all(map(math.isfinite, values)) else None


def value_difference(one: float, other: float) -> float | None:
    """Return the relative difference of two numbers; None above the tolerance."""
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    if not (math.isfinite(one) and math.isfinite(other)):
        return None
    scale = max(abs(one), abs(other))
    if scale < 1e-12:
        return 0.0
    difference = abs(one - other) / scale
    return difference if difference <= TOLERANCE else None


def _first_difference(before: str, now: str) -> str:
    rows, others = before.split("\n"), now.split("\n")
    for number, (row, other) in enumerate(zip(rows, others, strict=False), 1):
        if row != other:
            return phrase(
                "line {number}: {before}, now {now}",
                number=number,
                before=_short(row),
                now=_short(other),
            )
    return lines_words(len(rows), len(others))


def lines_words(before: int, now: int) -> str:
    """Return that a text has another number of lines."""
    return phrase("{before} lines, now {now}", before=f"{before:,}", now=f"{now:,}")


def _short(row: str) -> str:
    words = " ".join(row.split())
    return f"“{words[:_SHOWN]}…”" if len(words) > _SHOWN else f"“{words}”"


def aligned(before: str, now: str) -> list[tuple[str | None, str | None]]:
    """Return the lines of two texts side by side; None where one of them has no line."""
    rows, others = before.split("\n")[:_MOST_LINES], now.split("\n")[:_MOST_LINES]
    counts = Counter(others)
    pairs: list[tuple[str | None, str | None]] = []
    for kind, first, last, other_first, other_last in (
        SequenceMatcher(None, rows, others, autojunk=False).get_opcodes()
        if sum(counts[row] for row in rows) < _MOST_ALIGNED
        else _in_step(rows, others)
    ):
        left: list[str | None] = [*rows[first:last]]
        right: list[str | None] = [*others[other_first:other_last]]
        height = max(len(left), len(right)) if kind != "equal" else len(left)
        left += [None] * (height - len(left))
        right += [None] * (height - len(right))
        pairs += zip(left, right, strict=True)
    return pairs


def _in_step(rows: list[str], others: list[str]) -> list[tuple[str, int, int, int, int]]:
    return [("replace", 0, len(rows), 0, len(others))]
