"""How soon the window is there, can be used and has an answer; its memory at rest."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.child import Child
from tests.benchmarks.first_answer import first_answers
from tests.benchmarks.homes import measured_home

RUNS = 5
REST_S = 3.0
QUIET_CPU_S = 0.05


def startup() -> dict[str, float]:
    """Medians of whole processes, taken in turns so that both meet the same machine."""
    paints: list[float] = []
    uses: list[float] = []
    bare_paints: list[float] = []
    bare_uses: list[float] = []
    rss_mb = 0.0
    with measured_home() as environment:
        _start(environment, [], [])  # warms the caches of the disk and the byte code
        for run in range(RUNS):
            _start_bare(environment, bare_paints, bare_uses)
            rss_mb = _start(environment, paints, uses, is_resting=run == RUNS - 1)
    first, bare_first = statistics.median(paints), statistics.median(bare_paints)
    usable, bare_usable = statistics.median(uses), statistics.median(bare_uses)
    return {
        "first_paint_ms": round(first, 1),
        "bare_first_paint_ms": round(bare_first, 1),
        "first_paint_ratio": round(first / bare_first, 3),
        "usable_ratio": round(usable / bare_usable, 3),
        "rss_mb": round(rss_mb, 1),
        **first_answers(),
    }


def _start(
    environment: Mapping[str, str],
    paints: list[float],
    uses: list[float],
    *,
    is_resting: bool = False,
) -> float:
    child = Child("tests.benchmarks.measured_app", environment)
    paints.append(child.ms_until("first_paint"))
    uses.append(child.ms_until("usable"))
    rss_mb = _rss_at_rest(child.process.pid) if is_resting else 0.0
    child.ask("clear")
    child.close()
    return rss_mb


def _start_bare(environment: Mapping[str, str], paints: list[float], uses: list[float]) -> None:
    child = Child("tests.benchmarks.bare_window", environment)
    paints.append(child.ms_until("first_paint"))
    uses.append(child.ms_until("usable"))
    child.close()


def _rss_at_rest(pid: int) -> float:
    """The resident size once the process has done next to nothing for a while."""
    deadline = time.monotonic() + 20
    before = _cpu_s(pid)
    while time.monotonic() < deadline:
        time.sleep(REST_S)
        now = _cpu_s(pid)
        if now - before < QUIET_CPU_S:
            break
        before = now
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the process is gone")


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
