"""The parts around the code, shown on demand: the find bar above it, the changes in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from playhead.ui.editor.code import line_edits
from playhead.ui.editor.code.line_edits import change_selected, line_replacement
from playhead.ui.editor.code.text_diff import hunks
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from playhead.ui.editor.code.code_editor import CodeEditor
    from playhead.ui.editor.code.text_diff import Hunk
    from playhead.ui.editor.pane.diff_view import DiffView
    from playhead.ui.editor.pane.editor_find_bar import EditorFindBar
    from playhead.ui.editor.pane.pane_header import PaneHeader
    from playhead.ui.editor.pane.status_bar import NoticeStrip
    from playhead.ui.editor.pane.tab_pages import TabPage, TabPages
    from playhead.ui.editor.tab import Tab
    from playhead.ui.widgets.theme import Theme


class PaneTools(QWidget):
    """Holds the pages; bar and changes are made when they are first asked for. Owner: the pane.

    Signal: `field_made(QWidget)`: something that the editor's keys hold in as well.
    """

    field_made = Signal(object)

    def __init__(
        self,
        theme: Theme,
        pages: TabPages,
        header: PaneHeader,
        notice: NoticeStrip,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pages = pages
        self._header = header
        self._notice = notice
        self._bar: EditorFindBar | None = None
        self._diff: DiffView | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        place = QWidget(self)
        self._stack = QStackedLayout(place)
        self._stack.addWidget(pages)
        self._layout.addWidget(place, 1)

    @property
    def bar(self) -> EditorFindBar:
        """The find bar."""
        if self._bar is None:
            from playhead.ui.editor.pane.editor_find_bar import (
                EditorFindBar,  # not needed for the first paint
            )

            self._bar = EditorFindBar(self._theme, self)
            self._bar.use(self._editor)
            self._bar.closed.connect(self._focus_code)
            self._layout.insertWidget(0, self._bar)
            for field in (self._bar.words, self._bar.other):
                self.field_made.emit(field)
        return self._bar

    @property
    def diff(self) -> DiffView:
        """The view of the changes."""
        if self._diff is None:
            from playhead.ui.editor.pane.diff_view import DiffView  # not needed for the first paint

            self._diff = DiffView(self._theme, self)
            self._diff.closed.connect(self.toggle_diff)
            self._diff.revert_requested.connect(self.revert)
            self._diff.revert_all_requested.connect(self.revert_all)
            self._stack.addWidget(self._diff)
            self.field_made.emit(self._diff.text)
        return self._diff

    @property
    def base_name(self) -> str:
        """The version that the text is compared with."""
        return tr("the saved file") if self._tab.is_own else tr("the model's version")

    @property
    def is_diff_shown(self) -> bool:
        """True while the changes are shown in place of the code."""
        return self._diff is not None and self._stack.currentWidget() is self._diff

    def use(self, page: TabPage) -> None:
        """Use the page that is shown now."""
        if self._bar is not None:
            self._bar.use(page.editor)

    def text_changed(self) -> None:
        """Update the find bar after the user has changed the text."""
        if self._bar is not None:
            self._bar.text_changed()

    def find(self, *, replaces: bool) -> None:
        """Open the find bar."""
        self.close_diff()
        self.bar.open(replaces=replaces)

    def find_step(self, direction: int) -> None:
        """Go to the next place, or open the bar where nothing was looked for yet."""
        if self.bar.words.text():
            self.bar.step(direction)
        else:
            self.find(replaces=False)

    def comment(self) -> bool:
        """Comment the selected lines, or take the marks away."""
        language = self._tab.language
        is_done = change_selected(
            self._editor, lambda lines: line_edits.toggle_comment(lines, language)
        )
        if not is_done:
            self._notice.show_text(tr("This language has no comments that fit on a line."))
        return is_done

    def indent(self) -> None:
        """Indent the selected lines by one step."""
        change_selected(self._editor, line_edits.indent)

    def unindent(self) -> None:
        """Unindent the selected lines by one step."""
        change_selected(self._editor, line_edits.unindent)

    def toggle_diff(self) -> None:
        """Show the changes, or the code again."""
        if self.is_diff_shown:
            self.close_diff()
            self._focus_code()
        elif self._tab.base is not None:
            self._fill_diff()
            self._stack.setCurrentWidget(self.diff)
            self._header.changes.setChecked(True)
            self.diff.text.setFocus()
        else:
            self._header.changes.setChecked(False)
            self._notice.show_text(tr("There is nothing to compare this text with."))

    def close_diff(self) -> None:
        """Show the code again."""
        self._header.changes.setChecked(False)
        if self.is_diff_shown:
            self._stack.setCurrentIndex(0)

    def revert(self, hunk: Hunk) -> None:
        """Put the lines of one change back as they were."""
        editor = self._editor
        if editor.is_cut:
            self._notice.show_text(tr("Lines are cut for display: only all can be reverted."))
            return
        text = editor.text()
        if tuple(text.split("\n")[hunk.new_first : hunk.new_first + len(hunk.new)]) == hunk.new:
            span = line_replacement(text, hunk.new_first, len(hunk.new), hunk.old)
            editor.replace_spans([span])
        self._fill_diff()

    def revert_all(self) -> None:
        """Put everything back as it was."""
        base = self._tab.base
        if base is not None:
            self._editor.replace_text(base)
            self._pages.edited.emit(self._pages.current)
            self._fill_diff()

    @property
    def _editor(self) -> CodeEditor:
        return self._pages.current.editor

    @property
    def _tab(self) -> Tab:
        return self._pages.current.tab

    def _focus_code(self) -> None:
        self._editor.widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill_diff(self) -> None:
        text = self._editor.text()
        found = hunks(self._tab.base or "", text)
        self.diff.show_hunks(found, text, self.base_name)
