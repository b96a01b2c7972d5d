"""The base of languages that start a program of their own for each block.

Such a language keeps no variables from one block to the next, and its running line is unknown.
The program inherits the descriptors: its output is written to them directly.
"""

from __future__ import annotations

import os
import subprocess
from typing import Sequence

from ..driver import Driver, DriverContext, Job, Outcome
from .block_input import BlockInput, write_block


class OneShotDriver(Driver):
    """Owner of the program of the block that runs."""

    suffix: str = ".txt"
    """Of the files with the code."""

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._input = BlockInput(context.spool)
        self._folder = os.getcwd()
        self._count = 0
        self._is_stopped = False

    def command(self, path: str) -> Sequence[str]:
        """Return the program and its arguments that run the file at `path`."""
        return [self.context.program, path]

    def prepare(self, code: str) -> str:
        """Return the text that goes into the block's file."""
        return code

    def start(self) -> str:
        """Return "": nothing runs before there is a block, and the version is not requested."""
        return ""

    def expect_run(self) -> None:
        """Take text from now on as the next block's."""
        self._input.renew()

    def feed(self, text: str, *, is_end: bool) -> None:
        """Give the block text, then its end if so."""
        self._input.feed(text, is_end)

    def read_bytes(self) -> int:
        """Return how much of it the block has read."""
        return self._input.read_bytes()

    def interrupt(self) -> None:
        """Stop the block: its program gets its signal from the parent, as all that a run starts."""
        self._is_stopped = True

    def execute(self, job: Job) -> Outcome:
        """Run a block from its start to its end."""
        os.set_blocking(self.context.descriptors.output, True)
        self._is_stopped = False
        self._folder = job.folder or self._folder
        path = self._write(job.code)
        try:
            with self.context.interrupts.diverted(self.interrupt):
                status = self._run(path)
        except OSError as error:
            self.context.channel.complain(f"{self.name} could not be started: {error}\n")
            return Outcome("finished", exit_status=127)
        if self._is_stopped:
            return Outcome("interrupted")
        if status < 0:
            self.context.channel.complain(f"{self.name} ended by signal {-status}.\n")
        return Outcome("finished", exit_status=status if status >= 0 else 128 - status)

    def _write(self, code: str) -> str:
        self._count += 1
        # Java takes the file's name for a class without one: it may not contain a hyphen.
        path = os.path.join(self.context.spool, "block_%d%s" % (self._count, self.suffix))
        write_block(path, self.prepare(code))
        return path

    def _run(self, path: str) -> int:
        reader = self._input.reader
        with subprocess.Popen(self.command(path), stdin=reader, cwd=self._folder) as process:
            self._input.opened()
            return process.wait()
