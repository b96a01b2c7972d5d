"""The button that leads to the end, and says how much came while something else was read."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QToolButton

from playhead.ui.timeline.model.timeline_model import Changes
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr, tr_n

_SHOWN_FROM = 60
_SIZE = 34
_SEEN = 40
"""So much of an entry has been seen when it is not new any more."""
_QUIET = ("note", "versions")


class LatestButton(QToolButton):
    """Owner: the view. What was seen since does not count."""

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        super().__init__(canvas.area)
        self._theme = theme
        self._canvas = canvas
        self._new: set[str] = set()
        self.setObjectName("jump")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.hide()
        self.clicked.connect(canvas.jump_to_end)
        self._refresh_text()

    @property
    def count(self) -> int:
        """The number of entries that were added, or grew, below what is read."""
        return len(self._new)

    def take(self, changes: Changes) -> None:
        """Count what is new in the rows."""
        canvas = self._canvas
        if canvas.is_following():
            return
        news, grown = canvas.model.rows_of(changes.added), canvas.model.rows_of(changes.changed)
        self._new |= {row.key for row in news if row.kind not in _QUIET and row.kind != "question"}
        self._new |= {row.key for row in grown if row.is_streaming}

    def refresh(self) -> None:
        """Show or hide the button for the view's position; visible entries are not new any more."""
        canvas = self._canvas
        bottom = canvas.top + canvas.port.height()
        self._new = {key for key in self._new if self._is_below(key, bottom)}
        self.setVisible(canvas.max_top() - canvas.top > _SHOWN_FROM)
        self._refresh_text()
        port = canvas.port.widget.geometry()
        left = port.left() + (port.width() - self.width()) // 2
        self.move(left, port.bottom() - self.height() - 12)
        self.raise_()

    def apply_theme(self) -> None:
        """Apply the colours after they changed."""
        tokens = self._theme.tokens
        self.setIcon(self._theme.icon("arrow-down", "text"))
        self.setStyleSheet(
            f"QToolButton {{ background: {tokens.raised}; border: 1px solid {tokens.line_strong};"
            f" border-radius: 17px; color: {tokens.text}; padding: 0 8px; }}"
            f" QToolButton:hover {{ background: {tokens.hover}; }}"
            f" QToolButton:focus {{ border-color: {tokens.accent}; }}"
        )

    def _is_below(self, key: str, bottom: int) -> bool:
        canvas = self._canvas
        index = canvas.model.index_of(key)
        if canvas.is_following() or index is None:
            return False
        if index >= canvas.sheet.count:  # the sheet has not taken it yet
            return True
        top, end = canvas.sheet.outer_top_of(index), canvas.sheet.bottom_of(index)
        is_begun = top < bottom - _SEEN
        return end > bottom if is_begun and canvas.sheet.rows[index].is_streaming else not is_begun

    def _refresh_text(self) -> None:
        text = tr_n("%n new", self.count) if self.count else ""
        name = tr("Jump to latest, {text}", text=text) if text else tr("Jump to latest")
        if name == self.accessibleName():
            return
        self.setAccessibleName(name)
        self.setToolTip(tr("{name} (End)", name=name))
        self.setText(text)
        wide = QFontMetrics(self._theme.font(13)).horizontalAdvance(text) + 20 if text else 0
        self.setFixedSize(QSize(_SIZE + wide, _SIZE))
