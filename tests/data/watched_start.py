"""Runs the real program, asks one question as a user does, and prints what was loaded when."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from playhead.__main__ import main

if TYPE_CHECKING:
    from playhead.ui.shell.main_window import MainWindow

HEAVY = ("litellm", "openai", "keyring", "aiohttp", "tiktoken", "tokenizers", "pydantic")
loaded: dict[str, list[str]] = {}


def look(moment: str) -> None:
    loaded[moment] = [name for name in HEAVY if name in sys.modules]


class FirstPaint(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("first_paint_ms"):
            loaded["first_paint"] = sorted(sys.modules)
        if record.getMessage().startswith("ready_ms"):
            QTimer.singleShot(0, ask)


def main_window() -> MainWindow:
    from playhead.ui.shell.main_window import MainWindow

    (window,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    return window


def ask() -> None:
    loaded["rest"] = sorted(sys.modules)
    loaded["kinds"] = [kind.__name__ for kind in QWidget.__subclasses__()]
    window = main_window()
    session = window.view.session
    assert session is not None
    session.set_auto_run(True)
    session.subscribe(lambda event: event.kind == "state" and on_state(window))
    session.send("What's 34/24?")


def on_state(window: MainWindow) -> None:
    session = window.view.session
    assert session is not None
    if session.state == "idle":
        look("turn_over")
        loaded["answer"] = [message.text for message in session.conversation.messages][-1:]
        window.close()


logging.getLogger("playhead.startup").addHandler(FirstPaint(logging.INFO))
status = main([])
print(json.dumps(loaded))
sys.exit(status)
