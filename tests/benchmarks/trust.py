"""What it costs to bound code, to see its risks and to take back what it did."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.homes import measured_home
from tests.benchmarks.measured_undo import undo_figures
from tests.benchmarks.risk_facts import risk_facts


def trust() -> dict[str, float]:
    """Figures of kernels in the sandbox over plain ones, of undo over `cp -a`, of risk facts."""
    with measured_home() as environment:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.measured_sandbox"],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures | undo_figures() | risk_facts()
