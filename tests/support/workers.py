"""One pair of model workers for a whole test run: loading the model's library takes seconds."""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from playhead.model_worker.protocol import (
    Cancel,
    Cancelled,
    Done,
    Elsewhere,
    Failed,
    ModelList,
    Ready,
    encode,
)
from playhead.providers.worker import LITELLM
from playhead.providers.worker_start import worker_command, worker_environment
from tests.support.guards import keep_process
from tests.support.program import program_command, relay_command

HTTP = "http"

_LAST = {kind.kind for kind in (Done, Elsewhere, Failed, Cancelled, ModelList)}
"""What ends a turn."""


@dataclass(frozen=True, slots=True)
class SharedWorker:
    """The run's model workers as a test uses them; `WorkerHost` owns them.

    `command` starts a relay in place of a worker, `program` the program with them; what the worker
    of the HTTP lane writes to stderr is in `log_path`.
    """

    folder: Path

    @property
    def address(self) -> str:
        return str(self.folder / "worker.sock")

    @property
    def command(self) -> tuple[str, ...]:
        return relay_command(self.address)

    @property
    def log_path(self) -> Path:
        return self.folder / f"{HTTP}.log"

    @property
    def litellm_log_path(self) -> Path:
        return self.folder / f"{LITELLM}.log"

    @property
    def program(self) -> tuple[str, ...]:
        return program_command(self.address)

    def warm_up(self) -> None:
        """Have the first worker started, if it is not yet; return when it is ready."""
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(f"{self.address}.{HTTP}")
            assert link.recv(1), "the model worker ended before it was ready"


class WorkerHost:
    """Owner of the run's workers. Its processes share them, so it lives in the one above them."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="worker-")
        self.worker = SharedWorker(Path(self._folder.name))
        self._lanes = [LaneHost(self.worker, lane) for lane in (HTTP, LITELLM)]

    def close(self) -> None:
        """End the workers by the end of their stdin."""
        for lane in self._lanes:
            lane.close()
        self._folder.cleanup()


class LaneHost:
    """Owner of a real worker behind a socket; the first relay that connects starts it.

    An answer goes to the relay that asked, `ready` to each.
    """

    def __init__(self, worker: SharedWorker, lane: str) -> None:
        self.worker, self._lane = worker, lane
        self._process: subprocess.Popen[bytes] | None = None
        self._ready, self._held = b"", b""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{self.worker.address}.{lane}")
        self._listener.listen()
        self._relays: dict[socket.socket, bytes] = {}
        self._askers: dict[str, socket.socket] = {}
        self._stop, stopped = socket.socketpair()
        self._stopped = stopped
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._serve, name="shared-worker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the worker by the end of its stdin."""
        self._stop.close()
        self._thread.join()
        if self._process is not None:
            with self._process:  # closes its pipes and waits
                pass
        self._selector.close()
        for end in (self._listener, self._stopped, *self._relays):
            end.close()

    def _serve(self) -> None:
        self._selector.register(self._stopped, selectors.EVENT_READ)
        self._selector.register(self._listener, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._stopped:
                    return
                if key.fileobj is self._listener:
                    self._welcome()
                elif key.fileobj in self._relays:  # it may just have been parted from
                    self._hear(key.fileobj)  # type: ignore[arg-type]
                elif self._process is not None and key.fileobj is self._process.stdout:
                    self._pass_on(os.read(key.fd, 1 << 20))

    def _welcome(self) -> None:
        relay, _ = self._listener.accept()
        self._relays[relay] = b""
        self._selector.register(relay, selectors.EVENT_READ)
        if self._process is None:
            self._start()
        self._say(relay, self._ready)

    def _start(self) -> None:
        with (self.worker.folder / f"{self._lane}.log").open("wb") as log:
            self._process = subprocess.Popen(
                [*worker_command(), *([LITELLM] if self._lane == LITELLM else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=worker_environment(os.environ),
            )
        keep_process(self._process.pid)
        assert self._process.stdout is not None
        self._selector.register(self._process.stdout, selectors.EVENT_READ)

    def _pass_on(self, data: bytes) -> None:
        if not data:
            self._end()
            return
        lines, newline, self._held = (self._held + data).rpartition(b"\n")
        for line in (lines + newline).splitlines(keepends=True):
            message = json.loads(line)
            if message["kind"] == Ready.kind:
                self._ready = line
                for relay in list(self._relays):
                    self._say(relay, line)
            elif relay := self._askers.get(message["turn"]):
                self._say(relay, line)
            if message["kind"] in _LAST:
                self._askers.pop(message["turn"], None)

    def _end(self) -> None:
        """Let the relays end as the worker has; the next one starts another worker."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._selector.unregister(self._process.stdout)
        with self._process:
            self._askers.clear()
            for relay in list(self._relays):
                self._part(relay)
        self._process, self._ready, self._held = None, b"", b""

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
        lines, newline, self._relays[relay] = (self._relays[relay] + data).rpartition(b"\n")
        for line in lines.splitlines():
            self._askers[json.loads(line)["turn"]] = relay
        self._ask(lines + newline)

    def _ask(self, lines: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(lines)
        self._process.stdin.flush()

    def _part(self, relay: socket.socket) -> None:
        """Close its connections to models, as the end of a worker of its own would."""
        self._selector.unregister(relay)
        del self._relays[relay]
        relay.close()
        for turn in [turn for turn, asker in self._askers.items() if asker is relay]:
            del self._askers[turn]
            self._ask(encode(Cancel(turn)))
