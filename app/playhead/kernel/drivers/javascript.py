"""JavaScript, run by one Node.js for all blocks."""

from __future__ import annotations

import contextlib

from .child import ChildDriver
from .child_process import Died


class JavaScript(ChildDriver):
    """One Node.js for all blocks; needs version 18.

    A block lasts until what it has begun is over: awaited code, timers, requests, children. What
    only waits to be used (a listening server, an open connection) goes on behind it.
    """

    word = "javascript"
    name = "JavaScript"
    aliases = ("js", "node", "nodejs", "node.js", "mjs", "cjs")
    programs = ("node", "nodejs")
    install = {
        "linux": "Install the package nodejs (`sudo apt install nodejs`), version 18 or newer.",
        "darwin": "Install it with `brew install node`, or from https://nodejs.org.",
        "": "Install Node.js, version 18 or newer, from https://nodejs.org.",
    }
    script = "javascript/kernel.js"
    suffix = ".js"

    def command(self, script: str) -> list[str]:
        """A stop may cut through a timer's callback, which Node's own bookkeeping would resent."""
        return [self.stage.program, "--no-force-async-hooks-checks", script]

    def interrupt(self) -> None:
        """Ask by the pipe of the jobs: a signal waits until the code is back in the event loop."""
        self._is_stopped = True
        child = self._child
        if child is not None:
            with contextlib.suppress(Died, OSError):  # it ends just now
                child.send("stop", self.stage.channel.run)
