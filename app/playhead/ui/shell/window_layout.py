"""The window's layout, size and zoom, and the parts of them that are stored for the next start."""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QEvent, QEventLoop, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.settings import ZOOMS_PERCENT
from playhead.ui.commands.key_bindings import TIMELINE, shown_keys
from playhead.ui.composer.composer import Composer
from playhead.ui.composer.decision_bars import ARMING_MS, ApprovalBar, ContinuationBar
from playhead.ui.editor.pane.editor_pane import EditorPane
from playhead.ui.shell.conversation_header import ConversationHeader
from playhead.ui.shell.start_panel import StartPanel
from playhead.ui.sidebar.sidebar import Sidebar
from playhead.ui.widgets.banner import BannerArea
from playhead.ui.widgets.drop_zone import AttachmentDropZone
from playhead.ui.widgets.theme import COLUMN_WIDTH, GAP_XXL, SIDEBAR_WIDTH, fit_on_screen
from playhead.ui.widgets.wording import short_interpreter, tr

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from PySide6.QtGui import QAction, QWheelEvent
    from PySide6.QtWidgets import (
        QMenu,
    )

    from playhead.domain.settings import AppSettings
    from playhead.session.ports import Settings
    from playhead.session.session import SessionState
    from playhead.ui.commands.command_palette import PaletteEntry
    from playhead.ui.commands.key_bindings import KeyBindings
    from playhead.ui.composer.review_pane import ReviewPane
    from playhead.ui.timeline.view import TimelineView
    from playhead.ui.widgets.task_owner import TaskOwner
    from playhead.ui.widgets.theme import Theme

T = TypeVar("T")

EDITOR_FOLDS_PX = 1024
SIDEBAR_FOLDS_PX = 640
_LEAST_TIMELINE_PX = 30
_EDITOR = ("code.lexers", "code.scintilla_editor", "code.editor_factory")
_TIMELINE = (
    "model.timeline_model",
    "text.math_document",
    "text.document_maker",
    "text.block_column",
    "scroll.canvas",
    "scroll.accessibility",
    "view",
    "printed_lines",
)
"""What is loaded after the first paint, in steps that hold nothing up."""


def import_in_steps(names: Iterable[str]) -> None:
    """Import modules in short steps; between them the window is drawn, and input waits."""
    loading, timer, left = QEventLoop(), QTimer(), iter(names)

    def step() -> None:
        if name := next(left, ""):
            importlib.import_module(name)
        else:
            loading.quit()

    timer.timeout.connect(step)
    timer.start(0)
    loading.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


