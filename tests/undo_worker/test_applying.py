"""What code did in a copy is applied exactly or not at all, undone exactly, and only inside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.undo_worker.reviewed_folder import ReviewedFolder
from tests.support.file_mixes import FileMix, facts_of
from tests.support.folder_copies import OWN_CODE, copy_of, without_links, work_in
from tests.support.link_swapper import swapping

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="overlays are Linux's"),
    pytest.mark.requires_system("bwrap"),
]
MIXES = 24
KINDS = ("created", "changed", "deleted", "moved")
FILES = 40
CHANGES = """
import os
for number in range(40):
    name = f"deep/{number}"
    if number % 4 == 0:
        os.unlink(name)
    elif number % 4 == 1:
        os.rename(name, f"deep/moved{number}")
    else:
        open(name, "w").write("after")
os.makedirs("new/folder")
open("new/folder/file", "w").write("new")
"""
APPLY = """
import os, signal, sys
from pathlib import Path
from playhead.undo_worker.reviewed_folder import ReviewedFolder
left = int(sys.argv[3])
def count(event, arguments):
    global left
    if event in ("os.rename", "os.remove", "os.mkdir", "os.chmod"):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
folder = ReviewedFolder(sys.argv[1], Path(sys.argv[2]), None)
sys.addaudithook(count)
folder.apply("conversation", [])
folder.close()
"""
"""Applies a copy and kills itself at one of its steps."""


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    if problem := look_for_sandbox().problem:
        pytest.skip(f"no sandbox here: {problem}")


def open_folder(place: Path, name: str = "work") -> tuple[ReviewedFolder, Path]:
    folder, store = place / name, place / f"{name}.store"
    folder.mkdir(exist_ok=True)
    store.mkdir(exist_ok=True)
    return ReviewedFolder(str(folder), store, None), folder


def fill(folder: Path) -> None:
    (folder / "deep").mkdir()
    for number in range(FILES):
        (folder / "deep" / f"{number}").write_text("before")


def test_random_mixes_in_a_copy_are_applied_and_undone_exactly(tmp_path: Path) -> None:
    made = [open_folder(tmp_path, str(seed)) for seed in range(MIXES)]
    for seed, (_, folder) in enumerate(made):
        FileMix(folder, seed).make()
    before = [facts_of(folder) for _, folder in made]
    copies = [(copy_of(watched), seed, "") for seed, (watched, _) in enumerate(made)]
    seen = work_in(copies)
    assert [facts_of(folder) for _, folder in made] == before
    for (watched, folder), old, (done, new) in zip(made, before, seen, strict=True):
        applied = watched.apply("conversation", [])
        assert applied["conflicts"] == [], done
        assert without_links(facts_of(folder)) == without_links(new), done
        left = watched.review("conversation")
        assert not any(left[kind] for kind in ("created", "changed", "deleted", "moved")), done
        undone = watched.undo(applied["id"], [])
        assert (undone["conflicts"], facts_of(folder)) == ([], old), done
        watched.close()


def test_some_files_are_applied_and_the_rest_waits_until_it_is_discarded(tmp_path: Path) -> None:
    watched, folder = open_folder(tmp_path)
    fill(folder)
    work_in([(copy_of(watched), 0, CHANGES)])
    found = watched.review("conversation")
    assert [len(found[kind]) for kind in KINDS] == [1, 20, 10, 10]
    assert found["moved"][0]["old_path"] == "deep/1"
    assert "+after" in found["changed"][0]["diff"]
    applied = watched.apply("conversation", ["deep/2", "new/folder/file", "deep/4"])
    assert applied["conflicts"] == []
    assert [one["path"] for one in applied["created"]] == ["new/folder/file"]
    assert (folder / "deep/2").read_text() == "after"
    assert (folder / "new/folder/file").read_text() == "new"
    assert not (folder / "deep/4").exists()
    assert (folder / "deep/3").read_text() == "before"
    left = watched.review("conversation")
    assert [len(left[kind]) for kind in KINDS] == [0, 19, 9, 10]
    moved = watched.apply("conversation", ["deep/moved1", "deep/1"])["moved"]
    assert [(one["path"], one["old_path"]) for one in moved] == [("deep/moved1", "deep/1")]
    assert not (folder / "deep/1").exists()
    watched.discard("conversation")
    assert watched.review("conversation") == {}
    watched.close()


def test_files_that_other_programs_run_are_marked_and_old_copies_deleted(tmp_path: Path) -> None:
    watched, _ = open_folder(tmp_path)
    code = "os.mkdir('.vscode'); open('.vscode/tasks.json', 'w'); open('data.csv', 'w')"
    command = copy_of(watched)
    work_in([(command, 0, code)])
    created = watched.review("conversation")["created"]
    marked = [one["path"] for one in created if one.get("may_be_run")]
    assert (len(created), marked) == (2, [".vscode/tasks.json"])
    watched.close()
    os.utime(Path(command["upper"]).with_name("state"), (0, 0))
    again, _ = open_folder(tmp_path)
    assert again.review("conversation") == {}
    assert not Path(command["upper"]).exists()
    again.close()


def test_a_file_that_its_owner_changed_meanwhile_stays_unless_it_is_chosen(tmp_path: Path) -> None:
    watched, folder = open_folder(tmp_path)
    fill(folder)
    watched.before("run", "conversation", 10)
    work_in([(copy_of(watched), 0, CHANGES)])
    (folder / "deep/2").write_text("mine")
    (folder / "deep/4").write_text("mine, too")
    found = watched.review("conversation")
    assert [one["path"] for one in found["conflicts"]] == ["deep/2", "deep/4"]
    assert "+mine" in found["conflicts"][0]["diff"]
    applied = watched.apply("conversation", [])
    assert [one["path"] for one in applied["conflicts"]] == ["deep/2", "deep/4"]
    assert (folder / "deep/2").read_text() == "mine"
    assert (folder / "deep/3").read_text() == "after"
    chosen = watched.apply("conversation", ["deep/2"])
    assert (chosen["conflicts"], (folder / "deep/2").read_text()) == ([], "after")
    watched.undo(chosen["id"], [])
    assert (folder / "deep/2").read_text() == "mine"
    watched.close()


def test_what_was_applied_and_then_changed_by_its_owner_waits_no_more(tmp_path: Path) -> None:
    watched, folder = open_folder(tmp_path)
    fill(folder)
    work_in([(copy_of(watched), 0, CHANGES)])
    applied = watched.apply("conversation", [])
    (folder / "deep/2").write_text("mine")
    (folder / "deep/4").write_text("mine, too")
    left = watched.review("conversation")
    assert not any(left[kind] for kind in (*KINDS, "conflicts"))
    [(_, seen)] = work_in([(copy_of(watched), 0, "pass")])
    assert seen["deep/2"][4] == b"mine"
    undone = watched.undo(applied["id"], [])
    assert {one["path"] for one in undone["conflicts"]} == {"deep/2", "deep/4"}
    watched.close()


def test_an_apply_that_was_killed_is_finished_or_has_not_begun(tmp_path: Path) -> None:
    outcomes: set[str] = set()
    for step in (1, 3, 10, 35, 60):
        watched, folder = open_folder(tmp_path, str(step))
        fill(folder)
        before = facts_of(folder)
        [(_, after)] = work_in([(copy_of(watched), 0, CHANGES)])
        watched.close()
        command = [sys.executable, "-c", APPLY, str(folder), f"{folder}.store", str(step)]
        ended = subprocess.run(command, env=OWN_CODE, check=False)
        assert ended.returncode == -signal.SIGKILL
        watched, folder = open_folder(tmp_path, str(step))
        now = without_links(facts_of(folder))
        outcomes.add("after" if now == without_links(after) else "before")
        if now != without_links(after):
            assert now == without_links(before), step
        else:
            [found] = watched.unreported("conversation")
            watched.undo(found["id"], [])
            assert facts_of(folder) == before, step
        watched.close()
    assert "after" in outcomes


def test_nothing_outside_is_touched_while_folders_are_swapped_for_links(tmp_path: Path) -> None:
    watched, folder = open_folder(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    fill(folder)
    for number in range(FILES):
        (outside / f"{number}").write_text("untouched")
    kept = facts_of(outside)
    command = copy_of(watched)
    work_in([(command, 0, CHANGES)])
    upper = Path(command["upper"])
    with swapping([(folder / "deep", outside), (upper / "deep", outside)]):
        for _ in range(12):
            applied = watched.apply("conversation", [])
            watched.undo(applied["id"], [])
    assert facts_of(outside) == kept
    watched.close()
