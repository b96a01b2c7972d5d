"""A second start finds the first, whatever became of the one before."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QApplication

from playhead import single_instance
from playhead.errors import AppError
from playhead.single_instance import LIMIT_BYTES, SingleInstance, server_name
from playhead.storage.process_lock import ProcessLock
from tests.support.waiting import until

SECOND = """
    import sys
    from pathlib import Path
    from PySide6.QtCore import QCoreApplication
    from playhead.single_instance import SingleInstance

    app = QCoreApplication([])
    print(SingleInstance(Path(sys.argv[1])).claim(sys.argv[2:]))
"""
FIRST = """
    import sys
    from pathlib import Path
    from PySide6.QtCore import QCoreApplication
    from playhead.single_instance import SingleInstance

    app = QCoreApplication([])
    instance = SingleInstance(Path(sys.argv[1]))
    claim = instance.claim()
    instance.listen()
    print(claim, flush=True)
    if sys.argv[2:] != ["stuck"]:
        app.exec()
    sys.stdin.read()
"""


def command(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code), *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def first(data_dir: Path, qapp: QApplication) -> Iterator[SingleInstance]:
    instance = SingleInstance(data_dir)
    assert instance.claim() == "first"
    instance.listen()
    yield instance
    instance.close()


async def start_second(data_dir: Path, *files: str, cwd: Path | None = None) -> str:
    process = await asyncio.create_subprocess_exec(
        *command(SECOND, str(data_dir), *files),
        env=environment(),
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return out.decode().strip()


def leave_stale_socket(data_dir: Path) -> None:
    with subprocess.Popen(
        command(FIRST, str(data_dir)), env=environment(), stdout=subprocess.PIPE
    ) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == b"first\n"
        killed.send_signal(signal.SIGKILL)
    assert Path(server_name(data_dir)).exists()


async def test_a_second_start_hands_over_its_files_and_ends(first, data_dir, tmp_path):
    came: list[list[str]] = []
    first.activated.connect(came.append)
    assert await start_second(data_dir, "a b.csv", "/abs/ü.png", cwd=tmp_path) == "handed_over"
    assert came == [[str(tmp_path / "a b.csv"), "/abs/ü.png"]]
    assert await start_second(data_dir) == "handed_over"
    assert came[1:] == [[]]


async def test_another_data_folder_is_another_program(first, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    assert await start_second(other) == "first"


async def test_after_closing_the_next_start_is_the_first(first, data_dir):
    first.close()
    assert await start_second(data_dir) == "first"


async def test_many_starts_at_once_make_one_first(first, data_dir):
    came: list[list[str]] = []
    first.activated.connect(came.append)
    answers = await asyncio.gather(*(start_second(data_dir, f"/{n}") for n in range(4)))
    assert answers == ["handed_over"] * 4
    assert sorted(came) == [[f"/{n}"] for n in range(4)]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
async def test_what_a_killed_first_left_is_no_obstacle(data_dir):
    await asyncio.to_thread(leave_stale_socket, data_dir)
    instance = SingleInstance(data_dir)
    assert instance.claim() == "first"
    instance.listen()
    assert await start_second(data_dir) == "handed_over"
    instance.close()


def test_a_first_that_does_not_answer_is_said(data_dir, qapp, monkeypatch):
    monkeypatch.setattr(single_instance, "_PATIENCE_MS", 50)
    monkeypatch.setattr(single_instance, "_ENDING_MS", 50)
    with subprocess.Popen(
        command(FIRST, str(data_dir), "stuck"),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as stuck:
        assert stuck.stdout is not None
        assert stuck.stdout.readline() == b"first\n"
        with pytest.raises(AppError, match="does not answer"):
            SingleInstance(data_dir).claim(["/a"])
        stuck.kill()


def test_a_start_while_the_first_is_ending_becomes_the_first(data_dir, qapp):
    ending = ProcessLock(data_dir / "instance.lock")  # held, but nobody listens any more
    assert ending.acquire()
    release = threading.Timer(0.1, ending.release)
    release.start()
    instance = SingleInstance(data_dir)
    assert instance.claim() == "first"
    instance.listen()
    instance.close()
    release.join()


async def test_an_ending_first_takes_nothing_more_and_is_waited_for(first, data_dir):
    came: list[list[str]] = []
    first.activated.connect(came.append)
    first.refuse()
    second = asyncio.create_task(start_second(data_dir, "/a"))
    asyncio.get_running_loop().call_later(0.3, first.close)
    assert await second == "first"
    assert came == []


@pytest.mark.parametrize(
    "message",
    [
        b"nonsense\n",
        b"[]\n",
        b'{"files": "a"}\n',
        b'{"files": [1]}\n',
        b'{"files": ["' + b"x" * LIMIT_BYTES + b'"]}\n',
        b"x" * (LIMIT_BYTES + 1),
    ],
    ids=["no json", "no object", "no list", "no names", "too long", "endless"],
)
async def test_nonsense_is_refused_and_harms_nobody(first, data_dir, message):
    came: list[list[str]] = []
    first.activated.connect(came.append)
    socket = QLocalSocket()
    socket.connectToServer(server_name(data_dir))
    socket.write(message)
    await until(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert came == []
    assert await start_second(data_dir, "/after") == "handed_over"
    assert came == [["/after"]]


async def test_a_message_may_come_in_pieces(first, data_dir):
    came: list[list[str]] = []
    first.activated.connect(came.append)
    socket = QLocalSocket()
    socket.connectToServer(server_name(data_dir))
    for piece in (b'{"files"', b': ["/a"', b"]}\n"):
        socket.write(piece)
        socket.flush()
        await asyncio.sleep(0.01)
    await until(lambda: came == [["/a"]])
    await until(lambda: bytes(socket.readAll().data()) == b"ok\n")
    socket.abort()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_socket_is_for_its_user_only(first, data_dir):
    assert Path(server_name(data_dir)).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="sockets are files")
def test_a_long_data_folder_still_gets_a_socket(tmp_path, qapp):
    folder = tmp_path / ("long" * 40)
    folder.mkdir(mode=0o700)
    instance = SingleInstance(folder)
    assert instance.claim() == "first"
    instance.listen()
    assert Path(server_name(folder)).exists()
    instance.close()


def test_a_data_folder_that_cannot_hold_a_lock_does_not_stop_the_start(tmp_path, qapp):
    instance = SingleInstance(tmp_path / "absent")
    assert instance.claim() == "first"
    instance.listen()
    instance.close()
