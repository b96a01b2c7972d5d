"""Random mixes of file operations, undone and redone on several file systems; undo workers killed.

`python -m tests.soak undo [MIXES] [KILLS]` undoes and redoes MIXES on tmpfs, the disk, and as root
on ext4, xfs and btrfs in memory, each compared file by file; then it kills KILLS undo workers while
they undo thousands of files: after the next start the folder is as before the undo, or as after it.
"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from pathlib import Path

from tests.support.file_mixes import facts_of, undo_and_redo
from tests.support.undo_workers import Worker, file_systems

_OPERATIONS = 6
_KILL_FILES = 2_400
_LONGEST_S = 0.4


def mixes(place: Path, count: int) -> int:
    """Undo and redo so many mixes; return how many were not exact."""
    wrong = 0
    for seed in range(count):
        with tempfile.TemporaryDirectory(dir=place) as folder:
            if told := undo_and_redo(Path(folder), seed, _OPERATIONS):
                wrong += 1
                print(f"seed {seed} in {place}: {told}")
    return wrong


def kills(place: Path, count: int) -> int:
    """Kill so many workers in their work; return how many folders were neither before nor after."""
    chance, wrong, at = random.Random(1), 0, {"before": 0, "after": 0}
    midway = 0
    folder, store = place / "work", place / "store"
    folder.mkdir()
    for number in range(_KILL_FILES):
        path = folder / f"{number % 40}" / f"{number}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{number} " * (number % 500))
    for number in range(count):
        worker = Worker(store, folder)
        worker.ask("before", run=f"run{number}", conversation="one", within_s=60)
        before = facts_of(folder)
        for path in folder.rglob("*"):
            if path.is_file() and chance.random() < 0.8:
                _change(path, chance)
        for new in range(20):
            (folder / f"new{new}").write_text("new")
        effect = worker.ask("after", run=f"run{number}")["id"]
        after = facts_of(folder)
        worker.send("undo", effect=effect, paths=[])
        time.sleep(chance.uniform(0, _LONGEST_S))
        os.kill(worker.process.pid, signal.SIGKILL)
        worker.process.communicate()
        midway += facts_of(folder) not in (before, after)
        worker = Worker(store, folder)
        found = worker.ask("unreported", conversation="one")
        facts = facts_of(folder)
        if facts == before:
            at["after"] += 1
        elif facts == after and not found["effects"]:
            at["before"] += 1
            worker.ask("undo", effect=effect, paths=[])
        else:
            wrong += 1
            differing = [p for p in {**facts, **before} if facts.get(p) != before.get(p)]
            print(f"kill {number}: {len(differing)} files are not as before, {differing[:5]}")
        worker.close()
    said = f"{at['before']} as before the undo, {at['after']} as after it"
    print(f"{count} kills, {midway} of them midway: {said}")
    return wrong


def _change(path: Path, chance: random.Random) -> None:
    match chance.randrange(4):
        case 0:
            path.write_text(f"changed {chance.random()}")
        case 1:
            path.unlink()
        case 2:
            with path.open("a") as file:
                file.write("more")
        case _:
            path.rename(path.with_name(f"{path.name}.renamed"))


def main(count: int = 200, killed: int = 40) -> int:
    """Do all of it; return whether anything was wrong."""
    wrong = 0
    with file_systems() as found:
        for name, place in found.items():
            inexact = mixes(place, count)
            print(f"{count} mixes on {name}: {inexact} not exact")
            wrong += inexact
        wrong += kills(found.get("tmpfs", found["disk"]), killed)
    return int(wrong > 0)
