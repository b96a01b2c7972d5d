"""Runs are undone exactly, and nothing outside of the folder is touched, whoever swaps links."""

from __future__ import annotations

import os
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


class Death(BaseException):
    """The end of the worker at any moment."""


def test_a_file_that_was_half_written_as_the_worker_ended_is_finished_but_no_edit_of_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def half(fd: int, data: bytes) -> int:
        write(fd, data[: len(data) // 2])
        raise Death

    for is_edited in (False, True):
        folder, store = tmp_path / f"work{is_edited}", tmp_path / f"store{is_edited}"
        folder.mkdir()
        path = folder / "data"
        path.write_text("before " * 100)
        watched = WatchedFolder(str(folder), store, None)
        watched.before("run", "conversation", 10)
        before = facts_of(folder)
        path.write_text("of the run " * 20)  # in place, and shorter
        after = facts_of(folder)
        watched.after("run")
        watched.cover(10)  # it is in the pack: so it goes back in place
        monkeypatch.setattr(os, "write", half)
        with pytest.raises(Death):
            watched.undo("run", [])
        monkeypatch.undo()
        assert path.read_text() == "before " * 50
        if is_edited:
            path.write_text("mine " * 60)
        watched = WatchedFolder(str(folder), store, None)
        [reported] = watched.unreported("conversation")
        if is_edited:
            assert path.read_text() == "mine " * 60
        else:
            assert facts_of(folder) == before
            watched.undo(reported["id"], [])
            assert facts_of(folder) == after
        watched.close()
