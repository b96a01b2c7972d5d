"""Tells which line of the code is under the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget


class LinePointer(QObject):
    """Watches the viewport of an editor. Owner: the editor.

    `line_at` gives the line at a point, 0 for none; `tell` is called when it is another one.
    """

    def __init__(
        self, viewport: QWidget, line_at: Callable[[QPoint], int], tell: Callable[[int], object]
    ) -> None:
        super().__init__(viewport)
        self._line_at = line_at
        self._tell = tell
        self._line = 0
        viewport.setMouseTracking(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Only looks on."""
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            is_still = not event.buttons().value
            self._point(self._line_at(event.position().toPoint()) if is_still else 0)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._point(0)
        return False

    def _point(self, line: int) -> None:
        if line != self._line:
            self._line = line
            self._tell(line)
