"""The commands of the editor pane, their keys, and the menu that lists them.

The keys work while the pane has the keyboard focus, and take precedence over the window's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QMenu

from playhead.ui.editor.code.code_editor import WatchedViewport
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from PySide6.QtWidgets import QWidget

    from playhead.ui.editor.tab import Tab


class EditorCommand(Struct, frozen=True, kw_only=True):
    """One command; `keys` are shown in the menu, `also` are other ways to type them."""

    name: str
    text: str
    keys: str = ""
    also: tuple[str, ...] = ()


EDITOR_COMMANDS = (
    EditorCommand(name="new", text=mark("New tab"), keys="Ctrl+T"),
    EditorCommand(name="open", text=mark("Open a file…"), keys="Ctrl+Shift+O"),
    EditorCommand(name="save", text=mark("Save"), keys="Ctrl+S"),
    EditorCommand(name="save_as", text=mark("Save as…"), keys="Ctrl+Shift+S"),
    EditorCommand(name="close", text=mark("Close the tab"), keys="Ctrl+W"),
    EditorCommand(name="next_tab", text=mark("Next tab"), keys="Ctrl+PgDown", also=("Ctrl+Tab",)),
    EditorCommand(
        name="previous_tab", text=mark("Previous tab"), keys="Ctrl+PgUp", also=("Ctrl+Shift+Tab",)
    ),
    EditorCommand(name="run", text=mark("Run"), keys="Ctrl+Return", also=("Ctrl+Enter", "F5")),
    EditorCommand(name="pause", text=mark("Pause the code, or go on"), keys="F8"),
    EditorCommand(name="step", text=mark("Go on up to the next statement"), keys="F10"),
    EditorCommand(name="breakpoint", text=mark("Pause before this line"), keys="F9"),
    EditorCommand(name="undo", text=mark("Undo"), keys="Ctrl+Z"),
    EditorCommand(name="redo", text=mark("Redo"), keys="Ctrl+Shift+Z", also=("Ctrl+Y",)),
    EditorCommand(name="find", text=mark("Find…"), keys="Ctrl+F"),
    EditorCommand(name="replace", text=mark("Find and replace…"), keys="Ctrl+H"),
    EditorCommand(name="find_next", text=mark("Find next"), keys="F3"),
    EditorCommand(name="find_previous", text=mark("Find previous"), keys="Shift+F3"),
    EditorCommand(
        name="comment", text=mark("Comment or uncomment"), keys="Ctrl+/", also=("Ctrl+Shift+7",)
    ),
    EditorCommand(name="complete", text=mark("Complete the code"), keys="Ctrl+Space"),
    EditorCommand(name="indent", text=mark("Indent"), keys="Ctrl+]"),
    EditorCommand(name="unindent", text=mark("Unindent"), keys="Ctrl+["),
    EditorCommand(name="wrap", text=mark("Wrap long lines"), keys="Alt+Z"),
    EditorCommand(name="changes", text=mark("Show the changes"), keys="Ctrl+Shift+D"),
    EditorCommand(name="printed", text=mark("Show what this line printed"), keys="Ctrl+Shift+L"),
)


class KeyFilter(QObject):
    """Watches widgets of the pane and runs the commands of their keys. Owner: the pane.

    A filter and no shortcuts: the window has commands with the same keys, and two shortcuts
    for one key cancel each other out.
    """

    def __init__(self, handlers: Mapping[str, Callable[[], object]], parent: QObject) -> None:
        super().__init__(parent)
        self._by_name = handlers
        self.bind({})

    def bind(self, own: Mapping[str, str]) -> None:
        """Set other keys for some commands, by their names; '' for no keys."""
        self._own = dict(own)
        self._handlers = {
            QKeySequence(keys).toString(): self._by_name[command.name]
            for command in reversed(EDITOR_COMMANDS)
            for keys in self._ways(command)
            if keys
        }

    def keys_of(self, name: str) -> str:
        """Return the keys of a command as they are shown."""
        shipped = next(one.keys for one in EDITOR_COMMANDS if one.name == name)
        return self._own.get(name, shipped)

    def commands(self) -> Iterator[tuple[EditorCommand, str, Callable[[], object]]]:
        """Yield every command with its keys and its function."""
        for command in EDITOR_COMMANDS:
            yield command, self.keys_of(command.name), self._by_name[command.name]

    def _ways(self, command: EditorCommand) -> tuple[str, ...]:
        """Return the keys of a command; the user's own replace the others and take precedence."""
        if command.name in self._own:
            return (self._own[command.name],)
        taken = set(self._own.values())
        return (command.keys, *(keys for keys in command.also if keys not in taken))

    def watch(self, widget: QWidget) -> None:
        """Watch a widget that can have the focus."""
        widget.installEventFilter(self)
        if isinstance(widget, WatchedViewport):
            widget.watch_viewport(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the commands, and leave the wheel with Ctrl to the window."""
        if isinstance(event, QKeyEvent):
            return self._on_key(event)
        if event.type() == QEvent.Type.Wheel and isinstance(event, QWheelEvent):
            turned = event.angleDelta().y()
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier and turned:
                event.ignore()  # for the window, which zooms; the editor's own would be for itself
                return True
        return False

    def _on_key(self, event: QKeyEvent) -> bool:
        is_asked = event.type() == QEvent.Type.ShortcutOverride
        if not is_asked and event.type() != QEvent.Type.KeyPress:
            return False
        handler = self._handlers.get(_name_of(event))
        if handler is None:
            return False
        event.accept()
        if not is_asked:
            handler()
        return True


def _name_of(event: QKeyEvent) -> str:
    """Return the keys as text; those of the number pad and of shifted characters as plain ones."""
    kept = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    key = Qt.Key(event.key())
    if key == Qt.Key.Key_Backtab:
        key = Qt.Key.Key_Tab
    if key in _SIGNS:
        kept &= ~Qt.KeyboardModifier.ShiftModifier
    return QKeySequence(kept.value | key.value).toString()


_SIGNS = {Qt.Key.Key_Plus, Qt.Key.Key_Slash, Qt.Key.Key_BracketLeft, Qt.Key.Key_BracketRight}

_GROUPS = (
    ("new", "open", "save", "save_as", "close"),
    ("undo", "redo", "find", "replace"),
    ("complete", "comment", "indent", "unindent", "changes", "printed"),
    ("pause", "step", "breakpoint"),
    ("wrap",),
)


class PaneMenu(QMenu):
    """The menu, filled when it opens. Owner: the pane, which supplies the commands' functions.

    `is_on` returns whether a command is ticked, None if it cannot be; `tabs` returns all tabs and
    `choose` shows one.
    """

    def __init__(
        self,
        handlers: Mapping[str, Callable[[], object]],
        is_on: Callable[[str], bool | None],
        tabs: Callable[[], tuple[Sequence[Tab], Tab]],
        choose: Callable[[str], object],
        keys_of: Callable[[str], str],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._keys_of = keys_of
        self._handlers = handlers
        self._is_on = is_on
        self._tabs = tabs
        self._choose = choose
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        commands = {command.name: command for command in EDITOR_COMMANDS}
        tabs, current = self._tabs()
        for group in _GROUPS:
            for name in group:
                command = commands[name]
                # As text: a shortcut here would cancel out the window's for the same key.
                action = self.addAction(f"{tr(command.text)}\t{self._keys_of(name)}")
                action.triggered.connect(lambda _=False, one=name: self._handlers[one]())
                is_on = self._is_on(name)
                action.setCheckable(is_on is not None)
                action.setChecked(bool(is_on))
                action.setEnabled(name != "close" or current.is_own)
            self.addSeparator()
        if len(tabs) > 1:
            self._add_tabs(tabs, current)

    def _add_tabs(self, tabs: Sequence[Tab], current: Tab) -> None:
        menu = self.addMenu(tr("All tabs"))
        for tab in tabs:
            action = menu.addAction(tab.words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(tab is current)
            action.triggered.connect(lambda _=False, key=tab.key: self._choose(key))
