"""What Bash and zsh have in common: blocks that are checked first, a stop in two steps."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import Sequence

from ..driver import Job, Outcome, Stage
from ..failures import send_error
from .child import ChildDriver
from .shell_trace import ShellTrace

_CHECK_LIMIT_S = 5
_FIRST_WORD = "__ph_begin;"
"""Stands before every block: it goes where the last one was, and has its lines told."""
_HARMLESS = re.compile(r"""(?:[\w \t\n./:=,@%+-]|\$\w+|"[^"\\$`!]*"|'[^']*')*""")
"""Without operators, there is not much that can be wrong."""
_KEYWORD = re.compile(
    r"\b(if|then|elif|else|fi|for|select|case|esac|while|until|do|done|in|function|time|coproc"
    r"|foreach|repeat|end|nocorrect)\b"
)


class Shell(ChildDriver):
    """One shell for all blocks; its names outlive it where it ends in an orderly way."""

    check: Sequence[str] = ()
    """The program's arguments for reading a block without running it."""
    complaint: re.Pattern[str]
    """Matches the line of a block that its check complains of, and what about."""
    last_signal = getattr(signal, "SIGVTALRM", signal.SIGINT)  # not on Windows

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._blocks = os.path.join(stage.spool, "blocks")
        os.mkdir(self._blocks)
        self._trace = ShellTrace(stage.channel, os.path.join(stage.spool, "trace"))

    def command(self, script: str) -> list[str]:
        """Without the user's start files: what a block does is the same everywhere."""
        # The script is read by a command, so that `$0` is the shell and no path of ours.
        return [self.stage.program, *self.options(), "-c", '. "$@"', self.word, script]

    def options(self) -> list[str]:
        """What keeps it from reading the user's start files."""
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        """Where its files lie; the script takes that out of what children inherit."""
        return {"PLAYHEAD_SPOOL": self.stage.spool}

    def block_path(self, number: int) -> str:
        """By a name that messages can show: it is opened from its folder, without a path."""
        return os.path.join(self._blocks, f"<block {number}>")

    def prepare(self, code: str) -> str:
        """Our first word before it, on the same line, and lines that end as a shell knows them."""
        return _FIRST_WORD + code.replace("\r\n", "\n") + "\n"

    def execute(self, job: Job) -> Outcome:
        """Run a block; where it is hot, its lines are taken from the shell's own trace."""
        with self._trace.of_block(f"<block {self._count + 1}>"):
            return super().execute(job)

    def interrupt(self) -> None:
        """Stop the block; lines of the traps that end it are none of the block's."""
        self._trace.end()
        super().interrupt()

    def refusal(self, path: str) -> Outcome | None:
        """Nothing of a block is run that cannot be read to its end."""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            code = file.read()[len(_FIRST_WORD) :]
        if _HARMLESS.fullmatch(code) and not _KEYWORD.search(code):
            return None
        said = self._read_only(path)
        if said is None:
            return None
        self.stage.channel.complain(said)
        found = self.complaint.search(said)
        line = min(int(found[1]), code.rstrip("\n").count("\n") + 1) if found else 0
        message = found[2] if found else said.strip()
        frames = [("", line, "")] if line else []
        send_error(self.stage.channel, "SyntaxError", message, frames)
        return Outcome("finished", exit_status=2)

    def has_kept_names(self) -> bool:
        """Whether the shell came as far as to its EXIT trap."""
        try:
            return os.path.getsize(os.path.join(self.stage.spool, "names")) > 0
        except OSError:
            return False

    def _read_only(self, path: str) -> str | None:
        """What the shell says against a block; None if nothing, or if it does not tell."""
        try:
            done = subprocess.run(
                [self.stage.program, *self.check, os.path.basename(path)],
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
