"""Follows how fine the screen is that a window stands on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

_MOVES = (QEvent.Type.Show, QEvent.Type.DevicePixelRatioChange)


class ScreenRatio(QObject):
    """Calls `tell(ratio)` when the window is shown, and when it comes to another kind of screen."""

    def __init__(self, window: QWidget, tell: Callable[[float], None]) -> None:
        super().__init__(window)
        self._window = window
        self._tell = tell
        self._told = 0.0
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look again; the event goes its way."""
        if event.type() in _MOVES and (ratio := self._window.devicePixelRatioF()) != self._told:
            self._told = ratio
            self._tell(ratio)
        return False
