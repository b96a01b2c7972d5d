"""Runs the window until it is ready, then crashes it or tells what its banners say.

The first argument says how: segfault, abort, kill, raise (and close), or tell (and close).
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from playhead.__main__ import main
from playhead.ui.shell.main_window import MainWindow

SECRET = ["my", "diary"]
HOW = sys.argv[1]
LOOK_EVERY_MS = 10
TOLD = ("crash", "read-only")


class Ready(logging.Handler):
    """Acts when the program says that it is ready."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("ready_ms"):
            sys.stderr.write("ready_ms\n")
            QTimer.singleShot(0, QApplication.instance(), die if HOW != "tell" else tell)


def die() -> None:
    """Go down, or at least fail."""
    if HOW == "segfault":
        ctypes.string_at(1)
    if HOW == "abort":
        os.abort()
    if HOW == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    QTimer.singleShot(0, QApplication.instance(), close)
    raise RuntimeError(" ".join(SECRET))


def tell() -> None:
    """Print the banners that last once it was looked for crashes, and close."""
    (window,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    if not window.help.upkeep.has_looked:
        QTimer.singleShot(LOOK_EVERY_MS, QApplication.instance(), tell)
        return
    found = [one for one in window.parts.notifications.banners if one.key in TOLD]
    print(json.dumps([[one.title, one.detail] for one in found]), flush=True)
    close()


def close() -> None:
    """End in order."""
    os.kill(os.getpid(), signal.SIGTERM)


logging.getLogger("playhead.startup").addHandler(Ready())
sys.exit(main(sys.argv[2:]))
