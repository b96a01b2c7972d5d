"""One warmed model worker for a whole test run, which many providers use one after the other."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playhead.providers.worker_process import worker_command, worker_environment

# Passes bytes between its own pipes and the socket; it ends when either side does.
_RELAY = """
import os, selectors, socket, sys
link = socket.socket(socket.AF_UNIX); link.connect(sys.argv[1])
both = selectors.DefaultSelector()
both.register(0, 1, (lambda: os.read(0, 65536), link.sendall))
def write(data):
    while data: data = data[os.write(1, data):]
both.register(link, 1, (lambda: link.recv(65536), write))
while True:
    for key, _ in both.select():
        read, put = key.data
        data = read()
        if not data: sys.exit()
        put(data)
"""


class SharedWorker:
    """A real worker behind a socket; `command` starts a relay to it in place of a worker.

    Turn ids are unique, so every relay may hear every answer. Each hears `ready` first.
    `log_path` has what the worker writes to stderr.
    """

    def __init__(self, folder: Path) -> None:
        self._address = str(folder / "worker.sock")
        self.command = (sys.executable, "-I", "-S", "-c", _RELAY, self._address)
        self.log_path = folder / "stderr.log"
        with self.log_path.open("wb") as log:
            self._worker = subprocess.Popen(
                worker_command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=worker_environment(os.environ),
            )
        assert self._worker.stdout is not None
        assert self._worker.stdin is not None
        self._ready = self._worker.stdout.readline()
        self._stdin, self._stdout = self._worker.stdin, self._worker.stdout
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self._address)
        self._listener.listen()
        self._relays: dict[socket.socket, bytes] = {}
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._serve, name="shared-worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        return self._worker.pid

    def close(self) -> None:
        """End the worker by the end of its stdin."""
        self._stdin.close()
        self._worker.wait(30)
        self._thread.join(30)
        self._selector.close()
        self._listener.close()
        self._stdout.close()

    def _serve(self) -> None:
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._listener:
                    self._welcome()
                elif key.fileobj is self._stdout:
                    answers = os.read(self._stdout.fileno(), 1 << 20)
                    if not answers:
                        return
                    self._tell(answers)
                elif key.fileobj in self._relays:  # it may just have been parted from
                    self._hear(key.fileobj)  # type: ignore[arg-type]

    def _welcome(self) -> None:
        relay, _ = self._listener.accept()
        self._relays[relay] = b""
        self._selector.register(relay, selectors.EVENT_READ)
        self._say(relay, self._ready)

    def _tell(self, answers: bytes) -> None:
        for relay in list(self._relays):
            self._say(relay, answers)

    def _say(self, relay: socket.socket, data: bytes) -> None:
        try:
            relay.sendall(data)
        except OSError:  # it left meanwhile
            self._part(relay)

    def _hear(self, relay: socket.socket) -> None:
        """Only whole lines go on: two relays must not mix theirs."""
        try:
            data = relay.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._part(relay)
            return
        lines, newline, rest = (self._relays[relay] + data).rpartition(b"\n")
        self._relays[relay] = rest
        self._stdin.write(lines + newline)
        self._stdin.flush()

    def _part(self, relay: socket.socket) -> None:
        self._selector.unregister(relay)
        del self._relays[relay]
        relay.close()


@contextmanager
def shared_worker(folder: Path) -> Iterator[SharedWorker]:
    """A warmed worker for the session; the fixture `model_worker` hands it out."""
    worker = SharedWorker(folder)
    try:
        yield worker
    finally:
        worker.close()
