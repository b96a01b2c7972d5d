"""The single measurements behind the figures, kept so that they can be looked at."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence

from tests.support.driver import ROOT

Row = Mapping[str, float]


def keep_rows(name: str, rows: Sequence[Row]) -> None:
    """Write the rounds of a benchmark into `test-results/benchmarks`, one line each."""
    folder = ROOT / "test-results" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(lines, "utf-8")


def median(rows: Sequence[Row], key: str) -> float:
    """The middle one of the rounds."""
    return statistics.median(row[key] for row in rows)
