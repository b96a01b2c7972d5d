from __future__ import annotations

import stat
from pathlib import Path

import pytest

from playhead.atomic_file import replacing, write_private


def test_a_private_file_is_its_users_alone_and_so_is_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    write_private(path, "ä\n")
    assert path.read_bytes() == "ä\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_private(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failure_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_the_new_file_has_the_mode_that_was_asked_for(tmp_path: Path) -> None:
    with replacing(tmp_path / "script", 0o755) as file:
        file.write(b"#!")
    assert stat.S_IMODE((tmp_path / "script").stat().st_mode) == 0o755
