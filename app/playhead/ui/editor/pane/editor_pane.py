"""The right side of the window: code in tabs, with notes on it and the kernel's state."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from playhead.domain.execution import PYTHON, KernelStatus
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.editor.pane.code_hints import CodeHints
from playhead.ui.editor.pane.editor_commands import KeyFilter, PaneMenu
from playhead.ui.editor.pane.pane_header import PaneHeader, TabStrip
from playhead.ui.editor.pane.pane_tools import PaneTools
from playhead.ui.editor.pane.status_bar import NoticeStrip, StatusBar
from playhead.ui.editor.pane.tab_pages import (
    ChangeMarks,
    TabPages,
)
from playhead.ui.editor.tab import Tab
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from playhead.ui.editor.code.code_editor import CodeEditor
    from playhead.ui.editor.pane.running_line import RunningLine
    from playhead.ui.editor.pane.tab_pages import (
        TabPage,
    )
    from playhead.ui.editor.variables_panel import VariablesPanel
    from playhead.ui.widgets.theme import Theme


_RULES = Template("""
QPushButton[kind="language"] { background: $accent_bg; color: $accent; border: 1px solid $accent_bg;
  border-radius: 7px; padding: 1px 8px; font-size: 11px; font-weight: 600; }
QPushButton[kind="language"]:hover:enabled { border-color: $accent; }
QPushButton[kind="language"]:focus { border-color: $accent; }
QFrame[kind="find"] { background: $header; border: 0; border-bottom: 1px solid $line; }
QFrame[kind="find"] QLineEdit { padding: 3px 8px; }
QFrame[kind="find"] QToolButton { padding: 3px; min-width: 18px; font-size: 12px; color: $mute; }
QFrame[kind="find"] QToolButton:checked { background: $accent_bg; color: $accent;
  border-color: $accent; }
QFrame[kind="find"] QToolButton:focus { border-color: $accent; }
QLabel[kind="danger"] { color: $danger; font-size: 12px; }
QTabBar { background: $bg; border-bottom: 1px solid $line; }
QTabBar::tab { background: transparent; color: $mute; padding: 5px 10px; border: 1px solid
  transparent; border-bottom: 2px solid transparent; font-size: 12px; }
