"""The application object, which receives the files that macOS opens with the program.

Other systems start the program once more with the paths as its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent


class Application(QApplication):
    """The application. Owner: `bootstrap`.

    Signals: `files_opened(list)`: paths (list[str]), once the early ones were taken.
    """

    files_opened = Signal(list)

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._early: list[str] | None = []

    def take_early_files(self) -> list[str]:
        """Return the paths opened before there was a window; emit later ones by the signal."""
        early, self._early = self._early or [], None
        return early

    def event(self, event: QEvent) -> bool:
        """Take the paths that are opened; leave everything else to Qt."""
        if not isinstance(event, QFileOpenEvent) or not event.file():
            return super().event(event)
        if self._early is None:
            self.files_opened.emit([event.file()])
        else:
            self._early.append(event.file())
        return True
