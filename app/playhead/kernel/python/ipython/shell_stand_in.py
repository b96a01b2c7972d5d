"""The object that blocks get from `get_ipython()`: the supported magics, by their methods."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any

from .magic_commands import caller_of, is_block

if TYPE_CHECKING:
    from .magic_commands import MagicCommands


class ShellStandIn:
    """As much of a notebook's shell as exported notebooks use."""

    def __init__(self, magics: MagicCommands) -> None:
        self._magics = magics

    def run_line_magic(self, name: str, line: str, _stack_depth: int = 1) -> Any:
        """Run `%name line`."""
        return self._magics.line(name, line, caller_of(2))

    def run_cell_magic(self, name: str, line: str, cell: str) -> Any:
        """Run `%%name line` over a block."""
        return self._magics.cell(name, line, cell, caller_of(2))

    def magic(self, text: str) -> Any:
        """Run a line magic given as one text."""
        name, _, line = text.lstrip("%").partition(" ")
        return self._magics.line(name, line.strip(), caller_of(2))

    def system(self, command: str) -> None:
        """Run `!command`."""
        self._magics.shell(command, caller_of(2))

    def getoutput(self, command: str, split: bool = True) -> Any:
        """Return the output of `x = !command`."""
        found = self._magics.output_of(command, caller_of(2))
        return found if split else found.n

    @property
    def user_ns(self) -> dict[str, Any]:
        """Return the names of blocks."""
        return vars(sys.modules["__main__"])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"There is no IPython here, so get_ipython() has no {name}.")


def install(magics: MagicCommands) -> ShellStandIn:
    """Make `get_ipython` visible to blocks only: libraries would assume a notebook."""
    shell = ShellStandIn(magics)

    def get_ipython() -> ShellStandIn:
        if not is_block(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage] - documented
            raise NameError("name 'get_ipython' is not defined")
        return shell

    builtins.get_ipython = get_ipython  # type: ignore[attr-defined]
    return shell
