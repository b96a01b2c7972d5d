"""The window's commands with their shortcuts, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Command:
    """One command; `name` is the key of what it does."""

    name: str
    text: str
    keys: str


# The approval bar has its own, which live only while it asks.
COMMANDS = (
    Command("new", "New conversation", "Ctrl+N"),
    Command("commands", "All commands…", "Ctrl+K"),
    Command("search", "Search conversations", "Ctrl+Shift+F"),
    Command("settings", "Settings…", "Ctrl+,"),
    Command("sidebar", "Show or hide the sidebar", "Ctrl+B"),
    Command("editor", "Show or hide the editor", "Ctrl+J"),
    Command("attach", "Attach files…", "Ctrl+Shift+A"),
    Command("folder", "Choose the working folder…", "Ctrl+O"),
    Command("export", "Export conversation…", "Ctrl+Shift+E"),
    Command("import", "Import conversation…", "Ctrl+Shift+I"),
    Command("run", "Run the code in the editor", "F5"),
    Command("stop", "Stop", "Ctrl+Shift+X"),
    Command("next_pane", "Go to the next pane", "F6"),
    Command("larger", "Show everything larger", "Ctrl++"),
    Command("smaller", "Show everything smaller", "Ctrl+-"),
    Command("normal_size", "Show everything in its normal size", "Ctrl+0"),
    Command("write", "Go to the message field", "Ctrl+L"),
    Command("rename", "Rename conversation…", ""),
    Command("run_all", "Run all code of the conversation again", ""),
    Command("restart", "Restart kernel", ""),
    Command("example", "Guided example", ""),
    Command("shortcuts", "Keyboard shortcuts", "F1"),
    Command("about", "About Playhead", ""),
    Command("quit", "Quit", "Ctrl+Q"),
)


def make_actions(
    owner: QWidget, handlers: Mapping[str, Callable[[], object]]
) -> dict[str, QAction]:
    """An action per command, added to its owner. Raises KeyError for one without a handler."""
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        handler = handlers[command.name]
        action = QAction(command.text, owner)
        if command.keys:
            action.setShortcut(command.keys)
        action.setAutoRepeat(False)
        action.triggered.connect(lambda _checked=False, run=handler: run())
        owner.addAction(action)
        actions[command.name] = action
    return actions
