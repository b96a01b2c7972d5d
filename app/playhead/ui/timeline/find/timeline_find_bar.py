"""The bar over the timeline in which one types what is looked for in the conversation."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout

from playhead.ui.timeline.find.timeline_finder import TimelineFinder
from playhead.ui.timeline.scroll.canvas import Canvas
from playhead.ui.timeline.text.find_query import FindQuery
from playhead.ui.widgets.find_bar import FindBar
from playhead.ui.widgets.focus_memory import FocusMemory
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

_WIDTH, _MARGIN, _ABOVE = 420, 12, 6
_LONGEST = 200
_USUAL = "000 of 0,000"
"""The field for the words does not move while the count is no longer than this."""


class TimelineFindBar(FindBar):
    """Owner: the view. Closing it gives the focus back to where it was."""

    def __init__(self, theme: Theme, canvas: Canvas) -> None:
        super().__init__(theme, canvas.area, tr("Find in conversation"))
        self._canvas = canvas
        self._focus = FocusMemory()
        self.finder = TimelineFinder(canvas)
        self.setObjectName("timeline_find")
        self.setAccessibleName(tr("Find in conversation"))
        self._make()
        self.finder.changed.connect(self._show_count)

    def open(self) -> None:
        """Show the bar, with what is selected if that is a few words."""
        self._focus.keep(self)
        chosen = self._canvas.selected_text() if self._canvas.selection else ""
        if chosen and "\n" not in chosen and len(chosen) <= _LONGEST:
            self.words.setText(chosen)
        self.show()
        self._canvas.make_room(self.sizeHint().height() + 2 * _ABOVE)
        self.place()
        self.raise_()
        self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.words.selectAll()
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its marks, and give the focus back."""
        self.end()
        self._focus.give_back(self._canvas.area)

    def end(self) -> None:
        """Hide the bar and its marks."""
        if not self.isHidden():
            self.hide()
            self._canvas.make_room(0)
            self.finder.look_for(None)

    def step(self, direction: int) -> None:
        """Go on to the next place, or back; a closed bar opens with what was looked for."""
        if self.isHidden():
            self.open()
        else:
            self.finder.step(direction)

    def place(self) -> None:
        """Place the bar at the right end above the text."""
        port = self._canvas.port.widget.geometry()
        width = min(_WIDTH, port.width() - 2 * _MARGIN)
        self.setGeometry(port.right() - width - _MARGIN, _ABOVE, width, self.sizeHint().height())

    def press(self, watched: QObject, event: QKeyEvent) -> bool:
        """Step by the arrows too."""
        key = event.key()
        if watched is self.words and key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.step(1 if key == Qt.Key.Key_Down else -1)
            return True
        return super().press(watched, event)

    def search(self) -> None:
        """Look for what is in the field."""
        self.finder.look_for(FindQuery(self.words.text(), self.case_button.isChecked()))

    def _show_count(self) -> None:
        finder = self.finder
        total, number = finder.total, finder.number
        more = "+" if finder.is_searching else ""
        if not self.words.text().strip():
            words = ""
        elif not total:
            words = tr("Searching…") if finder.is_searching else tr("Nothing found")
        else:
            words = (
                tr("{number:,} of {total:,}{more}", number=number, total=total, more=more)
                if number
                else tr("{total:,}{more} found", total=total, more=more)
            )
        if words != self.count.text():
            self.count.setText(words)
            self.count.setAccessibleName(words)
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(total))

    def _make(self) -> None:
        self.words.setMaxLength(_LONGEST)
        self.count.setMinimumWidth(self.fontMetrics().horizontalAdvance(_USUAL))
        self.count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 6, 6)
        row.setSpacing(4)
        row.addWidget(self.words, 1)
        for widget in (self.count, self.case_button, self.previous_button, self.next_button):
            row.addWidget(widget)
        row.addWidget(self.close_button)

    def apply_theme(self) -> None:
        """Take the icons and the colours of the theme."""
        super().apply_theme()
        tokens = self._theme.tokens
        self.setStyleSheet(
            f"#timeline_find {{ background: {tokens.raised};"
            f" border: 1px solid {tokens.line_strong}; border-radius: 10px; }}"
        )
