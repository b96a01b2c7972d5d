"""What helps to find one's way: the command palette, the shortcuts, About."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from playhead.domain.text.titles import UNTITLED
from playhead.session.sessions import Sessions
from playhead.ui.commands.shortcut_map import ShortcutMap
from playhead.ui.theme import Mode, Theme
from playhead.ui.window.upkeep import WindowUpkeep
from playhead.ui.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.commands.palette import CommandPalette, PaletteEntry

_CONVERSATIONS = 200
_ICON_PX = 256
_NOT_LISTED = {"commands"}
_MODES: Mapping[Mode, str] = {
    "system": mark("like the system"),
    "light": mark("light"),
    "dark": mark("dark"),
}


class WindowHelp(QObject):
    """Opens them over the window. Owner: the main window."""

    def __init__(
        self,
        theme: Theme,
        sessions: Sessions,
        data_dir: Path,
        on_conversation: Callable[[str], object],
        on_theme: Callable[[Mode], object],
        keys: ShortcutMap,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._theme = theme
        self._sessions = sessions
        self._on_conversation = on_conversation
        self._on_theme = on_theme
        self._keys = keys
        self._dialog: QDialog | None = None
        self.upkeep = WindowUpkeep(theme, data_dir, parent)
        self.palette: CommandPalette | None = None

    @property
    def handlers(self) -> dict[str, Callable[[], object]]:
        """What the commands do, by their names."""
        return {
            "shortcuts": self.open_shortcuts,
            "log": self.open_log,
            "crashes": self.upkeep.open_crashes,
            "updates": self.upkeep.open_updates,
            "about": self.open_about,
        }

    def tell_reset(self, folder: str) -> None:
        """After a reset: the shipped keys hold again, and the backup is named."""
        self._keys.reset_all()
        self.upkeep.tell_reset(folder)

    def open_palette(self, actions: Mapping[str, QAction]) -> None:
        """Show every command, and the conversations, to be found by typing; again: close it."""
        from playhead.ui.commands.palette import CommandPalette  # not needed for the first paint

        if self.palette is None:
            self.palette = CommandPalette(self._theme, self._window)
        if self.palette.isVisible():
            self.palette.close_palette()
        else:
            self.palette.open(list(self._entries(actions)))

    def open_shortcuts(self) -> None:
        """Show the page of shortcuts."""
        from playhead.ui.commands.shortcuts_page import (
            ShortcutsPage,  # not needed for the first paint
        )

        self._open(lambda: ShortcutsPage(self._keys, self._window))

    def open_log(self) -> None:
        """Show what the program and its model worker have noted."""
        from playhead.ui.dialogs.log_view import LogView  # not needed for the first paint

        self._open(lambda: LogView(self._theme, self.upkeep.folder("logs"), self._window))

    def open_about(self) -> None:
        """Show the versions."""
        from playhead.ui.dialogs.about_dialog import (
            AboutDialog,  # imports what reads the packages' versions
        )

        picture = QGuiApplication.windowIcon().pixmap(_ICON_PX, _ICON_PX)
        data, logs = self.upkeep.folder("data"), self.upkeep.folder("logs")
        places = {tr("Data"): str(data), tr("Logs"): str(logs)}
        self._open(lambda: AboutDialog(self._theme, picture, places, self._window))

    def _open(self, make: Callable[[], QDialog]) -> None:
        if self._dialog is not None:
            self._dialog.close()
        self._dialog = make()
        self._dialog.destroyed.connect(self._forget)
        self._dialog.open()

    def _forget(self) -> None:
        self._dialog = None

    def _entries(self, actions: Mapping[str, QAction]) -> Iterator[PaletteEntry]:
        from playhead.ui.commands.palette import PaletteEntry

        for name, action in actions.items():
            if name not in _NOT_LISTED:
                keys = action.shortcut().toString(action.shortcut().SequenceFormat.NativeText)
                text = action.text().rstrip("…").replace("&", "")
                yield PaletteEntry(text, action.trigger, keys, is_offered=action.isEnabled())
        for mode in get_args(Mode):
            yield PaletteEntry(
                tr("Colours: {name}", name=tr(_MODES[mode])), lambda m=mode: self._on_theme(m)
            )
        for summary in self._sessions.summaries[:_CONVERSATIONS]:
            title, id_ = summary.title or tr(UNTITLED), summary.id
            yield PaletteEntry(
                title, lambda id_=id_: self._on_conversation(id_), group=tr("Conversation")
            )
