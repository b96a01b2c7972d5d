"""The window outside of itself: notes on the desktop, the tray, what its close button does."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox, QSystemTrayIcon, QWidget

from playhead.session.ports import Settings
from playhead.session.sessions import Sessions
from playhead.ui.desktop.notes import DesktopNote, DesktopNotes
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

if TYPE_CHECKING:
    from playhead.ui.desktop.note_bus import NoteBus
    from playhead.ui.desktop.tray import Tray


class DesktopPresence(QObject):
    """Owner: the main window, which calls `begin` after its first paint and `look` at changes.

    Signals: `show_requested(str id)`: come to the front, at that conversation if there is an id;
    `new_requested()`; `quit_requested()`: end the program.
    """

    show_requested = Signal(str)
    new_requested = Signal()
    quit_requested = Signal()

    def __init__(
        self,
        sessions: Sessions,
        settings: Settings,
        tasks: TaskOwner,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._settings = settings
        self._tasks = tasks
        self._theme = theme
        self._window = window
        self._bus: NoteBus | None = None
        self._box: QMessageBox | None = None
        self.tray: Tray | None = None
        self.notes = DesktopNotes(sessions, self._is_wanted, self)
        self.notes.came.connect(self._on_came)
        self.notes.passed.connect(self._on_passed)
        window.installEventFilter(self)

    @property
    def question(self) -> QMessageBox | None:
        """What asks whether the close button keeps the program running, while it asks."""
        return self._box

    def begin(self) -> None:
        """Stand in the tray, where there is one."""
        if QSystemTrayIcon.isSystemTrayAvailable():
            self.make_tray().show()

    def make_tray(self) -> Tray:
        """The icon, not yet shown."""
        from playhead.ui.desktop.tray import Tray  # not needed for the first paint

        self.tray = Tray(self._theme, self._window)
        self.tray.show_requested.connect(self.show_requested)
        self.tray.new_requested.connect(self.new_requested)
        self.tray.quit_requested.connect(self.quit_requested)
        self.tray.show_phases(self.notes.phases)
        return self.tray

    def look(self) -> None:
        """Follow the conversations."""
        self.notes.look()
        if self.tray is not None:
            self.tray.show_phases(self.notes.phases)

    def stays(self) -> bool:
        """The window is being closed: whether the program goes on, or asks that first."""
        wanted = self._settings.current.close_keeps_running
        if self.tray is None or not self.tray.isVisible() or wanted == "no":
            return False
        if wanted == "yes":
            self._window.hide()
        else:
            self._ask()
        return True

    async def close_down(self) -> None:
        """Leave the desktop."""
        self._window.removeEventFilter(self)
        if self._box is not None:
            self._box.reject()
        if self.tray is not None:
            self.tray.hide()
        self.notes.came.disconnect(self._on_came)
        if self._bus is not None:
            await self._bus.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Whoever comes to the window needs no note any more."""
        if event.type() == QEvent.Type.WindowActivate:
            self.notes.see()
        return False

    def _is_wanted(self) -> bool:
        return self._settings.current.notifies and not self._window.isActiveWindow()

    def _on_came(self, note: DesktopNote) -> None:
        """Show the note by the bus, which reports the note of each click, else by the tray."""
        if sys.platform != "linux":
            self._show_by_tray(note)
            return
        if self._bus is None:
            from playhead.ui.desktop.note_bus import NoteBus  # not needed for the first paint

            self._bus = NoteBus(self.show_requested.emit, self._show_by_tray)
        self._bus.show(note)

    def _on_passed(self, conversation_id: str) -> None:
        if self._bus is not None:
            self._bus.withdraw(conversation_id)

    def _show_by_tray(self, note: DesktopNote) -> None:
        if self.tray is not None and self.tray.supportsMessages():
            self.tray.show_note(note)
        elif (session := self._sessions.get(note.conversation_id)) and not session.client:
            QApplication.alert(self._window)  # of programs' conversations others tell

    def _ask(self) -> None:
        if self._box is not None:
            self._box.raise_()
            return
        box = self._box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(tr("Close Playhead"))
        box.setText(tr("Keep Playhead running when its window is closed?"))
        box.setInformativeText(
            tr(
                "Runs go on, and the icon in the tray brings the window back. "
                "You are asked once; the settings can change it."
            )
        )
        keep = box.addButton(tr("Keep running"), QMessageBox.ButtonRole.AcceptRole)
        end = box.addButton(tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(QMessageBox.StandardButton.Cancel).setIcon(QIcon())
        box.setDefaultButton(keep)
        keep.clicked.connect(lambda: self._on_answered("yes"))
        end.clicked.connect(lambda: self._on_answered("no"))
        box.finished.connect(self._on_finished)
        box.open()

    def _on_answered(self, wanted: Literal["yes", "no"]) -> None:
        self._tasks.start(self._remember(wanted))

    async def _remember(self, wanted: Literal["yes", "no"]) -> None:
        current = self._settings.current
        await self._settings.save(replace(current, close_keeps_running=wanted))
        await asyncio.sleep(0)  # the question is gone before the window is
        if wanted == "yes":
            self._window.hide()
        else:
            self.quit_requested.emit()

    def _on_finished(self) -> None:
        if self._box is not None:
            self._box.deleteLater()
            self._box = None
