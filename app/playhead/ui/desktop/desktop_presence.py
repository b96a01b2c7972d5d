"""The program outside of its window: notifications and the tray icon."""

from __future__ import annotations

import sys
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from playhead.session.ports import Settings
from playhead.session.sessions import Sessions
from playhead.ui.desktop.notifications import DesktopNotification, DesktopNotifications, Phase
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from playhead.ui.desktop.notification_bus import NotificationBus


class DesktopPresence(QObject):
    """Shows the program on the desktop. Owner: the main window.

    The window calls `begin` after its first paint and `look` at changes. Signals:
    `show_requested(str id)`: come to the front, at that conversation if there is an id;
    `new_requested()`; `quit_requested()`: the user wants to end the program.
    """

    show_requested = Signal(str)
    new_requested = Signal()
    quit_requested = Signal()

    def __init__(
        self,
        sessions: Sessions,
        settings: Settings,
        theme: Theme,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._settings = settings
        self._theme = theme
        self._window = window
        self._bus: NotificationBus | None = None
        self.tray: Tray | None = None
        self.notes = DesktopNotifications(sessions, self._is_wanted, self)
        self.notes.posted.connect(self._on_posted)
        self.notes.withdrawn.connect(self._on_withdrawn)
        window.installEventFilter(self)

    @property
    def has_tray(self) -> bool:
        """Return whether the icon in the tray can bring the window back."""
        return self.tray is not None and self.tray.isVisible()

    def begin(self) -> None:
        """Show the tray icon, if the desktop has a tray."""
        if QSystemTrayIcon.isSystemTrayAvailable():
            self.make_tray().show()

    def make_tray(self) -> Tray:
        """Return the icon, not yet shown."""
        # not needed for the first paint

        self.tray = Tray(self._theme, self._window)
        self.tray.show_requested.connect(self.show_requested)
        self.tray.new_requested.connect(self.new_requested)
        self.tray.quit_requested.connect(self.quit_requested)
        self.tray.show_phases(self.notes.phases)
        return self.tray

    def look(self) -> None:
        """Show the current states of the conversations."""
        self.notes.look()
        if self.tray is not None:
            self.tray.show_phases(self.notes.phases)

    async def close_down(self) -> None:
        """Remove the icon and all notifications."""
        self._window.removeEventFilter(self)
        if self.tray is not None:
            self.tray.hide()
        self.notes.posted.disconnect(self._on_posted)
        if self._bus is not None:
            await self._bus.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remove the notifications when the window becomes active."""
        if event.type() == QEvent.Type.WindowActivate:
            self.notes.withdraw_all()
        return False

    def _is_wanted(self) -> bool:
        return self._settings.current.notifies and not self._window.isActiveWindow()

    def _on_posted(self, note: DesktopNotification) -> None:
        """Show the notification on the bus, which reports clicks on each one, else in the tray."""
        if self._settings.current.notifies_aloud:
            QApplication.beep()
        if sys.platform != "linux":
            self._show_by_tray(note)
            return
        if self._bus is None:
            from playhead.ui.desktop.notification_bus import (
                NotificationBus,  # not needed for the first paint
            )

            self._bus = NotificationBus(self.show_requested.emit, self._show_by_tray)
        self._bus.show(note)

    def _on_withdrawn(self, conversation_id: str) -> None:
        if self._bus is not None:
            self._bus.withdraw(conversation_id)

    def _show_by_tray(self, note: DesktopNotification) -> None:
        if self.tray is not None and self.tray.supportsMessages():
            self.tray.show_note(note)
        elif (session := self._sessions.get(note.conversation_id)) and not session.client:
            QApplication.alert(self._window)  # not for the conversations of programs


_ICON_PX = 64
_DOT_PX = 26
_STATES = {
    "waits": ("warn", mark("Playhead: something waits for you")),
    "works": ("accent", mark("Playhead: running")),
    "rests": ("", mark("Playhead")),
}


class Tray(QSystemTrayIcon):
    """The tray icon. Owner: the desktop presence.

    Signals: `show_requested(str id)`: an id when a notification of that conversation was clicked;
    `new_requested()`, `quit_requested()`.
    """

    show_requested = Signal(str)
    new_requested = Signal()
    quit_requested = Signal()

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._state = ""
        self._note = ""
        self.menu = QMenu(window)
        self.menu.addAction(tr("Show"), lambda: self.show_requested.emit(""))
        self.menu.addAction(tr("New conversation"), self.new_requested.emit)
        self.menu.addSeparator()
        self.menu.addAction(tr("Quit"), self.quit_requested.emit)
        self.setContextMenu(self.menu)
        self.activated.connect(self._on_activated)
        self.messageClicked.connect(lambda: self.show_requested.emit(self._note))
        self.show_phases(set())

    @property
    def state(self) -> str:
        """Return `waits`, `works` or `rests`."""
        return self._state

    def show_phases(self, phases: AbstractSet[Phase]) -> None:
        """Show a dot: amber if a conversation waits, the accent if one runs, else none."""
        waits, works = phases & {"approval", "input"}, "works" in phases
        state = "waits" if waits else "works" if works else "rests"
        if state != self._state:
            self._state = state
            colour, words = _STATES[state]
            self.setIcon(self._drawn(colour))
            self.setToolTip(tr(words))

    def show_note(self, note: DesktopNotification) -> None:
        """Show a notification of the system beside the icon."""
        self._note = note.conversation_id
        self.showMessage(note.title, note.text, QGuiApplication.windowIcon())

    def _drawn(self, colour: str) -> QIcon:
        picture = QPixmap(_ICON_PX, _ICON_PX)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        whole = QGuiApplication.windowIcon().pixmap(_ICON_PX * 2, _ICON_PX * 2)
        painter.drawPixmap(QRect(0, 0, _ICON_PX, _ICON_PX), whole)
        if colour:
            corner = QPoint(_ICON_PX - _DOT_PX, _ICON_PX - _DOT_PX)
            dot = QRect(corner, picture.rect().bottomRight()).adjusted(0, 0, -1, -1)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("bg"))  # a ring parts it from the picture
            painter.drawEllipse(dot)
            painter.setBrush(self._theme.colour(colour))
            painter.drawEllipse(dot.adjusted(4, 4, -4, -4))
        painter.end()
        return QIcon(picture)

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason == QSystemTrayIcon.ActivationReason.Trigger:
            self.show_requested.emit("")
