"""Help of the window: the command palette, the shortcuts, the log, About.

Banners tell about crashes and resets, dialogs about crash reports and updates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from playhead.domain.app_data import AppFolderKind, CrashReport
from playhead.domain.text.titles import UNTITLED
from playhead.session.ports import Maintenance
from playhead.session.sessions import Sessions
from playhead.ui.commands.key_bindings import (
    APPROVAL,
    EDITOR,
    TIMELINE,
    WINDOW,
    KeyBindings,
    shown_keys,
    ways,
)
from playhead.ui.widgets.banner import BannerAction, BannerArea
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Mode, Theme
from playhead.ui.widgets.wording import mark, tr, tr_n

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractButton

    from playhead.ui.commands.command_palette import CommandPalette, PaletteEntry
    from playhead.ui.shell.window_layout import WindowLayout


_CRASH, _RESET = "crash", "reset"


class WindowMaintenance(QObject):
    """Knows nothing until `begin`. Owner: the window's help."""

    def __init__(self, theme: Theme, data_dir: Path, window: QWidget) -> None:
        super().__init__(window)
        self.port: Maintenance | None = None
        self.has_looked = False
        """Whether it was seen to what crashed before this start."""
        self._theme = theme
        self._data_dir = data_dir
        self._window = window
        self._notifications: BannerArea | None = None

    def begin(self, port: Maintenance, notifications: BannerArea, tasks: TaskOwner) -> None:
        """Take the port, and say if something crashed since the last start."""
        self.port = port
        self._notifications = notifications
        tasks.start(self._report_crashes())

    def folder(self, kind: AppFolderKind) -> Path:
        """Return the path of the folder of that kind."""
        places = self.port.places.places if self.port else ()
        usual = self._data_dir / "logs" if kind == "logs" else self._data_dir
        return next((Path(place.path) for place in places if place.kind == kind), usual)

    def open_crashes(self) -> None:
        """Show what is known of crashes."""
        if self.port is None:
            return
        from playhead.ui.dialogs.crash_view import CrashView  # not needed for the first paint

        CrashView(self._theme, self.port.crashes, self._window).open()

    def open_updates(self) -> None:
        """Show where to find a newer version."""
        from playhead.ui.dialogs.update_dialog import UpdateDialog  # not needed for the first paint

        UpdateDialog(self._window).open()

    def report_reset(self, folder: str) -> None:
        """Show where the former data is after a reset."""
        if self._notifications is not None:
            self._notifications.show_notice(
                tr("Playhead was reset."),
                tr("What was there before is in {folder}.", folder=folder),
                BannerAction(tr("Open folder"), lambda: open_folder(folder)),
                key=_RESET,
            )

    async def _report_crashes(self) -> None:
        if self.port is None or self._notifications is None:
            return
        if reports := await self.port.crashes.new_reports():
            self._notifications.show_notice(
                _title(reports),
                _kept(reports),
                BannerAction(tr("Show"), self.open_crashes),
                key=_CRASH,
            )
        self.has_looked = True


def _title(reports: list[CrashReport]) -> str:
    if any(report.is_fatal for report in reports):
        return tr("Playhead ended unexpectedly the last time.")
    return tr_n(
        "%n errors in Playhead itself were noted the last time.",
        len(reports),
        one="An error in Playhead itself was noted the last time.",
    )


def _kept(reports: list[CrashReport]) -> str:
    if any(report.is_fatal for report in reports):
        return tr(
            "Conversations and drafts are kept. A report is on this computer. Nothing is sent."
        )
    return tr("A report is on this computer. Nothing is sent.")


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
        keys: KeyBindings,
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
        self.upkeep = WindowMaintenance(theme, data_dir, parent)
        self.palette: CommandPalette | None = None

    @property
    def handlers(self) -> dict[str, Callable[[], object]]:
        """The functions of the commands, by name."""
        return {
            "shortcuts": self.open_shortcuts,
            "log": self.open_log,
            "crashes": self.upkeep.open_crashes,
            "updates": self.upkeep.open_updates,
            "about": self.open_about,
        }

    def report_reset(self, folder: str) -> None:
        """Restore the default keys after a reset, and show where the backup is."""
        self._keys.reset_all()
        self.upkeep.report_reset(folder)

    def open_palette(
        self, actions: Mapping[str, QAction], more: Iterable[PaletteEntry] = ()
    ) -> None:
        """Show every command, and the conversations, to be found by typing; again: close it."""
        from playhead.ui.commands.command_palette import (
            CommandPalette,  # not needed for the first paint
        )

        if self.palette is None:
            self.palette = CommandPalette(self._theme, self._window)
        if self.palette.isVisible():
            self.palette.close_popup()
        else:
            self.palette.open(list(self._entries(actions, more)))

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

    def _entries(
        self, actions: Mapping[str, QAction], more: Iterable[PaletteEntry]
    ) -> Iterator[PaletteEntry]:
        from playhead.ui.commands.command_palette import PaletteEntry, menu_entries

        listed = [action for name, action in actions.items() if name not in _NOT_LISTED]
        yield from menu_entries(listed, "")
        yield from more
        for mode in get_args(Mode):
            yield PaletteEntry(
                text=tr("Colours: {name}", name=tr(_MODES[mode])),
                run=lambda m=mode: self._on_theme(m),
            )
        for summary in self._sessions.summaries[:_CONVERSATIONS]:
            title, id_ = summary.title or tr(UNTITLED), summary.id
            yield PaletteEntry(
                text=title, run=lambda id_=id_: self._on_conversation(id_), group=tr("Conversation")
            )


def bind_keys(keys: KeyBindings, parts: WindowLayout, commands: Mapping[str, QAction]) -> None:
    """Bind the user's keys to the commands, now and after each change, and show them in tips."""
    approval = parts.approval
    actions = {f"{WINDOW}.{name}": one for name, one in commands.items()} | {
        f"{APPROVAL}.run": approval.run_action,
        f"{APPROVAL}.run_rest": approval.run_rest_action,
        f"{APPROVAL}.edit": approval.edit_action,
        f"{APPROVAL}.skip": approval.skip_action,
        f"{APPROVAL}.reason": approval.reason_action,
    }

    hinted = _hinted(parts)

    def bind() -> None:
        for id_, action in actions.items():
            action.setShortcuts(ways(keys.keys(id_)))
        for button, words, id_ in hinted:
            shown = shown_keys(keys.keys(id_))
            button.setToolTip(f"{words} ({shown})" if shown else words)
        for name, shortcut in parts.find_keys.items():
            shortcut.setKey(keys.keys(f"{TIMELINE}.{name}"))
        own = {id_.partition(".")[2]: to for id_, to in keys.own.items() if id_.startswith(EDITOR)}
        parts.pane.keys.bind(own)

    keys.changed.connect(bind)
    if keys.own:
        bind()


def _hinted(parts: WindowLayout) -> list[tuple[QAbstractButton, str, str]]:
    """Return the buttons whose tooltips show a command's keys, with their text and its id."""
    sidebar, header = parts.sidebar, parts.header
    buttons = (
        (sidebar.fold_button, f"{WINDOW}.sidebar"),
        (sidebar.new_button, f"{WINDOW}.new"),
        (sidebar.settings_button, f"{WINDOW}.settings"),
        (header.sidebar_button, f"{WINDOW}.sidebar"),
        (header.editor_button, f"{WINDOW}.editor"),
        (header.export_button, f"{WINDOW}.export"),
        (header.find_button, f"{TIMELINE}.find"),
    )
    return [(button, button.toolTip().partition(" (")[0], id_) for button, id_ in buttons]
