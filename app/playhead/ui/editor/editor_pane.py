"""The right side of the window: one block of code with its header and the kernel's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.conversation.requests import KernelStatus
from playhead.ui.editor.choice import make_editor
from playhead.ui.editor.code_editor import CodeEditor
from playhead.ui.editor.colours import editor_colours
from playhead.ui.editor.plain import PlainEditor
from playhead.ui.editor.running_line import RunningLine
from playhead.ui.folder_names import folder_name
from playhead.ui.theme import BAR_HEIGHT, Theme

if TYPE_CHECKING:
    from playhead.ui.variables.variables_panel import VariablesPanel

LANGUAGE_NAMES = {
    "python": "Python",
    "shell": "Shell",
    "bash": "Shell",
    "javascript": "JavaScript",
    "html": "HTML",
    "r": "R",
    "sql": "SQL",
    "json": "JSON",
}


class EditorPane(QWidget):
    """Shows one code message, streams into it, lets the user change and run it.

    Signals: `run_requested(language, code)`, `stop_requested()`, `edited()` on the user's edits,
    `restart_requested()`, `folder_clicked()`, `interpreter_clicked()`, `newer_requested()` when
    the user wants the newer code that an edit has kept out, `fold_requested()`,
    `variables_toggled(bool)` when the names under the editor were shown or hidden.
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

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, is_light: bool = False
    ) -> None:
        """`is_light` begins with the plain editor, which costs the first paint nothing."""
        super().__init__(parent)
        self._theme = theme
        self.message_id = ""
        self.language = "python"
        self._original = ""
        self._is_running = False
        self._is_asked = False
        self._is_light = is_light
        self.editor: CodeEditor = PlainEditor(self) if is_light else make_editor(self)
        self.running_line = RunningLine(self.editor, self)
        self.variables: VariablesPanel | None = None
        self._wants_variables = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._make_header())
        layout.addWidget(self._make_splitter(), 1)
        layout.addWidget(self._make_status_bar())
        self._listen()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.set_kernel(KernelStatus())
        self.show_code("", "python", "")

    def load_editor(self) -> None:
        """Put the real editor in the place of the light one; what was typed meanwhile stays."""
        if not self._is_light:
            return
        self._is_light = False
        light, self.editor = self.editor, make_editor(self)
        self.running_line.use(self.editor)
        self.editor.set_colours(editor_colours(self._theme))
        self.editor.set_language(self.language)
        self.editor.show_text(light.text())
        self.editor.widget.setAcceptDrops(light.widget.acceptDrops())
        had_focus = light.widget.focusProxy() is QApplication.focusWidget()
        self._splitter.replaceWidget(0, self.editor.widget)
        self.editor.widget.show()
        light.widget.hide()
        light.widget.deleteLater()
        self._listen()
        if had_focus:
            self.focus_code()
        self.show_variables(self._wants_variables)

    @property
    def wants_variables(self) -> bool:
        """Whether the user wants to see the names under the editor."""
        return self._wants_variables

    def show_variables(self, is_shown: bool) -> None:
        """Show the names under the editor, or hide them; they are made when first seen."""
        self._wants_variables = is_shown
        self._names.setChecked(is_shown)
        if self._is_light:  # not before the first paint
            return
        if is_shown and self.variables is None:
            self.variables = self._make_variables()
        if self.variables is not None and self.variables.isHidden() == is_shown:
            self.variables.setVisible(is_shown)
        self.variables_toggled.emit(is_shown)

    def show_code(self, message_id: str, language: str, code: str, title: str = "") -> None:
        """Put up a block of code; '' as id is the user's own scratch."""
        self._open(message_id, language, title)
        self._original = code
        self.editor.show_text(code)
        self._show_marks()

    def begin_stream(self, message_id: str, language: str, title: str = "") -> None:
        """A block of code begins to arrive; it cannot be typed in until `end_stream`."""
        self._open(message_id, language, title)
        self._original = ""
        self.editor.show_text("")
        self.editor.set_read_only(True)
        self._show_marks()

    def append(self, text: str) -> None:
        """More of the code that is arriving."""
        self.editor.append(text)

    def end_stream(self) -> None:
        """All of the code has arrived."""
        self.editor.end_stream()
        self.editor.set_read_only(False)
        self._original = self.editor.text()
        self._show_marks()

    def text(self) -> str:
        """The code as it stands, edits included."""
        return self.editor.text()

    def replace_text(self, code: str) -> None:
        """Put a draft of the user's over the code; it counts as edited."""
        self.editor.replace_text(code)
        self._show_marks()

    @property
    def is_edited(self) -> bool:
        """Whether the user changed the code since it was shown or last taken."""
        return self.editor.text() != self._original

    @property
    def original(self) -> str:
        """The code before the user changed it."""
        return self._original

    def adopt(self, message_id: str, title: str) -> None:
        """The text as it stands is what runs: from now on it is that message's."""
        self.message_id = message_id
        self._original = self.editor.text()
        self._title.setText(title)
        self.running_line.reset()
        self.set_newer(False)
        self._show_marks()

    def set_running(self, is_running: bool) -> None:
        """Run ↔ Stop."""
        self._is_running = is_running
        self._show_run_button()

    def set_asked(self, is_asked: bool) -> None:
        """Whether the code that is shown waits for approval: Run is then the thing to do."""
        self._is_asked = is_asked
        self._show_run_button()

    def set_newer(self, is_newer: bool, words: str = "Show newer code") -> None:
        """Whether another block waits behind the button, and what the button says."""
        self._newer.setText(words)
        self._newer.setVisible(is_newer)

    def set_kernel(self, status: KernelStatus) -> None:
        """Show the kernel's state and memory."""
        words = {
            "none": "no kernel",
            "starting": "kernel starting",
            "idle": "kernel idle",
            "busy": "kernel busy",
            "stopping": "kernel stopping",
        }[status.state]
        if status.memory_bytes:
            words += f" · {status.memory_bytes / 1_000_000:,.0f} MB"
        self._kernel.setText(words)
        self._restart.setEnabled(status.state not in ("none", "stopping"))

    def set_place(self, folder: str, interpreter: str) -> None:
        """Show where and with what the code runs."""
        self._folder.setText(folder_name(folder))
        self._folder.setToolTip(f"Working folder: {folder}")
        self._interpreter.setText(interpreter)
        self._interpreter.setToolTip(f"Interpreter: {interpreter}")

    def request_run(self) -> None:
        """What the Run button does."""
        if not self._is_running and self.text().strip():
            self.run_requested.emit(self.language, self.text())

    def focus_code(self) -> None:
        """Put the cursor into the code."""
        self.editor.widget.setFocus(Qt.FocusReason.OtherFocusReason)

    def _listen(self) -> None:
        self.editor.edited.connect(self._on_edited)
        self.editor.cursor_moved.connect(self._on_cursor_moved)

    def _open(self, message_id: str, language: str, title: str) -> None:
        self.running_line.reset()
        self.editor.end_stream()
        self.editor.set_read_only(False)
        if language != self.language or not self._chip.text():
            self.editor.set_language(language)
        self.message_id = message_id
        self.language = language
        self._title.setText(title or "scratch")
        self._chip.setText(LANGUAGE_NAMES.get(language, language or "text"))
        self.set_newer(False)

    def _make_header(self) -> QWidget:
        header = QFrame(self)
        header.setProperty("kind", "bar")
        header.setFixedHeight(BAR_HEIGHT)
        layout = QHBoxLayout(header)
        layout.setContentsMargins(14, 0, 12, 0)
        layout.setSpacing(8)
        self._file_icon = QLabel(header)
        self._title = QLabel(header)
        self._title.setProperty("kind", "title")
        self._chip = QLabel(header)
        self._chip.setProperty("kind", "pill")
        self._chip.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._edited = QLabel("edited", header)
        self._edited.setProperty("kind", "mute")
        self._newer = QPushButton("Show newer code", header)
        self._newer.setProperty("kind", "quiet")
        self._newer.hide()
        self._undo = QToolButton(header)
        self._undo.setToolTip("Undo (Ctrl+Z)")
        self._undo.setAccessibleName("Undo")
        self._run = QPushButton(header)
        self._fold = QToolButton(header)
        self._fold.setToolTip("Hide the editor (Ctrl+J)")
        self._fold.setAccessibleName("Hide the editor")
        for widget in (self._file_icon, self._title, self._chip, self._edited):
            layout.addWidget(widget)
        layout.addStretch(1)
        for widget in (self._newer, self._undo, self._fold, self._run):
            layout.addWidget(widget)
        self._fold.clicked.connect(self.fold_requested)
        self._newer.clicked.connect(self.newer_requested)
        self._undo.clicked.connect(self._on_undo)
        self._run.clicked.connect(self._on_run_clicked)
        return header

    def _make_variables(self) -> VariablesPanel:
        from playhead.ui.variables.variables_panel import VariablesPanel  # only when it is seen

        panel = VariablesPanel(self._theme, self)
        panel.close_requested.connect(lambda: self.show_variables(False))
        self._splitter.addWidget(panel)
        self._splitter.setStretchFactor(1, 0)
        self._splitter.setSizes([self.height(), panel.sizeHint().height()])
        return panel

    def _make_splitter(self) -> QSplitter:
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.editor.widget)
        self._splitter.setStretchFactor(0, 1)
        return self._splitter

    def _make_status_bar(self) -> QWidget:
        bar = QFrame(self)
        bar.setProperty("kind", "foot")
        bar.setFixedHeight(26)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(14, 0, 8, 0)
        layout.setSpacing(4)
        self._position = QLabel("Ln 1, Col 1", bar)
        self._names = self._status_button(bar, "Show the kernel's variables")
        self._names.setText("Variables")
        self._names.setToolTip("The names that the code has defined")
        self._names.setCheckable(True)
        self._names.clicked.connect(self.show_variables)
        self._folder = self._status_button(bar, "Change the working folder")
        self._interpreter = self._status_button(bar, "Choose the interpreter")
        self._kernel = QLabel(bar)
        self._restart = QToolButton(bar)
        self._restart.setToolTip("Restart the kernel: all names are forgotten")
        self._restart.setAccessibleName("Restart kernel")
        for label in (self._position, self._kernel):
            label.setProperty("kind", "mute")
        layout.addWidget(self._position)
        layout.addWidget(self._names)
        layout.addStretch(1)
        for widget in (self._folder, self._interpreter, self._kernel, self._restart):
            layout.addWidget(widget)
        self._folder.clicked.connect(self.folder_clicked)
        self._interpreter.clicked.connect(self.interpreter_clicked)
        self._restart.clicked.connect(self.restart_requested)
        return bar

    def _status_button(self, parent: QWidget, tip: str) -> QPushButton:
        button = QPushButton(parent)
        button.setProperty("kind", "foot")
        button.setAccessibleName(tip)
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        return button

    def _show_marks(self) -> None:
        self._edited.setVisible(self.is_edited)
        self._undo.setEnabled(self.editor.can_undo())
        self._show_run_button()

    def _show_run_button(self) -> None:
        name = "square" if self._is_running else "play"
        is_asked = self._is_asked and not self._is_running
        self._run.setProperty("kind", "primary" if is_asked else "")
        self._run.style().unpolish(self._run)
        self._run.style().polish(self._run)
        self._run.setText("Stop" if self._is_running else "Run")
        self._theme.label_icon(self._run, name, "on_accent" if is_asked else "text")
        self._run.setEnabled(self._is_running or bool(self.text().strip()))
        self._run.setToolTip("Stop the running code" if self._is_running else "Run this code (F5)")

    def _on_edited(self) -> None:
        self._show_marks()
        self.edited.emit()

    def _on_undo(self) -> None:
        self.editor.undo()
        self._show_marks()

    def _on_run_clicked(self) -> None:
        if self._is_running:
            self.stop_requested.emit()
        else:
            self.request_run()

    def _on_cursor_moved(self, line: int, column: int) -> None:
        self._position.setText(f"Ln {line}, Col {column}")

    def _on_theme_changed(self) -> None:
        self.editor.set_colours(editor_colours(self._theme))
        self._file_icon.setPixmap(self._theme.icon("file-code", "accent").pixmap(16, 16))
        self._fold.setIcon(self._theme.icon("panel-right", "mute"))
        self._undo.setIcon(self._theme.icon("undo-2", "mute"))
        self._restart.setIcon(self._theme.icon("rotate-ccw", "mute"))
        self._show_run_button()
