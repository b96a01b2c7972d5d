"""Where no namespaces are made: what rules of Landlock and a filter hold, and what they do not."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import platform
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from playhead.domain.conversation.payloads import RunEnd
from playhead.domain.execution import RunRequest
from playhead.domain.trust import Attempt, BoundaryReport, Policy
from playhead.errors import ExecutionError
from playhead.execution.process_executor import ProcessExecutor
from playhead.sandbox.boundary_test import control
from playhead.sandbox.bubblewrap import Availability, look_for_sandbox
from playhead.sandbox.landlock_rules import is_enough, landlock_version
from playhead.sandbox.sandbox import INSIDE, LANDLOCK, PrivatePlaces, Sandbox, supervised
from playhead.sandbox.syscall_filter import filter_program
from tests.support.jupyter import described
from tests.support.kernels import error_of, report_of, request, run, text_of
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
FOLDER, LOOK = Policy(files="folder", network="off"), Policy(files="look", network="off")


@pytest.fixture(autouse=True, scope="module")
def _rules() -> None:
    if not is_enough(landlock_version()):
        pytest.skip("the system's kernel has no Landlock")


class Place:
    """A home with a folder to work in and a file of the person's."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / "work"
        self.folder.mkdir()
        (home / "diary.txt").write_text("secret")
        self.places = PrivatePlaces(home=str(home), homes=home / "data" / "homes")
        self._runs = 0

    def sandbox(self) -> Sandbox:
        return Sandbox(self.places, self.look)

    def look(self) -> Availability:
        """What is there without bubblewrap."""
        return Availability(landlock=landlock_version(), weakness="No bubblewrap.", remedy="Get it")

    @asynccontextmanager
    async def executor(self) -> AsyncGenerator[ProcessExecutor]:
        made = ProcessExecutor(self.home / "data" / "output", sandbox=self.sandbox())
        try:
            yield made
        finally:
            await made.close()

    def request(self, code: str, policy: Policy = FOLDER, language: str = "python") -> RunRequest:
        self._runs += 1
        wanted = request(self.folder, code, f"run-{self._runs}", grace_s=5)
        return replace(wanted, policy=policy, language=language)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_it_is_what_is_left_without_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = look_for_sandbox(str(tmp_path / "bwrap"))
    assert not found.problem
    assert found.landlock >= 3
    assert "bubblewrap is missing" in found.weakness
    assert "bubblewrap" in found.remedy
    nothing = look_for_sandbox(str(tmp_path / "bwrap"), version=lambda: 2)
    assert "bubblewrap is missing" in nothing.problem


TRIES = """
import os, resource, signal, socket, subprocess, tempfile
home = os.path.dirname(os.getcwd())
with open('made.txt', 'w') as file: file.write('x')
os.mkdir('sub'); os.rename('made.txt', 'sub/made.txt')
open(os.path.join(tempfile.gettempdir(), 'y'), 'w').close()
open(os.path.expanduser('~/kept'), 'w').close()
def read(path): open(path).read(1)
def write(path): open(path, 'a')
ours, theirs = socket.socketpair()
tries = {
    'diary': lambda: read(home + '/diary.txt'),
    'home': lambda: os.listdir(home),
    'new': lambda: write(home + '/new'),
    'moved': lambda: os.rename('sub/made.txt', home + '/made.txt'),
    'linked': lambda: os.link(home + '/diary.txt', 'diary'),
    'cut': lambda: os.truncate(home + '/diary.txt', 0),
    'inet': socket.socket,
    'unix': lambda: socket.socket(socket.AF_UNIX),
    'datagrams': lambda: socket.socketpair(type=socket.SOCK_DGRAM),
    'connected once more': lambda: (theirs.close(), ours.connect(home + '/listener')),
    'kill': lambda: os.kill(os.getppid(), 0),
    'slow': lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 5),
    'limit': lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (9, 9)),
    'shm': lambda: write('/dev/shm/x'),
    'attribute': lambda: os.setxattr(home + '/diary.txt', 'user.x', b'1'),
}
for name, act in tries.items():
    try: act(); print(name)
    except PermissionError: pass
    except OSError as error: print(name, error) if error.errno not in (18, 106) else None
os.nice(1); resource.prlimit(0, resource.RLIMIT_NOFILE)
print(subprocess.run(['sh', '-c', 'echo $HOME'], capture_output=True, text=True).stdout, end='')
"""


async def test_code_works_in_its_folder_and_reaches_nothing_else(place: Place) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place.home / "listener"))
    listener.listen()
    async with place.executor() as made:
        chunks = await run(made, place.request(TRIES))
        assert error_of(chunks) is None, text_of(chunks)
        (said,) = text_of(chunks).splitlines()  # none of the tries, and its own home
        assert said.startswith(f"{place.home}/data/homes/")
        assert (Path(said) / "kept").exists()
        assert (place.folder / "sub" / "made.txt").read_text() == "x"
        assert (place.home / "diary.txt").read_text() == "secret"
        bash = place.request("cat ../diary.txt; cat < <(echo on); exit 3", language="bash")
        said = text_of(await run(made, bash))
        assert "Permission denied" in said
        assert "on\n" in said
    listener.close()
    assert list((place.home / "data" / "output").rglob("tmp")) == []


