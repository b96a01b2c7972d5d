"""How soon the frozen program paints, against the same program from its sources, in turns."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from tests.benchmarks.homes import measured_home
from tests.support.driver import ROOT

RUNS = 5
END_S = 30
PROGRAM = ROOT / "dist" / "playhead" / ("playhead.exe" if sys.platform == "win32" else "playhead")
_FROM_SOURCE = (sys.executable, "-m", "playhead")
_PAINTED = re.compile(r"first_paint_ms=")


def is_built() -> bool:
    """Whether there is something to measure."""
    return PROGRAM.is_file()


def frozen() -> dict[str, float]:
    """Medians of whole processes; both say the same line on the same pipe when they have painted.

    Ends the benchmark in words where nothing has been built.
    """
    if not is_built():
        place = PROGRAM.relative_to(ROOT)
        raise SystemExit(f"There is no frozen program at {place}: build it by `make package`.")
    painted: dict[Sequence[str], list[float]] = {_FROM_SOURCE: [], (str(PROGRAM),): []}
    with measured_home() as environment:
        for command in painted:
            ms_until_paint(command, environment)  # warms the caches of the disk and the byte code
        for _ in range(RUNS):
            for command, times in painted.items():
                times.append(ms_until_paint(command, environment))
    source, built = (statistics.median(times) for times in painted.values())
    return {
        "source_first_paint_ms": round(source, 1),
        "frozen_first_paint_ms": round(built, 1),
        "frozen_ratio": round(built / source, 3),
        "frozen_age_h": round((time.time() - PROGRAM.stat().st_mtime) / 3600, 1),
    }


def ms_until_paint(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Start it, wait for its line, end it; milliseconds in between."""
    started = time.monotonic()
    process = subprocess.Popen(
        [*command, "--log-level", "info"],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    try:
        for line in process.stderr:
            said.append(line)
            if _PAINTED.search(line):
                return (time.monotonic() - started) * 1000
    finally:
        _end(process)
    raise RuntimeError(f"{command[0]} ended without painting:\n{''.join(said)[-2000:]}")


def _end(process: subprocess.Popen[str]) -> None:
    """As at the end of the desktop's session; what it says meanwhile is read, lest it waits."""
    process.terminate()
    try:
        process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