QTabBar::tab:hover { color: $text; background: $hover; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:selected:focus { border-color: $accent; }
QTabBar QToolButton { background: $bg; border: 0; border-radius: 0; padding: 2px; }
QTabBar QToolButton:hover { background: $hover; }
""")
_NAMES = ("accent_bg", "accent", "header", "line", "mute", "danger", "text", "hover", "bg")


def editor_style(theme: Theme) -> str:
    """Return the style rules in the current colours."""
    return _RULES.substitute({name: theme.tokens.of(name) for name in _NAMES})


SCRATCH = "own:scratch"
"""The tab that is shown while there is no other."""


class EditorPane(QWidget):
    """Shows tabs of code, streams into them, lets the user change and run them.

    The follower (blocks of the conversation) and OwnTabs (texts of the user's own) decide which
    tabs there are; this widget shows them.

    Signals: `run_requested(language, code)`, `stop_requested()`, `edited()` on the user's edits,
    `restart_requested()`, `folder_clicked()`, `interpreter_clicked()`, `newer_requested()` when
    the user wants the newest code, `fold_requested()`, `variables_toggled(bool)` when the variables
    under the editor were shown or hidden, `tab_chosen(str)` by the user, `tab_shown()`,
    `close_requested(str)`, `file_command(str)`: new, open, save, save_as; `line_pointed(int)`
    when the mouse moves to another line (0: none), `printed_requested(int)` for a line's output,
    `breakpoints_changed()` when the user has chosen a line of the shown code to pause before.
    """

    run_requested = Signal(str, str)
    stop_requested = Signal()
    edited = Signal()
    restart_requested = Signal()
    folder_clicked = Signal()
    interpreter_clicked = Signal()
    newer_requested = Signal()
    fold_requested = Signal()
    variables_toggled = Signal(bool)
    tab_chosen = Signal(str)
    tab_shown = Signal()
    line_pointed = Signal(int)
    printed_requested = Signal(int)
    breakpoints_changed = Signal()
    close_requested = Signal(str)
    file_command = Signal(str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, is_light: bool = False
    ) -> None:
        """Make the pane; one that is light makes its editor when it is first needed."""
        super().__init__(parent)
        self._theme = theme
        self._is_running = self._is_asked = self._is_paused = False
        self._why_no_pause = ""
        self._is_light = is_light
        self._can_run: Callable[[str], bool] = lambda _word: True
        self._wants_variables = False
        self._standing_notice = ""
        self.variables: VariablesPanel | None = None
        self.tabs: list[Tab] = [Tab(key=SCRATCH, title="scratch", is_own=True)]
        self.current = self.tabs[0]
        self.setStyleSheet(editor_style(theme))
        self.header = PaneHeader(theme, self)
        self.strip = TabStrip(theme, self)
        self.notice = NoticeStrip(theme, self)
        self.pages = TabPages(theme, self.load_editor, self)
        self.status = StatusBar(theme, self)
        self._marks = ChangeMarks(self)
        self.tools = PaneTools(theme, self.pages, self.header, self.notice, self)
        self.hints = CodeHints(theme, lambda: self.editor, lambda: self.language, self)
        self._handlers = self._make_handlers()
        self.keys = KeyFilter(self._handlers, self)
        self._lay_out()
        self._connect()
        self.status.show_kernel(KernelStatus())
        self.show_tab(SCRATCH)
        if not is_light:
            self._show_plain_reason()

    def load_editor(self) -> None:
        """Make the editor, which the first paint does without."""
        if not self._is_light:
            return
        self._is_light = False
        self.show_tab(self.current.key)
        self._show_plain_reason()
        self.show_variables(self._wants_variables)

    @property
    def editor(self) -> CodeEditor:
        """Return the editor that is shown."""
        return self.pages.current.editor

    @property
    def running_line(self) -> RunningLine:
        """Return the running line of the shown code."""
        return self.pages.current.running_line

    @property
    def message_id(self) -> str:
        """Return the code message that is shown; '' for a text of the user's own."""
        return self.current.message_id

    @property
    def language(self) -> str:
        """Return the language of the shown code."""
        return self.current.language

    @property
    def is_edited(self) -> bool:
        """Return whether the user changed the code since it was shown or last taken."""
        return self.text() != self.current.original

    @property
    def is_being_written(self) -> bool:
        """Return whether the user has changed the code and not run it since."""
        tab = self.current
        return self.is_edited and self.text() != (tab.original if tab.ran is None else tab.ran)

    @property
    def wants_variables(self) -> bool:
        """Return whether the user wants to see the variables under the editor."""
        return self._wants_variables

    def tab(self, key: str) -> Tab | None:
        """Return the tab of that key; None if there is none."""
        return next((tab for tab in self.tabs if tab.key == key), None)

    def text(self) -> str:
        """Return the current code, edits included."""
        return self.pages.text_of(self.current)

    def text_of(self, tab: Tab) -> str:
        """Return the current text of any tab."""
        return self.pages.text_of(tab)

    def set_tabs(self, tabs: Sequence[Tab], current: str) -> None:
        """Show exactly these tabs; close the editors of the others."""
        kept = {tab.key for tab in tabs}
        gone = [tab.key for tab in self.tabs if tab.key not in kept]
        self.tabs = list(tabs)
        self.show_tab(current)
        for key in gone:
            self.pages.forget(key)

    def add_tab(self, tab: Tab) -> None:
        """Add a tab; the user's own are before those of the conversation."""
        place = sum(one.is_own for one in self.tabs) if tab.is_own else len(self.tabs)
        self.tabs.insert(place, tab)
        self.refresh_tabs()

    def show_tab(self, key: str) -> None:
        """Show a tab."""
        if (tab := self.tab(key)) is None:
            return
        self.tools.close_diff()
        self.hints.hide()
        self.current = tab
        if self._is_light:
            self.header.show_changes(0, tr("the saved file"))
        else:
            self._show_page(tab)
        self._show_tab_words()
        self.refresh_tabs()
        self.tab_shown.emit()

    def _show_page(self, tab: Tab) -> None:
        self.pages.show_page(tab)
        page = self.pages.current
        self._show_notice()
        self.tools.use(page)
        self._marks.show(page)
        self.status.show_position(*page.editor.cursor())

    def refresh_tabs(self) -> None:
        """Update the tabs after a change of a title, a state or a file."""
        self.strip.show_tabs(self.tabs, self.current.key)
        self._show_run()

    def begin_stream(self, tab: Tab) -> None:
        """Begin to stream code into a tab, which is read-only until `end_stream`."""
        tab.state = "streaming"
        self.pages.page(tab).editor.set_read_only(True)
        self.refresh_tabs()

    def append(self, tab: Tab, text: str) -> None:
        """Append code that has arrived."""
        self.pages.page(tab).editor.append(text)

    def end_stream(self, tab: Tab) -> None:
        """End the stream; all of the code has arrived."""
        page = self.pages.page(tab)
        page.editor.end_stream()
        page.editor.set_read_only(False)
        tab.original = tab.base = page.editor.text()
        tab.state = ""
        self.refresh_tabs()
        self._show_edited()
        if page is self.pages.current:
            self._show_notice()

    def replace_text(self, code: str) -> None:
        """Replace the code as one step that can be undone; it counts as edited."""
        self.editor.replace_text(code)
        self._on_edited(self.pages.current)

    def take_text(self, tab: Tab) -> None:
        """Record that the tab's text runs: it is no longer edited, but a file remains unsaved."""
        if tab.is_own:
            tab.ran = self.text_of(tab)
        else:
            tab.original = self.text_of(tab)
            tab.is_edited = False
        self._show_edited()

    def note_saved(self, tab: Tab, text: str) -> None:
        """Record that this text of the tab is saved on the disk."""
        tab.original = tab.base = text
        tab.is_edited = self.text_of(tab) != text
        if tab is self.current:
            self._show_tab_words()
            self._marks.refresh()
        self.refresh_tabs()

    def set_running(
        self, is_running: bool, *, is_paused: bool = False, why_no_pause: str = ""
    ) -> None:
        """Show Run, or while code runs Stop and Pause, or why it cannot be paused."""
        self._is_running, self._is_paused = is_running, is_paused
        self._why_no_pause = why_no_pause
        self._show_run()

    def add_breakpoints(self, lines: Sequence[int]) -> None:
        """Pause before these lines of the shown code, too, and show the first of them."""
        self.editor.mark_lines(sorted({*self.editor.breakpoints, *lines}), "breakpoint")
        self.breakpoints_changed.emit()
        if lines:
            self.editor.reveal_line(lines[0])

    def set_asked(self, is_asked: bool) -> None:
        """Set whether the shown code waits for approval, so that Run is the main action."""
        self._is_asked = is_asked
        self._show_run()

    def set_can_run(self, can_run: Callable[[str], bool]) -> None:
        """Set the function that returns whether code in a language can be run."""
        self._can_run = can_run
        self._show_tab_words()

    def set_newer(self, is_newer: bool) -> None:
        """Set whether newer code arrived while another tab is shown."""
        self.header.newer.setVisible(is_newer)

    def set_kernel(self, status: KernelStatus) -> None:
        """Show the kernel's state and memory."""
        self.status.show_kernel(status)

    def set_place(
        self,
        folder: str,
        interpreter: str,
        code_folder: str = "",
        language: str = PYTHON,
        machine: str = "",
    ) -> None:
        """Show the folder and the interpreter of the code, and where the code has gone to."""
        self.status.show_place(folder, interpreter, code_folder, language, machine)

    def set_language(self, word: str) -> None:
        """Set the language of a text of the user's own, as the user chose it."""
        self.current.language = word
        self.editor.set_language(word)
        self._show_tab_words()
        self._show_run()
        self.edited.emit()

    def request_run(self) -> None:
        """Do what the Run button does."""
        if not self._is_running and self.header.run.isEnabled():
            self.run_requested.emit(self.language, self.text())

    def focus_code(self) -> None:
        """Put the cursor into the code."""
        self.editor.widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_wrap(self, is_wrapped: bool) -> None:
        """Set whether long lines wrap."""
        self.pages.set_wrap(is_wrapped)

    def state(self) -> dict[str, str]:
        """Return the part of the look that is to be stored."""
        wrap = "on" if self.pages.is_wrapped else "off"
        return {"wrap": wrap}

    def restore(self, state: Mapping[str, str]) -> None:
        """Restore what `state` returned; ignore anything unreadable."""
        self.set_wrap(state.get("wrap") == "on")

    def show_variables(self, is_shown: bool) -> None:
        """Show or hide the variables under the editor; make the panel when first shown."""
        self._wants_variables = is_shown
        self.status.variables.setChecked(is_shown)
        if self._is_light:  # not before the first paint
            return
        if is_shown and self.variables is None:
            self.variables = self._make_variables()
        if self.variables is not None and self.variables.isHidden() == is_shown:
            self.variables.setVisible(is_shown)
        self.variables_toggled.emit(is_shown)

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.tools)
        self._splitter.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for widget in (self.header, self.strip, self.notice):
            layout.addWidget(widget)
        layout.addWidget(self._splitter, 1)
        layout.addWidget(self.status)

    def _connect(self) -> None:
        header, status = self.header, self.status
        self.keys.watch(self.strip)
        self.tools.field_made.connect(self.keys.watch)
        header.more.setMenu(
            PaneMenu(
                self._handlers,
                lambda name: self.pages.is_wrapped if name == "wrap" else None,
                lambda: (self.tabs, self.current),
                self._on_tab_chosen,
                lambda name: self.keys.keys_of(name),
                self,
            )
        )
        self.pages.made.connect(self._on_editor_made)
        self.pages.edited.connect(self._on_edited)
        self.pages.cursor_moved.connect(status.show_position)
        self.pages.line_pointed.connect(self.line_pointed)
        self.pages.number_clicked.connect(self._toggle_breakpoint)
        self._marks.counted.connect(self._on_counted)
        self.strip.chosen.connect(self._on_tab_chosen)
        self.strip.close_requested.connect(self.close_requested)
        header.run_clicked.connect(self._on_run_clicked)
        header.undo_clicked.connect(self._handlers["undo"])
        header.find_clicked.connect(self._handlers["find"])
        header.changes_clicked.connect(self.tools.toggle_diff)
        header.newer_clicked.connect(self.newer_requested)
        header.fold_clicked.connect(self.fold_requested)
        header.language_chosen.connect(self.set_language)
        status.variables_clicked.connect(self.show_variables)
        status.folder_clicked.connect(self.folder_clicked)
        status.interpreter_clicked.connect(self.interpreter_clicked)
        status.stop_clicked.connect(self.stop_requested)
        status.restart_clicked.connect(self.restart_requested)
        self.notice.dismissed.connect(self._on_notice_dismissed)
        self._theme.changed.connect(self._on_theme_changed)

    def _make_handlers(self) -> dict[str, Callable[[], object]]:
        tools = self.tools
        return {
            "new": lambda: self.file_command.emit("new"),
            "open": lambda: self.file_command.emit("open"),
            "save": lambda: self.file_command.emit("save"),
            "save_as": lambda: self.file_command.emit("save_as"),
            "close": lambda: self.close_requested.emit(self.current.key),
            "next_tab": lambda: self._step_tab(1),
            "previous_tab": lambda: self._step_tab(-1),
            "run": self.request_run,
            "undo": lambda: self.editor.undo(),
            "redo": lambda: self.editor.redo(),
            "find": lambda: tools.find(replaces=False),
            "replace": lambda: tools.find(replaces=True),
            "find_next": lambda: tools.find_step(1),
            "find_previous": lambda: tools.find_step(-1),
            "comment": tools.comment,
            "complete": self.hints.ask,
            "indent": tools.indent,
            "unindent": tools.unindent,
            "wrap": lambda: self.set_wrap(not self.pages.is_wrapped),
            "changes": tools.toggle_diff,
            "pause": self.header.pause.click,
            "step": self.header.step.click,
            "breakpoint": lambda: self._toggle_breakpoint(self.editor.cursor()[0]),
            "printed": lambda: self.printed_requested.emit(self.editor.cursor()[0]),
        }

    def _make_variables(self) -> VariablesPanel:
        from playhead.ui.editor.variables_panel import VariablesPanel  # only when it is seen

        panel = VariablesPanel(self._theme, self)
        panel.close_requested.connect(lambda: self.show_variables(False))
        self._splitter.addWidget(panel)
        self._splitter.setStretchFactor(1, 0)
        self._splitter.setSizes([self.height(), panel.sizeHint().height()])
        return panel

    def _show_plain_reason(self) -> None:
        from playhead.ui.editor.code.editor_factory import plain_editor_reason

        reason = plain_editor_reason()
        self.status.show_plain_reason(reason)
        if reason:
            words = tr("This is the plain editor: code has no colours. {reason}", reason=reason)
            self._standing_notice = words
            self.notice.show_text(words)

    def _show_notice(self) -> None:
        """Show the notice for all texts, or why this one is not drawn correctly."""
        from playhead.ui.editor.code.editor_factory import drawing_problem, is_plain

        why = drawing_problem(self.editor, self.text())
        has_choice = why and not is_plain(self.editor)
        actions = [(tr("Use the plain editor"), self._use_plain)] if has_choice else []
        self.notice.show_text(why or self._standing_notice, *actions)

    def _use_plain(self) -> None:
        from playhead.ui.editor.code.editor_factory import make_plain_editor

        self.pages.use(make_plain_editor)
        self.show_tab(self.current.key)
        self.focus_code()

    def _show_tab_words(self) -> None:
        tab = self.current
        self.header.show_title(tab.title, tab.file.path if tab.file else "")
        self.header.show_language(tab.language, is_choice=tab.is_own)
        self.status.show_language(tab.language if self._can_run(tab.language) else "")
        self._show_edited()

    def _show_edited(self) -> None:
        tab, text = self.current, self.text()
        self.header.edited.setText(tr("not saved") if tab.is_own and tab.file else tr("edited"))
        is_told = text != tab.original and tab.state != "streaming"
        # A text that has no file yet is not "edited": it is being written.
        self.header.edited.setVisible(is_told and not (tab.is_own and tab.file is None))
        self.header.undo.setEnabled(not self._is_light and self.editor.can_undo)
        if tab.is_edited != is_told:
            tab.is_edited = is_told
            self.strip.show_tabs(self.tabs, self.current.key)
        self._show_run(text)

    def _show_run(self, text: str | None = None) -> None:
        has_code = bool((self.text() if text is None else text).strip())
        is_known, name = self._can_run(self.language), language_name(self.language)
        why_not = "" if is_known else tr("{language_name} cannot be run here.", language_name=name)
        if self.current.state == "past":
            why_not = tr("This is the code of an earlier run, which is only shown.")
        self.header.show_run(
            is_running=self._is_running,
            is_asked=self._is_asked,
            why_not=why_not,
            can_run=has_code and not why_not,
        )
        self.header.show_pause(
            is_running=self._is_running, is_paused=self._is_paused, why_not=self._why_no_pause
        )

    def _on_editor_made(self, widget: QWidget) -> None:
        widget.setAcceptDrops(self.acceptDrops())
        if (target := widget.focusProxy()) is not None:
            target.setAcceptDrops(self.acceptDrops())  # and so its viewport
            self.keys.watch(target)
            self.hints.watch(target)  # the last filter is the first one asked

    def _toggle_breakpoint(self, line: int) -> None:
        lines = {*self.editor.breakpoints} ^ {line}
        self.editor.mark_lines(sorted(lines), "breakpoint")
        self.breakpoints_changed.emit()

    def _on_edited(self, page: TabPage) -> None:
        if page is not self.pages.current:
            return
        self._show_edited()
        self._marks.due()
        self.tools.text_changed()
        self.edited.emit()

    def _on_counted(self, count: int) -> None:
        self.header.show_changes(count, self.tools.base_name)

    def _on_tab_chosen(self, key: str) -> None:
        self.show_tab(key)
        self.tab_chosen.emit(key)

    def _step_tab(self, direction: int) -> None:
        keys = [tab.key for tab in self.tabs]
        self._on_tab_chosen(keys[(keys.index(self.current.key) + direction) % len(keys)])
        self.focus_code()

    def _on_run_clicked(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.request_run()

    def _on_notice_dismissed(self) -> None:
        self._standing_notice = ""

    def _on_theme_changed(self) -> None:
        self.setStyleSheet(editor_style(self._theme))
        self._show_run()
