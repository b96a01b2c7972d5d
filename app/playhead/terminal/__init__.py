"""The Python face with a terminal: `playhead chat`; may import `client` and `errors` alone."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str], is_for_window: bool = False) -> int:
    """`playhead chat …`; the exit status. In the window's place, what it was given are files."""
    from playhead.terminal.command import run  # importing the package must cost nothing

    return run(arguments, is_for_window)
