"""The row under the composer's text: attach, model and approval, Queue, Send or Stop."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from playhead.ui.composer.choice import ModelChoice, set_kind
from playhead.ui.theme import Theme
from playhead.ui.wording import tr

_SPACING_PX = 6


class ComposerButtons(QWidget):
    """Owner: the composer. Signals: `send_clicked()`, `queue_clicked()`, `stop_clicked()`."""

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
        self.choice = ModelChoice(theme, self)
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
        """Send or Stop, and Queue beside Stop once there is something to queue."""
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
        """The model's name gives way first."""
        super().resizeEvent(event)
        self._share()

    def dress(self) -> None:
        """Draw the icons in the colours of the theme in force."""
        self.attach.setIcon(self._theme.icon("paperclip", "mute"))
        self.choice.refresh()

    def _share(self) -> None:
        others = [self.attach, self.send, *([self.queue] if not self.queue.isHidden() else [])]
        taken = sum(one.sizeHint().width() + _SPACING_PX for one in others)
        self.choice.set_room(self.width() - taken - 2 * _SPACING_PX)
