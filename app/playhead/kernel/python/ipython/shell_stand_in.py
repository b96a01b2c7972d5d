"""Stand-ins for a notebook's shell: `get_ipython()` of blocks, and magics that load late."""

from __future__ import annotations

import builtins
import sys
from typing import Any, Callable


def is_block(frame: Any) -> bool:
    """Return whether the frame is of one of the user's blocks."""
    return frame.f_code.co_filename.startswith("<block ")


def caller_of(depth: int) -> dict[str, Any]:
    """Return the names of the block, or of the function in it, so many calls up."""
    frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage] - documented
    if frame.f_locals is frame.f_globals:
        return frame.f_globals
    return {**frame.f_globals, **frame.f_locals}


class LateMagics:
    """Stands for the magic commands, which are loaded when a block has the first one."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._made is None:
            self._made = self._make()
        return getattr(self._made, name)

    def close_block(self) -> None:
        """Do what was left for the end of the block."""
        if self._made is not None:
            self._made.close_block()


class ShellStandIn:
    """As much of a notebook's shell as exported notebooks use: the magics, by their methods."""

    def __init__(self, magics: LateMagics) -> None:
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


def install(magics: LateMagics) -> ShellStandIn:
    """Make `get_ipython` visible to blocks only: libraries would assume a notebook."""
    shell = ShellStandIn(magics)

    def get_ipython() -> ShellStandIn:
        if not is_block(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage] - documented
            raise NameError("name 'get_ipython' is not defined")
        return shell

    builtins.get_ipython = get_ipython  # type: ignore[attr-defined]
    return shell
