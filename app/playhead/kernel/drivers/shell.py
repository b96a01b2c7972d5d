"""Run Bash and zsh as persistent shells: blocks are checked first, a stop has two steps.

The lines of a hot loop come from the trace that the shell writes of its commands.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Generator, Sequence

from ..driver import DriverContext, Job, Outcome
from ..errors import send_error
from ..interrupts import start_thread
from .child import ChildDriver

if TYPE_CHECKING:
    from ..channel import Channel


_SET_PIPE_SIZE = 1031
"""F_SETPIPE_SZ of Linux."""
_PIPE_BYTES = 1 << 20
_PAUSE_S = 0.033
_SHORT_PAUSE_S = 0.005
_START, _END = b"\x1e", b"\x1f"
"""Around file and line in the trace; commands do not hold them by chance."""


class ShellTrace:
    """Owner of the FIFO; reads it a few times a second, so that a loop costs no wake-ups."""

    def __init__(self, channel: Channel, path: str) -> None:
        self._channel = channel
        self._needle = b""
        self._line = 0
        os.mkfifo(path, 0o600)
        self._reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._writer = os.open(path, os.O_WRONLY | os.O_NONBLOCK)  # so that it never ends
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.fcntl(self._reader, _SET_PIPE_SIZE, _PIPE_BYTES)
        start_thread(self._follow, "playhead-trace")

    @contextlib.contextmanager
    def of_block(self, name: str) -> Generator[None, None, None]:
        """Report the lines of this block while it runs; those of other blocks are dropped."""
        self._line = 0
        self._needle = _START + name.encode("utf-8") + b":"
        try:
            yield
        finally:
            self.end()

    def end(self) -> None:
        """Report no more lines of the block."""
        self._needle = b""

    def _follow(self) -> None:
        data, reported_at = b"", 0.0
        while True:
            select.select([self._reader], [], [], _PAUSE_S if data else None)
            data = self._read() or data
            now = time.monotonic()
            # A full pipe holds up the shell: it is read more often than anyone looks.
            nap = _SHORT_PAUSE_S if len(data) > _PIPE_BYTES // 4 else _PAUSE_S
            if now - reported_at >= _PAUSE_S:
                self._report(data)
                data, reported_at = b"", now
            time.sleep(nap)

    def _read(self) -> bytes:
        parts: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._reader, _PIPE_BYTES):
                parts.append(part)
                if len(part) < 65536:
                    break
        return b"".join(parts)

    def _report(self, data: bytes) -> None:
        needle = self._needle
        start = data.rfind(needle) if needle else -1
        if start < 0:
            return
        number, end, _ = data[start + len(needle) : start + len(needle) + 16].partition(_END)
        if end and number.isdigit() and int(number) != self._line:
            self._line = int(number)
            self._channel.send_unordered("line", line=self._line)


_CHECK_LIMIT_S = 5
_FIRST_WORD = "__ph_begin;"
"""Precedes every block: it changes to the last one's folder, and turns on reports of lines."""
_HARMLESS = re.compile(r"""(?:[\w \t\n./:=,@%+-]|\$\w+|"[^"\\$`!]*"|'[^']*')*""")
"""Without operators, there is not much that can be wrong."""
_KEYWORD = re.compile(
    r"\b(if|then|elif|else|fi|for|select|case|esac|while|until|do|done|in|function|time|coproc"
    r"|foreach|repeat|end|nocorrect)\b"
)


