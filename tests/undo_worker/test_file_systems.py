"""Undo is exact on the file systems that this machine lets us make, as on the one of its disk."""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from playhead.undo_worker.pack import LARGE_BYTES
from tests.support.file_mixes import undo_and_redo
from tests.support.undo_workers import Worker, file_systems

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing is put back there")
MIXES, OPERATIONS = 8, 6
RUN = {"run": "run", "conversation": "one", "within_s": 60}


def test_mixes_of_operations_are_undone_on_each(tmp_path: Path) -> None:
    with ExitStack() as ends:
        try:
            found = ends.enter_context(file_systems())
        except (subprocess.CalledProcessError, OSError) as error:
            pytest.skip(f"no file system can be mounted here: {error}")
        for name, place in found.items():
            for seed in range(MIXES):
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    told = undo_and_redo(Path(folder), seed, OPERATIONS)
                    assert told == "", f"{name}, seed {seed}"
        for name in {"btrfs", "xfs"} & found.keys():
            large_files_share_their_blocks(found[name])


def large_files_share_their_blocks(place: Path) -> None:
    """A file that would be too large to be copied is covered, and takes no room."""
    folder = place / "work"
    folder.mkdir()
    with (folder / "video.mov").open("wb") as file:
        for number in range(LARGE_BYTES // 10_000_000 + 1):
            file.write(bytes([number]) * 10_000_000)
    worker = Worker(place / "store", folder)
    try:
        assert worker.ask("before", **RUN).get("uncovered") in (None, [])
        assert len(list(place.glob("store/*/large/*.shared"))) == 1
        with (folder / "video.mov").open("r+b") as file:
            file.write(b"of the run")
        effect = worker.ask("after", run="run")
        assert [one["path"] for one in effect["changed"]] == ["video.mov"]
        assert worker.ask("undo", effect=effect["id"], paths=[])["conflicts"] == []
    finally:
        worker.close()
    with (folder / "video.mov").open("rb") as file:
        assert file.read(20) == bytes(20)
