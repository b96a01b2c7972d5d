"""What a supervisor sees, and that nothing outlives it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from playhead.execution.processes import descendants
from tests.supervisor.conftest import SupervisedTalk
from tests.support.guards import command_line
from tests.support.waiting import LIMIT_S, until_now

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ESCAPES = {
    "a child": "subprocess.Popen(['sleep', '600'])",
    "a session of its own": "subprocess.Popen(['sleep', '600'], start_new_session=True)",
    "a daemon of the shell": "os.system('setsid sh -c \"sleep 600 & sleep 600\" &')",
    "an empty environment": "os.system('env -i setsid sh -c \"(sleep 600 &) & sleep 600 &\"')",
    "a fork that never starts a program": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n"
        "    open('there', 'w').close()\n    time.sleep(600)"
    ),
    "no end by its parent": (
        "import ctypes\nif os.fork() == 0:\n    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)\n"
        "    os.setsid()\n    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "    open('there', 'w').close()\n    time.sleep(600)"
    ),
}
SLEEPING = sum(code.count("sleep") for code in ESCAPES.values()) - 2
"""Processes that sleep as programs; two sleep as forks."""
ENDS = {
    "the app goes away": lambda kernel: kernel.line.close(),
    "the app asks for it": lambda kernel: kernel.ask("end"),
    "the kernel is killed": lambda kernel: os.kill(kernel.pid, signal.SIGKILL),
    "the kernel is asked to end": lambda kernel: kernel.send("exit"),
    "its input ends": lambda kernel: kernel.process.stdin.close(),
}


def is_sleeping(pid: int) -> bool:
    return command_line(pid).startswith("sleep 600")


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_nothing_outlives_the_kernel(
    supervised: SupervisedTalk, tmp_path: Path, end: object
) -> None:
    root = supervised.process.pid
    before = descendants(root)
    for code in ESCAPES.values():
        (tmp_path / "there").unlink(missing_ok=True)
        supervised.run(f"import os, signal, subprocess, time\n{code}")
        if "'there'" in code:
            until_now((tmp_path / "there").exists)
    until_now(lambda: sum(map(is_sleeping, descendants(root))) == SLEEPING)
    left = descendants(root) - before
    end(supervised)  # type: ignore[operator]
    supervised.process.wait(LIMIT_S)
    assert not [pid for pid in left if Path(f"/proc/{pid}").exists()]
    supervised.end()


ENDINGS = {
    "import os\nos._exit(7)": 7,
    "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)": -signal.SIGKILL,
    "import ctypes\nctypes.string_at(0)": -signal.SIGSEGV,
    "import os\nos.abort()": -signal.SIGABRT,
}


@pytest.mark.parametrize("code", ENDINGS)
def test_it_ends_as_the_kernel_has_ended(supervised: SupervisedTalk, code: str) -> None:
    supervised.begin(code)
    assert supervised.process.wait(LIMIT_S) == ENDINGS[code]
    assert supervised.reported("ended")
    supervised.end()


def test_code_does_not_see_the_supervisor_as_its_child(supervised: SupervisedTalk) -> None:
    text, _ = supervised.run(
        "import os\ntry:\n    os.wait()\nexcept ChildProcessError:\n    print('none')"
    )
    assert text == "none\n"


def test_it_holds_neither_input_nor_output(supervised: SupervisedTalk) -> None:
    output = os.stat(f"/proc/{supervised.pid}/fd/1").st_ino
    folder = Path(f"/proc/{supervised.process.pid}/fd")
    assert output not in [os.stat(file).st_ino for file in folder.iterdir()]


def test_the_main_thread_is_seen_to_wait_only_when_it_does(supervised: SupervisedTalk) -> None:
    supervised.begin("print('on')\nx = input()\nwhile not x:\n    pass")
    supervised.read_until("input")
    supervised.ask("look", look=1, also=0)
    assert supervised.reported("rests", "runs") == {"t": "runs", "look": 1}
    supervised.send("input", run="run-1", id="run-1-1", text="x")
    supervised.read_until("idle")
    assert supervised.reported("rests", "runs") == {"t": "rests", "look": 1}
    supervised.ask("look", look=2, also=0)
    assert supervised.reported("rests", "runs") == {"t": "rests", "look": 2}


COMPUTING = "import threading\nis_on = True\ndef work():\n    while is_on:\n        pass\n"
IDLE = (
    "import asyncio, concurrent.futures, threading, subprocess\n"
    "pool = concurrent.futures.ThreadPoolExecutor(8)\nlist(pool.map(abs, range(100)))\n"
    "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    "child = subprocess.Popen(['sleep', '600'])\n"
)


@pytest.mark.parametrize("supervised", [sys.executable], indirect=True)  # it looks after seconds
def test_it_names_what_goes_on_computing_and_not_what_waits(supervised: SupervisedTalk) -> None:
    supervised.run(IDLE + COMPUTING + "for _ in range(2): threading.Thread(target=work).start()")
    supervised.ask("rest", edge=7)
    assert supervised.reported("left") == {
        "edge": 7,
        "t": "left",
        "main": False,
        "threads": 2,
        "processes": [],
    }
    supervised.run("is_on = False")
    until_now(lambda: supervised.reported("left")["threads"] == 0)
    text, _ = supervised.run(
        "child = subprocess.Popen(['sh', '-c', 'while :; do :; done'])\nprint(child.pid)"
    )
    until_now(lambda: supervised.reported("left")["processes"] == [int(text)])


def test_a_supervisor_at_rest_takes_no_time(supervised: SupervisedTalk) -> None:
    supervised.run("1")
    supervised.ask("rest", edge=1)
    path = Path(f"/proc/{supervised.process.pid}/schedstat")

    def switches() -> int:
        return int(path.read_text().split()[2])

    seen = [switches()]
    until_now(lambda: seen.append(switches()) or len(set(seen[-40:])) == 1 < len(seen) - 40)
