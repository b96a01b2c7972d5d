"""The real program crashes for real, and says so at its next start."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from playhead.storage.history.schema import open_database
from tests.support.waiting import until_now

ROOT = Path(__file__).parents[1]
WINDOW = ROOT / "tests" / "data" / "watched_crash.py"
START_S = 100.0
WHERE = "A report is on this computer. Nothing is sent."
NOTED = ["An error in Playhead itself was noted the last time.", WHERE]
ENDED = [
    "Playhead ended unexpectedly the last time.",
    f"Conversations and drafts are kept. {WHERE}",
]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder whose program asks for no model and makes no environment."""
    (tmp_path / "data" / "config").mkdir(parents=True)
    set_up(tmp_path, interpreter=sys.executable)
    (tmp_path / "run").mkdir(mode=0o700)
    return tmp_path


def set_up(home: Path, **settings: str) -> None:
    """The settings file as the next start will find it."""
    path = home / "data" / "config" / "settings.json"
    path.write_text(json.dumps(settings), "utf-8")


@contextmanager
def started(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process of the program, and the file of its stderr."""
    log = home / f"{len(list(home.glob('*.log')))}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(home),
                "XDG_RUNTIME_DIR": str(home / "run"),
                "QT_QPA_PLATFORM": "offscreen",
                "DBUS_SESSION_BUS_ADDRESS": "disabled:",
                "PYTHONPATH": os.pathsep.join([str(ROOT / "app"), str(ROOT)]),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=file,
        )
    try:
        yield process, log
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def crash(home: Path, how: str) -> int:
    """Start the window and have it crash once it is ready; how it ended."""
    with started(home, str(WINDOW), how, "--data-dir", str(home / "data")) as (process, log):
        process.wait(START_S)
        assert "ready_ms" in log.read_text("utf-8"), log.read_text("utf-8")
        return process.returncode


def next_start(home: Path) -> list[list[str]]:
    """The titles and words of the banners at the next start, which ends in order."""
    with started(home, str(WINDOW), "tell", "--data-dir", str(home / "data")) as (process, log):
        said, _ = process.communicate(timeout=START_S)
        assert process.returncode == 0, log.read_text("utf-8")
        return json.loads(said.splitlines()[-1])


def reports(home: Path) -> list[Path]:
    folder = home / "data" / "logs" / "crashes"
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_window_that_crashed_says_so_at_the_next_start(home):
    assert crash(home, "raise") == 0  # an error that nobody catches ends nothing
    assert crash(home, "segfault") == -signal.SIGSEGV
    assert crash(home, "abort") == -signal.SIGABRT
    assert next_start(home) == [ENDED]
    texts = [report.read_text("utf-8") for report in reports(home)]  # until they are deleted
    for words in ("Fatal Python error: Segmentation fault", "Fatal Python error: Aborted"):
        assert len([text for text in texts if words in text and " in die" in text]) == 1
    (caught,) = [text for text in texts if "RuntimeError" in text]
    assert " in die" in caught
    assert "my diary" not in caught


def test_a_window_that_was_killed_says_so_once_at_the_next_start(home):
    assert crash(home, "kill") == -signal.SIGKILL
    assert next_start(home) == [ENDED]
    assert next_start(home) == []


def test_a_newer_versions_conversations_are_opened_to_be_read_and_that_is_said(home):
    path = home / "data" / "history.sqlite3"
    open_database(path).connection.close()
    with closing(sqlite3.connect(path)) as future:
        future.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    (banner,) = next_start(home)
    assert banner[0] == "The conversations can only be read here."
    assert f"{path} was written by a newer Playhead" in banner[1]
    assert path.read_bytes() == before


def test_the_death_of_a_servers_model_worker_is_told_by_the_window(home):
    set_up(home, interpreter=sys.executable, model="openai/test")
    serve = ["-m", "playhead", "serve", "--stdio", "--data-dir", str(home / "data")]
    with started(home, *serve) as (process, _):
        worker = until_worker(process.pid)
        os.kill(worker, signal.SIGSEGV)
        until_now(lambda: any(path.suffix == ".txt" for path in reports(home)), START_S)
        process.communicate(timeout=START_S)  # ends its stdin
        assert process.returncode == 0
    set_up(home, interpreter=sys.executable)
    assert NOTED in next_start(home)
    (report,) = reports(home)
    assert "model worker" in report.read_text("utf-8")
    assert "SIGSEGV" in report.read_text("utf-8")


def until_worker(parent: int) -> int:
    """The model worker of a process, once it has set up its own handlers."""

    def find() -> int | None:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit() and _is_worker(folder, parent):
                return int(folder.name)
        return None

    until_now(find, START_S)
    found = find()
    assert found is not None
    return found


def _is_worker(folder: Path, parent: int) -> bool:
    try:
        command = (folder / "cmdline").read_bytes()
        status = (folder / "status").read_text("utf-8")
    except OSError:
        return False
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    catches_segfault = int(fields.get("SigCgt", "0"), 16) & (1 << (signal.SIGSEGV - 1))
    is_ours = int(fields["PPid"]) == parent and b"playhead.model_worker" in command
    return is_ours and bool(catches_segfault)
