"""The process of another language: started on two pipes, listened to until it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import urllib.parse
from typing import Iterator, Mapping, Sequence

from ..interrupts import start_thread

_LEAST_DESCRIPTOR = 64
"""Scripts of a shell use the numbers up to nine, some up to twenty, by hand."""

_FAREWELL_S = 0.4
_DIED = "died"


class Died(Exception):
    """The process has ended: `status` is its exit status, or the negative number of a signal."""

    def __init__(self, status: int) -> None:
        by_signal = status < 0
        super().__init__(f"signal {-status}" if by_signal else f"exit status {status}")
        self.status = status


class ChildProcess:
    """Owner of the process and of our ends of its pipes.

    `stdin` is the descriptor that becomes its standard input, -1 for an empty one; `folder` is
    where it starts, if that is still there.
    """

    def __init__(
        self,
        command: Sequence[str],
        nonce: str,
        variables: Mapping[str, str],
        stdin: int,
        folder: str,
    ) -> None:
        jobs_theirs, self._jobs = _high_pipe()
        self._replies, replies_theirs = _high_pipe()
        self._held = b""
        given = [str(jobs_theirs), str(replies_theirs), nonce]
        try:
            self._process = subprocess.Popen(
                [*command, *given],
                stdin=subprocess.DEVNULL if stdin < 0 else stdin,
                pass_fds=(jobs_theirs, replies_theirs),
                env={**os.environ, **variables},
                cwd=folder if os.path.isdir(folder) else None,
            )
        except OSError as error:
            os.close(replies_theirs)
            raise SystemExit(f"{command[0]} could not be started: {error.strerror}") from error
        finally:
            os.close(jobs_theirs)
        self.pid = self._process.pid
        self._has_ended = threading.Event()
        # What it has started may hold its end of the pipe open: only this tells of its death.
        start_thread(lambda: self._wait_for_end(replies_theirs), "playhead-language")

    def send(self, *fields: str) -> None:
        """Write one line. Raises Died if nobody reads any more."""
        line = "\t".join(urllib.parse.quote(field, errors="surrogateescape") for field in fields)
        try:
            os.write(self._jobs, line.encode("ascii") + b"\n")
        except BrokenPipeError:
            raise Died(self._process.wait()) from None

    def replies(self) -> Iterator[list[str]]:
        """Its lines, as they come. Raises Died behind the last one."""
        while True:
            line, is_whole, rest = self._held.partition(b"\n")
            if not is_whole:
                self._held += os.read(self._replies, 65536)
                continue
            self._held = rest
            text = line.decode("ascii", "replace")  # code can write into a pipe that it inherits
            fields = [urllib.parse.unquote(field) for field in text.split("\t")]
            status = self._process.returncode
            if fields[0] == _DIED and status is not None:
                self._forget()
                raise Died(status)
            yield fields

    def signal(self, number: int) -> None:
        """Send it a signal, and let it go on if something has halted it; any thread may."""
        if self._process.returncode is None:
            os.kill(self.pid, number)
            os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        """Ask it to end, and give it a moment for that."""
        os.close(self._jobs)
        self._has_ended.wait(_FAREWELL_S)

    def _wait_for_end(self, replies: int) -> None:
        self._process.wait()
        self._has_ended.set()
        os.write(replies, b"\n%s\n" % _DIED.encode("ascii"))
        os.close(replies)

    def _forget(self) -> None:
        os.close(self._replies)
        os.close(self._jobs)


def _high_pipe() -> tuple[int, int]:
    """A pipe whose descriptors scripts do not use by hand; not inherited unless it is asked for."""
    import fcntl  # not on Windows, where the parent imports this too

    ends = os.pipe()
    high = tuple(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR) for fd in ends)
    for fd in ends:
        os.close(fd)
    return high[0], high[1]
