"""How long `pip install pandas` takes in a new managed environment: by uv and by pip, in turns.

Both are the same kernel's, so with the same progress. Cold caches are new and empty, so that all is
fetched from the index that pip is set to; warm ones have it all.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playhead.execution.environment import uv_program
from playhead.execution.environments.interpreters import InterpreterFinder
from tests.benchmarks.bare_kernel import BareKernel
from tests.benchmarks.raw_rows import keep_rows, median

ROUNDS = 5
INSTALL = "%pip install pandas"
INSTALLED = b"Successfully installed"


def install() -> dict[str, float]:
    """Medians over the rounds; `install_ratio` is the worse of those of cold and warm caches."""
    if not uv_program():
        raise SystemExit("There is no uv: `make setup-dev` installs it.")
    with tempfile.TemporaryDirectory() as folder:
        _expect_index(Path(folder))
        rows = [_round(Path(folder, str(number))) for number in range(ROUNDS)]
    keep_rows("install", rows)
    figures = {key: round(median(rows, key), 3) for key in rows[0]}
    for cache in ("cold", "warm"):
        ratios = [{"ratio": row[f"uv_{cache}_s"] / row[f"pip_{cache}_s"]} for row in rows]
        figures[f"install_ratio_{cache}"] = round(median(ratios, "ratio"), 3)
    figures["install_ratio"] = max(figures["install_ratio_cold"], figures["install_ratio_warm"])
    figures["environment_ratio"] = round(
        figures["environment_uv_s"] / figures["environment_venv_s"], 3
    )
    return figures


def _expect_index(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "six"]
    asked = subprocess.run([*command, "-d", folder], capture_output=True, text=True, check=False)
    if asked.returncode:
        raise SystemExit(
            "The package index cannot be reached, which this benchmark measures with:\n"
            + asked.stderr.strip()
        )


def _round(folder: Path) -> dict[str, float]:
    folder.mkdir()
    row: dict[str, float] = {}
    caches = {"UV_CACHE_DIR": str(folder / "uv"), "PIP_CACHE_DIR": str(folder / "pip")}
    os.environ.update(caches)
    try:
        for cache in ("cold", "warm"):
            for name, uv in (("uv", uv_program()), ("pip", "")):
                python, seconds = _environment(folder / f"{cache}-{name}", uv)
                kind = name if uv else "venv"
                row[f"environment_{kind}_s"] = seconds
                row[f"{name}_{cache}_s"] = _install_s(folder / f"{cache}-{name}", python, uv)
    finally:
        for name in caches:
            del os.environ[name]
    return row


def _environment(folder: Path, uv: str) -> tuple[str, float]:
    """A new environment's Python, and the seconds that it took to make."""
    base = str(getattr(sys, "_base_executable", sys.executable))
    began = time.perf_counter()
    made = asyncio.run(InterpreterFinder(folder, [base], lambda: uv).default())
    return made.path, time.perf_counter() - began


def _install_s(folder: Path, python: str, uv: str) -> float:
    kernel = BareKernel(folder, python, uv)
    try:
        began = time.perf_counter()
        said = kernel.output_of(INSTALL)
        seconds = time.perf_counter() - began
        if INSTALLED not in said:
            raise SystemExit(f"pandas was not installed:\n{said.decode(errors='replace')}")
        return seconds
    finally:
        kernel.close()
