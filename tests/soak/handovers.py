"""Checks 20 exports with a planted difference each, and 20 without one: `handovers`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from playhead.event_loop import run
from tests.support.planted_differences import CLEAN, PLANTED, missed, reports_of


async def check_all(folder: Path) -> int:
    """Return 1 if something was not found, or found where nothing was planted."""
    samples = [*PLANTED, *CLEAN]
    wrong = missed(samples, await reports_of(samples, folder))
    print(*wrong, sep="\n")
    print(f"{len(PLANTED)} planted, {len(CLEAN)} clean, {len(wrong)} wrong")
    return 1 if wrong else 0


def main() -> int:
    """Check all of them, on real kernels."""
    app = QCoreApplication.instance() or QCoreApplication([])
    with tempfile.TemporaryDirectory() as folder:
        return run(check_all(Path(folder)), app)
