"""Keeps the margin on what differs from the model's version, a moment after each edit."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from playhead.ui.editor.line_diff import hunks, marks
from playhead.ui.editor.pages import Page

PAUSE_MS = 120
_REST = 150
"""A comparison that costs a frame is not made with each of them."""
_LARGEST = 400_000
"""Characters; longer texts are compared only when the changes are asked for."""


class ChangeMarks(QObject):
    """Marks one page at a time. Owner: the pane. Signal: `counted(int)` changes of that page."""

    counted = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._page: Page | None = None
        self._cost_ms = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.refresh)

    def show(self, page: Page) -> None:
        """Count another page's changes now."""
        self._page = page
        self.refresh()

    def due(self) -> None:
        """The text has changed: mark it soon."""
        if not self._timer.isActive():
            self._timer.start(max(PAUSE_MS, round(self._cost_ms * _REST)))

    def refresh(self) -> None:
        """Mark what differs now."""
        self._timer.stop()
        if (page := self._page) is None:
            return
        base, text = page.tab.base, page.editor.text()
        if base is None or page.tab.state == "streaming" or len(text) > _LARGEST:
            page.editor.set_changes(())
            self.counted.emit(0)
            return
        began = time.thread_time()
        found = hunks(base, text)
        page.editor.set_changes(list(marks(found, text.count("\n") + 1)))
        self._cost_ms = (time.thread_time() - began) * 1e3
        self.counted.emit(len(found))
