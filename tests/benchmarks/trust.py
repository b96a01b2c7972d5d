"""What it costs to bound code, to see its risks and to take back what it did."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.homes import measured_home
from tests.benchmarks.measured_undo import undo_figures
from tests.benchmarks.risk_facts import risk_facts


def trust() -> dict[str, float]:
    """Figures of kernels in the sandbox over plain ones, of review, undo and risk facts."""
    figures: dict[str, float] = {}
    for name in ("measured_sandbox", "measured_review"):
        with measured_home() as environment:
            command = [sys.executable, "-m", f"tests.benchmarks.{name}"]
            told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            figures |= json.loads(told.stdout)
    return figures | undo_figures() | risk_facts()
