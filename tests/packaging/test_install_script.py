"""The script of the archive, on a small stand-in for the frozen folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """The archive as somebody has unpacked it, in a folder with a space."""
    folder = tmp_path / "un packed"
    (folder / "program").mkdir(parents=True)
    program = folder / "program/playhead"
    program.write_text("#!/bin/sh\necho Playhead 1.2.3\n", "utf-8")
    program.chmod(0o755)
    applications = folder / "share/applications"
    applications.mkdir(parents=True)
    shutil.copy(ROOT / "packaging/linux/playhead.desktop", applications)
    shutil.copy(ROOT / "packaging/linux/install.sh", folder)
    return folder


def run(unpacked: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home.mkdir(exist_ok=True)
    return subprocess.run(
        ["sh", unpacked / "install.sh", *arguments],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_installs_for_one_user_and_the_program_starts(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for _again in range(2):  # a newer version over an older one
        done = run(unpacked, home)
        assert done.returncode == 0, done.stderr
    assert "is not on the PATH" in done.stdout
    started = home / ".local/bin/playhead"
    said = subprocess.run([started], capture_output=True, text=True, check=True)
    assert said.stdout == "Playhead 1.2.3\n"
    entry = (home / ".local/share/applications/playhead.desktop").read_text("utf-8")
    assert f'Exec="{home}/.local/share/playhead-program/playhead" %F' in entry


def test_removing_takes_the_program_and_leaves_what_is_the_users(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    run(unpacked, home)
    own = home / ".local/share/playhead/history.sqlite3"
    own.parent.mkdir()
    own.write_bytes(b"mine")
    done = run(unpacked, home, "--remove")
    assert done.returncode == 0, done.stderr
    left = [path for path in home.rglob("*") if not path.is_dir()]
    # The desktop's tools keep an index there.
    assert [path for path in left if path.suffix != ".cache"] == [own]


def test_a_folder_of_that_name_with_something_else_in_it_is_left_alone(
    unpacked: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    other = home / ".local/share/playhead-program/notes.txt"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"mine")
    done = run(unpacked, home)
    assert done.returncode == 1
    assert "holds something else" in done.stderr
    assert other.read_bytes() == b"mine"


def test_what_the_user_calls_playhead_is_not_removed(unpacked: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(unpacked, home)
    own = home / ".local/bin/playhead"
    own.unlink()
    own.write_text("mine", "utf-8")
    run(unpacked, home, "--remove")
    assert own.read_text("utf-8") == "mine"
