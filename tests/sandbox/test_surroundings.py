"""What code writes to its private home is seen, with little work however much of it there is."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from playhead.sandbox.surroundings import is_untouched, written_since

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
_LOOKS = {"os.scandir", "os.listdir"}
_seen: list[str] = []
_is_counting = False


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if _is_counting and event in _LOOKS:
        _seen.append(event)


def test_a_look_that_a_run_waits_for_is_short_whatever_code_has_made(tmp_path: Path):
    global _is_counting
    (tmp_path / "packages").mkdir()
    later = time.time() + 9
    assert is_untouched(str(tmp_path), ("packages",), later)
    for number in range(400):
        (tmp_path / f"folder {number}" / "another").mkdir(parents=True)
    sys.addaudithook(_count)
    _is_counting = True
    try:
        assert not is_untouched(str(tmp_path), ("packages",), later)
    finally:
        _is_counting = False
    assert len(_seen) < 10


def test_what_is_deep_or_named_strangely_or_a_link_is_no_trouble(tmp_path: Path):
    home = tmp_path / "home"
    (home / "a").mkdir(parents=True)
    (tmp_path / "own.txt").touch()
    began = time.time()
    for name in (b"\xff.csv", b"b.csv", b"a/c.csv", b".hidden"):
        Path(os.fsdecode(os.fsencode(home) + b"/" + name)).touch()
    (home / "mine").symlink_to(tmp_path)
    assert not is_untouched(str(home), (), began)
    assert written_since(str(home), began) == ["b.csv", "mine", "\\xff.csv", "a/c.csv"]
    os.makedirs(home / "/".join("d" * 300))
    assert written_since(str(home), began)[:2] == ["b.csv", "mine"]