class WindowLayout(QWidget):
    """Sidebar, timeline column and editor in a splitter.

    The parts that the user wants to see are remembered. A narrow window folds the editor, a very
    narrow one the sidebar too. A part that is opened there folds again when the width changes.

    Signals: `folded()` when the user showed or folded a part, `timeline_made()` when there is a
    timeline; until a conversation has messages the start panel is in its place.
    """

    folded = Signal()
    timeline_made = Signal()

    def __init__(
        self,
        theme: Theme,
        state_of: Callable[[str], SessionState],
        tasks: TaskOwner,
        attachments_dir: Path,
        parent: QWidget,
        arming_ms: int = ARMING_MS,
    ) -> None:
        super().__init__(parent)
        # Each part gets its final parent at once: moving one styles all that is in it once more.
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.sidebar = Sidebar(theme, state_of, self.splitter)
        column = QWidget(self.splitter)
        self.header = ConversationHeader(theme, column)
        self.notifications = BannerArea(theme, column)
        self._theme = theme
        self._middle = middle = QWidget(column)
        self.start = StartPanel(theme, middle)
        foot = QWidget(column)
        inner = QWidget(foot)
        self.approval = ApprovalBar(theme, inner, arming_ms)
        self.question = ContinuationBar(theme, inner)
        self.composer = Composer(theme, tasks, attachments_dir, inner)
        self.pane = EditorPane(theme, self.splitter, is_light=True)
        self._wants_sidebar = self._wants_editor = True
        self._peeked: set[str] = set()
        self._menu: QMenu | None = None
        self._timeline: TimelineView | None = None
        self._review: ReviewPane | None = None
        self._width_class = 2
        self._lay_out_column(column, middle, foot)
        self._lay_out_foot(foot, inner)
        self._find_keys(column)
        self._split(column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self.drop = AttachmentDropZone(self)
        for child in (self.composer, self.pane):
            self.drop.watch(child)
        self.sidebar.fold_requested.connect(self.toggle_sidebar)
        self.header.sidebar_requested.connect(self.toggle_sidebar)
        self.header.editor_requested.connect(self.toggle_editor)
        self.pane.fold_requested.connect(self.toggle_editor)

    @property
    def timeline(self) -> TimelineView:
        """Return the timeline; make it when it is first needed."""
        if self._timeline is None:
            self._timeline = self._make_timeline()
            self.timeline_made.emit()
        return self._timeline

    @property
    def has_timeline(self) -> bool:
        """Return whether the timeline has been made."""
        return self._timeline is not None

    @property
    def review(self) -> ReviewPane:
        """Return the pane of changes in a copy; make it when it is first needed."""
        if self._review is None:
            from playhead.ui.composer.review_pane import ReviewPane

            self._review = ReviewPane(self._theme, self.composer.parentWidget())
            self._foot.insertWidget(0, self._review)
        return self._review

    def put_above_timeline(self, widget: QWidget) -> None:
        """Put a part above the timeline, below what is announced there."""
        self._column.insertWidget(self._column.indexOf(self._middle), widget)

    def _make_timeline(self) -> TimelineView:
        from playhead.ui.editor.code.code_colourer import CodeColourer
        from playhead.ui.timeline.scroll.accessibility import install_accessibility
        from playhead.ui.timeline.view import TimelineView

        install_accessibility()
        timeline = TimelineView(self._theme, self._middle, CodeColourer(self))
        self._stack.addWidget(timeline)
        self.drop.watch(timeline)
        timeline.find_requested.connect(lambda: timeline.find_bar.open())
        before: QWidget = self.start  # the keyboard goes on as it would had it been made before
        for one in (timeline, *timeline.findChildren(QWidget)):
            if one.focusPolicy() != Qt.FocusPolicy.NoFocus:
                self.setTabOrder(before, one)
                before = one
        return timeline

    def load_editor(self) -> None:
        """Make the editor, which the first paint does without."""
        self.pane.load_editor()
        self.drop.watch(self.pane)

    async def load_in_steps(self) -> None:
        """Make the editor after the first paint, in short steps."""
        import asyncio

        for name in _EDITOR:
            await asyncio.sleep(0)
            with contextlib.suppress(ImportError):  # then there is a plain editor
                importlib.import_module(f"playhead.ui.editor.{name}")
        await asyncio.sleep(0)
        self.load_editor()

    def make_timeline(self) -> None:
        """Make the timeline, which an empty conversation does without; keys and clicks wait."""
        if not self.has_timeline:
            import_in_steps(f"playhead.ui.timeline.{name}" for name in _TIMELINE)
            self.timeline.ensurePolished()

    async def ready_for(self, opening: Awaitable[T]) -> T:
        """Return what is awaited, once there is a timeline to show it in."""
        await self.load_timeline()
        return await opening

    async def load_timeline(self) -> None:
        """Make the timeline in short steps; what is clicked meanwhile is done."""
        import asyncio

        if self.has_timeline:
            return
        for name in _TIMELINE:
            await asyncio.sleep(0)
            importlib.import_module(f"playhead.ui.timeline.{name}")
        await asyncio.sleep(0)
        if not self.has_timeline:
            self.timeline.ensurePolished()

    @property
    def is_sidebar_shown(self) -> bool:
        """Return whether the sidebar is shown."""
        return not self.sidebar.isHidden()

    @property
    def is_editor_shown(self) -> bool:
        """Return whether the editor is shown."""
        return not self.pane.isHidden()

    def fit(self, width: int) -> None:
        """Fold or unfold parts for this width of the window in pixels."""
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
        """Fold the sidebar of a very narrow window once a conversation is chosen."""
        self._peeked.discard("sidebar")
        self._apply()

    def show_start(self, is_empty: bool) -> None:
        """Show the start panel in place of an empty timeline."""
        self._stack.setCurrentWidget(self.start if is_empty else self.timeline)
        self.header.set_empty(is_empty)

    def show_new(self, current: AppSettings, folder: str) -> None:
        """Show an empty conversation as it will be, before there are sessions.

        `folder` is that of a conversation for which the settings name none.
        """
        folder = current.folder or folder
        interpreter = short_interpreter(current.interpreter) or tr("own environment")
        self.show_start(True)
        self.header.set_title("")
        self.header.set_place(folder, interpreter)
        self.pane.set_place(folder, interpreter)
        profile = next((one for one in current.profiles if one.name == current.profile), None)
        model = (profile.model if profile else None) or current.model
        self.composer.set_model(model, bool(profile and profile.auto_run))
        self.start.set_model(model)

    def focus_entry(self) -> None:
        """Put the keyboard where the conversation goes on: at a waiting answer, else a message."""
        if not (self.has_timeline and self.timeline.focus_input()):
            self.composer.setFocus()

    def focus_next_pane(self) -> None:
        """Move the focus on: composer, field of an answer, timeline or first page, editor, list.

        Hidden ones are skipped.
        """
        timeline = (self.timeline.input_field, self.timeline) if self.has_timeline else ()
        column = (self.composer, *timeline, self.start)
        panes = (*column, self.pane.editor.widget, self.sidebar.list)
        stops = [one for one in panes if one is not None and one.isVisible()]
        focused = self.window().focusWidget()
        places = [
            number
            for number, one in enumerate(stops)
            if focused is not None and (one is focused or one.isAncestorOf(focused))
        ]
        after = (places[0] + 1) % len(stops) if places else 0
        stops[after].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def palette_entries(self, keys: KeyBindings) -> Iterator[PaletteEntry]:
        """Yield the commands of the parts and of their menus, with the current keys."""
        from playhead.ui.commands.command_palette import PaletteEntry, menu_entries

        for entry in menu_entries(self._conversation_actions(), tr("This conversation")):
            if entry.text not in (tr("Open"), tr("Rename")):  # a command of the window
                yield entry
        approval = self.approval
        for entry in menu_entries(approval.actions(), tr("Code that waits")):
            yield replace(entry, is_offered=approval.is_armed)
        for name, shortcut in self.find_keys.items():
            binding = f"{TIMELINE}.{name}"
            yield PaletteEntry(
                text=tr(keys.text(binding)),
                run=shortcut.activated.emit,
                keys=shown_keys(keys.keys(binding)),
                group=tr("Conversation"),
                is_offered=self.has_timeline and self.timeline.isVisible(),
            )
        choice = self.composer.buttons.choice
        yield PaletteEntry(text=tr("Choose the model…").rstrip("…"), run=choice.click)
        yield from menu_entries((choice.ask_first, choice.auto_run), "")
        yield PaletteEntry(text=tr("Show or hide the variables"), run=self._toggle_variables)
        yield PaletteEntry(
            text=tr("Look at an earlier run"),
            run=lambda: self.timeline.rail.setFocus(Qt.FocusReason.ShortcutFocusReason),
            group=tr("Conversation"),
            is_offered=self.has_timeline and self.timeline.rail.isVisible(),
        )
        for command, shown, run in self.pane.keys.commands():
            yield PaletteEntry(
                text=tr(command.text).rstrip("…"),
                run=lambda run=run: (self.show_editor(True), run()),
                keys=shown_keys(shown),
                group=tr("Editor"),
            )

    def _conversation_actions(self) -> Sequence[QAction]:
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = self.sidebar.current_menu()
        return self._menu.actions() if self._menu is not None else ()

    def _toggle_variables(self) -> None:
        is_shown = self.is_editor_shown and self.pane.wants_variables
        self.show_editor(True)
        self.pane.show_variables(not is_shown)

    def state(self) -> dict[str, str]:
        """Return the part of the layout that is to be stored."""
        sizes = ",".join(str(size) for size in self._sizes)
        return {
            "sizes": sizes,
            "sidebar": "shown" if self._wants_sidebar else "folded",
            "editor": "shown" if self._wants_editor else "folded",
            "variables": "shown" if self.pane.wants_variables else "folded",
            **self.pane.state(),
        }

    def restore(self, state: Mapping[str, str]) -> None:
        """Restore what `state` returned; ignore anything unreadable."""
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

    def _split(self, column: QWidget) -> None:
        splitter = self.splitter
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        self.sidebar.setMinimumWidth(180)
        self.sidebar.setMaximumWidth(360)
        self.pane.setMinimumWidth(330)
        for widget in (self.sidebar, column, self.pane):
            splitter.addWidget(widget)
        for number, stretch in enumerate((0, 8, 7)):
            splitter.setStretchFactor(number, stretch)
        self._sizes = [SIDEBAR_WIDTH, 666, 578]
        splitter.setSizes(self._sizes)
        splitter.splitterMoved.connect(self._on_splitter_moved)

    def _lay_out_column(self, column: QWidget, middle: QWidget, foot: QWidget) -> None:
        column.setProperty("kind", "page")
        column.setMinimumWidth(300)
        middle.setMinimumHeight(_LEAST_TIMELINE_PX)  # in a low window it gives way, not the foot
        self._stack = QStackedLayout(middle)
        self._stack.addWidget(self.start)
        self._column = layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.notifications)
        layout.addWidget(middle, 1)
        layout.addWidget(foot)

    def _find_keys(self, column: QWidget) -> None:
        """Add the keys of the search to the middle column only, because the editor has its own."""
        self.find_keys: dict[str, QShortcut] = {}
        for name, keys, slot in (
            ("find", "Ctrl+F", lambda: self.timeline.find_bar.open()),
            ("find_next", "F3", lambda: self.timeline.find_bar.step(1)),
            ("find_previous", "Shift+F3", lambda: self.timeline.find_bar.step(-1)),
        ):
            shortcut = self.find_keys[name] = QShortcut(QKeySequence(keys), column)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)

    def _lay_out_foot(self, foot: QWidget, inner: QWidget) -> None:
        """Place the approval bar and the composer, no wider than the text above them."""
        inner.setMaximumWidth(COLUMN_WIDTH + 8)
        self._foot = column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.approval)
        column.addWidget(self.question)
        column.addWidget(self.composer)
        row = QHBoxLayout(foot)
        row.setContentsMargins(GAP_XXL, 6, GAP_XXL, 16)
        row.addWidget(inner)

    def _on_splitter_moved(self) -> None:
        """Remember the sizes only while all three parts are shown."""
        if self.is_sidebar_shown and self.is_editor_shown:
            self._sizes = self.splitter.sizes()


