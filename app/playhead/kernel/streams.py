"""The descriptors and streams of a kernel: output stays the pipe, input is an inner one."""

from __future__ import annotations

import builtins
import contextlib
import getpass
import io
import itertools
import os
import select
import sys
import threading
from typing import TYPE_CHECKING, Any

from .interrupts import start_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .channel import Channel

if sys.platform != "win32":  # here, since a block may leave nothing that can import
    import fcntl
    import termios

_PROMPT_LIMIT = 500


class Descriptors:
    """Takes the commands off descriptor 0 and keeps the way out safe from what user code closes."""

    def __init__(self) -> None:
        self.commands = os.dup(0)
        self.output = os.dup(1)
        self._current = self._input = InputPipe()
        self._current.become(0)

    def expect_run(self) -> None:
        """Take text from now on as the next run's, which may begin a moment later."""
        self._input = InputPipe()

    def feed(self, text: str, is_end: bool = False) -> None:
        """Put text where user code and its children read their standard input, and maybe its end.

        It never waits: who feeds must be free to take the command to stop.
        """
        self._input.feed(text.encode("utf-8", "surrogatepass"), is_end)

    @property
    def ended_unused(self) -> bool:
        """Return whether standard input ended before anything was typed into it."""
        return self._current.ended_empty

    def read_bytes(self) -> int:
        """Return how much of the text for this run has been read."""
        return self._current.read_bytes()

    def repair(self) -> None:
        """Undo what a block did to the descriptors: closed, redirected, made non-blocking."""
        os.set_blocking(self.output, True)
        os.dup2(self.output, 1)
        os.dup2(self.output, 2)
        self._current.close()  # with its unread text
        with contextlib.suppress(OSError):  # closed by the block, as all of its descriptors
            os.close(self._current.reader)
        self._current = self._input
        self._current.become(0)


class InputPipe:
    """The inner pipe of one run; a thread of its own feeds what does not fit in at once."""

    def __init__(self, ends: tuple[int, int] | None = None) -> None:
        self.reader, self._writer = (above_standard(fd) for fd in ends or os.pipe())
        os.set_blocking(self._writer, False)
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._fed_bytes = 0
        self._has_ended = False
        self._is_pumping = False
        self.ended_empty = False

    def become(self, fd: int) -> None:
        """Make it readable under another number too; ours reports the unread bytes."""
        os.dup2(self.reader, fd)

    def feed(self, data: bytes, is_end: bool) -> None:
        """Add to what can be read; after an end nothing is added."""
        with self._lock:
            if self._has_ended:
                return
            self._waiting += data
            self._has_ended = is_end
            self._fed_bytes += len(data)
            self.ended_empty = is_end and not self._fed_bytes
            if not self._pour() and not self._is_pumping:
                self._is_pumping = True
                start_thread(self._pump, "playhead-input")

    def read_bytes(self) -> int:
        """Return how many bytes have been read; all of them if the system does not report it."""
        with self._lock:
            return self._fed_bytes - len(self._waiting) - _waiting_bytes(self.reader)

    def close(self) -> None:
        """Give up what was not read."""
        with self._lock:
            self._waiting.clear()
            self._has_ended = True
            self._pour()

    def _pour(self) -> bool:
        """Write what fits; return whether everything has been written."""
        try:
            while self._waiting:
                del self._waiting[: os.write(self._writer, self._waiting[:65536])]
        except BlockingIOError:
            return False
        except OSError:  # user code has closed the other end
            self._waiting.clear()
        if self._has_ended and self._writer >= 0:
            os.close(self._writer)
            self._writer = -1
        return True

    def _pump(self) -> None:
        while True:
            with self._lock:
                if self._pour():
                    self._is_pumping = False
                    return
                writer = self._writer
            select.select([], [writer], [], 0.1)  # not for ever: it may be given up meanwhile


def _waiting_bytes(reader: int) -> int:
    if sys.platform == "win32":
        return 0
    try:
        number = fcntl.ioctl(reader, termios.FIONREAD, bytes(4))
    except OSError:  # the block has closed all descriptors
        return 0
    return int.from_bytes(number, sys.byteorder)


