"""The status of the shown code: a bar below it and a notice above it.

The bar has cursor, folder, interpreter and kernel; the notice says what is unusual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
)

from playhead.domain.execution import PYTHON, KernelStatus
from playhead.ui.editor.code.editor_language import language_name
from playhead.ui.widgets.elided_label import ElidedButton, ElidedLabel
from playhead.ui.widgets.theme import ICON_PX, set_kind
from playhead.ui.widgets.wording import (
    format_size,
    going_on_words,
    mark,
    place_label,
    place_tip,
    tr,
)

if TYPE_CHECKING:
    from PySide6.QtWidgets import (
        QWidget,
    )

    from playhead.ui.widgets.theme import Theme

_SIGN_PX, _ANY_PX = 22, 16_777_215
_PYTHON = ("python", "python3", "py", "ipython")
_WORDS = {
    "none": mark("no kernel"),
    "starting": mark("kernel starting"),
    "idle": mark("kernel idle"),
    "busy": mark("kernel busy"),
    "stopping": mark("kernel stopping"),
}


class StatusBar(QFrame):
    """Shows the status; its buttons only emit signals. Owner: the pane.

    Signals: `variables_clicked(bool)`, `folder_clicked()`, `interpreter_clicked()`,
    `stop_clicked()`, `restart_clicked()`.
    """

    variables_clicked = Signal(bool)
    folder_clicked = Signal()
    interpreter_clicked = Signal()
    stop_clicked = Signal()
    restart_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._language = self._interpreter = ""
        self._runs = PYTHON
        self._status = KernelStatus()
        self.setProperty("kind", "foot")
        self.setFixedHeight(26)
        self.position = ElidedLabel(tr("Ln 1, Col 1"), self)
        self.plain = QLabel(tr("plain editor"), self)
        self.plain.hide()
        self.variables = self._button(tr("Show the kernel's variables"))
        self.variables.setText(tr("Variables"))
        self.variables.setToolTip(tr("The variables that the code has defined"))
        self.variables.setCheckable(True)
        self.folder = self._button(tr("Change the working folder"), ElidedButton)
        self.interpreter = self._button(tr("Choose the interpreter"), ElidedButton)
        self.kernel = ElidedLabel(parent=self)
        for label in (self.position, self.kernel):
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.stop = self._button(tr("Stop what goes on"))
        self.stop.setText(tr("Stop"))
        self.stop.hide()
        self.restart = self._button(tr("Restart kernel"))
        self.restart.setToolTip(tr("Restart the kernel: all variables are lost"))
        self._lay_out()
        self.variables.clicked.connect(self.variables_clicked)
        self.folder.clicked.connect(self.folder_clicked)
        self.interpreter.clicked.connect(self.interpreter_clicked)
        self.stop.clicked.connect(self.stop_clicked)
        self.restart.clicked.connect(self.restart_clicked)
        theme.changed.connect(self.apply_theme)
        self.apply_theme()

    def show_position(self, line: int, column: int) -> None:
        """Show the position of the cursor."""
        self.position.setText(tr("Ln {line}, Col {column}", line=line, column=column))

    def show_kernel(self, status: KernelStatus) -> None:
        """Show the kernel's state and memory, or what goes on in it after a run."""
        self._status = status
        words = going_on_words(status.going_on) or tr(_WORDS[status.state])
        if status.paused_line:
            words = tr("paused before line {line}", line=status.paused_line)
        is_lost = status.going_on.main or status.going_on.threads > 0
        tip = tr("Stop: the kernel ends with its threads, all variables are lost")
        self.stop.setVisible(bool(status.going_on))
        self.stop.setToolTip(tip if is_lost else tr("End the processes; variables are kept"))
        if status.link:
            words = tr("connecting…") if status.link == "connecting" else tr("link lost")
        if status.memory_bytes and not status.going_on:  # else there is Stop in its place
            words += " · " + format_size(status.memory_bytes)
        if silent := self._silence():
            words = f"{silent} · {words}"
        self.kernel.setText(words)
        self.kernel.setToolTip(words)
        self.restart.setEnabled(status.state not in ("none", "stopping"))

    def _silence(self) -> str:
        """Return that the kernel does not name its line; '' where it does, or may."""
        status = self._status
        has_kernel = status.state not in ("none", "starting")
        if not (status.is_silent if has_kernel else self._runs != PYTHON):
            return ""
        word = status.language if has_kernel else self._runs
        name = self._interpreter if word == PYTHON else language_name(word)
        return tr("{name} does not tell its line", name=name)

    def show_place(
        self,
        folder: str,
        interpreter: str,
        code_folder: str = "",
        language: str = PYTHON,
        machine: str = "",
    ) -> None:
        """Show the folder and the interpreter of the code, and where the code has gone to.

        `language` is what the interpreter runs, `machine` where, if not on this computer.
        """
        self._runs = language
        self.folder.setText(place_label(folder, code_folder, machine))
        self.folder.setToolTip(place_tip(folder, code_folder, machine))
        for button in (self.folder, self.interpreter):
            set_kind(button, "foot-far" if machine else "foot")
        self._interpreter = interpreter
        self._show_program()
        self.show_kernel(self._status)

    def show_language(self, word: str) -> None:
        """Show the program that runs code in a language other than Python."""
        self._language = word
        self._show_program()

    def event(self, event: QEvent) -> bool:
        """Leave the word beside the sign of Restart out where there is no room for it."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        layout, word = self.layout(), tr("Restart")
        if layout is None:
            return
        needed = layout.sizeHint().width()
        if not self.restart.text():  # rather more than the word takes, else it comes and goes
            needed += self.restart.fontMetrics().horizontalAdvance(word) + 2 * ICON_PX
        has_room = needed <= self.width()
        if has_room != bool(self.restart.text()):
            self.restart.setText(word if has_room else "")
            self.apply_theme()
            layout.activate()

    def _show_program(self) -> None:
        word = self._language.lower()
        word = PYTHON if not word or word in _PYTHON else word
        is_its = word == self._runs
        name = language_name(self._language)
        tip = tr("Interpreter: {interpreter}", interpreter=self._interpreter)
        other = tr("{language} code is run by the {language} on this computer", language=name)
        self.interpreter.setText(self._interpreter if is_its else name)
        self.interpreter.setToolTip(tip if is_its else other)
        self.interpreter.setEnabled(is_its or word == PYTHON)

    def show_plain_reason(self, reason: str) -> None:
        """Show why there are no colours; '' if there are."""
        self.plain.setVisible(bool(reason))
        self.plain.setToolTip(reason)
        self.plain.setAccessibleDescription(reason)

    def apply_theme(self) -> None:
        """Set the current colours."""
        self._theme.label_icon(self.restart, "rotate-ccw", "mute")
        self.restart.setMaximumWidth(_ANY_PX)
        if not self.restart.text():  # then there is no space between the sign and a word
            self.restart.setIcon(self._theme.icon("rotate-ccw", "mute"))
            self.restart.setIconSize(QSize(ICON_PX, ICON_PX))
            self.restart.setMaximumWidth(_SIGN_PX)

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 0, 8, 0)
        layout.setSpacing(4)
        for label in (self.position, self.plain, self.kernel):
            label.setProperty("kind", "mute")
        for widget in (self.position, self.variables, self.plain):
            layout.addWidget(widget)
        layout.addStretch(1)
        for widget in (self.folder, self.interpreter, self.kernel, self.stop, self.restart):
            layout.addWidget(widget)

    def _button(self, tip: str, make: type[QPushButton] = QPushButton) -> QPushButton:
        button = make(self)
        button.setProperty("kind", "foot")
        button.setAccessibleName(tip)
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        return button


NoticeAction = tuple[str, Callable[[], object]]


class NoticeStrip(QFrame):
    """Shows one notice at a time. Owner: the pane. Signal: `dismissed()`."""

    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "find")
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setProperty("kind", "mute")
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.buttons: list[QPushButton] = []
        self.close_button = QToolButton(self)
        self.close_button.setAccessibleName(tr("Dismiss"))
        self.close_button.setToolTip(tr("Dismiss"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.clicked.connect(self._on_dismissed)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 5, 8, 5)
        self._row.setSpacing(6)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.close_button)
        theme.changed.connect(self._apply_theme)
        self._apply_theme()
        self.hide()

    def show_text(self, words: str, *actions: NoticeAction) -> None:
        """Show a notice in place of the one before; '' hides it."""
        self.words.setText(words)
        self.setAccessibleName(words)
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [self._button(text, action) for text, action in actions]
        self.setVisible(bool(words))

    def _button(self, text: str, action: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.setProperty("kind", "chip")
        button.clicked.connect(lambda: self._on_chosen(action))
        self._row.insertWidget(self._row.count() - 1, button)
        return button

    def _on_chosen(self, action: Callable[[], object]) -> None:
        self.show_text("")
        action()

    def _on_dismissed(self) -> None:
        self.show_text("")
        self.dismissed.emit()

    def _apply_theme(self) -> None:
        self.close_button.setIcon(self._theme.icon("x", "mute"))
