"""Python, in the host's own process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..driver import Driver, Job, Outcome

if TYPE_CHECKING:
    from ..python.python_kernel import PythonKernel


class Python(Driver):
    """The language of the host itself; what it takes to run it is imported at its start."""

    word = "python"
    name = "Python"
    aliases = ("py", "python3", "py3", "ipython", "ipython3")
    _kernel: PythonKernel

    def start(self) -> str:
        """Make this process a place for blocks; its version."""
        from ..python.python_kernel import PythonKernel

        self._kernel = PythonKernel(self.context, self.answers)
        self._kernel.saver.is_awaited = self.is_awaited
        return sys.version.split()[0]

    def pause_pipe(self) -> int:
        """Return the number of the pipe that is read at a pause."""
        return self._kernel.pauses.inode

    def execute(self, job: Job) -> Outcome:
        """Run a block in the one namespace."""
        return self._kernel.execute(job)

    def elsewhere(self) -> str:
        """Return the folder that the code has gone to."""
        return self._kernel.elsewhere()

    def interrupt(self) -> None:
        """Stop the block, also where it is paused."""
        self._kernel.pauses.forget()
        super().interrupt()
        self._kernel.pauses.stop()

    def control(self, command: dict[str, Any]) -> None:
        """Pause the block, or go on; report the values along the lines of a block."""
        if command["t"] == "values":
            self.answers.send(
                command["ask"], {"values": self._kernel.values.found(command["code"])}
            )
        else:
            self._kernel.pauses.control(command)

    def ask_paused(self, command: dict[str, Any]) -> bool:
        """Have a question answered by the paused block."""
        return self._kernel.pauses.ask(command)

    def answer(self, command: dict[str, Any]) -> None:
        """Answer a question about the namespace."""
        self._kernel.answer(command)

    def give_up_answer(self, ask: str = "") -> None:
        """Stop the sorting of a table."""
        self._kernel.give_up_answer(ask)
