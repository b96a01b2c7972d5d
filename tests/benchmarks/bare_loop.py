"""The yardstick for lateness: an event loop that does nothing, on the same machine, beside."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication

from tests.benchmarks.probe import Commands
from tests.benchmarks.report import report


def main() -> int:
    """Tick until told to quit."""
    application = QCoreApplication(sys.argv)
    Commands({}, application)
    report("ready")
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
