"""The real program, started by its own `main`, with a probe that its log lines let in.

Nothing else is imported before the first paint: it would be imported without what the program does
to make that cheap, and measured as if it were the program's.
"""

from __future__ import annotations

import sys

from playhead.__main__ import main
from playhead.bootstrap.import_cost import import_seldom_used_late, leave_tls_out_of_asyncio

import_seldom_used_late()  # before what it leaves out is imported, as in the program

import logging  # noqa: E402

from tests.benchmarks.report import report  # noqa: E402


class FirstPaint(logging.Handler):
    """The program logs its first paint: that is the moment to look into its window."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._probe: object = None

    def emit(self, record: logging.LogRecord) -> None:
        """Take the first line of the start's log as the first paint."""
        if self._probe is None:
            report("first_paint")
            leave_tls_out_of_asyncio()  # the next that the program does
            from tests.benchmarks.window_probe import WindowProbe

            self._probe = WindowProbe()


if __name__ == "__main__":
    startup_log = logging.getLogger("playhead.startup")
    startup_log.setLevel(logging.INFO)
    startup_log.addHandler(FirstPaint())
    sys.exit(main([]))
