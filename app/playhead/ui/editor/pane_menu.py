"""The menu of the editor pane: all its commands with their keys, and all its tabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QMenu, QWidget

from playhead.ui.editor.keys import EDITOR_COMMANDS
from playhead.ui.editor.tab import Tab
from playhead.ui.wording import tr

_GROUPS = (
    ("new", "open", "save", "save_as", "close"),
    ("undo", "redo", "find", "replace"),
    ("comment", "indent", "unindent", "changes", "printed"),
    ("wrap", "bigger", "smaller", "normal"),
)


class PaneMenu(QMenu):
    """Filled when it opens. Owner: the pane, which gives what each command does.

    `is_on` says of a command whether it is ticked, None where it cannot be; `tabs` gives all
    tabs and `choose` shows one.
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
