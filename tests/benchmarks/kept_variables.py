"""What it costs that variables survive their kernel: sessions with and without, in turns.

The kernels are of an environment that is made once beside the temporary files, with the libraries
of the cells and, where it installs, Kishu: the same cells are run with it, too. It may also be
given as `PEER_PYTHON`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.bare_kernel import BareKernel
from tests.benchmarks.homes import measured_home
from tests.benchmarks.raw_rows import Row, keep_rows, median
from tests.benchmarks.running_line import WORK

_TURNS = 5
_PAIRS = 15
_KISHU = "kishu==0.3.4"
_LIBRARIES = ("numpy", "pandas", "matplotlib", "scikit-learn")
_ONE_THREAD = {
    # How long threads spin while they wait for others is no work, and another time each run.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "agg",
}


def kept_variables() -> dict[str, float]:
    """Figures of the sessions that are kept over those that are not."""
    python = _interpreter()
    kept: list[Row] = []
    plain: list[Row] = []
    for turn in range(_TURNS):
        for mode, rows in (("none", plain), ("kept", kept))[:: 1 if turn % 2 else -1]:
            rows.append(_session("measured_saving", mode, python))
    keep_rows("kept_variables", [*plain, *kept])
    warm = {mode: _session("measured_saving", mode, python) for mode in ("warm", "warm-kept")}
    sizes, felt = (_session("measured_saving", mode, python) for mode in ("sizes", "felt"))
    figures = {
        "cpu_overhead_ratio": _best(kept, "cpu_s") / _best(plain, "cpu_s"),
        "saving_cpu_s": median(kept, "cpu_s") - median(plain, "cpu_s"),
        "run_overhead_ratio": warm["warm-kept"]["warm_us"] / warm["warm"]["warm_us"],
        "saved_bytes_ratio": sizes["written"] / sizes["pickled"],
        "longest_save_s": median(kept, "saved_s"),
        "saves_behind": sum(one["behind"] for one in kept),
        "names_kept": kept[0]["kept"],
        "names_again": kept[0]["again"],
        "names_all": kept[0]["names"],
        **felt,
        **_line_values(),
    }
    return figures | (_beside_kishu(python, figures) if _has_kishu(python) else {})


def _beside_kishu(python: str, ours: Row) -> dict[str, float]:
    """Figures of Kishu, and ours over them: all of these are to be 1 or less."""
    script = str(Path(__file__).with_name("measured_kishu.py"))
    plain, kishu = (_run([python, script, mode]) for mode in ("none", "kept"))
    kishu_s = kishu["cpu_s"] - plain["cpu_s"]
    return {
        "kishu_cpu_overhead_ratio": kishu["cpu_s"] / plain["cpu_s"],
        "kishu_pause_ms": kishu["pause_ms"],
        "kishu_checkout_ms": kishu["checkout_ms"],
        "kishu_names": kishu["names"],
        "cpu_over_kishu": ours["saving_cpu_s"] / kishu_s,
        "pause_over_kishu": ours["pause_ms"] / kishu["pause_ms"],
        "checkout_over_kishu": ours["checkout_ms"] / kishu["checkout_ms"],
        # What takes a line that runs again counts on both sides: Kishu runs its cell by itself.
        "names_under_kishu": max(0.0, kishu["names"] - ours["names_kept"] - ours["names_again"]),
    }


def _line_values() -> dict[str, float]:
    """CPU of blocks whose lines' values are kept over that of the same without, in turns.

    The statements of the last one take some 25 µs each: what takes less is dearer, by some µs.
    """
    steps = "".join(f"step_{n} = sum(range({2000 + n}))\n" for n in range(300))
    with tempfile.TemporaryDirectory() as folder:
        kernel = BareKernel(Path(folder))
        try:
            ratios = {
                f"values_{name}_ratio": _values_ratio(kernel, code)
                for name, code in {**WORK, "steps": steps}.items()
            }
        finally:
            kernel.close()
    return {**ratios, "values_ratio": max(ratios.values())}


def _values_ratio(kernel: BareKernel, code: str) -> float:
    timed = f"import time\nbegan = time.process_time()\n{code}used = time.process_time() - began\n"
    used: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(_PAIRS):
        for values, taken in used.items():
            kernel.output_of(timed, values=values)
            found = re.search(rb"cpu ([\d.]+)", kernel.output_of("print('cpu', used)"))
            assert found is not None
            taken.append(float(found[1]))
    return min(used[True]) / min(used[False])


def _best(sessions: list[Row], name: str) -> float:
    return min(one[name] for one in sessions)


def _interpreter() -> str:
    """A Python with the libraries of the cells, and Kishu where that can be installed."""
    if python := os.environ.get("PEER_PYTHON"):
        return python
    folder = Path(tempfile.gettempdir(), "playhead-benchmarks-kept-variables")
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    install = [python, "-m", "pip", "install", "--quiet"]
    if not _has_kishu(python):
        subprocess.run([*install, _KISHU, *_LIBRARIES], check=False)
    if subprocess.run([python, "-c", "import sklearn, matplotlib"], check=False).returncode:
        finished = subprocess.run([*install, *_LIBRARIES], check=False)
        if finished.returncode:
            raise SystemExit("The libraries of the mixed session cannot be installed.")
    return python


def _has_kishu(python: str) -> bool:
    finished = subprocess.run([python, "-c", "import kishu"], check=False, capture_output=True)
    return finished.returncode == 0


def _session(module: str, mode: str, python: str) -> Row:
    return _run([sys.executable, "-m", f"tests.benchmarks.{module}", mode, python])


def _run(command: list[str]) -> Row:
    with measured_home() as environment:
        finished = subprocess.run(
            command, env=environment | _ONE_THREAD, stdout=subprocess.PIPE, check=True
        )
    figures: Row = json.loads(finished.stdout.splitlines()[-1])
    return figures
