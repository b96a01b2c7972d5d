"""`python -m tests.benchmarks NAME [--json]`: figures of the real program, one flat JSON object."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping

from tests.benchmarks.api import api
from tests.benchmarks.console import console
from tests.benchmarks.editor import editor
from tests.benchmarks.executor import executor
from tests.benchmarks.frozen import frozen, is_built
from tests.benchmarks.install import install
from tests.benchmarks.kept_variables import kept_variables
from tests.benchmarks.kernel import kernel
from tests.benchmarks.markdown import markdown
from tests.benchmarks.places import places
from tests.benchmarks.providers import providers
from tests.benchmarks.startup import startup
from tests.benchmarks.stream import stream
from tests.benchmarks.timeline import timeline
from tests.benchmarks.trust import trust

Figures = Mapping[str, float]
BENCHMARKS: Mapping[str, Callable[[], Figures]] = {
    "startup": startup,
    "stream": stream,
    "api": api,
    "executor": executor,
    "editor": editor,
    "timeline": timeline,
    "markdown": markdown,
    "console": console,
    "providers": providers,
    "kernel": kernel,
    "install": install,
    "frozen": frozen,
    "trust": trust,
    "time": kept_variables,
    "places": places,
}
AIMS: Mapping[str, float] = {
    "facts_ms_per_1000_lines": 20,
    "zmq_end_ratio": 2.0,
    "ws_end_ratio": 2.2,
    "lost_bytes": 0,
    "ssh_end_ratio": 4,
    "ssh_stop_ratio": 4,
    "stop_ratio": 4,
    "window_late_over_idle_p99_ms": 10,
    "cpu_overhead_ratio": 1.05,
    "run_overhead_ratio": 1.1,
    "saved_bytes_ratio": 0.25,
    "values_ratio": 1.15,
    "longest_save_s": 2,
    "saves_behind": 0,
    "cpu_over_kishu": 1,
    "pause_over_kishu": 1,
    "checkout_over_kishu": 1,
    "names_under_kishu": 0,
    "first_paint_ratio": 1.7,
    "first_paint_cpu_ratio": 1.7,
    "usable_ratio": 2.0,
    "usable_cpu_ratio": 2.0,
    "first_answer_ratio_terminal": 3.5,
    "first_answer_ratio_window": 2.5,
    "worker_ratio_per_chunk": 5,
    "late_over_idle_p99_ms_10": 8,
    "late_by_own_cpu_p99_ms_10": 8,
    "frozen_ratio": 1.6,
    "rss_mb": 95,
    "late_p99_ms": 16,
    "late_max_ms": 50,
    "late_p99_ms_10": 16,
    "worst_request_step_ms": 50,
    "warm_end_ms": 5,
    "flood_late_p99_ms": 16,
    "flood_rss_growth_mb": 20,
    "frame_p99_ms": 12,
    "open_ms_10000": 300,
    "mem_mb_10000": 40,
    "scroll_p99_ms_10000": 8,
    "resize_ms_10000": 100,
    "worst_ms_50k": 16,
    "worst_cpu_ms_50k": 8,
    "growth_10k_50k": 5.5,
    "worst_ms_fence": 25,
    "worst_ms_list": 25,
    "worst_ms_table": 25,
    "line_loop_ratio": 1.15,
    "line_calls_ratio": 1.15,
    "line_numpy_ratio": 1.15,
    "line_io_ratio": 1.15,
    "window_us_per_chunk": 150,
    "cancel_seen_ms": 300,
    "kernel_start_ratio": 0.35,
    "install_ratio": 0.25,
    "stop_sleep_ms": 200,
    "stop_loop_ms": 200,
    "stop_flood_ms": 200,
    "stop_yes_ms": 200,
    "stop_stuck_ms": 2500,
    "kernel_ready_ratio": 1.3,
    "kernel_ready_by_names_ratio": 1.6,
    "kernel_ready_approved_ratio": 1.3,
    "kernel_ready_approved_by_names_ratio": 1.6,
    "dial_ms": 5,
    "warm_run_ratio": 1.2,
    "loop_ratio": 1.05,
    "file_work_ratio": 1.35,
    "boundary_test_s": 2,
    "stop_ms": 20,
    "scan_ms": 100,
    "copy_create_ratio": 2,
    "apply_ms": 1_200,
    "first_pack_ratio": 0.5,
    "undo_ratio": 0.8,
}


def main() -> int:
    """Run one benchmark, or all; a missed aim is marked, not an error (machines differ)."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("name", choices=(*BENCHMARKS, "all"))
    parser.add_argument("--json", action="store_true", help="nothing but one JSON object")
    options = parser.parse_args()
    # Without byte code in the cache every start would compile the program anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    names = _all() if options.name == "all" else [options.name]
    figures: dict[str, float] = {}
    for name in names:
        try:
            figures |= BENCHMARKS[name]()
        except SystemExit as missing:  # the others do not need what this one does
            if len(names) == 1:
                raise
            print(f"{name} is left out: {missing}", file=sys.stderr)
    if options.json:
        print(json.dumps(figures))
        return 0
    for key, value in figures.items():
        aim = AIMS.get(key)
        note = "" if aim is None else f"   aim ≤ {aim:g}{'' if value <= aim else '   MISSED'}"
        print(f"{key:28}{value:12.2f}{note}")
    return 0


def _all() -> list[str]:
    if is_built():
        return [*BENCHMARKS]
    print("Nothing is built by `make package`: frozen is left out.", file=sys.stderr)
    return [name for name in BENCHMARKS if name != "frozen"]


if __name__ == "__main__":
    sys.exit(main())
