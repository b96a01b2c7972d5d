"""Random mixes of file operations, undone and redone on several file systems; undo workers killed.

`python -m tests.soak undo [MIXES] [KILLS]` undoes and redoes MIXES on tmpfs, the disk, and as root
on ext4, xfs and btrfs in memory, each compared file by file; then it kills KILLS undo workers while
they undo thousands of files: after the next start the folder is as before the undo, or as after it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.support.file_mixes import facts_of, undo_and_redo

_OPERATIONS = 6
_KILL_FILES = 2_400
_LONGEST_S = 0.4
_IMAGE_BYTES = 600_000_000


class Worker:
    """A real undo worker on its pipes."""

    def __init__(self, store: Path, folder: Path) -> None:
        self._folder = str(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-S", "-m", "playhead.undo_worker", str(store), "/nowhere"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def send(self, verb: str, **fields: Any) -> None:
        told = {"number": 1, "verb": verb, "folder": self._folder, **fields}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert "error" not in told, told
        return told

    def ask(self, verb: str, **fields: Any) -> dict[str, Any]:
        self.send(verb, **fields)
        return self.answer()

    def close(self) -> None:
        self.process.communicate()


@contextmanager
def places() -> Iterator[dict[str, Path]]:
    """A folder on each file system that can be had."""
    with ExitStack() as ends:
        found = {"disk": Path(ends.enter_context(tempfile.TemporaryDirectory()))}
        if not os.path.isdir("/dev/shm"):
            yield found
            return
        memory = Path(ends.enter_context(tempfile.TemporaryDirectory(dir="/dev/shm")))
        found["tmpfs"] = memory / "tmpfs"
        found["tmpfs"].mkdir()
        for kind in ("ext4", "xfs", "btrfs"):
            if os.geteuid() == 0 and (maker := shutil.which(f"mkfs.{kind}")):
                place = memory / kind
                place.mkdir()
                image = memory / f"{kind}.image"
                image.touch()
                os.truncate(image, _IMAGE_BYTES)
                subprocess.run([maker, "-q", image], check=True, stdout=subprocess.DEVNULL)
                subprocess.run(["mount", "-o", "loop", image, place], check=True)
                ends.callback(subprocess.run, ["umount", place], check=True)
                found[kind] = place
        yield found


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
    with places() as found:
        for name, place in found.items():
            inexact = mixes(place, count)
            print(f"{count} mixes on {name}: {inexact} not exact")
            wrong += inexact
        wrong += kills(found.get("tmpfs", found["disk"]), killed)
    return int(wrong > 0)
