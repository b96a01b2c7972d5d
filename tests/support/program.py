"""Runs `playhead` with the run's shared model worker: `program.py ADDRESS ARGUMENTS…`.

All else of it is as it is. Loading the model's library anew for every server takes seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

_RELAY = Path(__file__).with_name("relay.py")


def relay_command(address: str) -> tuple[str, ...]:
    """Return what is started in place of a model worker."""
    return (sys.executable, "-I", "-S", str(_RELAY), address)


def program_command(address: str) -> tuple[str, ...]:
    """Return what is started in place of `python -m playhead`."""
    return (sys.executable, "-P", "-X", "faulthandler", __file__, address)


def main(address: str, arguments: Sequence[str]) -> int:
    """Start what the arguments name; the exit status."""
    from playhead.client import server_process
    from playhead.providers import worker, worker_start

    worker.worker_command = worker_start.worker_command = lambda: list(relay_command(address))
    server_process.server_command = lambda: [*program_command(address), "serve", "--stdio"]
    from playhead.__main__ import main as playhead

    return playhead(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
