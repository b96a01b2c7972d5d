"""`%timeit` and `%prun`: how long a statement takes, run often, and where that time goes."""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple


class TimeitResult(NamedTuple):
    """What `-o` gives back."""

    average: float
    stdev: float
    best: float
    worst: float
    loops: int
    repeat: int

    def __str__(self) -> str:
        runs = f"{self.repeat} run{'s' if self.repeat != 1 else ''}"
        loops = f"{self.loops:,} loop{'s' if self.loops != 1 else ''} each"
        spread = f"{duration(self.average)} ± {duration(self.stdev)}"
        return f"{spread} per loop (mean ± std. dev. of {runs}, {loops})"

    __repr__ = __str__


def measure(rest: str, body: str, names: dict[str, Any]) -> TimeitResult | None:
    """Time the rest of the line, or `body` with the rest of the line as its preparation."""
    import timeit  # slow to import, and rarely wanted

    options, code = _options(rest)
    statement, setup = (body, code or "pass") if body else (code, "pass")
    timer = timeit.Timer(statement, setup, globals=names)
    loops = int(options.get("-n", 0)) or timer.autorange()[0]
    repeat = int(options.get("-r", 7))
    times = [total / loops for total in timer.repeat(repeat, loops)]
    average = math.fsum(times) / len(times)
    spread = math.sqrt(math.fsum((one - average) ** 2 for one in times) / len(times))
    result = TimeitResult(average, spread, min(times), max(times), loops, repeat)
    if "-q" not in options:
        sys.stdout.write(f"{result}\n")
    return result if "-o" in options else None


def _options(rest: str) -> tuple[dict[str, str], str]:
    """The options before the code, and the code as it was written."""
    import getopt
    import shlex

    words = rest.split(" ")
    count = 0
    while count < len(words) and words[count].startswith("-") and len(words[count]) > 1:
        count += 2 if words[count] in ("-n", "-r", "-p") else 1
    found, _ = getopt.getopt(shlex.split(" ".join(words[:count])), "n:r:p:tcqov:")
    return dict(found), " ".join(words[count:]).strip()


def profile(code: str, names: dict[str, Any]) -> None:
    """Run code once and print which functions took the most time."""
    import cProfile
    import pstats

    profiler = cProfile.Profile()
    try:
        profiler.runctx(code, names, names)
    finally:
        pstats.Stats(profiler, stream=sys.stdout).sort_stats("cumulative").print_stats(20)


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
