"""The Python face with a terminal: `playhead chat`; imports `client`, `domain.text`, `errors`."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str], in_place_of: str = "") -> int:
    """Run `playhead chat …`, or the chat in place of the window of a command; the exit status."""
    from playhead.terminal.command import run  # importing the package must cost nothing

    return run(arguments, in_place_of)