def above_standard(fd: int) -> int:
    """Return a duplicate with a number other than 0, 1, 2, which user code may have closed."""
    passed: list[int] = []
    while fd <= 2:
        passed.append(fd)
        fd = os.dup(fd)
    for number in passed:
        os.close(number)
    return fd


def has_input() -> bool:
    """Return whether something waits on descriptor 0."""
    try:
        return bool(select.select([0], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def open_output(fd: int) -> io.TextIOWrapper:
    """Return a line-buffered stream: children's output cannot overtake a printed line."""
    raw = io.FileIO(fd, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw, 8192),
        encoding="utf-8",
        errors="backslashreplace",
        line_buffering=True,
    )


def repair_streams() -> None:
    """Open the Python streams that an earlier block has closed."""
    if getattr(sys.stdout, "closed", True):
        sys.stdout = sys.__stdout__ = open_output(1)  # type: ignore[misc]
    if getattr(sys.stderr, "closed", True):
        sys.stderr = sys.__stderr__ = open_output(2)  # type: ignore[misc]


class Input(io.TextIOBase):
    """`sys.stdin` for a person: asks for each line by a mark, leaves the rest to children."""

    def __init__(self, channel: Channel, descriptors: Descriptors) -> None:
        super().__init__()
        self._channel = channel
        self._descriptors = descriptors
        self._ids = itertools.count(1)
        self._asking = threading.Lock()
        self.buffer = io.FileIO(0, "r", closefd=False)
        self.secrets: list[bytes] = []
        """What was typed as a secret: it is never saved."""

    def ask(self, prompt: str = "", is_secret: bool = False) -> str:
        """Return one line without its end. Raises EOFError when there is no more input."""
        with self._asking:
            self._announce(prompt, is_secret)
            line = _read_line()
        if not line:
            raise EOFError
        text = line[:-1] if line.endswith("\n") else line
        if is_secret and text.encode("utf-8", "surrogateescape") not in (b"", *self.secrets):
            self.secrets.append(text.encode("utf-8", "surrogateescape"))
        return text

    def _announce(self, prompt: str, is_secret: bool) -> None:
        if has_input() and not self._descriptors.ended_unused:  # else at least ask
            return  # the answer to an earlier question had more than one line
        name = "%s-%d" % (self._channel.run, next(self._ids))
        self._channel.send("input", id=name, prompt=prompt[:_PROMPT_LIMIT], secret=is_secret)

    def readline(self, size: Any = -1, /) -> str:
        """Return one line with its end; `size` is ignored, because people type lines."""
        try:
            return self.ask() + "\n"
        except EOFError:
            return ""

    def read(self, size: Any = -1, /) -> str:
        """Return all lines up to the end of input, or one line if a size is given."""
        return self.readline() if size is not None and size >= 0 else "".join(self)

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        return iter(self.readline, "")

    def close(self) -> None:
        """Do nothing: `exit()` closes it, but the kernel continues."""

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def fileno(self) -> int:
        """Return the inner pipe's descriptor."""
        return 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Return the encoding of what is typed."""
        return "utf-8"


def _read_line() -> str:
    """Read byte by byte: what follows the line may be for a child."""
    line = bytearray()
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    return line.decode("utf-8", "replace")


def install(channel: Channel, descriptors: Descriptors) -> Input:
    """Put our streams and questions in the place of Python's; return what asks."""
    sys.stdout = sys.__stdout__ = open_output(1)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = open_output(2)  # type: ignore[misc]
    source = Input(channel, descriptors)
    sys.stdin = sys.__stdin__ = source  # type: ignore[misc,assignment]

    def ask_line(prompt: object = "", /) -> str:
        return source.ask(str(prompt)) if sys.stdin is source else original(prompt)

    def ask_secret(prompt: str = "Password: ", stream: Any = None) -> str:
        return source.ask(prompt, is_secret=True)

    original = builtins.input
    builtins.input = ask_line
    getpass.getpass = ask_secret  # type: ignore[assignment]
    return source
