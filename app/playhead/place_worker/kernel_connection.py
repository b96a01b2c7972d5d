"""A Jupyter kernel as a child process, and the sockets to it.

One thread owns all sockets: it takes what arrives at once, because a kernel drops what a slow
reader leaves, and sends what others have queued. The sockets are files in a folder of the
kernel's own (others of the machine's users could listen to TCP); a kernel that cannot do that is
started again with TCP. All of it needs POSIX: a pipe that is polled, files that a child inherits,
signals to a group of processes. On Windows nothing starts it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import zmq

from playhead.kernel.interrupts import start_thread
from playhead.place_worker.backlog import EXITED, Backlog
from playhead.place_worker.jupyter_messages import Message, MessageCodec

_CHANNELS = {"shell": zmq.DEALER, "iopub": zmq.SUB, "stdin": zmq.DEALER, "control": zmq.DEALER}
_PORTS = ("shell", "iopub", "stdin", "control", "hb")
_LONGEST_SOCKET = 90
"""A path of a socket may have 103 characters on macOS, 107 on Linux."""
_LEFT = "playhead-sockets-"
_RECONNECT_MS = 10
_CLOSE_LIMIT_S = 0.4


class KernelConnection:
    """Owner of one kernel's process and sockets; made for a folder of files that others remove."""

    def __init__(
        self,
        command: Sequence[str],
        variables: Mapping[str, str],
        spool: str,
        inherited: Sequence[int] = (),
        *,
        is_tcp: bool = False,
    ) -> None:
        self._folder = _private_folder(spool)
        self._codec = MessageCodec(key := os.urandom(32).hex().encode("ascii"))
        self._backlog = Backlog(spool)
        self._addresses, file = _connection_file(self._folder, key.decode("ascii"), is_tcp)
        words = [word.replace("{connection_file}", file) for word in command]
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **variables},
                pass_fds=tuple(inherited),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # a NUL in a word, or a name that no variable has
            shutil.rmtree(self._folder, ignore_errors=True)
            detail = error.strerror if isinstance(error, OSError) else error
            raise SystemExit(f"{words[0]} could not be started: {detail}") from error
        self.pid = self._process.pid
        self._outgoing: deque[tuple[str, list[bytes]]] = deque()
        self._is_closed = False
        self._waiter, self._waker = os.pipe()
        self.has_ended = threading.Event()
        start_thread(self._serve, "playhead-sockets")
        start_thread(self._wait_for_end, "playhead-jupyter")

    @property
    def status(self) -> int:
        """Return how the process has ended: its exit status, or minus its signal."""
        return self._process.returncode or 0

    def send(
        self,
        channel: str,
        kind: str,
        content: Mapping[str, Any],
        metadata: Mapping[str, Any] | None = None,
        parent: Message | None = None,
    ) -> str:
        """Send a message; return its id. Any thread may."""
        header = parent.header if parent else None
        name, parts = self._codec.encode(kind, content, metadata, header)
        self._outgoing.append((channel, parts))
        with contextlib.suppress(OSError):
            os.write(self._waker, b"s")
        return name

    def receive(self, timeout_s: float | None = None) -> tuple[str, Message | None]:
        """Return the next message with its channel. Raises queue.Empty when none comes in time.

        None is the end of the process (`EXITED`), and what cannot be read.
        """
        channel, parts = self._backlog.get(timeout_s)
        return channel, None if channel == EXITED else self._codec.decode(parts)

    def interrupt(self, mode: str) -> None:
        """Interrupt the code that runs, as the kernel wants it; any thread may."""
        if mode == "message":
            self.send("control", "interrupt_request", {})
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGINT)

    def close(self) -> None:
        """Ask it to end, and end it if it does not."""
        self.send("control", "shutdown_request", {"restart": False})
        if not self.has_ended.wait(_CLOSE_LIMIT_S):
            self._process.kill()
            self.has_ended.wait(_CLOSE_LIMIT_S)
        self.clear()

    def clear(self) -> None:
        """Let the sockets go and remove their files."""
        self._is_closed = True
        with contextlib.suppress(OSError):
            os.write(self._waker, b"c")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait_for_end(self) -> None:
        self._process.wait()
        with contextlib.suppress(OSError):  # the sockets' thread reports it after what it reads
            os.write(self._waker, b"e")
        self.has_ended.set()

    def _serve(self) -> None:
        context = zmq.Context()
        identity = os.urandom(8).hex().encode("ascii")
        sockets = {
            name: _connect(context, name, self._addresses[name], identity) for name in _CHANNELS
        }
        names = {found: name for name, found in sockets.items()}
        poller = zmq.Poller()
        for one in (*sockets.values(), self._waiter):
            poller.register(one, zmq.POLLIN)
        has_reported = False
        while not self._is_closed:
            ready = dict(poller.poll())
            has_ended = self._process.returncode is not None
            if self._waiter in ready:
                os.read(self._waiter, 4096)
            while self._outgoing:
                channel, parts = self._outgoing.popleft()
                sockets[channel].send_multipart(parts)
            for one in ready:
                if one in names:
                    self._take(names[one], one)
            if has_ended and not has_reported:
                has_reported = True
                self._backlog.put(EXITED, ())
        context.destroy(linger=0)

    def _take(self, name: str, from_socket: zmq.Socket[bytes]) -> None:
        with contextlib.suppress(zmq.Again):
            while True:
                self._backlog.put(name, from_socket.recv_multipart(zmq.NOBLOCK))


