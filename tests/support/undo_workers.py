"""Real undo workers on their pipes, and file systems to try them on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-P", "-S", "-m", "playhead.undo_worker")
_CODE = str(Path(__file__).parents[2] / "app")
_IMAGE_BYTES = 900_000_000


class Worker:
    """A real undo worker on its pipes."""

    def __init__(
        self, store: Path, folder: Path, command: Sequence[str] = COMMAND, home: str = ""
    ) -> None:
        self._folder = str(folder)
        self.process = subprocess.Popen(
            [*command, str(store), "/nowhere"],
            env={**os.environ, "HOME": home or os.environ.get("HOME", ""), "PYTHONPATH": _CODE},
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
        return told

    def ask(self, verb: str, **fields: Any) -> dict[str, Any]:
        self.send(verb, **fields)
        return self.answer()

    def close(self) -> None:
        self.process.communicate()


@contextmanager
def file_systems() -> Iterator[dict[str, Path]]:
    """A folder on each file system that can be had: all but the disk are in memory."""
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
