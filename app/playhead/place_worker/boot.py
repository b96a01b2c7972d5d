"""Starts a place worker, as a script that a supervisor continues as, or inside the executable."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playhead.kernel.driver import Driver, DriverContext

ASK = "--ask"
"""The first argument where a server is only asked who it is."""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main(argv: list[str] | None = None, wake: tuple[int, int] | None = None) -> int:
    """Serve until the parent goes away; the arguments are those of a kernel."""
    if ROOT not in sys.path:
        sys.path.insert(0, ROOT)  # no code of a user runs in this process
    if argv and argv[0] == ASK:
        _use_no_passwords()
        from playhead.place_worker.inquiry import main as ask

        return ask()
    from playhead.kernel import boot

    return boot.main(argv, wake, _make_driver)


def _use_no_passwords() -> None:
    """Have no server get a login of ~/.netrc, which may be for any: it is not what it is to get."""
    os.environ["NETRC"] = os.devnull


def _make_driver(context: DriverContext) -> Driver:
    if context.place.get("kind") == "server":
        _use_no_passwords()
        from playhead.place_worker.server_driver import ServerDriver

        return ServerDriver(context)
    from playhead.place_worker.jupyter_driver import JupyterDriver

    return JupyterDriver(context)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
