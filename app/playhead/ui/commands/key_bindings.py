"""The window's commands and the keys bound to each: the default ones, or the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence

from playhead.ui.editor.pane.editor_commands import EDITOR_COMMANDS
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget

    from playhead.session.ports import Settings
    from playhead.ui.widgets.task_owner import TaskOwner


class Command(Struct, frozen=True):
    """One command; `name` is the key of its handler."""

    name: str
    text: str
    keys: str


# The approval bar has its own keys, which work only while it asks.
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
    Command("interpreter", mark("Runs on: where it runs (interpreter, server, machine)…"), ""),
    Command("dask", mark("Connect to a cluster: Dask…"), ""),
    Command("ray", mark("Connect to a cluster: Ray…"), ""),
    Command("export", mark("Export conversation…"), "Ctrl+Shift+E"),
    Command("check_export", mark("Export and check…"), ""),
    Command("replay", mark("Replay the conversation…"), ""),
    Command("import", mark("Import conversation…"), "Ctrl+Shift+I"),
    Command("run", mark("Run the code in the editor"), "F5"),
    Command("stop", mark("Stop"), "Ctrl+Shift+X"),
    Command("next_pane", mark("Go to the next pane"), "F6"),
    Command("larger", mark("Zoom in"), "Ctrl++"),
    Command("smaller", mark("Zoom out"), "Ctrl+-"),
    Command("normal_size", mark("Zoom to the normal size"), "Ctrl+0"),
    Command("write", mark("Go to the message field"), "Ctrl+L"),
    Command("rename", mark("Rename conversation…"), ""),
    Command("undo_run", mark("Undo the last run"), ""),
    Command("redo_run", mark("Redo what was undone last"), ""),
    Command("run_all", mark("Run all code of the conversation again"), ""),
    Command("request", mark("View what is sent to the model…"), ""),
    Command("policy", mark("What code may do…"), ""),
    Command("restart", mark("Restart kernel"), ""),
    Command("example", mark("Guided example"), ""),
    Command("shortcuts", mark("Keyboard shortcuts"), "F1"),
    Command("log", mark("Log…"), ""),
    Command("crashes", mark("Crash reports…"), ""),
    Command("updates", mark("Check for updates…"), ""),
    Command("about", mark("About Playhead"), ""),
    Command("quit", mark("Quit"), "Ctrl+Q"),
)


def ways(keys: str) -> list[QKeySequence]:
    """Return all ways to type the keys of a command: on many keyboards plus is above equals."""
    return [QKeySequence(one) for one in ((keys, "Ctrl+=") if keys == "Ctrl++" else (keys,))]


def make_actions(
    owner: QWidget, handlers: Mapping[str, Callable[[], object]]
) -> dict[str, QAction]:
    """Return an action for each command, added to the owner.

    Raises KeyError for a command without a handler.
    """
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        handler = handlers[command.name]
        action = QAction(tr(command.text), owner)
        if command.keys:
            action.setShortcuts(ways(command.keys))
        action.setAutoRepeat(False)
        action.triggered.connect(lambda _checked=False, run=handler: run())
        owner.addAction(action)
        actions[command.name] = action
    return actions


WINDOW, APPROVAL, TIMELINE, EDITOR = "window", "approval", "timeline", "editor"
PLACES: Mapping[str, str] = {
    WINDOW: mark("Everywhere"),
    APPROVAL: mark("When code waits for you"),
    TIMELINE: mark("Conversation"),
    EDITOR: mark("Editor"),
}


class Binding(Struct, frozen=True):
    """A command whose keys can be changed; `id` is "place.command", `keys` the default ones."""

    id: str
    text: str
    keys: str

    @property
    def place(self) -> str:
        """Return the place where the keys work."""
        return self.id.partition(".")[0]


_BINDINGS_OF_PARTS = (
    Binding("approval.run", mark("Run it"), "Ctrl+Return"),
    Binding("approval.run_rest", mark("Run it and all that follows"), "Ctrl+Shift+Return"),
    Binding("approval.edit", mark("Edit it first"), "Ctrl+E"),
    Binding("approval.skip", mark("Skip it"), "Ctrl+."),
    Binding("approval.reason", mark("Skip it and say why"), "Ctrl+Shift+."),
    Binding("timeline.find", mark("Find"), "Ctrl+F"),
    Binding("timeline.find_next", mark("Find next"), "F3"),
    Binding("timeline.find_previous", mark("Find previous"), "Shift+F3"),
)


def all_bindings() -> list[Binding]:
    """Return all bindings, those of the window first."""
    window = (Binding(f"{WINDOW}.{one.name}", one.text, one.keys) for one in COMMANDS)
    editor = (Binding(f"{EDITOR}.{one.name}", one.text, one.keys) for one in EDITOR_COMMANDS)
    return [*window, *_BINDINGS_OF_PARTS, *editor]


def shown_keys(keys: str) -> str:
    """Return keys as this system shows them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


class KeyBindings(QObject):
    """The current keys, stored in the settings. Owner: the main window. Signal: `changed()`."""

    changed = Signal()

    def __init__(self, settings: Settings, tasks: TaskOwner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._tasks = tasks
        self._bindings = {one.id: one for one in all_bindings()}
        self._own = {
            id_: keys for id_, keys in settings.current.shortcuts.items() if id_ in self._bindings
        }

    @property
    def own(self) -> Mapping[str, str]:
        """Return the keys that the user has changed."""
        return dict(self._own)

    def text(self, id_: str) -> str:
        """Return the text of a command, in English."""
        return self._bindings[id_].text

    def keys(self, id_: str) -> str:
        """Return the keys of a command; '' if it has none."""
        return self._own.get(id_, self._bindings[id_].keys)

    def is_own(self, id_: str) -> bool:
        """Return whether the user has changed the keys of a command."""
        return id_ in self._own

    def holder(self, keys: str, id_: str) -> Binding | None:
        """Return the other command that has these keys, if both would be active.

        Keys of the editor and of the conversation take precedence over those of the window;
        among themselves, and with those of a waiting approval, they must differ.
        """
        wanted = QKeySequence(keys)
        here = self._bindings[id_].place
        for other in self._bindings.values():
            is_near = other.place == here or {WINDOW, APPROVAL} == {other.place, here}
            held = self.keys(other.id)
            if other.id != id_ and is_near and held and QKeySequence(held) == wanted:
                return other
        return None

    def set(self, id_: str, keys: str) -> None:
        """Set the keys of a command, and remove them from the command that had them."""
        if keys and (other := self.holder(keys, id_)) is not None:
            self._put(other.id, "")
        self._put(id_, keys)
        self._keep()

    def reset(self, id_: str) -> None:
        """Restore the default keys of one command, and remove them from any other command."""
        self.set(id_, self._bindings[id_].keys)

    def reset_all(self) -> None:
        """Restore the default keys of all commands."""
        self._own.clear()
        self._keep()

    def _put(self, id_: str, keys: str) -> None:
        if keys == self._bindings[id_].keys:
            self._own.pop(id_, None)
        else:
            self._own[id_] = keys

    def _keep(self) -> None:
        self._tasks.start(self._save())
        self.changed.emit()

    async def _save(self) -> None:
        await self._settings.save(replace(self._settings.current, shortcuts=self.own))
