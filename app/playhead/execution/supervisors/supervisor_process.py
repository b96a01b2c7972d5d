"""A supervisor's process and our end of the line to it; one of them can be started ahead."""

from __future__ import annotations

import asyncio
import marshal
import os
import select
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QSocketNotifier, QTimer

from playhead.supervisor import protocol

_CLOSED_ON_EXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class SupervisorLine:
    """Our end of the line to a supervisor; `on_report(report)` for each line that arrives.

    The other end is inherited by the one process that is started between `open` and `started`,
    both called in the GUI thread.
    """

    def __init__(self, owner: QObject) -> None:
        self.on_report: Callable[[dict[str, Any]], None] = lambda report: None
        self._owner = owner
        self._reader = protocol.LineReader()
        self._ours: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._notifier: QSocketNotifier | None = None
        self._signs: select.epoll | None = None

    @property
    def is_open(self) -> bool:
        """Return whether its other end was not closed yet, as far as it has been read."""
        return self._ours is not None

    def open(self) -> dict[str, str]:
        """Make both ends; return the variables that name the other one to a supervisor."""
        if sys.platform == "win32":
            return {}
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._theirs.set_inheritable(True)
        return {protocol.CONTROL: str(self._theirs.fileno())}

    def started(self) -> None:
        """Keep our end only, and read it."""
        if self._ours is None or self._theirs is None:
            return
        self._theirs.close()
        kind = QSocketNotifier.Type.Read
        self._notifier = QSocketNotifier(self._ours.fileno(), kind, self._owner)
        self._notifier.activated.connect(self.read)

    def send(self, kind: str, **fields: Any) -> None:
        """Send a command; nothing if nobody can take it."""
        if self._ours is not None:
            with suppress(OSError):
                self._ours.send(protocol.encode(kind, **fields))

    def send_command(
        self, command: Sequence[str], environment: Mapping[str, str], folder: str
    ) -> None:
        """Send what a supervisor in waiting is to start; nothing if nobody can take it.

        It goes in a file in memory, which has room for any number of mounts: nobody waits here.
        """
        variables = {os.fsencode(name): os.fsencode(environment[name]) for name in environment}
        words = marshal.dumps((list(command), variables, folder))
        with suppress(OSError), os.fdopen(os.memfd_create("command"), "wb") as file:
            file.write(words)
            file.flush()
            if self._ours is not None:
                socket.send_fds(self._ours, [b"c"], [file.fileno()])

    def read(self) -> None:
        """Read all that has arrived."""
        while self._ours is not None:
            try:
                data, given, _, _ = socket.recv_fds(self._ours, 65536, 1, _CLOSED_ON_EXEC)
            except BlockingIOError:
                return
            except OSError:
                data, given = b"", []
            if not data:
                self.close()
            for fd in given:
                self._signs = select.epoll.fromfd(fd)
            for report in self._reader.feed(data):
                self.on_report(report)

    def has_sign(self) -> bool:
        """Return whether code has tried the network that its supervisor has made."""
        return self._signs is not None and bool(self._signs.poll(0))

    def close(self) -> None:
        """Close our end: a supervisor that still lives ends everything."""
        if self._notifier is not None:
            self._notifier.setEnabled(False)
            self._notifier.deleteLater()
            self._notifier = None
        if self._ours is not None:
            self._ours.close()
            self._ours = None
        if self._signs is not None:
            self._signs.close()
            self._signs = None


class SupervisorProcess(QObject):
    """A supervisor's QProcess, whose pipes are its kernel's. Owned by the kernel's, or by a spare.

    `has_space`: it makes namespaces of its own before it is known what it is to start.
    """

    def __init__(self, *, has_space: bool = False) -> None:
        super().__init__()
        self.has_space = has_space
        self.line = SupervisorLine(self)
        self.process = QProcess(self)
        self.process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        if sys.platform != "win32":
            parameters = QProcess.UnixProcessParameters()
            parameters.flags = (
                QProcess.UnixProcessFlag.CreateNewSession
                | QProcess.UnixProcessFlag.ResetSignalHandlers
            )
            self.process.setUnixProcessParameters(parameters)

    def start(self, command: Sequence[str], environment: Mapping[str, str], folder: str) -> None:
        """Start it."""
        variables = QProcessEnvironment()
        for name, value in environment.items():
            variables.insert(name, value)
        for name, value in self.line.open().items():
            variables.insert(name, value)
        self.process.setProcessEnvironment(variables)
        self.process.setWorkingDirectory(folder)
        self.process.start(command[0], list(command[1:]))
        self.line.started()

    @property
    def is_waiting(self) -> bool:
        """Return whether it can take a command still: its end is seen here at once."""
        self.line.read()
        return self.line.is_open and self._is_there

    @property
    def _is_there(self) -> bool:
        return self.process.state() != QProcess.ProcessState.NotRunning

    async def end(self) -> None:
        """Kill it; it has started nothing yet that would not end with it."""
        ended = asyncio.Event()
        self.process.finished.connect(ended.set)
        self.line.close()
        self.process.kill()
        if self._is_there:
            await ended.wait()
        self.deleteLater()


_SPARE_LIFE_MS = 120_000
"""The time that a person has to read a proposal, until its kernel starts no faster than others."""


class SpareSupervisor:
    """Owner of at most one supervisor in waiting: a Python of our own that has loaded all it needs.

    It has been given nothing of a conversation, so that any kernel in a sandbox can have it; and it
    has started nothing. `command(has_space)` starts one, with these variables.
    """

    def __init__(
        self, command: Callable[[bool], Sequence[str]], environment: Mapping[str, str]
    ) -> None:
        self._command = command
        self._environment = environment
        self._spare: SupervisorProcess | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._life = QTimer()
        self._life.setSingleShot(True)
        self._life.timeout.connect(self._end)

    def make(self, has_space: bool) -> None:
        """Have one wait from now on, for some time."""
        self._life.start(_SPARE_LIFE_MS)
        if not self._has(has_space):
            self._end()
            self._spare = self._started(has_space)

    def make_soon(self, look: Callable[[], bool]) -> None:
        """Have one wait as soon as it is known, by a look in a thread, which kind it is."""
        self._start(self._make_after(look), "start of a supervisor")

    async def _make_after(self, look: Callable[[], bool]) -> None:
        has_space = await asyncio.to_thread(look)
        if not self._is_closed:
            with suppress(OSError):  # no descriptors are left: the run will say so
                self.make(has_space)

    def take(self, has_space: bool) -> SupervisorProcess:
        """Return the one that waits; where there is none of this kind, one that has just begun."""
        self._life.stop()
        if not self._has(has_space):
            self._end()
            return self._started(has_space)
        spare, self._spare = self._spare, None
        assert spare is not None  # noqa: S101 - that is what was asked
        return spare

    def _has(self, has_space: bool) -> bool:
        spare = self._spare
        return spare is not None and spare.has_space == has_space and spare.is_waiting

    def _started(self, has_space: bool) -> SupervisorProcess:
        made = SupervisorProcess(has_space=has_space)
        made.start(self._command(has_space), self._environment, "/")
        return made

    def _end(self) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            self._start(spare.end(), "end of a supervisor")

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End it, and start none any more."""
        self._is_closed = True
        self._life.stop()
        self._end()
        while self._tasks:
            await asyncio.gather(*self._tasks)