_FIRST_SIZE_PX = (1480, 940)
_REST_MS = 1_000
"""The delay before the state is stored, so that a drag stores it only once."""
_CHANGES = frozenset((QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.WindowStateChange))


def restore_window(window: QWidget, parts: WindowLayout, state: Mapping[str, str]) -> None:
    """Restore the stored size and layout, else a good size that fits on the screen."""
    if geometry := state.get("geometry"):
        window.restoreGeometry(QByteArray.fromBase64(geometry.encode()))
    else:
        fit_on_screen(window, *_FIRST_SIZE_PX)
    parts.restore(state)


class WindowStateStore(QObject):
    """Stores the window's state. Owner: the main window, which calls `begin` and `close_down`."""

    def __init__(
        self, window: QWidget, parts: WindowLayout, settings: Settings, tasks: TaskOwner
    ) -> None:
        super().__init__(window)
        self._window = window
        self._parts = parts
        self._settings = settings
        self.is_following = False
        self.rest = QTimer(self)
        self.rest.setSingleShot(True)
        self.rest.setInterval(_REST_MS)
        self.rest.timeout.connect(lambda: tasks.start(self.keep()))

    def begin(self) -> None:
        """Begin to follow the changes that the user makes."""
        self.is_following = True
        self._window.installEventFilter(self)
        self._parts.splitter.splitterMoved.connect(lambda: self.rest.start())
        self._parts.folded.connect(self.rest.start)

    async def close_down(self) -> None:
        """Store the state at the end. Raises StorageError."""
        self._window.removeEventFilter(self)
        self.rest.stop()
        await self.keep()

    async def keep(self) -> None:
        """Store the state if it has changed. Raises StorageError."""
        geometry = bytes(self._window.saveGeometry().toBase64().data()).decode()
        state = {"geometry": geometry, **self._parts.state()}
        if state != self._settings.current.window:
            await self._settings.save(replace(self._settings.current, window=state))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Store the state soon after a move or a resize of the window."""
        if event.type() in _CHANGES:
            self.rest.start()
        return False


_NOTCH = 120


class TypeZoom(QObject):
    """Zooms text and pictures, and stores the zoom. Owner: the main window."""

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        tasks: TaskOwner,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._settings = settings
        self._tasks = tasks
        self._window = parent
        self._turned = 0

    @property
    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """Return the handlers of the window's commands by name."""
        return {
            "larger": lambda: self.step(1),
            "smaller": lambda: self.step(-1),
            "normal_size": lambda: self.choose(100),
        }

    def step(self, direction: int) -> None:
        """Zoom in (1) or out (-1)."""
        self.choose(next_zoom(self._theme.type.zoom_percent, direction))

    def turn(self, event: QWheelEvent) -> None:
        """Zoom by the wheel with Ctrl, a step for each notch; touchpads give parts of one."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return
        self._turned += event.angleDelta().y()
        if abs(self._turned) >= _NOTCH:
            self.step(1 if self._turned > 0 else -1)
            self._turned = 0
        event.accept()

    def choose(self, percent: int) -> None:
        """Zoom to a size in percent."""
        from playhead.ui.timeline.scroll.accessibility import announce

        self._theme.set_type(replace(self._theme.type, zoom_percent=percent))
        announce(self._window, tr("Text and pictures at {percent} %", percent=percent))
        self._tasks.start(
            self._settings.save(replace(self._settings.current, zoom_percent=percent))
        )


def next_zoom(percent: int, step: int) -> int:
    """Return the next larger or smaller zoom in percent, or the outermost one at the ends."""
    if step > 0:
        return next((one for one in ZOOMS_PERCENT if one > percent), ZOOMS_PERCENT[-1])
    return next((one for one in reversed(ZOOMS_PERCENT) if one < percent), ZOOMS_PERCENT[0])


_MOVES = (QEvent.Type.Show, QEvent.Type.DevicePixelRatioChange)


class ScreenRatio(QObject):
    """Calls `on_changed(ratio)` when the window is shown or moves to another pixel ratio."""

    def __init__(self, window: QWidget, on_changed: Callable[[float], None]) -> None:
        super().__init__(window)
        self._window = window
        self._on_changed = on_changed
        self._ratio = 0.0
        window.installEventFilter(self)
        if window.isVisible():
            self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the ratio again; let the event pass."""
        if event.type() in _MOVES:
            self._look()
        return False

    def _look(self) -> None:
        if (ratio := self._window.devicePixelRatioF()) != self._ratio:
            self._ratio = ratio
            self._on_changed(ratio)
