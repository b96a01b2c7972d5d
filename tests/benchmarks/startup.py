"""How soon the window is there, can be used and has an answer; its memory at rest."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.child import Child
from tests.benchmarks.first_answer import first_answers
from tests.benchmarks.homes import measured_home
from tests.benchmarks.raw_rows import keep_rows, median

RUNS = 5
REST_S = 3.0
QUIET_CPU_S = 0.05


def startup() -> dict[str, float]:
    """Medians of whole processes, taken in turns so that both meet the same machine."""
    rows: list[dict[str, float]] = []
    with measured_home() as environment:
        _start(environment)  # warms the caches of the disk and the byte code
        for run in range(RUNS):
            bare = {f"bare_{key}": value for key, value in _start_bare(environment).items()}
            rows.append(bare | _start(environment, is_resting=run == RUNS - 1))
    keep_rows("startup", rows)
    ratios = {
        f"{moment}{kind}_ratio": round(
            median(rows, f"{moment}{kind}_ms") / median(rows, f"bare_{moment}{kind}_ms"), 3
        )
        for moment in ("first_paint", "usable")
        for kind in ("", "_cpu")
    }
    return {
        "first_paint_ms": round(median(rows, "first_paint_ms"), 1),
        "bare_first_paint_ms": round(median(rows, "bare_first_paint_ms"), 1),
        **ratios,
        "rss_mb": round(rows[-1]["rss_mb"], 1),
        **first_answers(),
    }


def _start(environment: Mapping[str, str], *, is_resting: bool = False) -> dict[str, float]:
    child = Child("tests.benchmarks.measured_app", environment)
    row = _moments(child)
    if is_resting:
        row["rss_mb"] = _rss_at_rest(child.process.pid)
    child.ask("clear")
    child.close()
    return row


def _start_bare(environment: Mapping[str, str]) -> dict[str, float]:
    child = Child("tests.benchmarks.bare_window", environment)
    row = _moments(child)
    child.close()
    return row


def _moments(child: Child) -> dict[str, float]:
    """When each moment came, and the CPU that the process had used by then."""
    row: dict[str, float] = {}
    for moment in ("first_paint", "usable"):
        event = child.wait_for(moment)
        row[f"{moment}_ms"] = (event["at"] - child.started_at) * 1000
        row[f"{moment}_cpu_ms"] = event["cpu_s"] * 1000
    return row


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
