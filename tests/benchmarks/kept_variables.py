"""What it costs that variables survive their kernel: sessions with and without, in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from tests.benchmarks.homes import measured_home

_TURNS = 3


def kept_variables() -> dict[str, float]:
    """Figures of the sessions that are kept over those that are not."""
    kept: list[dict[str, float]] = []
    plain: list[dict[str, float]] = []
    for _ in range(_TURNS):
        plain.append(_session("none"))
        kept.append(_session("kept"))
    everything = _session("all")
    return {
        "cpu_overhead_ratio": _best(kept, "cpu_s") / _best(plain, "cpu_s"),
        "run_overhead_ratio": _best(kept, "warm_us") / _best(plain, "warm_us"),
        "saved_bytes_ratio": kept[0]["written"] / everything["pickled"],
        "longest_save_s": statistics.median(one["saved_s"] for one in kept),
        "saves_behind": sum(one["behind"] for one in kept),
        "names_kept": kept[0]["kept"],
        "names_all": kept[0]["names"],
    }


def _best(sessions: list[dict[str, float]], name: str) -> float:
    return min(one[name] for one in sessions)


def _session(mode: str) -> dict[str, float]:
    with measured_home() as environment:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.measured_saving", mode],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures
