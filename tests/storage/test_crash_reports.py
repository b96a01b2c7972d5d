"""Crash reports: real processes die for real, and what they leave names places and no words."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from playhead.errors import StorageError
from playhead.storage.crash_reports import (
    CrashWatch,
    StoredCrashes,
    exception_report,
    worker_report,
)

APP = Path(__file__).parents[2] / "app"
SECRET = "sk-live-0123456789 my diary"
DYING = """
import ctypes, os, signal, sys
from pathlib import Path
from playhead.storage.crash_reports import CrashWatch

watch = CrashWatch(Path(sys.argv[1]), sys.argv[3])
watch.begin()
secret = sys.argv[2]

def on_button_clicked():
    {deed}

on_button_clicked()
watch.end()
"""
SEGFAULT = "ctypes.string_at(1)"
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def dying(folder: Path, deed: str, program: str = "window") -> int:
    """Run a process that does that; how it ended."""
    script = DYING.format(deed=deed)
    return subprocess.run(
        [sys.executable, "-c", script, str(folder), SECRET, program],
        env={"PYTHONPATH": str(APP), "HOME": str(folder.parent)},
        capture_output=True,
        check=False,
    ).returncode


@pytest.mark.parametrize(
    ("deed", "status", "words"),
    [
        (SEGFAULT, -signal.SIGSEGV, "Segmentation fault"),
        ("os.abort()", -signal.SIGABRT, "Aborted"),
    ],
)
async def test_a_hard_crash_leaves_its_trace_for_the_next_start(tmp_path, deed, status, words):
    folder = tmp_path / "crashes"
    assert dying(folder, deed) == status
    stored = StoredCrashes(folder)
    (report,) = await stored.new_reports()
    assert report.is_fatal
    assert f"Fatal Python error: {words}" in report.text
    assert "in on_button_clicked" in report.text
    assert report.text.startswith("Playhead ")
    assert SECRET not in report.text
    assert (folder / report.name).stat().st_mode & 0o077 == 0
    assert await stored.new_reports() == []  # told once
    (kept,) = await stored.found()
    assert kept.text == report.text


async def test_a_normal_end_is_no_crash(tmp_path):
    dying(tmp_path, "pass")
    assert await StoredCrashes(tmp_path).new_reports() == []
    assert list(tmp_path.iterdir()) == []


async def test_a_window_that_was_killed_is_told_of_at_the_next_start(tmp_path):
    assert dying(tmp_path, KILLED) == -signal.SIGKILL
    stored = StoredCrashes(tmp_path)
    (report,) = await stored.new_reports()
    assert report.is_fatal
    assert "ended by force" in report.text
    assert SECRET not in report.text
    assert await stored.new_reports() == []


async def test_a_server_that_was_killed_is_not(tmp_path):
    assert dying(tmp_path, KILLED, "server") == -signal.SIGKILL
    assert await StoredCrashes(tmp_path).new_reports() == []
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_lives_is_left_alone(tmp_path):
    script = DYING.format(deed="print(flush=True); sys.stdin.read()")
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), SECRET, "window"],
        env={"PYTHONPATH": str(APP)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as living:
        assert living.stdout is not None
        living.stdout.readline()
        assert asyncio.run(StoredCrashes(tmp_path).new_reports()) == []
        assert [path.suffix for path in tmp_path.iterdir()] == [".running"]
        living.communicate()
    assert list(tmp_path.iterdir()) == []


def failing(words: str) -> Exception:
    """An error with a cause, as if something of a conversation stood in it."""

    def inner() -> None:
        raise KeyError(words)

    def outer() -> None:
        try:
            inner()
        except KeyError as error:
            raise RuntimeError(f"no {words}") from error

    with pytest.raises(RuntimeError) as caught:
        outer()
    return caught.value


async def test_an_error_is_noted_once_with_its_places_and_without_its_words(tmp_path):
    watch = CrashWatch(tmp_path, "window")
    error = failing(SECRET)
    watch.record(error)
    watch.record(error)
    (report,) = await StoredCrashes(tmp_path).new_reports()
    assert not report.is_fatal
    assert "KeyError" in report.text
    assert "RuntimeError" in report.text
    assert "in inner" in report.text
    assert SECRET not in report.text
    assert "diary" not in report.text


async def test_the_name_of_the_users_folder_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(Path(__file__).parent))
    CrashWatch(tmp_path, "window").record(failing("x"))
    (report,) = await StoredCrashes(tmp_path).new_reports()
    assert 'File "~/test_crash_reports.py"' in report.text


async def test_reports_are_deleted_and_what_is_gone_is_no_error(tmp_path):
    watch = CrashWatch(tmp_path, "window")
    watch.record_worker(-signal.SIGKILL, [])
    stored = StoredCrashes(tmp_path)
    (report,) = await stored.found()
    await stored.new_reports()  # has another name since
    await stored.delete([report.name])
    assert await stored.found() == []
    await stored.delete([report.name])


async def test_a_report_that_cannot_be_deleted_is_said(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(StorageError, match="could not be deleted"):
        await StoredCrashes(tmp_path).delete(["a.txt"])


async def test_only_files_of_the_folder_are_deleted(tmp_path):
    (tmp_path / "outside.txt").write_text("stays")
    await StoredCrashes(tmp_path / "crashes").delete(["../outside.txt"])
    assert (tmp_path / "outside.txt").exists()


async def test_of_very_many_the_newest_are_kept(tmp_path):
    watch = CrashWatch(tmp_path, "window")
    for _ in range(30):
        watch.record_worker(1, [])
    stored = StoredCrashes(tmp_path)
    assert len(await stored.found()) == len(list(tmp_path.iterdir())) == 20


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    watch = CrashWatch(tmp_path / "file" / "crashes", "window")
    watch.begin()
    watch.record(ValueError())
    watch.end()


def test_of_a_worker_only_types_and_places_are_told():
    lines = [
        "Traceback (most recent call last):",
        '  File "worker.py", line 3, in ask',
        f"    send({SECRET!r})",
        f"httpx.ConnectError: {SECRET}",
        f"the user said {SECRET}",
    ]
    said = worker_report(1, lines)
    assert "ended with exit status 1" in said
    assert 'File "worker.py", line 3, in ask' in said
    assert "httpx.ConnectError" in said
    assert "diary" not in said


def test_an_error_that_is_its_own_cause_ends():
    error = ValueError()
    error.__context__ = error
    assert exception_report(error).count("ValueError") == 1
