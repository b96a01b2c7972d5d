"""What the window tells about the program's own files: crashes, updates, a reset that was made."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from playhead.domain.app_data import AppFolderKind, CrashReport
from playhead.session.ports import Maintenance
from playhead.ui.notifications import BannerAction, Notifications
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import Theme
from playhead.ui.wording import tr, tr_n

_CRASH, _RESET = "crash", "reset"


class WindowUpkeep(QObject):
    """Knows nothing until `begin`. Owner: the window's help."""

    def __init__(self, theme: Theme, data_dir: Path, window: QWidget) -> None:
        super().__init__(window)
        self.port: Maintenance | None = None
        self.has_looked = False
        """Whether it was seen to what crashed before this start."""
        self._theme = theme
        self._data_dir = data_dir
        self._window = window
        self._notifications: Notifications | None = None

    def begin(self, port: Maintenance, notifications: Notifications, tasks: TaskOwner) -> None:
        """Take the port, and say if something crashed since the last start."""
        self.port = port
        self._notifications = notifications
        tasks.start(self._tell_of_crashes())

    def folder(self, kind: AppFolderKind) -> Path:
        """Where files of that kind lie."""
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
        """Say where a newer version would be."""
        from playhead.ui.dialogs.update_dialog import UpdateDialog  # not needed for the first paint

        UpdateDialog(self._window).open()

    def tell_reset(self, folder: str) -> None:
        """Say where that lies which was there before."""
        if self._notifications is not None:
            url = QUrl.fromLocalFile(folder)
            self._notifications.show_notice(
                tr("Playhead was reset."),
                tr("What was there before is in {folder}.", folder=folder),
                BannerAction(tr("Open folder"), lambda: QDesktopServices.openUrl(url)),
                key=_RESET,
            )

    async def _tell_of_crashes(self) -> None:
        if self.port is None or self._notifications is None:
            return
        if news := await self.port.crashes.news():
            self._notifications.show_notice(
                _title(news),
                tr("A report lies on this computer. Nothing is sent."),
                BannerAction(tr("Show"), self.open_crashes),
                key=_CRASH,
            )
        self.has_looked = True


def _title(news: list[CrashReport]) -> str:
    if any(report.is_fatal for report in news):
        return tr("Playhead ended unexpectedly the last time.")
    return tr_n(
        "%n errors in Playhead itself were noted the last time.",
        len(news),
        one="An error in Playhead itself was noted the last time.",
    )
