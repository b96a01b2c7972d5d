"""Runs are undone exactly, and nothing outside of the folder is touched, whoever swaps links."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from playhead.undo_worker.watched_folder import WatchedFolder
from tests.support.file_mixes import facts_of, undo_and_redo

MIXES = 24
FILES = 60


@pytest.mark.parametrize("seeds", [range(at, MIXES, 4) for at in range(4)], ids=str)
def test_random_mixes_of_operations_are_undone_and_redone(tmp_path: Path, seeds: range) -> None:
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert undo_and_redo(folder, seed, 6) == ""


def test_nothing_outside_is_touched_while_a_folder_is_swapped_for_a_link(tmp_path: Path) -> None:
    folder, outside, store = (tmp_path / name for name in ("work", "outside", "store"))
    for made in (folder, outside, store, folder / "deep"):
        made.mkdir()
    for number in range(FILES):
        (folder / "deep" / f"{number}").write_text("before")
        (outside / f"{number}").write_text("untouched")
    before = facts_of(outside)
    has_ended = threading.Event()

    def attack() -> None:
        deep, away = folder / "deep", folder / "away"
        while not has_ended.is_set():
            for act in (
                lambda: deep.rename(away),
                lambda: deep.symlink_to(outside),
                lambda: deep.unlink(),
                lambda: away.rename(deep),
            ):
                with suppress(OSError):  # the undo has just made a folder of that name
                    act()

    watched = WatchedFolder(str(folder), store, None)
    watched.before("run", "conversation", 10)
    for number in range(FILES):
        (folder / "deep" / f"{number}").write_text("after")
    (folder / "deep" / "new").mkdir()
    watched.after("run")
    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        undone = watched.undo("run", [])
        for number in range(12):
            watched.before(f"run{number}", "conversation", 10, is_bounded=True)
            watched.after(f"run{number}")
            undone = watched.undo(undone["id"], [])
    finally:
        has_ended.set()
        attacker.join()
        watched.close()
    assert facts_of(outside) == before
