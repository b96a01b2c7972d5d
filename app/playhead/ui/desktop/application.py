"""The application object, which macOS tells of files dropped on its icon or "opened with" it.

Other systems start the program once more with the paths as its arguments.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Application(QApplication):
    """Owner: `bootstrap`.

    Signals: `files_opened(list)`: paths (list[str]), once somebody has asked for the early ones.
    """

    files_opened = Signal(list)

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._early: list[str] | None = []

    def take_early_files(self) -> list[str]:
        """What was opened before there was a window for it; from now on it is signalled."""
        early, self._early = self._early or [], None
        return early

    def event(self, event: QEvent) -> bool:
        """Take what is opened; everything else is Qt's."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return super().event(event)
        if self._early is None:
            self.files_opened.emit([event.file()])
        else:
            self._early.append(event.file())
        return True
