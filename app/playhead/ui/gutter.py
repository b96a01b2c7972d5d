"""Keeps a strip beside a list free for its scroll bar, so that rows are always equally wide."""

from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QListView, QWidget

GUTTER_PX = 12
"""As wide as the margin that everything else has at that side."""


class GutteredList(QListView):
    """A list that reaches into the margin at its side: there its scroll bar comes and goes."""

    def keep_gutter(self) -> None:
        """Called once, when the list is made."""
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self._on_range_changed(0, 0)

    def _on_range_changed(self, _low: int, high: int) -> None:
        bar = self.verticalScrollBar().sizeHint().width() if high else 0
        self.setViewportMargins(at_end(self, max(0, GUTTER_PX - bar)))


def at_end(widget: QWidget, width_px: int) -> QMargins:
    """A margin at the side where lines end."""
    is_mirrored = widget.isRightToLeft()
    return QMargins(width_px if is_mirrored else 0, 0, 0 if is_mirrored else width_px, 0)
