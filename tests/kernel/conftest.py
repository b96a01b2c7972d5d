"""Kernels of every Python that is found here, spoken to over bare pipes."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.kernel import protocol
from playhead.kernel.protocol import Mark
from tests.support.pythons import each_python
from tests.support.waiting import LIMIT_S

BOOT = Path(protocol.__file__).with_name("boot.py")
PYTHONS = each_python("3.10")  # it differs from its neighbours in nothing that a kernel uses


class Talk:
    """One kernel: `run` gives a block's output text and its marks."""

    def __init__(self, python: str, folder: Path, **hello: object) -> None:
        self._folder = folder
        self.spool = folder / "spool"
        self.spool.mkdir()
        self._nonce = "cafe"
        self._runs = 0
        self.process = self.start(python)
        self._held = b""
        self.send("hello", nonce=self._nonce, spool=str(self.spool), **hello)
        self.read_until("ready")

    def start(self, python: str, *before: str, **options: Any) -> subprocess.Popen[Any]:
        return subprocess.Popen(
            [python, "-u", *before, str(BOOT)],
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            **options,
        )

    def send(self, kind: str, **fields: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(protocol.encode_command(kind, **fields))
        self.process.stdin.flush()

    def run(self, code: str, **options: object) -> tuple[str, list[Mark]]:
        self.begin(code, **options)
        return self.read_until("idle")

    def begin(self, code: str, **options: object) -> str:
        """Have a block run without waiting for it; its run's name."""
        self._runs += 1
        fields = {"run": f"run-{self._runs}", "code": code, "folder": str(self._folder)}
        self.send("execute", **{**fields, **options})
        return f"run-{self._runs}"

    def read_until(self, kind: str) -> tuple[str, list[Mark]]:
        text = b""
        marks: list[Mark] = []
        while not marks or marks[-1].kind != kind:
            before, mark = self._next_mark()
            text += before
            marks.append(mark)
        return text.decode(), marks

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.send("exit")
        code = self.process.wait(LIMIT_S)
        self.process.stdin.close()
        self.process.stdout.close()
        return code

    def _next_mark(self) -> tuple[bytes, Mark]:
        assert self.process.stdout is not None
        prefix = protocol.mark_prefix(self._nonce)
        while True:
            start = self._held.find(prefix)
            end = self._held.find(protocol.MARK_CLOSE, start)
            if start >= 0 and end >= 0:
                mark = protocol.parse_mark(self._held[start + len(prefix) : end])
                before, self._held = self._held[:start], self._held[end + 2 :]
                assert mark is not None
                return before, mark
            assert select.select([self.process.stdout], [], [], LIMIT_S)[0], (
                "the kernel says nothing"
            )
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"the kernel ended: {self._held.decode(errors='replace')}"
            self._held += data


@pytest.fixture(params=PYTHONS)
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    kernel = Talk(request.param, tmp_path)
    yield kernel
    if kernel.process.poll() is None:
        assert kernel.close() == 0


@pytest.fixture(scope="module")
def make_talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Talk]]:
    """Kernels that all tests of a module share."""
    yield from _makers(lambda: tmp_path_factory.mktemp("kernel"))


@pytest.fixture
def new_talk(tmp_path: Path) -> Iterator[Callable[..., Talk]]:
    """Kernels of one test, in its folder."""
    yield from _makers(lambda: tmp_path)


def _makers(folder: Callable[[], Path]) -> Iterator[Callable[..., Talk]]:
    made: list[Talk] = []

    def make(python: str = sys.executable, **hello: object) -> Talk:
        made.append(Talk(python, folder(), **hello))
        return made[-1]

    yield make
    for kernel in made:
        if kernel.process.poll() is None:
            kernel.close()
