"""Supervisors that wait for what they are to start: given to one kernel, and gone with the app."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QProcess

from playhead.errors import ExecutionError
from playhead.execution import environment
from playhead.execution.supervisors.supervisor_process import SupervisorProcess
from playhead.sandbox.bubblewrap import look_for_sandbox
from playhead.supervisor.outside_view import children, descendants
from tests.support.kernels import run, text_of
from tests.support.sandboxes import FOLDER, Place
from tests.support.waiting import until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's"),
    pytest.mark.requires_system("bwrap"),
]


@pytest.fixture(autouse=True, scope="module")
def _namespaces() -> None:
    found = look_for_sandbox()
    if problem := found.problem or found.weakness or found.lacks_space:
        pytest.skip(f"no sandbox here: {problem}")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def waiting(word: str = "@space") -> list[int]:
    """The supervisors of this process that have been given no command."""
    lines = {pid: _read(f"/proc/{pid}/cmdline") for pid in children(os.getpid())}
    return [pid for pid, line in lines.items() if line.endswith(f"\0--inside\0{word}\0".encode())]


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def is_ready(pid: int) -> bool:
    """Whether it has its namespaces and sleeps."""
    own = os.readlink("/proc/self/ns/net")
    return os.readlink(f"/proc/{pid}/ns/net") != own and b"\tS (s" in _read(f"/proc/{pid}/status")


async def test_it_knows_nothing_of_a_conversation_and_is_its_one_kernels(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYHEAD_TEST_MARK", "marked")
    async with place.executor(place.sandbox()) as made:
        made.expect("conversation", FOLDER)
        await until(waiting)
        (spare,) = waiting()
        await until(lambda: is_ready(spare))
        assert b"marked" not in _read(f"/proc/{spare}/environ")
        assert b"HOME=" not in _read(f"/proc/{spare}/environ")
        if os.geteuid():  # other programs of the person's cannot trace it
            assert os.stat(f"/proc/{spare}").st_uid == 0

        code = "import os\nprint(os.getpid(), os.environ.get('PLAYHEAD_CONTROL'), os.getcwd())"
        assert text_of(await run(made, place.request(code))) == f"2 None {place.folder}\n"
        assert made.supervisors() == (spare,)
        made.expect("conversation", FOLDER)  # it has a kernel
        other = replace(place.request(code), conversation_id="other")
        assert text_of(await run(made, other)) == f"2 None {place.folder}\n"
        first, second = made.supervisors()
        assert first == spare != second
        assert set(waiting("@space")) == {first, second}  # nobody else's
        assert not waiting("@awaited")
    assert not descendants(os.getpid()) & {first, second}


async def test_one_that_died_or_is_of_another_kind_is_replaced(place: Place) -> None:
    async with place.executor(place.sandbox(lacks_space="no")) as made:
        made.expect("conversation", FOLDER)
        await until(lambda: waiting("@awaited"))
        (spare,) = waiting("@awaited")
        os.kill(spare, signal.SIGKILL)
        await until(lambda: not waiting("@awaited"))
        assert text_of(await run(made, place.request("print(1)"))) == "1\n"
        made.expect("other", FOLDER)
        await until(lambda: waiting("@awaited"))
    assert not waiting("@awaited")  # nobody needed the last one


async def test_it_ends_with_a_kernel_that_cannot_be_started(place: Place) -> None:
    async with place.executor(place.sandbox()) as made:
        made.expect("conversation", FOLDER)
        await until(waiting)
        (spare,) = waiting()
        place.data.mkdir(exist_ok=True)
        (place.data / "output").write_text("no folder")
        with pytest.raises(ExecutionError, match="no place for the output"):
            await run(made, place.request("print(1)"))
        await until(lambda: spare not in waiting())
        (place.data / "output").unlink()
        assert text_of(await run(made, place.request("print(1)"))) == "1\n"


async def test_it_ends_where_the_app_says_no_more() -> None:
    spare = SupervisorProcess(has_space=True)
    spare.start(environment.supervisor_command(has_space=True), {}, "/")
    await until(lambda: is_ready(spare.process.processId()))
    below = descendants(spare.process.processId())
    spare.line.close()
    await until(lambda: spare.process.state() == QProcess.ProcessState.NotRunning)
    assert spare.process.exitCode() == 0
    assert below
    await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in below))
    spare.deleteLater()
