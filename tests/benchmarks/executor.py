"""What it costs to run code: round trip, throughput, the running line, Stop, a flood's window.

Everything is real: kernels, files, the window. What is compared runs in the same minute on the
same machine, one beside the other; each ratio is over what the same code does without us.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.benchmarks.child import Child
from tests.benchmarks.homes import measured_home
from tests.benchmarks.running_line import running_line

LINES = "for n in range(3_000_000): print(n, 'the quick brown fox jumps over the lazy dog')"
GIGABYTE = (
    "import os; block = b'the quick brown fox jumps over the lazy dog\\n' * 1490; "
    "sizes = [os.write(1, block) for _ in range(16_384)]; print(sum(sizes))"
)


def executor() -> dict[str, float]:
    """Figures of the executor alone, of the kernel's running line, of the window in a flood."""
    return {**_alone(), **running_line(), **_with_window()}


def _alone() -> dict[str, float]:
    with measured_home() as environment:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.measured_executor"],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures


def _with_window() -> dict[str, float]:
    """How late the window's loop is under a flood of lines; its memory over a gigabyte."""
    with measured_home() as environment:
        child = Child("tests.benchmarks.measured_app", environment)
        child.wait_for("usable")
        _run(child, "print(1)")  # the kernel and the first console are there now
        child.ask("start")
        _run(child, LINES)
        late = child.ask("stop")["late_ms"]
        child.ask("memory")
        before = child.ask("memory")["now_mb"]
        seconds = _run(child, GIGABYTE)
        most = child.ask("memory")["most_mb"]
        child.close()
    return {
        "flood_late_p99_ms": round(late[int(len(late) * 0.99)], 2),
        "flood_late_max_ms": round(late[-1], 2),
        "flood_rss_growth_mb": round(most - before, 1),
        "flood_gb_s": round(seconds, 1),
    }


def _run(child: Child, code: str) -> float:
    """Run one line of code in the window; the seconds from the approval to the end."""
    child.send(f"run {code}")
    approved: float = child.wait_for("approved")["at"]
    return child.wait_for("turn_over")["at"] - approved
