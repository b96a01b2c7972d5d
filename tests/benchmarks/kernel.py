"""How soon code has run after the first need of a kernel: ours and ipykernel's, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playhead.execution.environment import uv_program
from tests.benchmarks.homes import measured_home
from tests.benchmarks.raw_rows import keep_rows, median

ROUNDS = 5
JUPYTER = """
import subprocess, sys, time
from jupyter_client import KernelManager
began = time.perf_counter()
manager = KernelManager(kernel_name="python3")
manager.start_kernel(stderr=subprocess.DEVNULL)
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=60)
client.execute("print(1)", reply=True, timeout=60)
print(time.perf_counter() - began)
client.stop_channels()
manager.shutdown_kernel(now=True)
"""


def kernel() -> dict[str, float]:
    """Medians over the rounds: from the first need to the end of `print(1)`, imports left out."""
    with measured_home() as environment, tempfile.TemporaryDirectory() as folder:
        python = _with_ipykernel(Path(folder))
        ours = [sys.executable, "-m", "tests.benchmarks.measured_executor", "start"]
        _seconds(ours, environment)  # warm the byte code and the disk
        _seconds([python, "-c", JUPYTER], os.environ)
        rows: list[dict[str, float]] = []
        for _ in range(ROUNDS):
            theirs = _seconds([python, "-c", JUPYTER], os.environ)
            rows.append({"ipykernel_s": theirs, "kernel_s": _seconds(ours, environment)})
    keep_rows("kernel", rows)
    ratios = [{"ratio": row["kernel_s"] / row["ipykernel_s"]} for row in rows]
    return {
        "kernel_start_ms": round(median(rows, "kernel_s") * 1000, 1),
        "ipykernel_start_ms": round(median(rows, "ipykernel_s") * 1000, 1),
        "kernel_start_ratio": round(median(ratios, "ratio"), 3),
    }


def _with_ipykernel(folder: Path) -> str:
    """The Python of a new environment that has ipykernel, from the index that uv is set to."""
    uv = uv_program()
    if not uv:
        raise SystemExit("There is no uv: `make setup-dev` installs it.")
    python = folder / "bin" / "python"
    base = str(getattr(sys, "_base_executable", sys.executable))
    install = [uv, "pip", "install", "--compile-bytecode", "--python", python, "ipykernel"]
    for command in ([uv, "venv", "--quiet", "--clear", "--python", base, folder], install):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"ipykernel could not be had, to compare with:\n{done.stderr}")
    return str(python)


def _seconds(command: list[str], environment: dict[str, str] | os._Environ[str]) -> float:
    finished = subprocess.run(command, env=dict(environment), stdout=subprocess.PIPE, check=True)
    return float(json.loads(finished.stdout))
