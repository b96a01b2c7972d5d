"""Places of data, settings and resources."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from playhead.storage import paths


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("PLAYHEAD_DATA_DIR", paths.data_dir),
        ("PLAYHEAD_CONFIG_DIR", paths.config_dir),
        ("PLAYHEAD_CACHE_DIR", paths.cache_dir),
    ],
)
def test_a_variable_moves_a_folder(variable, place, tmp_path, monkeypatch):
    monkeypatch.setenv(variable, str(tmp_path / "with space"))
    assert place() == tmp_path / "with space"


@pytest.mark.skipif(sys.platform != "linux", reason="XDG")
def test_without_variables_the_folders_lie_where_xdg_says(tmp_path, monkeypatch):
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"PLAYHEAD_{name}_DIR")
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    assert paths.data_dir() == tmp_path / "DATA" / "playhead"
    assert paths.config_dir() == tmp_path / "CONFIG" / "playhead"
    assert paths.cache_dir() == tmp_path / "CACHE" / "playhead"


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_folders_are_made_for_their_user_only():
    for folder in (paths.data_dir(), paths.config_dir(), paths.cache_dir(), paths.outputs_dir()):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_still_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PLAYHEAD_DATA_DIR", str(tmp_path / "file" / "data"))
    assert paths.data_dir() == tmp_path / "file" / "data"


def test_resources_lie_beside_the_sources():
    assert paths.resources_dir() == Path(__file__).resolve().parents[2] / "resources"
    assert paths.resources_dir().is_dir()


def test_a_bundle_brings_its_resources(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert paths.resources_dir() == tmp_path / "resources"
