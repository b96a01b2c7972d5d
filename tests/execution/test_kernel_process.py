from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from playhead.domain.conversation.payloads import RunEnd
from playhead.execution import kernel_process
from playhead.execution.kernel_process import KernelProcess
from playhead.kernel.output_decoder import Piece
from tests.support.waiting import until


class Recorder:
    """Holds what a process tells."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.ticks = 0
        self.end: RunEnd | None = None
        self.process = KernelProcess("cafe", self.pieces.extend, self._tick, self._end)

    def start(self, folder: Path, *command: str) -> None:
        self.process.start(command, os.environ, str(folder))

    def _tick(self) -> None:
        self.ticks += 1

    def _end(self, end: RunEnd) -> None:
        self.end = end


@pytest.mark.skipif(os.name != "posix", reason="QProcess has no notifier to pause elsewhere")
async def test_a_paused_pipe_holds_the_program_up_instead_of_filling_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pins what Qt does not document: the pipe is read by a notifier that can be found."""
    monkeypatch.setattr(kernel_process, "_BUDGET_S", 0.0)
    record = Recorder()
    record.start(tmp_path, "yes")
    await until(lambda: record.ticks >= 20)
    buffered = record.process._process.bytesAvailable()
    record.process.kill_group()
    await until(lambda: record.end)
    assert 0 < buffered <= 2 * 65_536 * (record.ticks + 1)


async def test_all_that_was_written_arrives_before_the_end(tmp_path: Path) -> None:
    record = Recorder()
    record.start(tmp_path, "seq", "300000")
    await until(lambda: record.end)
    output = b"".join(piece for piece in record.pieces if isinstance(piece, bytes))
    assert output.decode() == "".join(f"{number}\n" for number in range(1, 300_001))
    assert record.end == RunEnd(kind="exited", exit_status=0)
    assert record.process.pid is None


async def test_it_leads_a_session_of_its_own(tmp_path: Path) -> None:
    record = Recorder()
    record.start(tmp_path, "sleep", "600")
    pid = record.process.pid
    assert pid
    await until(lambda: os.getsid(pid) == pid)
    record.process.kill_group()
    await until(lambda: record.end)
    assert record.end == RunEnd(kind="signalled", signal=signal.SIGKILL)
