"""Names and folders by which code of a sandbox would hide what it did, or have others run it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.undo_workers import Worker

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


@pytest.mark.parametrize(
    ("act", "aside", "seen"),
    [
        (linked, [".venv"], ["tools/bin/python"]),
        (of_undo, [".playhead-undo-x.desktop"], [".playhead-undo-data.txt"]),
        (made_an_environment, ["src/pyvenv.cfg"], ["src/bin/python", "src/0.py", "src/1.py"]),
        (filled, ["empty"], []),
    ],
)
def test_code_hides_no_file_from_undo_and_leaves_nothing_for_others_to_run(
    tmp_path: Path, act: Callable[[Path], None], aside: list[str], seen: list[str]
) -> None:
    folder = tmp_path / "work"
    put(folder, "src/0.py", "src/1.py", "src/2.py", text="mine")
    (folder / "empty").mkdir()
    worker = Worker(tmp_path / "store", folder)
    worker.ask("before", run="run", conversation="one", within_s=60, is_bounded=True)
    act(folder)
    found = worker.ask("after", run="run")
    undone = worker.ask("undo", effect=found["id"], paths=[]) if "id" in found else {}
    worker.close()
    assert [one["path"] for one in found.get("set_aside", ())] == aside
    groups: list[list[dict[str, Any]]] = [found[one] for one in ("created", "changed", "deleted")]
    assert [one["path"] for group in groups for one in group] == seen
    assert undone["conflicts"] == []
    assert {path.name: path.read_text() for path in folder.glob("src/*.py")} == {
        f"{number}.py": "mine" for number in range(3)
    }
    assert {one.name for one in folder.iterdir()} - {"empty"} == {"src"}
