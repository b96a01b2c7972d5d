"""Undo of 10,000 files, 137 MB, by a real worker, in turns with `cp -a`, the best of nine each."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

from tests.support.undo_workers import Worker, file_systems

TURNS = 9
FOLDERS, FILES, MEAN_BYTES = 100, 100, 13_700
_CONTENT_BYTES = 1 << 20


def undo_figures() -> dict[str, float]:
    """Figures on ext4 in memory where root may mount it, else on tmpfs; these are printed, too."""
    with file_systems() as places:
        plain = _measured(places.get("tmpfs", places["disk"]))
        found = _measured(places["ext4"]) if "ext4" in places else plain
        told = {f"{name}_tmpfs": value for name, value in plain.items()}
        return found | told | {"undo_ratio_disk": _measured(places["disk"], 1)["undo_ratio"]}


def _measured(place: Path, turns: int = TURNS) -> dict[str, float]:
    best: dict[str, float] = {}
    for _ in range(turns):
        work, store = place / "work", place / "store"
        _make(work)
        worker = Worker(store, work)
        try:
            for what, seconds in _turn(worker, work, place / "copy"):
                best[what] = min(best.get(what, seconds), seconds)
        finally:
            worker.close()
            shutil.rmtree(work)
            shutil.rmtree(store)
    return {
        "scan_ms": round(best["scan"] * 1000, 1),
        "first_pack_ratio": round(best["pack"] / best["copy"], 3),
        "undo_ratio": round(best["undo"] / best["copy"], 3),
        "undo_ms": round(best["undo"] * 1000, 1),
    }


def _turn(worker: Worker, work: Path, copy: Path) -> list[tuple[str, float]]:
    """Return the seconds of each part: an undo begins when the run's files are kept, as it does
    when a person has looked at what the run did.
    """
    found = [("copy", _copy(work, copy))]
    worker.ask("unreported", conversation="none")  # it has started
    began = time.perf_counter()
    worker.ask("cover", within_s=60)
    found.append(("pack", time.perf_counter() - began))
    began = time.perf_counter()
    worker.ask("before", run="run", conversation="one", within_s=60)
    found.append(("scan", time.perf_counter() - began))
    for path in work.rglob("*.data"):
        path.write_bytes(b"changed")
    effect = worker.ask("after", run="run")["id"]
    worker.ask("cover", within_s=60)
    began = time.perf_counter()
    undone = worker.ask("undo", effect=effect, paths=[])
    found.append(("undo", time.perf_counter() - began))
    assert undone["changed_total"] == FOLDERS * FILES
    found.append(("copy", _copy(work, copy)))
    return found


def _copy(work: Path, copy: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["cp", "-a", work, copy], check=True)
    taken = time.perf_counter() - began
    shutil.rmtree(copy)
    return taken


def _make(work: Path) -> None:
    chance = random.Random(1)
    content = chance.randbytes(_CONTENT_BYTES)
    for number in range(FOLDERS):
        folder = work / f"{number}"
        folder.mkdir(parents=True)
        for name in range(FILES):
            size = chance.randrange(2 * MEAN_BYTES)
            at = chance.randrange(_CONTENT_BYTES - size)
            (folder / f"{name}.data").write_bytes(content[at : at + size])
    time.sleep(0.1)  # else the files are so young that they are read again
