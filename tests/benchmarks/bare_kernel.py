"""The yardsticks for runs: a kernel read by a bare loop, and plain Python that executes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from playhead.execution.environment import kernel_command, kernel_environment
from playhead.kernel import protocol

READ_BYTES = 65_536
_NONCE = "cafe"

_PLAIN = """
import json, sys
names = {"__name__": "__main__"}
for line in sys.stdin:
    exec(compile(json.loads(line), "<block>", "exec"), names)
    print("over", flush=True)
"""


class BareKernel:
    """The same kernel as the executor's, but whoever reads it does nothing else."""

    def __init__(self, folder: Path, interpreter: str = sys.executable, uv: str = "") -> None:
        spool = folder / "spool"
        spool.mkdir()
        self._folder = folder
        self._process = subprocess.Popen(
            kernel_command(interpreter),
            env=kernel_environment(interpreter, os.environ),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        self._runs = 0
        self._send("hello", nonce=_NONCE, spool=str(spool), uv=uv)
        self._read_until(b'"t":"ready"')

    def run_s(self, code: str) -> float:
        """Seconds that a block takes from its sending to its last byte, read by `os.read`."""
        began = time.perf_counter()
        self._begin(code)
        self._read_until(b'"t":"idle"')
        return time.perf_counter() - began

    def output_of(self, code: str, *, values: bool = False) -> bytes:
        """All that a block sends, marks and output; with `values` those of its lines are kept."""
        self._begin(code, values=values)
        return self._read_until(b'"t":"idle"')

    def close(self) -> None:
        """End it."""
        self._send("exit")
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def _begin(self, code: str, *, values: bool = False) -> None:
        self._runs += 1
        place = {"run": f"r{self._runs}", "folder": str(self._folder)}
        self._send("execute", **place, code=code, lines=True, values=values)

    def _send(self, kind: str, **fields: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(protocol.encode_command(kind, **fields))
        self._process.stdin.flush()

    def _read_until(self, mark: bytes) -> bytes:
        tail, parts = b"", list[bytes]()
        while mark not in tail:
            data = os.read(self._output, READ_BYTES)
            if not data:
                raise RuntimeError(f"The kernel ended: {tail!r}")
            tail = tail[-200:] + data[-4096:]
            if len(parts) < 100:
                parts.append(data)
        return b"".join(parts)


class PlainPython:
    """Python that executes what it is sent: no kernel, no lines, no sampler."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PLAIN],
            env=kernel_environment(sys.executable, os.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def output_of(self, code: str) -> str:
        """What a block prints."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(code) + "\n")
        lines: list[str] = []
        while (line := self._process.stdout.readline()) != "over\n":
            if not line:
                raise RuntimeError("The plain Python ended.")
            lines.append(line)
        return "".join(lines)

    def close(self) -> None:
        """End it."""
        self._process.communicate()
