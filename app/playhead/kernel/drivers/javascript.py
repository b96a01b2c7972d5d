"""JavaScript, run by one Node.js for all blocks."""

from __future__ import annotations

import contextlib
import time

from ..driver import DriverContext
from .child import ChildDriver, ChildExited

_STOP_LIMIT_S = 0.2
_INSTALL = {
    "linux": "Install the package nodejs (`sudo apt install nodejs`), version 18 or newer.",
    "darwin": "Install it with `brew install node`, or from https://nodejs.org.",
    "": "Install Node.js, version 18 or newer, from https://nodejs.org.",
}


class JavaScript(ChildDriver):
    """One Node.js for all blocks; needs version 18.

    A block lasts until all that it began has ended: awaited code, timers, requests, children. What
    only waits to be used (a listening server, an open connection) continues after it.
    """

    word = "javascript"
    name = "JavaScript"
    aliases = ("js", "node", "nodejs", "node.js", "mjs", "cjs")
    programs = ("node", "nodejs")
    install = _INSTALL
    script = "javascript/kernel.js"
    suffix = ".js"

    def __init__(self, context: DriverContext) -> None:
        super().__init__(context)
        self._stopped_at = 0.0

    def command(self, script: str) -> list[str]:
        """Return the command; Node's checks would refuse a stop inside a timer's callback."""
        return [self.context.program, "--no-force-async-hooks-checks", script]

    def interrupt(self) -> None:
        """Stop by the pipe of the jobs: a signal waits until the code is back in the event loop."""
        child = self._child
        if child is None:
            return
        with contextlib.suppress(ChildExited, OSError):  # it ends just now
            child.send("stop", self.context.channel.run)
        now = time.monotonic()
        if not self._is_stopped:
            self._is_stopped, self._stopped_at = True, now
        elif now - self._stopped_at > _STOP_LIMIT_S:
            self._input.feed("", is_end=True)  # for who waits in the system's `read`
