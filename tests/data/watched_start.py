"""Runs the real program, asks one question as a user does, and prints what was loaded when."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from playhead.__main__ import main

if TYPE_CHECKING:
    from playhead.ui.shell.main_window import MainWindow

HEAVY = ("litellm", "openai", "keyring", "aiohttp", "tiktoken", "tokenizers", "pydantic")
LATER = (
    *("email", "importlib.metadata", "ziamath", "PIL", "markdown_it"),
    *(
        "xml.etree.ElementTree",
        "playhead.formats.documents.markdown_document",
        "playhead.ui.dialogs.picture_view",
    ),
    *("playhead.ui.settings.settings_dialog", "playhead.ui.commands.command_palette"),
    *("playhead.ui.commands.shortcuts_page",),
    *(
        "playhead.ui.dialogs.about_dialog",
        "playhead.ui.sidebar.search_results",
        "playhead.ui.sidebar.conversation_menus",
    ),
    *("playhead.formats.documents.document", "playhead.ui.dialogs.table_window"),
    *("playhead.ui.editor.code.scintilla_editor", "playhead.ui.editor.pane.editor_find_bar"),
    *("playhead.ui.editor.pane.diff_view", "playhead.ui.editor.variables_panel"),
    *("playhead.kernel.drivers", "playhead.kernel.python.runner"),
    "playhead.formats.documents.imported_conversation",
    *(
        "ssl",
        "playhead.api.server.api_server",
        "playhead.api.turns.turns",
        "playhead.bootstrap.server",
    ),
    *("playhead.ui.timeline.cards.card_factory", "playhead.ui.timeline.cards.message_cards"),
)
"""Loaded when it is asked for, or after the first paint, which needs none of it."""
loaded: dict[str, list[str]] = {}


def look(moment: str) -> None:
    watched = HEAVY + LATER if moment == "first_paint" else HEAVY
    loaded[moment] = [name for name in watched if name in sys.modules]


class FirstPaint(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if record.getMessage().startswith("first_paint_ms"):
            look("first_paint")
        if record.getMessage().startswith("ready_ms"):
            QTimer.singleShot(0, ask)


def main_window() -> MainWindow:
    from playhead.ui.shell.main_window import MainWindow

    (window,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
    return window


def ask() -> None:
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
