"""Where the window stands and how it is divided, kept while it is used: a crash keeps it too."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from playhead.session.ports import Settings
from playhead.ui.tasks import TaskOwner
from playhead.ui.window.layout import WindowLayout

FRAME = QSize(8, 40)
"""What a window manager may put around the window; its true size is known only once it is shown."""
_FIRST_SIZE = QSize(1480, 940)
_REST_MS = 1_000
"""A window that is dragged is written down when it has come to rest."""
_CHANGES = frozenset((QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange))


class WindowMemory(QObject):
    """Owner: the main window, which calls `restore`, `begin` and at the end `close_down`."""

    def __init__(
        self, window: QWidget, parts: WindowLayout, settings: Settings, tasks: TaskOwner
    ) -> None:
        super().__init__(window)
        self._window = window
        self._parts = parts
        self._settings = settings
        self.is_following = False
        self.rest = QTimer(self)
        self.rest.setSingleShot(True)
        self.rest.setInterval(_REST_MS)
        self.rest.timeout.connect(lambda: tasks.start(self.keep()))

    def restore(self) -> None:
        """As it was left, else of a good size that the screen has room for."""
        state = self._settings.current.window
        if geometry := state.get("geometry"):
            self._window.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
        else:
            screen = self._window.screen() or QApplication.primaryScreen()
            self._window.resize(_FIRST_SIZE.boundedTo(screen.availableSize() - FRAME))
        self._parts.restore(state)

    def begin(self) -> None:
        """Follow what the user does from here on."""
        self.is_following = True
        self._window.installEventFilter(self)
        self._parts.splitter.splitterMoved.connect(lambda: self.rest.start())
        self._parts.folded.connect(self.rest.start)

    async def close_down(self) -> None:
        """Write down how it is left. Raises StorageError."""
        self._window.removeEventFilter(self)
        self.rest.stop()
        await self.keep()

    async def keep(self) -> None:
        """Write it down if it is another. Raises StorageError."""
        geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
        state = {"geometry": geometry, **self._parts.state()}
        if state != self._settings.current.window:
            await self._settings.save(replace(self._settings.current, window=state))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """It was moved or has another size."""
        if event.type() in _CHANGES:
            self.rest.start()
        return False
