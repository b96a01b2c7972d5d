"""The window's commands with their shortcuts, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from playhead.ui.wording import mark, tr


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `name` is the key of what it does."""

    name: str
    text: str
    keys: str


# The approval bar has its own, which live only while it asks.
COMMANDS = (
    Command("new", mark("New conversation"), "Ctrl+N"),
    Command("commands", mark("All commands…"), "Ctrl+K"),
    Command("search", mark("Search conversations"), "Ctrl+Shift+F"),
    Command("settings", mark("Settings…"), "Ctrl+,"),
    Command("storage", mark("Folders and reset…"), ""),
    Command("sidebar", mark("Show or hide the sidebar"), "Ctrl+B"),
    Command("editor", mark("Show or hide the editor"), "Ctrl+J"),
    Command("attach", mark("Attach files…"), "Ctrl+Shift+A"),
    Command("folder", mark("Choose the working folder…"), "Ctrl+O"),
    Command("export", mark("Export conversation…"), "Ctrl+Shift+E"),
    Command("import", mark("Import conversation…"), "Ctrl+Shift+I"),
    Command("run", mark("Run the code in the editor"), "F5"),
    Command("stop", mark("Stop"), "Ctrl+Shift+X"),
    Command("next_pane", mark("Go to the next pane"), "F6"),
    Command("larger", mark("Show everything larger"), "Ctrl++"),
    Command("smaller", mark("Show everything smaller"), "Ctrl+-"),
    Command("normal_size", mark("Show everything in its normal size"), "Ctrl+0"),
    Command("write", mark("Go to the message field"), "Ctrl+L"),
    Command("rename", mark("Rename conversation…"), ""),
    Command("run_all", mark("Run all code of the conversation again"), ""),
    Command("request", mark("View what is sent to the model…"), ""),
    Command("restart", mark("Restart kernel"), ""),
    Command("example", mark("Guided example"), ""),
    Command("shortcuts", mark("Keyboard shortcuts"), "F1"),
    Command("log", mark("Log…"), ""),
    Command("crashes", mark("Crash reports…"), ""),
    Command("updates", mark("Check for updates…"), ""),
    Command("about", mark("About Playhead"), ""),
    Command("quit", mark("Quit"), "Ctrl+Q"),
)


def make_actions(
    owner: QWidget, handlers: Mapping[str, Callable[[], object]]
) -> dict[str, QAction]:
    """An action per command, added to its owner. Raises KeyError for one without a handler."""
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        handler = handlers[command.name]
        action = QAction(tr(command.text), owner)
        if command.keys:
            action.setShortcut(command.keys)
        action.setAutoRepeat(False)
        action.triggered.connect(lambda _checked=False, run=handler: run())
        owner.addAction(action)
        actions[command.name] = action
    return actions
