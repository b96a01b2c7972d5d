"""Kernels end with whoever started them, at whatever moment of their start that one is killed."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.driver import write_settings
from tests.support.guards import descendants
from tests.support.waiting import until_now

ROOT = Path(__file__).parents[1]
WAIT_S = 100.0
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

# Python runs this before anything of ours; a kernel rests at its stage until it may go on.
PAUSE = """
import os, sys, time
def pause(event="", words=("",), done=[]):
    if words[0] == STAGE and not done:
        done.append(True)
        open(FOLDER + "/reached", "w").close()
        while not os.path.exists(FOLDER + "/go"):
            time.sleep(0.01)
if sys.orig_argv[-1].endswith("boot.py") and STAGE != "running":
    sys.addaudithook(lambda event, words: event == "import" and pause(event, words))
    pause()
"""
STAGES = {
    "the interpreter starts": "",
    "before the system is asked to end it": "ctypes",
    "while it is booting": "_playhead_kernel.python.python_kernel",
    "while code runs": "running",
}


@dataclass
class Chat:
    """A command that has started a server, which has started a kernel."""

    process: subprocess.Popen[bytes]
    server: int
    before: set[int]

    def pid(self, who: str) -> int:
        return self.process.pid if who == "terminal" else self.server

    def left(self) -> set[int]:
        """What is there still, but what has ended and waits to be asked for its end."""
        return {pid for pid in set(descendants()) - self.before if not _has_ended(pid)}


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.fixture(params=STAGES.values(), ids=list(STAGES))
def chat(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chat]:
    """A chat in Direct mode whose kernel has come to the stage."""
    pause = f"STAGE, FOLDER = {request.param!r}, {str(tmp_path)!r}\n{PAUSE}"
    (tmp_path / "sitecustomize.py").write_text(pause)
    python = tmp_path / "python"
    own, folder = shlex.quote(sys.executable), shlex.quote(str(tmp_path))
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {own} "$@"\n')
    python.chmod(0o700)
    write_settings(tmp_path, interpreter=str(python))
    reached = tmp_path / "reached"
    code = "import os\nwhile True:\n    os.system('sleep 600')"
    if request.param == "running":
        code = f"open({str(reached)!r}, 'w').close()\n{code}"
    before = set(descendants())
    process = subprocess.Popen(
        [sys.executable, "-m", "playhead", "chat", "--yes", code],
        env={
            **{name: value for name, value in os.environ.items() if "DISPLAY" not in name},
            "PYTHONPATH": str(ROOT / "app"),
            "PLAYHEAD_CONFIG_DIR": str(tmp_path / "config"),
        },
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with process:
        try:
            until_now(reached.exists, WAIT_S)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            yield Chat(process, int(children), before)
        finally:
            process.kill()


@pytest.mark.parametrize("who", ["terminal", "server"])
def test_a_kernel_ends_with_who_started_it(chat: Chat, tmp_path: Path, who: str):
    assert len(chat.left()) >= 3  # the terminal, its server and the kernel
    os.kill(chat.pid(who), signal.SIGKILL)
    until_now(lambda: _has_ended(chat.pid(who)), WAIT_S)
    (tmp_path / "go").touch()
    until_now(lambda: not chat.left(), WAIT_S)
