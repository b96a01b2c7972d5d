"""Supervised kernels of every Python that is found here, spoken to over bare pipes and sockets."""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.supervisor import protocol
from tests.kernel.conftest import Talk
from tests.support.pythons import each_python
from tests.support.waiting import LIMIT_S

BOOT = Path(protocol.__file__).with_name("boot.py")


class SupervisedTalk(Talk):
    """A kernel below its supervisor; `reported` waits for what that one says."""

    def __init__(self, python: str, folder: Path, **hello: object) -> None:
        self.line, self._theirs = socket.socketpair()
        self._reader = protocol.LineReader()
        self._reports: list[dict[str, Any]] = []
        super().__init__(python, folder, **hello)
        self._theirs.close()
        self.pid: int = self.reported("started")["pid"]

    def start(self, python: str, *before: str, **options: Any) -> subprocess.Popen[Any]:
        fd = self._theirs.fileno()
        variables = {**os.environ, protocol.CONTROL: str(fd)}
        return super().start(python, str(BOOT), *before, pass_fds=[fd], env=variables)

    def ask(self, kind: str, **fields: object) -> None:
        self.line.sendall(protocol.encode(kind, **fields))

    def reported(self, *kinds: str) -> dict[str, Any]:
        """The next report of these kinds; others before it are dropped."""
        while True:
            while self._reports:
                report = self._reports.pop(0)
                if report["t"] in kinds:
                    return report
            assert select.select([self.line], [], [], LIMIT_S)[0], "the supervisor says nothing"
            data = self.line.recv(65536)
            assert data, f"the supervisor ended before {kinds}"
            self._reports += self._reader.feed(data)

    def end(self) -> int:
        """Go away, as the app does when it is killed; how it ended."""
        self.line.close()
        status = self.process.wait(LIMIT_S)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        return status


@pytest.fixture(params=each_python())
def supervised(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SupervisedTalk]:
    kernel = SupervisedTalk(request.param, tmp_path)
    yield kernel
    if kernel.process.poll() is None:
        kernel.end()