def _connect(
    context: zmq.Context[zmq.Socket[bytes]], name: str, address: str, identity: bytes
) -> zmq.Socket[bytes]:
    made = context.socket(_CHANNELS[name])
    made.setsockopt(zmq.IDENTITY, identity)  # questions come back to who has sent the code
    made.setsockopt(zmq.LINGER, 0)
    made.setsockopt(zmq.RCVHWM, 0)
    made.setsockopt(zmq.SNDHWM, 0)
    made.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
    if name == "iopub":
        made.setsockopt(zmq.SUBSCRIBE, b"")
    made.connect(address)
    return made


def _private_folder(spool: str) -> str:
    """Return a new folder for sockets, in the spool if its path is not too long for them."""
    if len(spool) < _LONGEST_SOCKET - len("/j-12345678/k-1"):
        return tempfile.mkdtemp(prefix="j-", dir=spool)
    _remove_left(tempfile.gettempdir())
    return tempfile.mkdtemp(prefix=f"{_LEFT}{os.getpid()}-")


def _remove_left(parent: str) -> None:
    """Remove the folders of workers that were killed."""
    for place in Path(parent).glob(f"{_LEFT}*-*"):
        pid = place.name.removeprefix(_LEFT).partition("-")[0]
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            shutil.rmtree(place, ignore_errors=True)
        except (OSError, ValueError, OverflowError):
            continue  # another person's, or no folder of ours


def _connection_file(folder: str, key: str, is_tcp: bool) -> tuple[dict[str, str], str]:
    """Write what the kernel reads; return the addresses of its channels, and the path."""
    if is_tcp:
        numbers, ip, transport = _free_ports(len(_PORTS)), "127.0.0.1", "tcp"
        addresses = {name: f"tcp://{ip}:{port}" for name, port in zip(_PORTS, numbers, strict=True)}
    else:
        numbers, ip, transport = list(range(1, len(_PORTS) + 1)), os.path.join(folder, "k"), "ipc"
        addresses = {name: f"ipc://{ip}-{port}" for name, port in zip(_PORTS, numbers, strict=True)}
    facts = {f"{name}_port": port for name, port in zip(_PORTS, numbers, strict=True)}
    facts |= {"ip": ip, "transport": transport, "key": key, "signature_scheme": "hmac-sha256"}
    path = Path(folder, "kernel.json")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(facts, file)
    return addresses, str(path)


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on now; held together, so that they differ."""
    with contextlib.ExitStack() as held:
        found = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]
