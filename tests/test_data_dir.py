"""`--data-dir`: a portable Playhead keeps all of its files below one folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import until_now

ROOT = Path(__file__).parents[1]
START_S = 100.0
SAID = ["--log-level", "info"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and modes of POSIX")


def environment(home: Path) -> dict[str, str]:
    """A home where whatever is written to a usual place would show."""
    (home / "run").mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "PATH": "/usr/bin:/bin",  # compilers of the user's own write to the home when asked
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "QT_QPA_PLATFORM": "offscreen",
        "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        "PYTHONPATH": str(ROOT / "app"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def written(home: Path) -> list[str]:
    """The files below a folder, but the lock that all instances of a user share."""
    return sorted(
        str(path.relative_to(home))
        for path in home.rglob("*")
        if not path.is_dir() and path.name != "keyring.lock"
    )


def with_settings(folder: Path) -> Path:
    """A portable folder whose Python need not be made first."""
    (folder / "config").mkdir(parents=True)
    values = {"interpreter": sys.executable, "theme": "dark"}
    (folder / "config" / "settings.json").write_text(json.dumps(values), "utf-8")
    return folder


@contextmanager
def window(home: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program with its window until it is ready, and ended in order."""
    log = home.parent / f"{len(list(home.parent.glob('*.log')))}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "playhead", *SAID, *arguments],
            env=environment(home),
            cwd=home.parent,
            stdin=subprocess.DEVNULL,
            stderr=file,
        )
    try:
        until_now(
            lambda: "ready_ms" in log.read_text("utf-8") or process.poll() is not None, START_S
        )
        assert process.poll() is None, log.read_text("utf-8")
        yield process
        process.send_signal(signal.SIGTERM)
        assert process.wait(START_S) == 0, log.read_text("utf-8")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def start(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A start that has to end by itself."""
    return subprocess.run(
        [sys.executable, "-m", "playhead", *arguments],
        env=environment(home),
        cwd=home.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )


def test_the_window_keeps_everything_below_the_folder_and_is_one_per_folder(tmp_path):
    home, stick = tmp_path / "home", with_settings(tmp_path / "stick")
    stick.chmod(0o755)
    other = with_settings(tmp_path / "other")
    with window(home, f"--data-dir={stick}"):
        second = start(home, "--data-dir", "stick")
        assert (second.returncode, second.stderr) == (0, "")  # it gave its files to the first
        with window(home, "--data-dir", str(other)):
            pass
        assert not written(home)
    assert not written(home)
    kept = {path.split("/")[0] for path in written(stick)}
    assert {"config", "history.sqlite3", "instance.lock", "logs"} <= kept
    assert json.loads((stick / "config" / "settings.json").read_text("utf-8"))["theme"] == "dark"


def test_a_chat_runs_code_and_writes_below_the_folder_alone(tmp_path):
    home, stick = tmp_path / "home", with_settings(tmp_path / "stick")
    (home / "work").mkdir(parents=True)
    command = [sys.executable, "-m", "playhead", "--data-dir", str(stick), "chat", "--yes"]
    said = subprocess.run(
        [*command, "```python\nprint(6 * 7)\n```"],
        env=environment(home),
        cwd=home / "work",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=START_S,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    assert "42" in said.stdout
    assert not written(home)
    assert {"config", "logs"} <= {path.split("/")[0] for path in written(stick)}


@pytest.mark.parametrize("command", [[], ["serve"], ["chat"]])
def test_each_command_says_what_the_folder_is_for(tmp_path, command):
    said = start(tmp_path / "home", *command, "--help")
    assert "--data-dir DIR" in said.stdout
    assert "below this folder" in " ".join(said.stdout.split())


def test_a_folder_that_cannot_be_used_is_refused_in_words(tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = start(tmp_path / "home", "--data-dir", str(tmp_path / "file"))
    assert said.returncode == 1
    assert "The data folder cannot be used" in said.stderr
    assert "Traceback" not in said.stderr


def test_a_flag_without_a_folder_is_a_usage_error(tmp_path):
    said = start(tmp_path / "home", "serve", "--data-dir")
    assert said.returncode == 2
    assert "--data-dir" in said.stderr
