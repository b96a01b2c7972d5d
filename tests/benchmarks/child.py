"""A measured process: reads its events and answers as JSON lines, sends it commands."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

Event = dict[str, Any]


class Child:
    """`at` in its events is in seconds of the system's monotonic clock, as `started_at` is."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def wait_for(self, kind: str) -> Event:
        """The next event of that kind; others before it are passed over."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                event: Event = json.loads(line)
                if event["event"] == kind:
                    return event
        raise RuntimeError(f"The measured process ended before {kind!r}.")

    def ms_until(self, kind: str) -> float:
        """Milliseconds from the start of the process to the event."""
        return (self.wait_for(kind)["at"] - self.started_at) * 1000

    def send(self, command: str) -> None:
        """Give it one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command: str) -> Event:
        """Give it one line and wait for the answer of the same name."""
        self.send(command)
        return self.wait_for(command)

    def close(self) -> None:
        """Ask it to end, and see to it."""
        self.send("quit")
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
