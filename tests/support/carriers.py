"""Drives a carrier as the app does, by its pipes and its line."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playhead.execution.environment import carrier_command
from playhead.kernel import protocol
from playhead.kernel.output_decoder import OutputDecoder, Piece
from playhead.supervisor.protocol import CONTROL
from tests.support.waiting import LIMIT_S


class Carried:
    """A carrier and what it has printed."""

    def __init__(
        self, folder: Path, variables: Mapping[str, str], place: Mapping[str, Any] | None = None
    ) -> None:
        self.spool = folder
        folder.mkdir()
        self._line, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            carrier_command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**variables, CONTROL: str(theirs.fileno())},
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        nonce, self._secret = protocol.new_nonce(), protocol.new_nonce().encode("ascii")
        self._decoder = OutputDecoder(nonce)
        self.pieces: list[Piece] = []
        facts = {"kind": "ssh", "address": "gpu-box", "program": sys.executable, "folder": ""}
        hello: dict[str, Any] = {"secret": self._secret.decode("ascii"), "nonce": nonce}
        hello |= {"spool": str(folder), "language": "python", "program": "", "uv": ""}
        hello["place"] = {**facts, "resume": {}, "idle_s": 120, **(place or {})}
        self._write(protocol.encode_command("hello", **hello))

    def send(self, kind: str, **fields: Any) -> None:
        """Send a command."""
        self._write(self._secret + protocol.encode_command(kind, **fields))

    def execute(self, code: str, run: str) -> None:
        """Have a block run."""
        self.send("execute", run=run, code=code, folder="/", lines=False)

    def mark(self, kind: str, run: str = "", **fields: Any) -> protocol.Mark:
        """Wait for a mark that has these fields; forget what came before and with it."""
        while True:
            for at, piece in enumerate(self.pieces):
                if (
                    isinstance(piece, protocol.Mark)
                    and (piece.kind, piece.run) == (kind, run)
                    and fields.items() <= piece.fields.items()
                ):
                    del self.pieces[: at + 1]
                    return piece
            self._read()

    def text_until(self, kind: str, run: str) -> str:
        """Return the text before a mark."""
        while True:
            for at, piece in enumerate(self.pieces):
                if isinstance(piece, protocol.Mark) and (piece.kind, piece.run) == (kind, run):
                    texts = [one for one in self.pieces[:at] if isinstance(one, bytes)]
                    del self.pieces[: at + 1]
                    return b"".join(texts).decode()
            self._read()

    def text(self, wanted: str) -> None:
        """Wait for a text in the output."""
        while not any(isinstance(one, bytes) and wanted.encode() in one for one in self.pieces):
            self._read()

    def end(self) -> int:
        """Close its pipes; return its status."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self._line.close()
        return self.process.wait()

    def _write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line)

    def _read(self) -> None:
        assert self.process.stdout
        until = time.monotonic() + LIMIT_S
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT_S)
        data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
        if not data:
            late = "nothing came" if time.monotonic() > until else "it has ended"
            raise AssertionError(f"{late} after {self.pieces}")
        self.pieces += self._decoder.feed(data)


@contextmanager
def carried(
    folder: Path, variables: Mapping[str, str], place: Mapping[str, Any] | None = None
) -> Generator[Carried]:
    """A carrier whose kernel ends with the block."""
    made = Carried(folder, variables, place)
    try:
        yield made
        if made.process.poll() is None:
            made.send("exit")
            made.process.wait(LIMIT_S)
    finally:
        made.process.kill()
        made.end()