class ShellDriver(ChildDriver):
    """One shell for all blocks; its names outlive it where it ends in an orderly way."""

    check: Sequence[str] = ()
    """The program's arguments for reading a block without running it."""
    complaint: re.Pattern[str]
    """Matches the line of a block that its check complains of, and what about."""
    last_signal = getattr(signal, "SIGVTALRM", signal.SIGINT)  # not on Windows

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._blocks = os.path.join(context.spool, "blocks")
        os.mkdir(self._blocks)
        self._trace = ShellTrace(context.channel, os.path.join(context.spool, "trace"))

    def command(self, script: str) -> list[str]:
        """Return the command, without the user's start files: a block runs the same everywhere."""
        # The script is read by a command, so that `$0` is the shell and no path of ours.
        return [self.context.program, *self.options(), "-c", '. "$@"', self.word, script]

    def options(self) -> list[str]:
        """Return the options that keep it from reading the user's start files."""
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        """Return a variable with its folder; the script hides it from its children."""
        return {"PLAYHEAD_SPOOL": self.context.spool}

    def block_path(self, number: int) -> str:
        """Return a path whose name messages can show: it is opened from its folder."""
        return os.path.join(self._blocks, f"<block {number}>")

    def prepare(self, code: str) -> str:
        """Return the block after our first command, on the same line, with a shell's line ends."""
        return _FIRST_WORD + code.replace("\r\n", "\n") + "\n"

    def execute(self, job: Job) -> Outcome:
        """Run a block; where it is hot, its lines are taken from the shell's own trace."""
        with self._trace.of_block(f"<block {self._count + 1}>"):
            return super().execute(job)

    def interrupt(self) -> None:
        """Stop the block; lines of the traps that end it are not the block's."""
        self._trace.end()
        super().interrupt()

    def refusal(self, path: str) -> Outcome | None:
        """Return a failed outcome for a block with a syntax error, so that no part of it is run."""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            code = file.read()[len(_FIRST_WORD) :]
        if _HARMLESS.fullmatch(code) and not _KEYWORD.search(code):
            return None
        said = self._read_only(path)
        if said is None:
            return None
        self.context.channel.complain(said)
        found = self.complaint.search(said)
        line = min(int(found[1]), code.rstrip("\n").count("\n") + 1) if found else 0
        message = found[2] if found else said.strip()
        frames = [("", line, "")] if line else []
        send_error(self.context.channel, "SyntaxError", message, frames)
        return Outcome("finished", exit_status=2)

    def has_kept_variables(self) -> bool:
        """Return whether the shell reached its EXIT trap."""
        try:
            return os.path.getsize(os.path.join(self.context.spool, "names")) > 0
        except OSError:
            return False

    def _read_only(self, path: str) -> str | None:
        """Return the shell's message on a block; None if it has none, or if the check fails."""
        try:
            done = subprocess.run(
                [self.context.program, *self.check, os.path.basename(path)],
                cwd=self._blocks,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=_CHECK_LIMIT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        if done.returncode <= 0:
            return None
        return done.stderr.decode("utf-8", "replace").replace(_FIRST_WORD, "")


_BASH_INSTALL = {
    "linux": "Install the package bash (`sudo apt install bash`).",
    "darwin": "It is a part of macOS: see whether /bin is on the PATH.",
}


class Bash(ShellDriver):
    """One Bash for all blocks, from 3.2 on (as macOS has it)."""

    word = "bash"
    name = "Bash"
    aliases = ("sh", "shell")
    programs = ("bash",)
    install = _BASH_INSTALL
    script = "bash.sh"
    check = ("-O", "extglob", "-n")  # the block may switch it on itself
    complaint = re.compile(r"line (\d+): (.*)")

    def options(self) -> list[str]:
        """Return options against the start files of logins and terminals."""
        return ["--norc", "--noprofile"]

    def variables(self) -> dict[str, str]:
        """Return the variables; scripts have a start file, too."""
        return {**super().variables(), "BASH_ENV": ""}


_ZSH_INSTALL = {
    "linux": "Install the package zsh (`sudo apt install zsh`).",
    "darwin": "It is a part of macOS: see whether /bin is on the PATH.",
}


class Zsh(ShellDriver):
    """One zsh for all blocks."""

    word = "zsh"
    name = "Z shell"
    aliases = ("sh", "shell")
    programs = ("zsh",)
    install = _ZSH_INSTALL
    script = "zsh.zsh"
    check = ("-f", "-n")
    complaint = re.compile(r">:(\d+): (.*)")

    def options(self) -> list[str]:
        """Return the option; zsh reads the system's own /etc/zshenv in any case."""
        return ["-f"]
