"""Where nothing can be kept or put back, the real worker says so, and touches nothing."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from playhead.undo_worker import scanning
from playhead.undo_worker.applying import move_folder, remove
from playhead.undo_worker.protocol import is_unreported
from playhead.undo_worker.reviewed_folder import delete_place
from playhead.undo_worker.watched_folder import WatchedFolder
from tests.support.file_mixes import facts_of
from tests.support.namespaces import with_mount
from tests.support.undo_workers import COMMAND, Worker
from tests.support.waiting import until_now

pytestmark = pytest.mark.skipif(os.name == "nt", reason="nothing is put back there")
RUN = {"run": "run", "conversation": "one", "within_s": 60}


def test_a_file_that_its_user_took_away_comes_back_if_it_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.md").write_text("old")
    worker = Worker(tmp_path / "store", folder)
    worker.ask("before", **RUN)
    (folder / "notes.md").write_text("of the run")
    effect = worker.ask("after", run="run")["id"]
    (folder / "notes.md").rename(folder / "mine.md")
    whole = worker.ask("undo", effect=effect, paths=[])
    assert [one["path"] for one in whole["conflicts"]] == ["notes.md"]
    assert not (folder / "notes.md").exists()  # it is not the run that has deleted it
    named = worker.ask("undo", effect=effect, paths=["notes.md"])
    assert not named["conflicts"]
    worker.close()
    assert (folder / "notes.md").read_text() == "old"
    assert (folder / "mine.md").read_text() == "of the run"


def test_a_run_that_ended_with_its_program_is_reported_once(tmp_path: Path) -> None:
    folder, store = tmp_path / "work", tmp_path / "store"
    folder.mkdir()
    worker = Worker(store, folder)
    worker.ask("before", **RUN, is_bounded=True)
    (folder / ".envrc").write_text("of the run")
    (folder / "made").write_text("made")
    until_now(lambda: is_unreported(store))  # it is on the disk
    worker.process.kill()
    worker.process.communicate()
    worker = Worker(store, folder)
    assert worker.ask("unreported", conversation="")["effects"] == []
    assert not (folder / ".envrc").exists()  # before anybody enters the folder
    [found] = worker.ask("unreported", conversation="one")["effects"]
    assert [one["path"] for one in found["created"]] == ["made"]
    assert [one["path"] for one in found["set_aside"]] == [".envrc"]
    assert worker.ask("unreported", conversation="one")["effects"] == []
    kept = worker.ask("settle", effect=found["id"], path=".envrc", is_kept=True)
    assert not kept["conflicts"]
    worker.ask("undo", effect=found["id"], paths=[])
    worker.close()
    assert list(folder.iterdir()) == []


def test_an_environment_on_another_disk_is_set_aside_or_said_to_be_there(tmp_path: Path) -> None:
    if not os.path.isdir("/dev/shm") or os.stat("/dev/shm").st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("there is one file system only")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        folder = Path(place, "work")
        folder.mkdir()

        def left(run: str) -> dict[str, Any]:
            worker.ask("before", **RUN | {"run": run}, is_bounded=True)
            for name, data in (("bin/python", "#!x"), ("lib/a.py", "a = 1\n"), ("pyvenv.cfg", "")):
                path = folder / ".venv" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(data)
            (folder / ".venv/bin/python").chmod(0o755)
            (folder / ".venv/lib64").symlink_to("lib")
            return worker.ask("after", run=run)

        worker = Worker(tmp_path / "store", folder)
        found = left("run")
        assert ([one["path"] for one in found["set_aside"]], found["conflicts"]) == ([".venv"], [])
        assert list(folder.iterdir()) == []
        kept = worker.ask("settle", effect=found["id"], path=".venv", is_kept=True)
        assert not kept["conflicts"]
        assert os.access(folder / ".venv/bin/python", os.X_OK)
        assert (folder / ".venv/lib64/a.py").read_text() == "a = 1\n"
        assert [one.name for one in folder.iterdir()] == [".venv"]
        worker.close()
        assert list((tmp_path / "store").glob("*/aside/*")) == []

        shutil.rmtree(folder / ".venv")
        code = "import sys; from playhead.undo_worker import __main__ as it, effects_store as e"
        code += "; e._COPIED_BYTES = 5; sys.exit(it.main())"
        worker = Worker(tmp_path / "store", folder, (sys.executable, "-P", "-S", "-c", code))
        found = left("second")
        assert [(one["path"], one["detail"]) for one in found["conflicts"]] == [
            (".venv", "It is too large to be copied to the disk that Playhead's data is on.")
        ]
        assert "set_aside" not in found
        worker.close()
        assert (folder / ".venv/bin/python").exists()


def dig(place: Path, depth: int = 1_200) -> None:
    """Make folders in folders, of which Python knows no end."""
    place.mkdir()
    at = os.open(place, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def test_an_environment_without_end_is_set_aside_and_deleted(tmp_path: Path) -> None:
    folder, store = tmp_path / "work", tmp_path / "store"
    folder.mkdir()
    worker = Worker(store, folder)
    worker.ask("before", **RUN, is_bounded=True)
    dig(folder / ".venv")
    (folder / ".venv/pyvenv.cfg").touch()
    (folder / ".venv/d/linked").symlink_to(folder)
    found = worker.ask("after", run="run")
    assert [one["path"] for one in found["set_aside"]] == [".venv"]
    assert not (folder / ".venv").exists()
    gone = worker.ask("settle", effect=found["id"], path=".venv", is_kept=False)
    assert not gone["conflicts"]
    assert list(store.glob("*/aside/*")) == []
    worker.close()
    assert folder.is_dir()
    dig(store / "old")
    dig(tmp_path / "own")
    (tmp_path / "own/pyvenv.cfg").touch()
    own, other = (os.open(path, os.O_RDONLY) for path in (tmp_path, store))
    with pytest.raises(OSError, match="too large"):
        move_folder(own, "own", other, "taken", 10**9)
    delete_place(store / "old")
    assert {one.name for one in store.iterdir()}.isdisjoint({"old", "taken"})
    for name in ("own", "old"):
        remove(own, name)
    for fd in (own, other):
        os.close(fd)


def test_a_home_folder_and_one_that_vanished_are_refused(tmp_path: Path) -> None:
    folder, store = tmp_path / "work", tmp_path / "store"
    folder.mkdir()
    worker = Worker(store, folder, home=str(folder))
    assert worker.ask("before", **RUN)["problem"] == "home"
    (folder / "made").touch()
    listed = worker.ask("after", run="run")
    assert [one["path"] for one in listed["created"]] == ["made"]
    assert (listed["id"], listed["problem"]) == ("", "home")
    worker.close()

    worker = Worker(store, folder)
    worker.ask("before", **RUN)
    (folder / "made").write_text("more")
    effect = worker.ask("after", run="run")["id"]
    folder.rename(tmp_path / "elsewhere")
    assert worker.ask("cover", within_s=60)["problem"] == "vanished"
    assert worker.ask("undo", effect=effect, paths=[])["error"] == "vanished"
    folder.mkdir()  # another one of that name
    (folder / "made").write_text("mine")
    assert worker.ask("undo", effect=effect, paths=[])["conflicts"]
    assert (folder / "made").read_text() == "mine"
    folder.joinpath("made").unlink()
    folder.rmdir()
    (tmp_path / "elsewhere").rename(folder)
    assert not worker.ask("undo", effect=effect, paths=[])["conflicts"]
    worker.close()
    assert (folder / "made").read_text() == ""


def test_a_full_disk_is_said_before_and_after_the_run(tmp_path: Path) -> None:
    folder, place = tmp_path / "work", tmp_path / "disk"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}").write_bytes(os.urandom(100_000))
    mount = "mount -t tmpfs -o size=2m none '{place}'"
    worker = Worker(place, folder, with_mount(place, mount, COMMAND))
    assert worker.ask("before", **RUN)["problem"] == "disk_full"
    (folder / "0").write_text("of the run")
    listed = worker.ask("after", run="run")
    assert [one["path"] for one in listed["changed"]] == ["0"]
    assert (listed["id"], listed["problem"]) == ("", "disk_full")
    worker.close()
    assert (folder / "0").read_text() == "of the run"


def test_an_undo_for_which_the_disk_has_no_room_changes_nothing(tmp_path: Path) -> None:
    folder, place = tmp_path / "work", tmp_path / "disk"
    folder.mkdir()
    for number in range(10):
        (folder / f"{number}").write_bytes(os.urandom(100_000))
    mount = "mount -t tmpfs -o size=2m none '{place}'"
    worker = Worker(place, folder, with_mount(place, mount, COMMAND))
    assert "problem" not in worker.ask("before", **RUN)
    for number in range(10):
        (folder / f"{number}").write_bytes(os.urandom(200_000))
    effect = worker.ask("after", run="run")["id"]
    after = facts_of(folder)
    assert worker.ask("undo", effect=effect, paths=[])["error"] == "disk_full"
    worker.close()
    assert facts_of(folder) == after


def test_too_many_files_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "FILE_LIMIT", 20)
    folder = tmp_path / "work"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}").touch()
    watched = WatchedFolder(str(folder), tmp_path / "store", None)
    assert watched.before("run", "one", 10)["problem"] == "too_many"
    assert watched.after("run") == {}
    watched.close()
