"""The row of buttons under the composer's text: attach, model and approval, Queue, Send or Stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from playhead.ui.widgets.theme import set_kind
from playhead.ui.widgets.wording import mark, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QResizeEvent

    from playhead.ui.widgets.theme import Theme

DIRECT_MODE = mark("Direct mode")
_NAME_PX = 360


class ModelButton(QPushButton):
    """Opens the picker of its owner's window on a click. Owner: the composer.

    Signal: `auto_run_toggled(bool)`. `recent_models()` returns models with their addresses, the
    last used one first. `ask_first` and `auto_run` do the same as the rows of the picker.
    """

    auto_run_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ""
        self._is_auto_run = False
        self.recent_models: Callable[[], Sequence[tuple[str, str]]] = tuple[tuple[str, str], ...]
        self._room_px = _NAME_PX
        self.ask_first = QAction(tr("Ask before code runs"), self)
        self.auto_run = QAction(tr("Run code without asking in this conversation"), self)
        for action in (self.ask_first, self.auto_run):
            action.setCheckable(True)
        self.ask_first.triggered.connect(lambda: self.auto_run_toggled.emit(False))
        self.auto_run.triggered.connect(lambda: self.auto_run_toggled.emit(True))
        self.show_choice("", is_auto_run=False)

    def show_choice(self, model: str, *, is_auto_run: bool) -> None:
        """Show the model that answers, and whether its code runs without asking."""
        self._model, self._is_auto_run = model, is_auto_run
        self.refresh()

    def set_room(self, room_px: int) -> None:
        """Set the width of the whole button in pixels; the model's name is elided to fit."""
        if room_px != self._room_px:
            self._room_px = room_px
            self.refresh()

    def refresh(self) -> None:
        """Show the choice in the colours of the current theme."""
        policy = tr("auto-run") if self._is_auto_run else tr("ask first")
        self.setIcon(self._theme.icon("chevron-down", "warn" if self._is_auto_run else "mute"))
        set_kind(self, "auto" if self._is_auto_run else "quiet")
        metrics = self.fontMetrics()
        around = metrics.horizontalAdvance(f" · {policy}") + 46  # icon, padding and frame
        room = max(24, min(_NAME_PX, self._room_px - around))
        name = metrics.elidedText(
            self._model or tr(DIRECT_MODE), Qt.TextElideMode.ElideMiddle, room
        )
        self.setText(f"{name} · {policy}")
        model = self._model or tr("{direct}: no model", direct=tr(DIRECT_MODE))
        self.setToolTip(f"{model}, {policy}")
        self.setAccessibleName(
            tr("Model and approval: {model}, {policy}", model=model, policy=policy)
        )
        self.ask_first.setChecked(not self._is_auto_run)
        self.auto_run.setChecked(self._is_auto_run)


_SPACING_PX = 6


class ButtonRow(QWidget):
    """Holds the buttons. Signals: `send_clicked()`, `queue_clicked()`, `stop_clicked()`."""

    send_clicked = Signal()
    queue_clicked = Signal()
    stop_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_busy = False
        self.attach = QToolButton(self)
        self.attach.setToolTip(tr("Attach files (Ctrl+Shift+A)"))
        self.attach.setAccessibleName(tr("Attach files"))
        self.choice = ModelButton(theme, self)
        self.queue = QPushButton(tr("Queue"), self)
        self.queue.setToolTip(tr("Send when this turn has ended (Enter)"))
        self.queue.hide()
        self.send = QPushButton(self)
        self.send.setIconSize(QSize(16, 16))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_SPACING_PX)
        for widget in (self.attach, self.choice):
            layout.addWidget(widget)
        layout.addStretch(1)
        for widget in (self.queue, self.send):
            layout.addWidget(widget)
        self.queue.clicked.connect(self.queue_clicked)
        self.send.clicked.connect(
            lambda: (self.stop_clicked if self._is_busy else self.send_clicked).emit()
        )

    def show_state(self, *, is_busy: bool, has_content: bool, is_edit: bool) -> None:
        """Show Send or Stop, and Queue beside Stop once there is something to queue."""
        self._is_busy = is_busy
        set_kind(self.send, "" if is_busy else "primary")
        set_kind(self.queue, "primary")
        self.send.setText(tr("Stop") if is_busy else tr("Send"))
        self.send.setToolTip(tr("Stop (Esc)") if is_busy else tr("Send (Enter)"))
        self.send.setEnabled(is_busy or has_content)
        icon, token = ("square", "text") if is_busy else ("arrow-up", "on_accent")
        self._theme.label_icon(self.send, icon, token)
        self._theme.label_icon(self.queue, "clock", "on_accent")
        self.queue.setVisible(is_busy and has_content and not is_edit)
        self._share()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the model's name first when there is little room."""
        super().resizeEvent(event)
        self._share()

    def apply_theme(self) -> None:
        """Draw the icons in the colours of the current theme."""
        self.attach.setIcon(self._theme.icon("paperclip", "mute"))
        self.choice.refresh()

    def _share(self) -> None:
        others = [self.attach, self.send, *([self.queue] if not self.queue.isHidden() else [])]
        taken = sum(one.sizeHint().width() + _SPACING_PX for one in others)
        self.choice.set_room(self.width() - taken - 2 * _SPACING_PX)
