"""Names and folders by which code of a sandbox would hide what it did, or have others run it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.undo_workers import Worker
from tests.support.waiting import until_now

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing is put back there")


def put(folder: Path, *names: str, text: str = "of the run") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def linked(folder: Path) -> None:
    put(folder, "tools/bin/python")
    (folder / ".venv").symlink_to("tools")


def of_undo(folder: Path) -> None:
    put(folder, ".playhead-undo-x.desktop", ".playhead-undo-data.txt")


def made_an_environment(folder: Path) -> None:
    put(folder, "src/pyvenv.cfg", "src/bin/python", "src/0.py")
    (folder / "src/1.py").unlink()


def filled(folder: Path) -> None:
    put(folder, "empty/pyvenv.cfg", "empty/bin/python")


def compiled(folder: Path) -> None:
    put(folder, "other/0.cpython-311.pyc", "src/__pycache__/1.cpython-311.pyc")
    (folder / "other").rename(folder / "__pycache__")
    (folder / "src/__pycache__/0.cpython-311.pyc").write_text("of the run")
    put(folder, "elsewhere/2.cpython-311.pyc")
    (folder / "a").mkdir()
    (folder / "a/__pycache__").symlink_to("../elsewhere")


@pytest.mark.parametrize(
    ("act", "aside", "seen"),
    [
        (linked, [".venv"], ["tools/bin/python"]),
        (of_undo, [".playhead-undo-x.desktop"], [".playhead-undo-data.txt"]),
        (made_an_environment, ["src/pyvenv.cfg"], ["src/bin/python", "src/0.py", "src/1.py"]),
        (filled, ["empty"], []),
        (compiled, ["a/__pycache__"], ["a", "elsewhere/2.cpython-311.pyc"]),
    ],
)
def test_code_hides_no_file_from_undo_and_leaves_nothing_for_others_to_run(
    tmp_path: Path, act: Callable[[Path], None], aside: list[str], seen: list[str]
) -> None:
    folder = tmp_path / "work"
    put(folder, "src/0.py", "src/1.py", "src/2.py", text="mine")
    (folder / "empty").mkdir(0o750)
    mode = (folder / "empty").stat().st_mode
    put(folder, "src/__pycache__/0.cpython-311.pyc", "src/__pycache__/9.cpython-311.pyc")
    until_now(lambda: time.time_ns() - (folder / "src/__pycache__").stat().st_ctime_ns > 5e7)
    with closing(Worker(tmp_path / "store", folder)) as worker:
        worker.ask("before", run="run", conversation="one", within_s=60, is_bounded=True)
        act(folder)
        found = worker.ask("after", run="run")
        undone = worker.ask("undo", effect=found["id"], paths=[])
        assert ((folder / "empty").stat().st_mode, os.listdir(folder / "empty")) == (mode, [])
        if act is filled:
            kept = worker.ask("settle", effect=found["id"], path="empty", is_kept=True)
            assert (kept["conflicts"], (folder / "empty/bin/python").exists()) == ([], True)
    assert [one["path"] for one in found.get("set_aside", ())] == aside
    groups: list[list[dict[str, Any]]] = [found[one] for one in ("created", "changed", "deleted")]
    assert [one["path"] for group in groups for one in group] == seen
    assert undone["conflicts"] == []
    assert {path.name: path.read_text() for path in folder.glob("src/*.py")} == {
        f"{number}.py": "mine" for number in range(3)
    }
    assert {one.name for one in folder.iterdir()} - {"__pycache__"} == {"empty", "src"}
    kept = {path.name[0] for path in folder.rglob("*.pyc")}
    assert kept == {"9"} if act is compiled else {"0", "9"}