async def test_look_only_and_stop_and_what_outlives(place: Place) -> None:
    async with place.executor() as made:
        refused = await run(made, place.request("open('x', 'w')", LOOK))
        assert error_of(refused) is not None
        assert os.listdir(place.folder) == []
        await run(made, place.request("x = 5"))
        endless = place.request("import time\nwhile True: time.sleep(0.01)")
        task = asyncio.ensure_future(run(made, endless))
        await until(lambda: made.status("conversation").state == "busy")
        await made.interrupt("conversation")
        assert report_of(await task).state == "interrupted"
        left = "import subprocess as s\np = s.Popen(['sleep', '55'], start_new_session=True)\n"
        pid = int(text_of(await run(made, place.request(left + "print(x * 0 + p.pid)"))))
        killed = await run(made, place.request("import os; os.kill(os.getpid(), 9)"))
        assert report_of(killed).end == RunEnd(kind="signalled", signal=9)
        assert not is_there(pid)


async def test_the_network_is_that_of_the_computer_without_its_sockets(place: Place) -> None:
    code = (
        "import socket\nsocket.socket().close(); print('on')\n"
        "try: socket.socket(socket.AF_UNIX)\nexcept OSError as error: print(error.strerror)"
    )
    async with place.executor() as made:
        said = text_of(await run(made, place.request(code, replace(FOLDER, network="on"))))
        assert said == "on\nOperation not permitted\n"


async def test_what_was_chosen_for_a_better_sandbox_is_refused(place: Place) -> None:
    async with place.executor() as made:
        for policy in (replace(FOLDER, ask="outside"), replace(FOLDER, is_reviewed=True)):
            with pytest.raises(ExecutionError, match="No bubblewrap"):
                await run(made, place.request("print(1)", policy))
    refused = Attempt(group="writing", name="the mode", outcome="refused")
    for outcome, is_weaker in (("refused", False), ("open", True)):
        report = BoundaryReport(attempts=(replace(refused, outcome=outcome),))
        made_here = Sandbox(place.places, place.look, known=lambda shown=report: shown)
        confining = made_here.confine(FOLDER, str(place.folder), (sys.executable,))
        if is_weaker:
            assert await confining is not None
        else:
            with pytest.raises(ExecutionError, match="weaker than the one that was tested"):
                await confining


def test_a_trial_that_was_killed_says_nothing_of_the_machine(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\nkill -9 $$\n")
    program.chmod(0o700)
    found = look_for_sandbox(str(program))
    assert "could not be tried" in found.problem
    assert not found.landlock


@pytest.mark.parametrize("wrong", ["", "filter", "link", "missing"])
def test_no_program_begins_unless_all_of_it_is_in_force(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "link").symlink_to("/usr")
    folder = tmp_path / {"link": "link", "missing": "missing"}.get(wrong, "")
    rules = {"read": ["/usr", "/etc"], "list": [], "write": [str(folder)], "use": []}
    program = (
        b"wrong" if wrong == "filter" else filter_program(platform.machine(), shared_network=False)
    )
    words = [INSIDE, base64.b64encode(program).decode(), LANDLOCK]
    words += [json.dumps({**rules, "temporary": str(tmp_path / "t")}), "/bin/echo", "began"]
    with control() as (number, name):
        done = subprocess.run(
            supervised(words),
            env={name: str(number)},
            pass_fds=(number,),
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
    assert (done.stdout == "began\n") == (not wrong), done.stderr
    assert bool(done.stderr) == bool(wrong)


async def test_the_attempts_that_get_through_are_those_that_are_named(place: Place) -> None:
    report = await place.sandbox().test()
    assert report.status == "partly"
    assert report.remedy == "Get it"
    assert "No bubblewrap." in report.gaps[0]
    assert [one for one in report.attempts if one.outcome == "through"] == []
    named = {(one.group, one.name) for one in report.attempts if one.outcome == "open"}
    assert 10 < len(named) < 20
    assert {group for group, _ in named} == {"reading", "writing", "the folder", "processes"}
    assert sorted(os.listdir(place.home)) == ["diary.txt", "work"]


async def test_a_kernel_of_jupyter_is_not_started_in_it(place: Place) -> None:
    kernel = described(place.home / "kernels" / "python3")
    async with place.executor() as made:
        with pytest.raises(ExecutionError, match="cannot hold a kernel of Jupyter"):
            await run(made, replace(place.request("1"), interpreter=kernel.id))
