"""Runs the window on a small disk that fills up, is asked to be closed, and has room again.

The arguments are those of the program; the data folder is the last. Prints what was said, as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
import sys
import threading
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from playhead.__main__ import main
from playhead.ui.shell.main_window import MainWindow
from tests.support.waiting import until

DATA = Path(sys.argv[-1])
FILLER = DATA / "filler"
LONG_S = 100


class Ready(logging.Handler):
    """Acts when the program says that it is ready."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("ready_ms"):
            QTimer.singleShot(0, QApplication.instance(), begin)


def begin() -> None:
    """In the loop of the window."""
    (window,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    window.tasks.start(act(window))


def fill(has_room: threading.Event) -> None:
    """Leave not a byte, nor one of what is freed meanwhile, until there shall be room."""
    with FILLER.open("wb", buffering=0) as file:
        while not has_room.wait(0.001):
            with contextlib.suppress(OSError):
                while file.write(b"0" * 4096):
                    pass


async def act(window: MainWindow) -> None:
    """Write, be refused, make room, leave."""
    has_room = threading.Event()
    filler = threading.Thread(target=fill, args=(has_room,), daemon=True)
    filler.start()
    await until(lambda: os.statvfs(DATA).f_bavail == 0, LONG_S)
    window.parts.composer.set_text("print('what must not be lost')" + " " * 20_000 + "#")
    window.parts.composer.submit()
    await until(lambda: window.parts.notifications.banners, LONG_S)
    said = [list(banner.words) for banner in window.parts.notifications.banners]
    window.close_requested.emit()
    await until(lambda: window.findChildren(QMessageBox), LONG_S)
    (box,) = window.findChildren(QMessageBox)
    said.append([box.text(), box.informativeText()])
    assert window.isVisible()
    box.reject()
    has_room.set()
    await asyncio.to_thread(filler.join)
    FILLER.unlink()
    window.view.stop()
    await until(saved, LONG_S)
    print(json.dumps(said), flush=True)
    window.close_requested.emit()


def saved() -> bool:
    """Whether a reader of the file finds the message."""
    with sqlite3.connect(f"file:{DATA / 'history.sqlite3'}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT 1 FROM message WHERE content LIKE '%be lost%'").fetchall()
    return bool(rows)


logging.getLogger("playhead.startup").addHandler(Ready())
sys.exit(main(sys.argv[1:]))
