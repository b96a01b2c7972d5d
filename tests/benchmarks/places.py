"""What it costs to run code in a kernel of Jupyter, beside Jupyter's own client in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.child import Child
from tests.benchmarks.homes import measured_home
from tests.support.jupyter import described

FLUSHED = "import sys; [print(n, flush=True) for n in range(50_000)] and None"
WAITED = "import time; time.sleep(3)"


def places() -> dict[str, float]:
    """Figures of a local kernel: round trip, lines, the running line, Stop, the window's loop."""
    with measured_home() as environment:
        finished = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.measured_places"],
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(finished.stdout)
    return figures | _with_window()


def _with_window() -> dict[str, float]:
    """Return how late the window's loop is under 50,000 flushed lines, over an idle one."""
    with tempfile.TemporaryDirectory() as folder:
        place = described(Path(folder, "kernels", "python3"))
        with measured_home(interpreter=place.id) as environment:
            child = Child("tests.benchmarks.measured_app", environment)
            child.wait_for("usable")
            _late_ms(child, "print(1)")  # the kernel and the first console are there now
            idle = _late_ms(child, WAITED)
            busy = _late_ms(child, FLUSHED)
            child.close()
    return {"window_late_over_idle_p99_ms": round(busy - idle, 2)}


def _late_ms(child: Child, code: str) -> float:
    """Run one line of code in the window; the lateness that 99 of 100 ticks stay below."""
    child.ask("start")
    child.send(f"run {code}")
    child.wait_for("turn_over")
    late = child.ask("stop")["late_ms"]
    return late[int(len(late) * 0.99)]
