"""The base of languages that are programs of their own beside the host.

A driver starts the language once, on a script beside this module. The program writes what
it prints, and the marks of its lines, straight to the descriptors that it inherits; the host only
sends what to run and gets a reply at the end. Two more pipes carry lines of fields, separated by
tabs and percent-encoded as in RFC 3986, so that a shell can read them too. The script is given as
its last arguments the descriptor of the jobs, that of the replies, and the nonce of the marks.

A job, from the host, is one line; the stream's end asks the program to end:
    run, path of the file with the code, 1 or 0 for the running line, path of a FIFO to be standard
    input from now on ("" where `renews_input` is False), folder to go to ("" to stay)

Replies, one a line:
    ready    version                            once, when the first job can be taken
    began                                       standard input is open, the block begins
    error    name, message, line (or "")        why the block failed, for its card
    timing   line, seconds, last line           of a whole statement
    end      state, status (or ""), line        as of `Outcome`; the last reply of a block
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
import urllib.parse
from typing import Iterator, Mapping, Sequence

from ..driver import Driver, DriverContext, Job, Outcome
from ..errors import send_error
from ..interrupts import start_thread
from ..memory_limit import MemoryLimit
from ..run_timings import RunTimings
from ..working_folder import WorkingFolder
from .block_input import BlockInput, write_block

_LEAST_DESCRIPTOR = 64
"""Shell scripts use the numbers up to nine, some up to twenty, explicitly."""

_CLOSE_LIMIT_S = 0.4
_EXITED = "died"


class ChildExited(Exception):
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
        # Programs that it started may keep its end of the pipe open, so the process itself is
        # watched.
        start_thread(lambda: self._wait_for_end(replies_theirs), "playhead-language")

    def send(self, *fields: str) -> None:
        """Write one line. Raises ChildExited if it is not read any more."""
        line = "\t".join(urllib.parse.quote(field, errors="surrogateescape") for field in fields)
        try:
            os.write(self._jobs, line.encode("ascii") + b"\n")
        except BrokenPipeError:
            raise ChildExited(self._process.wait()) from None

    def replies(self) -> Iterator[list[str]]:
        """Yield its lines as they arrive. Raises ChildExited after the last one."""
        while True:
            line, is_whole, rest = self._held.partition(b"\n")
            if not is_whole:
                self._held += os.read(self._replies, 65536)
                continue
            self._held = rest
            text = line.decode("ascii", "replace")  # code can write into a pipe that it inherits
            fields = [urllib.parse.unquote(field) for field in text.split("\t")]
            status = self._process.returncode
            if fields[0] == _EXITED and status is not None:
                self._forget()
                raise ChildExited(status)
            yield fields

    def signal(self, number: int) -> None:
        """Send it a signal, and continue it if it was stopped; any thread may."""
        if self._process.returncode is None:
            os.kill(self.pid, number)
            os.kill(self.pid, signal.SIGCONT)

    def close(self) -> None:
        """Ask it to end, and give it a moment for that."""
        os.close(self._jobs)
        self._has_ended.wait(_CLOSE_LIMIT_S)

    def _wait_for_end(self, replies: int) -> None:
        self._process.wait()
        self._has_ended.set()
        os.write(replies, b"\n%s\n" % _EXITED.encode("ascii"))
        os.close(replies)

    def _forget(self) -> None:
        os.close(self._replies)
        os.close(self._jobs)


def _high_pipe() -> tuple[int, int]:
    """Return a pipe with descriptors that scripts do not use; inherited only if requested."""
    import fcntl  # not on Windows, where the parent imports this too

    ends = os.pipe()
    high = tuple(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR) for fd in ends)
    for fd in ends:
        os.close(fd)
    return high[0], high[1]


_SAME_STOP_S = 0.2
"""A stop comes as a command and as a signal, a moment apart; once more if it was of no use."""


class ChildDriver(Driver):
    """Owner of one program of another language, which is started again when it has ended."""

    script: str = ""
    """The name of the file, beside this one, that the language runs."""
    suffix: str = ".txt"
    """Of the files with the code, as the language's own messages show it."""
    renews_input: bool = True
    """Whether the script can open another standard input for each block."""
    memory_error: re.Pattern[str] | None = None
    """Matches the error (name: message) of a failed allocation; None if that ends the program."""
    last_signal: int = signal.SIGINT
    """The signal for a program that still runs a moment after it was asked to stop."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._child: ChildProcess | None = None
        self._input = BlockInput(context.spool)
        self._count = 0
        self._folder = WorkingFolder()
        self._next_folder = ""
        self._version = ""
        self._is_stopped = False
        self._stopped_at = 0.0
        self._error: tuple[str, str, int | None] | None = None
        self._times = RunTimings()
        self._memory = MemoryLimit()

    def command(self, script: str) -> list[str]:
        """Return the program and its arguments up to the script, which is the last of them."""
        return [self.context.program, script]

    def variables(self) -> dict[str, str]:
        """Return what the program's environment has besides the host's."""
        return {}

    def prepare(self, code: str) -> str:
        """Return the text that goes into the block's file."""
        return code

    def block_path(self, number: int) -> str:
        """Return the path of a block's file."""
        return os.path.join(self.context.spool, "block-%d%s" % (number, self.suffix))

    def refusal(self, path: str) -> Outcome | None:
        """Return the outcome of a block that is not run, after sending its error; else None."""
        return None

    def has_kept_variables(self) -> bool:
        """Return whether the program that has just ended left its variables for the next one."""
        return False

    def start(self) -> str:
        """Start the program; its version. Raises SystemExit, with the reason, if it cannot be."""
        self._child = self._begin_child()
        return self._version

    def expect_run(self) -> None:
        """Take text from now on as the next block's."""
        if self.renews_input:
            self._input.renew()
        else:
            self._input.revive()

    def feed(self, text: str, *, is_end: bool) -> None:
        """Give the block text; its end waits until the program has opened the input."""
        self._input.feed(text, is_end)

    def read_bytes(self) -> int:
        """Return how much of it the block has read."""
        return self._input.read_bytes()

    def interrupt(self) -> None:
        """Stop the block: what it has started itself is the parent's to stop."""
        child = self._child
        now = time.monotonic()
        if not self._is_stopped:
            self._is_stopped, self._stopped_at = True, now
            if child is not None:
                child.signal(signal.SIGINT)
        elif child is not None and now - self._stopped_at > _SAME_STOP_S:
            child.signal(self.last_signal)

    def execute(self, job: Job) -> Outcome:
        """Run a block, and start the program again if the block has ended it."""
        os.set_blocking(self.context.descriptors.output, True)
        self._is_stopped, self._error, self._times = False, None, RunTimings()
        child = self._child = self._child or self._begin_child()
        self._memory = memory = MemoryLimit(child.pid)
        memory.begin(job.memory if self.memory_error else 0)
        try:
            with self.context.interrupts.diverted(self.interrupt):
                outcome = self._enter(job.folder)
                fields = [] if outcome else self._fields(job)
                outcome = outcome or self.refusal(fields[1])
                if outcome is None:
                    child.send(*fields)
                    self._next_folder = ""
                    outcome = self._wait(child)
            memory.end()
        except ChildExited as end:
            outcome = self._after_death(end.status)
            self._child = self._begin_again()  # whom no stop of this block may reach any more
        self._report(outcome)
        return outcome

    def close(self) -> None:
        """Let the program end."""
        if self._child is not None:
            self._child.close()

    def _begin_child(self) -> ChildProcess:
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.script)
        stdin = -1 if self.renews_input else self._input.reader
        command, folder = self.command(here), self._folder.path
        child = ChildProcess(command, self.context.channel.nonce, self.variables(), stdin, folder)
        # A stop must not count it among what the block has started.
        self.context.channel.send_unordered("driver", pid=child.pid)
        try:
            for kind, *values in child.replies():
                if kind == "ready" and values:
                    self._version = values[0]
                    break
        except ChildExited as end:
            raise SystemExit(f"{self.name} could not be started: {end}") from None
        return child

    def _enter(self, folder: str) -> Outcome | None:
        """Go there before the program does; how the block ends if it may not be entered."""
        try:
            wanted = self._folder.find(folder, self._here())
            if not wanted:
                return None
            os.chdir(folder)
        except OSError as error:
            send_error(self.context.channel, type(error).__name__, str(error), [])
            return Outcome("finished", exit_status=1)
        self._folder.entered(folder)
        self._next_folder = wanted
        return None

    def elsewhere(self) -> str:
        """Return the folder that the program has gone to, where the system shows that."""
        here = self._here()
        return self._folder.elsewhere(here) if here != os.curdir else ""

    def _here(self) -> str:
        """Return a path to the folder in which the program is, where the system has one."""
        path = "/proc/%d/cwd" % self._child.pid if self._child is not None else ""
        return path if os.path.islink(path) else os.curdir

    def _fields(self, job: Job) -> list[str]:
        self._count += 1
        path = self.block_path(self._count)
        write_block(path, self.prepare(job.code))
        given = self._input.path if self.renews_input else ""
        return [self.context.channel.run, path, "1" if job.lines else "0", given, self._next_folder]

    def _wait(self, child: ChildProcess) -> Outcome:
        for kind, *values in child.replies():
            if kind == "began":
                self._input.opened()
            elif kind == "end" and len(values) == 3:
                return Outcome(values[0], _integer(values[2]), exit_status=_integer(values[1]))
            elif kind == "error" and len(values) == 3:
                self._error = values[0], values[1], _integer(values[2])
            elif kind == "timing" and len(values) == 3:
                self._add_time(*values)
        raise AssertionError  # the replies end by an exception

    def _add_time(self, line: str, seconds: str, last: str) -> None:
        with contextlib.suppress(ValueError):  # code can write into the pipe that it inherits
            self._times.add(int(line), int(last), float(seconds), {}, {})

    def _after_death(self, status: int) -> Outcome:
        """Return the outcome of a block that ended its program: by `exit`, a crash or a stop."""
        self._child = None
        if status < 0 and not self._is_stopped:
            self.context.channel.complain(f"{self.name} ended by signal {-status}.\n")
        if self._is_stopped:
            return Outcome("interrupted")
        return Outcome("finished", exit_status=status if status >= 0 else 128 - status)

    def _begin_again(self) -> ChildProcess:
        has_variables = self.has_kept_variables()
        child = self._begin_child()
        if not has_variables:
            self.context.channel.complain(f"{self.name} was restarted: its variables were lost.\n")
        return child

    def _report(self, outcome: Outcome) -> None:
        if self._error is not None and outcome.state == "finished":
            name, message, line = self._error
            is_limit = self.memory_error and self.memory_error.search(f"{name}: {message}")
            remedy = self._memory.explanation() if is_limit and self._memory.bytes else ""
            frames = [("", line, "")] if line else []
            send_error(self.context.channel, name, message, frames, remedy)
        self._times.send(self.context.channel, None)


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
