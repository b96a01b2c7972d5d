"""The 60 cells in IPython, with Kishu or without: run by an interpreter that has both, as JSON.

`measured_kishu.py none|kept`: nothing of the program is imported here.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def _cells() -> tuple[str, ...]:
    path = Path(__file__).with_name("mixed_cells.py")
    spec = importlib.util.spec_from_file_location("mixed_cells", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cells: tuple[str, ...] = module.CELLS
    return cells


class _Hooks:
    """Kishu in a shell, as its own tests put it there: without a page that shows a notebook.

    What it does goes on between the cells: the next one waits for it.
    """

    def __init__(self, shell: Any, folder: Path) -> None:
        jupyterint = importlib.import_module("kishu.jupyterint")  # of an environment of its own
        names = importlib.import_module("kishu.notebook_id")

        notebook = folder / "cells.ipynb"
        empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        notebook.write_text(json.dumps(empty), "utf-8")
        notebook_id = names.NotebookId(key="cells", path=notebook, kernel_id="none")
        self.kishu = jupyterint.KishuForJupyter(notebook_id, shell)
        self.pauses: list[float] = []
        shell.events.register("pre_run_cell", self._timed(self.kishu.pre_run_cell))
        shell.events.register("post_run_cell", self._timed(self.kishu.post_run_cell))

    def _timed(self, hook: Callable[[Any], None]) -> Callable[[Any], None]:
        def timed(found: Any) -> None:
            began = time.perf_counter()
            hook(found)
            self.pauses.append(time.perf_counter() - began)

        return timed

    def names(self) -> list[str]:
        """The names that there are."""
        return sorted(self.kishu._user_ns.keyset())

    def commit_before(self) -> str:
        """The state before the last cell."""
        commits = [entry.commit_id for entry in self.kishu._kishu_graph.list_history()]
        return str(commits[1])

    def checkout_s(self, commit: str) -> float:
        """Seconds until the variables are as they were."""
        began = time.perf_counter()
        self.kishu.checkout(commit, skip_notebook=True)
        return time.perf_counter() - began


def measure(mode: str, folder: Path) -> dict[str, float]:
    """Run the cells."""
    from traitlets.config import Config

    interactiveshell = importlib.import_module("IPython.core.interactiveshell")
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    shell = interactiveshell.InteractiveShell.instance(config=config)
    hooks = _Hooks(shell, folder) if mode == "kept" else None
    for cell in _cells():
        with redirect_stdout(io.StringIO()):
            result = shell.run_cell(cell, store_history=True)
        assert result.success, (cell, result)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    figures = {"cpu_s": sum(one.ru_utime + one.ru_stime for one in used)}
    if hooks is not None:
        figures["pause_ms"] = max(hooks.pauses) * 1e3
        figures["pauses_s"] = sum(hooks.pauses)
        before = hooks.commit_before()
        figures["checkout_ms"] = hooks.checkout_s(before) * 1e3
        names = hooks.names()
        figures["names_all"] = len(names)
        shell.run_cell(f"del {', '.join(names)}", store_history=True)
        # Whether they are read or their cells run again, which takes what these take.
        figures["from_nothing_ms"] = hooks.checkout_s(before) * 1e3
        figures["names"] = len(set(hooks.names()) & set(names))
    return figures


def main() -> None:
    """Print the figures of one session."""
    with tempfile.TemporaryDirectory() as place:
        os.environ |= {"HOME": place, "KISHU_PATH_ROOT": place, "ENV_KISHU_TEST_MODE": "true"}
        print(json.dumps(measure(sys.argv[1], Path(place))))


if __name__ == "__main__":
    main()
