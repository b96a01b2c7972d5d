"""One editor for each tab that was shown, so that undo steps and positions are kept.

A moment after each edit its margin marks the differences from the model's version.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QFrame, QStackedLayout

from playhead.ui.editor.code.code_editor import editor_colours
from playhead.ui.editor.code.text_diff import hunks, marks
from playhead.ui.editor.pane.running_line import RunningLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

    from playhead.ui.editor.code.code_editor import CodeEditor
    from playhead.ui.editor.tab import Tab
    from playhead.ui.widgets.theme import Theme

_KEPT = 8
"""The number of editors kept for hidden and unchanged tabs."""


class TabPage(QObject):
    """The editor of one tab."""

    def __init__(self, tab: Tab, editor: CodeEditor, parent: QObject) -> None:
        super().__init__(parent)
        self.tab = tab
        self.editor = editor
        self.running_line = RunningLine(editor, self)
        self.is_fresh = True
        """Whether no note of the last run is shown yet."""


class TabPages(QFrame):
    """Shows one page at a time, with a frame while it has the keyboard focus. Owner: the pane.

    Signals: `edited(Page)`, of the page that is shown `cursor_moved(int, int)` and
    `line_pointed(int)`, `number_clicked(int)`, `made(QWidget)` for each new editor.
    """

    edited = Signal(object)
    cursor_moved = Signal(int, int)
    line_pointed = Signal(int)
    number_clicked = Signal(int)
    made = Signal(object)

    def __init__(self, theme: Theme, show_first: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._show_first = show_first
        self._make: Callable[[QWidget], CodeEditor] | None = None
        self._pages: dict[str, TabPage] = {}
        self._current: TabPage | None = None
        self.is_wrapped = False
        self._stack = QStackedLayout(self)
        self.setContentsMargins(1, 1, 1, 1)  # room for the ring
        theme.changed.connect(self.apply_theme)
        theme.zoomed.connect(self.apply_theme)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    @property
    def current(self) -> TabPage:
        """Return the page that is shown; have the pane show its first one if there is none."""
        if self._current is None:
            self._show_first()
        if self._current is None:
            raise LookupError("no page is shown")
        return self._current

    @property
    def is_empty(self) -> bool:
        """Return whether no page is shown yet."""
        return self._current is None

    def find(self, key: str) -> TabPage | None:
        """Return the page of a tab; None if it has none."""
        return self._pages.get(key)

    def page(self, tab: Tab) -> TabPage:
        """Return the page of a tab; make it if needed."""
        if (found := self._pages.get(tab.key)) is None:
            found = self._pages[tab.key] = self._new_page(tab)
        return found

    def show_page(self, tab: Tab) -> None:
        """Show a tab's page; drop pages that were not shown for long."""
        page = self._pages.pop(tab.key, None) or self._new_page(tab)
        self._pages[tab.key] = page  # the last shown page is last
        self._current = page
        self._stack.setCurrentWidget(page.editor.widget)
        idle = [
            one for one in self._pages.values()
            if one is not page and not one.tab.is_edited and not one.tab.state
        ]  # fmt: skip
        for one in idle[:-_KEPT]:
            self.forget(one.tab.key)

    def forget(self, key: str) -> None:
        """Drop a page; its text remains in the tab."""
        page = self._pages.pop(key, None)
        if page is None:
            return
        page.tab.text = page.editor.text()
        if page is self._current:
            self._current = None
        self._stack.removeWidget(page.editor.widget)
        page.editor.widget.deleteLater()
        page.deleteLater()

    def text_of(self, tab: Tab) -> str:
        """Return the current text of a tab."""
        page = self._pages.get(tab.key)
        return page.editor.text() if page is not None else tab.text

    def use(self, make: Callable[[QWidget], CodeEditor]) -> None:
        """Replace all editors by those that `make` returns; keep what was typed."""
        self._make = make
        tabs = [page.tab for page in self._pages.values()]
        current = self.current.tab
        for tab in tabs:
            self.forget(tab.key)
        self.show_page(current)

    def apply_theme(self) -> None:
        """Set the current colours and size in all editors."""
        colours = editor_colours(self._theme)
        for page in self._pages.values():
            page.editor.set_colours(colours)
        self.update()

    def set_wrap(self, is_wrapped: bool) -> None:
        """Set whether long lines wrap."""
        self.is_wrapped = is_wrapped
        for page in self._pages.values():
            page.editor.set_wrap(is_wrapped)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a ring while the code has the keyboard focus."""
        super().paintEvent(event)
        focused = QApplication.focusWidget()  # None while another program is in front
        has_focus = focused is not None and self.isAncestorOf(focused)
        colour = self._theme.colour("accent" if has_focus else "bg")
        painter = QPainter(self)
        painter.setPen(colour)
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _new_page(self, tab: Tab) -> TabPage:
        if self._make is None:
            from playhead.ui.editor.code.editor_factory import make_editor

            self._make = make_editor
        editor = self._make(self)
        editor.set_colours(editor_colours(self._theme))
        editor.set_language(tab.language)
        editor.show_text(tab.text)
        if self.is_wrapped:
            editor.set_wrap(True)
        self._stack.addWidget(editor.widget)
        page = TabPage(tab, editor, self)
        editor.edited.connect(lambda: self.edited.emit(page))
        editor.cursor_moved.connect(lambda line, column: self._emit_cursor(page, line, column))
        editor.line_pointed.connect(lambda line: self._emit_line(page, line))
        editor.number_clicked.connect(self.number_clicked)
        self.made.emit(editor.widget)
        return page

    def _emit_cursor(self, page: TabPage, line: int, column: int) -> None:
        if page is self._current:
            self.cursor_moved.emit(line, column)

    def _emit_line(self, page: TabPage, line: int) -> None:
        if page is self._current:
            self.line_pointed.emit(line)

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if any(one is not None and self.isAncestorOf(one) for one in (before, now)):
            self.update()


MARKS_PAUSE_MS = 120
_REST = 150
"""The pause before a comparison, as a multiple of the time that the last one took."""
_LARGEST = 400_000
"""Characters; longer texts are compared only when the changes are asked for."""


class ChangeMarks(QObject):
    """Marks the changes of one page at a time. Owner: the pane.

    Signal: `counted(int)` changes of that page.
    """

    counted = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._page: TabPage | None = None
        self._cost_ms = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.refresh)

    def show(self, page: TabPage) -> None:
        """Count another page's changes now."""
        self._page = page
        self.refresh()

    def due(self) -> None:
        """Mark the changes soon, because the text has changed."""
        if not self._timer.isActive():
            self._timer.start(max(MARKS_PAUSE_MS, round(self._cost_ms * _REST)))

    def refresh(self) -> None:
        """Mark the differences now."""
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
