"""The server process of one interpreter: commands in, messages out, delivered by turn."""

from __future__ import annotations

import atexit
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, cast

from playhead.domain.text.json_text import read_json
from playhead.errors import InterpreterError

Wire = dict[str, Any]
Listener = Callable[[Wire | None], None]
"""Called in the reader's thread with each message for a turn; None: the server has exited."""

CLOSE_S = 10.0
"""Time that a server gets to end its kernels after its stdin was closed."""

_KEPT_LINES = 8
_log = logging.getLogger(__name__)


def own_command() -> list[str]:
    """Return the command that starts this program, from source, installed or as the frozen one.

    `-P` keeps a module in the current folder from replacing one of ours.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-P", "-m", "playhead"]


def server_command() -> list[str]:
    """Return the command that starts the server."""
    return [*own_command(), "serve", "--stdio"]


def start_folder() -> str:
    """Return the folder that the process works in; "" if no code should begin there.

    That is the root, where a service is started, the folder of Windows, and one that is deleted.
    """
    try:
        here = os.getcwd()
    except OSError:
        return ""
    system = os.environ.get("SYSTEMROOT", "")
    is_system = sys.platform == "win32" and system and Path(here).is_relative_to(system)
    return "" if is_system or os.path.dirname(here) == here else here


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with this package importable, installed or not."""
    source = str(Path(__file__).resolve().parents[2])
    others = environment.get("PYTHONPATH")
    return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, [source, others]))}


def start_thread(target: Callable[[], None], name: str) -> threading.Thread:
    """Start a thread that no key of a terminal is delivered to.

    Of two signals at once the system gives the second one to another thread than the main one. It
    would be handled only when the main thread, in which Python handles signals, wakes by itself.
    """
    thread = threading.Thread(target=target, name=name, daemon=True)
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        thread.start()
        return thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGQUIT})
    try:
        thread.start()  # it inherits what is blocked here
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return thread


class ServerProcess:
    """One server with three threads: its stdin, stdout and stderr. Raises InterpreterError.

    Nothing here blocks but `close()`, so that a generator that is left may send from wherever it
    is collected. The server ends with its stdin, hence also with this process.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._owner = os.getpid()
        self._process = _start(command)
        self._commands = SimpleQueue[bytes | None]()
        self._listener: Listener | None = None
        self._last_lines = deque[str](maxlen=_KEPT_LINES)
        self._gone = threading.Event()
        self._threads = [
            start_thread(work, f"playhead-{name}")
            for name, work in (("write", self._write), ("read", self._read), ("log", self._keep))
        ]
        atexit.register(self.close)

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self._process.pid

    @property
    def is_usable(self) -> bool:
        """Return whether the process runs and was started by this process, not by a parent of a
        fork.
        """
        return self._owner == os.getpid() and not self._gone.is_set()

    def listen(self, listener: Listener) -> None:
        """Send what comes from now on to this listener."""
        self._listener = listener
        if self._gone.is_set():
            listener(None)

    def send(self, command: Wire) -> None:
        """Queue a command; if the server is gone, the listener gets None."""
        self.send_line(to_line(command))

    def send_line(self, line: bytes) -> None:
        """Send a command that is already encoded as a line."""
        self._commands.put(line)

    def end(self) -> None:
        """Ask the server to end; returns at once."""
        self._commands.put(None)

    def close(self) -> None:
        """End the server and wait for it; kill it in the end."""
        if self._owner != os.getpid():
            return
        self.end()
        if not self._gone.wait(CLOSE_S):
            self.kill()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(CLOSE_S)

    def kill(self) -> None:
        """End it by force; its kernels end with it."""
        self._process.kill()

    def obituary(self) -> str:
        """Return how the server ended and the last text that it printed."""
        ended = f"It ended with status {self._process.poll()}."
        return "\n".join([ended, *self._last_lines])

    def _write(self) -> None:
        stdin = cast("IO[bytes]", self._process.stdin)
        try:
            while (command := self._commands.get()) is not None:
                stdin.write(command)
                stdin.flush()
        except OSError:
            _log.debug("the server %d takes no more commands", self.pid)
        try:
            stdin.close()
        except OSError:  # it flushes: the server went before it had read everything
            _log.debug("the server %d left something unread", self.pid)

    def _read(self) -> None:
        stdout = cast("IO[bytes]", self._process.stdout)
        for line in stdout:
            if (message := _parsed(line)) is not None and self._listener is not None:
                self._listener(message)
        stdout.close()
        self._process.wait()
        self._threads[2].join(1)  # its last words
        self._commands.put(None)
        self._gone.set()
        atexit.unregister(self.close)
        if self._listener is not None:
            self._listener(None)

    def _keep(self) -> None:
        stderr = cast("IO[bytes]", self._process.stderr)
        for line in stderr:
            text = line.decode("utf-8", "replace").rstrip()
            self._last_lines.append(text)
            _log.debug("server %d: %s", self.pid, text)
        stderr.close()


def to_line(command: Wire) -> bytes:
    """Return a command as a line for the server. Raises TypeError or ValueError if it is not
    JSON.
    """
    return json.dumps(command).encode("ascii") + b"\n"


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the server in its own process group, so that the client handles Ctrl-C."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=server_environment(os.environ),
            start_new_session=sys.platform != "win32",
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError as error:
        raise InterpreterError(
            "Playhead's server process could not be started.",
            detail=f"{command[0]}: {error.strerror}",
            remedy="Check the installation of Playhead and of its Python.",
            code="server_lost",
        ) from error


def _parsed(line: bytes) -> Wire | None:
    try:
        message: object = read_json(line)
    except ValueError:
        _log.debug("not understood: %r", line[:200])
        return None
    return cast(Wire, message) if isinstance(message, dict) else None
