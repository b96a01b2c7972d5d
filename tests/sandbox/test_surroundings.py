"""What code writes to its private home is seen, with little work however much of it there is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from playhead.sandbox.surroundings import HomeLook, written_since

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")
_LOOKS = {"os.scandir", "os.listdir"}
_seen: list[str] = []
_is_counting = False


def _count(event: str, arguments: tuple[object, ...]) -> None:
    if _is_counting and event in _LOOKS:
        _seen.append(event)


def _tick() -> None:
    """Let the clock of files pass, so that what was done before has an earlier stamp."""
    time.sleep(0.03)


def test_a_look_that_a_run_waits_for_is_short_whatever_code_has_made(tmp_path: Path):
    global _is_counting
    (tmp_path / "packages").mkdir()
    later = time.time() + 9
    look = HomeLook(str(tmp_path), ("packages",))
    assert look.is_untouched(later)
    for number in range(400):
        (tmp_path / f"folder {number}" / "another").mkdir(parents=True)
    sys.addaudithook(_count)
    _is_counting = True
    try:
        assert not look.is_untouched(later)
    finally:
        _is_counting = False
    assert len(_seen) < 40
    assert not _held_in(tmp_path)


def _held_in(folder: Path) -> list[str]:
    """What this process holds open there."""
    places = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    links = [os.readlink(place) for place in places if os.path.lexists(place)]
    return [link for link in links if link.startswith(str(folder))]


def test_whatever_code_does_to_its_home_is_seen_by_the_next_look(tmp_path: Path):
    home, away = tmp_path / "home", tmp_path / "away"
    (home / "deep" / "er").mkdir(parents=True)
    (home / "packages").mkdir()
    (home / "deep" / "er" / "old.csv").write_text("old")
    (home / ".hidden").mkdir()
    away.mkdir()
    look = HomeLook(str(home), ("packages", "not there"))
    acts: dict[str, Callable[[], object]] = {
        "a file below": lambda: (home / "deep" / "er" / "old.csv").write_text("new"),
        "a new file": lambda: (home / "deep" / "new.csv").touch(),
        "a mode": lambda: (home / "deep" / "new.csv").chmod(0o600),
        "a package": lambda: (home / "packages" / "one").mkdir(),
        "a link for a folder": lambda: (
            (home / "deep" / "er").rename(home / "deep" / "was"),
            (home / "deep" / "er").symlink_to(away),
        ),
        "a file of a folder that moved": lambda: (home / "deep" / "was" / "old.csv").touch(),
        "the end of a file": (home / "deep" / "new.csv").unlink,
        "a file by another name": lambda: (
            os.link(home / "deep" / "was" / "old.csv", home / ".hidden" / "same"),
            (home / ".hidden" / "same").write_text("by the other name"),
        ),
    }
    for name, act in acts.items():
        _tick()
        began = time.time()
        _tick()
        assert look.is_untouched(began + 0.02), name
        act()
        assert not look.is_untouched(began + 0.02), name
    _tick()
    began = time.time() + 0.02
    _tick()
    (away / "other").touch()  # what is behind a link is not the home's
    (home / ".hidden" / "more").touch()
    assert look.is_untouched(began)
    assert _held_in(home)
    look.close()
    assert not _held_in(home)


def test_what_is_deep_or_named_strangely_or_a_link_is_no_trouble(tmp_path: Path):
    home = tmp_path / "home"
    (home / "a").mkdir(parents=True)
    (tmp_path / "own.txt").touch()
    began = time.time()
    for name in (b"\xff.csv", b"b.csv", b"a/c.csv", b".hidden"):
        Path(os.fsdecode(os.fsencode(home) + b"/" + name)).touch()
    (home / "mine").symlink_to(tmp_path)
    look = HomeLook(str(home), ())
    assert not look.is_untouched(began)
    look.close()
    assert written_since(str(home), began) == ["b.csv", "mine", "\\xff.csv", "a/c.csv"]
    os.makedirs(home / "/".join("d" * 300))
    assert written_since(str(home), began)[:2] == ["b.csv", "mine"]
