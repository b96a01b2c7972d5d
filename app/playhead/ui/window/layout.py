"""Where the parts of the window stand, and which fold when it is narrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from playhead.session.session import SessionState
from playhead.ui.composer.composer import Composer
from playhead.ui.editor.code.code_colourer import CodeColourer
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.notifications import Notifications
from playhead.ui.sidebar.sidebar import Sidebar
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import COLUMN_WIDTH, GAP_XXL, SIDEBAR_WIDTH, Theme
from playhead.ui.timeline.view import TimelineView
from playhead.ui.window.approval_bar import ApprovalBar
from playhead.ui.window.drop_target import DropTarget
from playhead.ui.window.header import ConversationHeader
from playhead.ui.window.question_bar import QuestionBar
from playhead.ui.window.start_panel import StartPanel

EDITOR_FOLDS_PX = 1024
SIDEBAR_FOLDS_PX = 640
_LEAST_TIMELINE_PX = 30


class WindowLayout(QWidget):
    """Sidebar | timeline column | editor in a splitter.

    What the user wants to see is remembered; a narrow window folds the editor, a very narrow one
    the sidebar too. A part that is opened there all the same folds again when the width changes.

    Signal: `folded()`: the user had a part shown or folded.
    """

    folded = Signal()

    def __init__(
        self,
        theme: Theme,
        state_of: Callable[[str], SessionState],
        tasks: TaskOwner,
        attachments_dir: Path,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.sidebar = Sidebar(theme, state_of, self)
        self.pane = EditorPane(theme, self, is_light=True)
        self.header = ConversationHeader(theme, self)
        self.notifications = Notifications(theme, self)
        self.timeline = TimelineView(theme, self, CodeColourer(self))
        self.start = StartPanel(theme, self)
        self.approval = ApprovalBar(theme, self)
        self.question = QuestionBar(theme, self)
        self.composer = Composer(theme, tasks, attachments_dir, self)
        self._wants_sidebar = self._wants_editor = True
        self._peeked: set[str] = set()
        self._width_class = 2
        self.splitter = self._make_splitter()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self.drop = DropTarget(self)
        for child in (self.composer, self.pane, self.timeline):
            self.drop.watch(child)
        self.sidebar.fold_requested.connect(self.toggle_sidebar)
        self.header.sidebar_requested.connect(self.toggle_sidebar)
        self.header.editor_requested.connect(self.toggle_editor)
        self.pane.fold_requested.connect(self.toggle_editor)

    def load_editor(self) -> None:
        """Exchange the editor that the first paint had for the real one."""
        self.pane.load_editor()
        self.drop.watch(self.pane)

    @property
    def is_sidebar_shown(self) -> bool:
        """Whether the sidebar stands in the window."""
        return not self.sidebar.isHidden()

    @property
    def is_editor_shown(self) -> bool:
        """Whether the editor stands in the window."""
        return not self.pane.isHidden()

    def fit(self, width: int) -> None:
        """Fold for this width of the window."""
        width_class = (width >= SIDEBAR_FOLDS_PX) + (width >= EDITOR_FOLDS_PX)
        if width_class != self._width_class:
            self._peeked.clear()
        self._width_class = width_class
        self._apply()

    def show_sidebar(self, is_shown: bool) -> None:
        """Show or fold the sidebar because the user asked."""
        if self._width_class == 0:
            self._peek("sidebar", is_shown)
        else:
            self._wants_sidebar = is_shown
            self._peeked.discard("editor")
        self._apply()
        self.folded.emit()

    def show_editor(self, is_shown: bool) -> None:
        """Show or fold the editor because the user asked."""
        if self._width_class < 2:
            self._peek("editor", is_shown)
        else:
            self._wants_editor = is_shown
        self._apply()
        self.folded.emit()

    def toggle_sidebar(self) -> None:
        """Show the sidebar, or fold it."""
        self.show_sidebar(not self.is_sidebar_shown)

    def toggle_editor(self) -> None:
        """Show the editor, or fold it."""
        self.show_editor(not self.is_editor_shown)

    def fold_peeked_sidebar(self) -> None:
        """In a very narrow window the sidebar goes away once a conversation is chosen."""
        self._peeked.discard("sidebar")
        self._apply()

    def show_start(self, is_empty: bool) -> None:
        """The start panel stands where an empty timeline would."""
        self._stack.setCurrentWidget(self.start if is_empty else self.timeline)
        self.header.set_empty(is_empty)

    def focus_next_pane(self) -> None:
        """Composer → timeline → editor → conversations → composer, those that are shown."""
        panes = (self.composer, self.timeline, self.pane.editor.widget, self.sidebar.list)
        stops = [one for one in panes if one.isVisible()]
        focused = self.window().focusWidget()
        places = [
            number
            for number, one in enumerate(stops)
            if focused is not None and (one is focused or one.isAncestorOf(focused))
        ]
        after = (places[0] + 1) % len(stops) if places else 0
        stops[after].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def state(self) -> dict[str, str]:
        """What to remember of the layout."""
        sizes = ",".join(str(size) for size in self._sizes)
        return {
            "sizes": sizes,
            "sidebar": "shown" if self._wants_sidebar else "folded",
            "editor": "shown" if self._wants_editor else "folded",
            "variables": "shown" if self.pane.wants_variables else "folded",
            **self.pane.state(),
        }

    def restore(self, state: Mapping[str, str]) -> None:
        """Put back what `state` told; anything unreadable is ignored."""
        self._wants_sidebar = state.get("sidebar") != "folded"
        self._wants_editor = state.get("editor") != "folded"
        self.pane.restore(state)
        self.pane.show_variables(state.get("variables") == "shown")
        parts = state.get("sizes", "").split(",")
        if len(parts) == 3 and all(part.isdigit() for part in parts):
            self._sizes = [int(part) for part in parts]
            self.splitter.setSizes(self._sizes)
        self._apply()

    def _peek(self, name: str, is_shown: bool) -> None:
        self._peeked.clear()
        if is_shown:
            self._peeked.add(name)

    def _apply(self) -> None:
        wide = self._width_class
        has_editor = self._wants_editor if wide == 2 else "editor" in self._peeked
        has_sidebar = "sidebar" in self._peeked if wide == 0 else self._wants_sidebar
        if wide < 2 and has_editor:
            has_sidebar = False
        self.pane.setVisible(has_editor)
        self.sidebar.setVisible(has_sidebar)
        self.header.sidebar_button.setVisible(not has_sidebar)
        self.header.show_place(not has_editor)

    def _make_splitter(self) -> QSplitter:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self.sidebar.setMinimumWidth(180)
        self.sidebar.setMaximumWidth(360)
        self.pane.setMinimumWidth(330)
        for widget in (self.sidebar, self._make_column(), self.pane):
            splitter.addWidget(widget)
        for number, stretch in enumerate((0, 8, 7)):
            splitter.setStretchFactor(number, stretch)
        self._sizes = [SIDEBAR_WIDTH, 666, 578]
        splitter.setSizes(self._sizes)
        splitter.splitterMoved.connect(self._on_splitter_moved)
        return splitter

    def _make_column(self) -> QWidget:
        column = QWidget(self)
        column.setProperty("kind", "page")
        column.setMinimumWidth(300)
        middle = QWidget(column)
        middle.setMinimumHeight(_LEAST_TIMELINE_PX)  # in a low window it gives way, not the foot
        self._stack = QStackedLayout(middle)
        self._stack.addWidget(self.start)
        self._stack.addWidget(self.timeline)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.notifications)
        layout.addWidget(middle, 1)
        layout.addWidget(self._make_foot(column))
        self._find_keys(column)
        return column

    def _find_keys(self, column: QWidget) -> None:
        """The editor has its own search: these keys hold in the middle column only."""
        bar = self.timeline.find_bar
        self.timeline.find_requested.connect(bar.open)
        self.find_keys: dict[str, QShortcut] = {}
        for name, keys, slot in (
            ("find", "Ctrl+F", bar.open),
            ("find_next", "F3", lambda: bar.step(1)),
            ("find_previous", "Shift+F3", lambda: bar.step(-1)),
        ):
            shortcut = self.find_keys[name] = QShortcut(QKeySequence(keys), column)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)

    def _make_foot(self, parent: QWidget) -> QWidget:
        """Approval bar and composer, no wider than the text above them."""
        foot = QWidget(parent)
        inner = QWidget(foot)
        inner.setMaximumWidth(COLUMN_WIDTH + 8)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.approval)
        column.addWidget(self.question)
        column.addWidget(self.composer)
        row = QHBoxLayout(foot)
        row.setContentsMargins(GAP_XXL, 6, GAP_XXL, 16)
        row.addWidget(inner)
        return foot

    def _on_splitter_moved(self) -> None:
        """Only what all three parts agreed on is remembered."""
        if self.is_sidebar_shown and self.is_editor_shown:
            self._sizes = self.splitter.sizes()
