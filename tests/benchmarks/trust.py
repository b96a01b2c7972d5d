"""What it costs to bound code; each in a process of its own, in a home of its own."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.homes import measured_home


def trust() -> dict[str, float]:
    """Figures of kernels in the sandbox, over plain ones."""
    with measured_home() as environment:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.measured_sandbox"],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures
