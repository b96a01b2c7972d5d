"""The icon in the system's tray: how the conversations stand, and three ways in."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from playhead.ui.desktop.notes import DesktopNote, Phase
from playhead.ui.theme import Theme
from playhead.ui.wording import mark, tr

_ICON_PX = 64
_DOT_PX = 26
_STATES = {
    "waits": ("warn", mark("Playhead: something waits for you")),
    "works": ("accent", mark("Playhead: running")),
    "rests": ("", mark("Playhead")),
}


class Tray(QSystemTrayIcon):
    """Owner: the desktop presence. Signals: `show_requested(str id)`: an id when a note of that
    conversation was clicked; `new_requested()`, `quit_requested()`.
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
        """`waits`, `works` or `rests`."""
        return self._state

    def show_phases(self, phases: AbstractSet[Phase]) -> None:
        """Wear a dot: amber for what waits, the accent for what runs, none at rest."""
        waits, works = phases & {"approval", "input"}, "works" in phases
        state = "waits" if waits else "works" if works else "rests"
        if state != self._state:
            self._state = state
            colour, words = _STATES[state]
            self.setIcon(self._drawn(colour))
            self.setToolTip(tr(words))

    def show_note(self, note: DesktopNote) -> None:
        """Have the system show a note beside the icon."""
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
