"""The composer: where a message is written, with its attachments and the Send button."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from playhead.conversation.requests import Attachment
from playhead.errors import AppError, AttachmentError
from playhead.ui.attachment_chips import AttachmentChips
from playhead.ui.attachments import attachment_from, save_pasted
from playhead.ui.composer_text import ComposerText
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import Theme

_MODEL_PX = 200
_OTHER_BUTTONS_PX = 252  # beside the model's name on its row


class Composer(QFrame):
    """Signals: `submitted(str text, list[Attachment])`, `edit_submitted(str message_id, str text)`,
    `stop_requested()`, `auto_run_toggled(bool)`, `model_clicked()`, `edit_last_requested()`,
    `failed(AppError)` when something cannot be attached.

    What was typed stays until the owner calls `clear()`: a refused message is not lost.
    """

    submitted = Signal(str, list)
    edit_submitted = Signal(str, str)
    stop_requested = Signal()
    auto_run_toggled = Signal(bool)
    model_clicked = Signal()
    edit_last_requested = Signal()
    failed = Signal(object)

    def __init__(
        self, theme: Theme, tasks: TaskOwner, attachments_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._attachments_dir = attachments_dir
        self._is_busy = False
        self._is_auto_run = False
        self._model = ""
        self._edited_id = ""
        self._before_edit = ""
        self._dialog: QFileDialog | None = None
        self.setProperty("kind", "composer")
        self.text_edit = ComposerText(self)
        self.chips = AttachmentChips(theme, tasks, self)
        self._edit_bar = self._make_edit_bar()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 10, 8)
        layout.setSpacing(6)
        for widget in (self._edit_bar, self.chips, self.text_edit, self._make_buttons()):
            layout.addWidget(widget)
        self.setFocusProxy(self.text_edit)
        self._connect()
        self._on_theme_changed()
        self._show_state()

    @property
    def text(self) -> str:
        """What is typed."""
        return self.text_edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a text into the field, cursor at its end."""
        self.text_edit.setPlainText(text)
        self.text_edit.moveCursor(self.text_edit.textCursor().MoveOperation.End)

    def clear(self) -> None:
        """The message is on its way: empty the field and the attachments."""
        self._leave_edit()
        self.text_edit.clear()
        self.chips.clear()

    def draft(self) -> tuple[str, list[Attachment]]:
        """What is not sent yet; while a message is edited, what was written before that."""
        text = self._before_edit if self._edited_id else self.text
        return text, self.chips.attachments

    def put_draft(self, text: str, attachments: Iterable[Attachment]) -> None:
        """Put a draft back."""
        self.clear()
        self.set_text(text)
        for attachment in attachments:
            self.chips.add(attachment)

    def set_busy(self, is_busy: bool) -> None:
        """Send ↔ Stop."""
        self._is_busy = is_busy
        self._show_state()

    @property
    def model(self) -> str:
        """The model that answers, '' in direct mode."""
        return self._model

    def set_model(self, model: str, is_auto_run: bool) -> None:
        """Which model answers, and whether its code runs without asking."""
        self._model, self._is_auto_run = model, is_auto_run
        self._show_state()

    def attach_paths(self, paths: Iterable[str]) -> None:
        """Attach files, images or folders; what cannot be is said by `failed`."""
        for path in paths:
            try:
                self.chips.add(attachment_from(path))
            except AttachmentError as error:
                self.failed.emit(error)
        self.text_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def attach_image(self, image: QImage) -> None:
        """Attach a pasted or dropped image; it is kept as a file."""
        self._tasks.start(self._keep_image(image))

    def begin_edit(self, message_id: str, text: str) -> None:
        """Change a message that was sent; sending makes a branch of it, Esc leaves it."""
        if not self._edited_id:
            self._before_edit = self.text
        self._edited_id = message_id
        self._edit_bar.show()
        self.set_text(text)
        self.text_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def choose_files(self) -> None:
        """Open the file dialog beside the running program."""
        dialog = QFileDialog(self, "Attach files", str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self.attach_paths)
        dialog.open()

    def submit(self) -> None:
        """What Enter does."""
        text = self.text.strip()
        attachments = self.chips.attachments
        if self._is_busy or not (text or attachments):
            return
        if self._edited_id:
            self.edit_submitted.emit(self._edited_id, text)
        else:
            self.submitted.emit(text, attachments)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The model's name gives way first."""
        super().resizeEvent(event)
        self._show_state()

    def _make_edit_bar(self) -> QWidget:
        bar = QWidget(self)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(4, 0, 0, 0)
        label = QLabel("Editing your message: what came after it stays as a branch", bar)
        label.setProperty("kind", "mute")
        self._cancel_edit = QPushButton("Cancel", bar)
        self._cancel_edit.setProperty("kind", "quiet")
        layout.addWidget(label)
        layout.addStretch(1)
        layout.addWidget(self._cancel_edit)
        bar.hide()
        return bar

    def _make_buttons(self) -> QWidget:
        row = QWidget(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._attach = QToolButton(row)
        self._attach.setToolTip("Attach files (Ctrl+Shift+A)")
        self._attach.setAccessibleName("Attach files")
        self._policy = QPushButton(row)
        self._policy.setProperty("kind", "quiet")
        self._policy.setMenu(self._make_menu())
        self.send_button = QPushButton(row)
        self.send_button.setIconSize(QSize(16, 16))
        layout.addWidget(self._attach)
        layout.addWidget(self._policy)
        layout.addStretch(1)
        layout.addWidget(self.send_button)
        return row

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        self._choose_model = menu.addAction("Choose model…")
        menu.addSeparator()
        self._ask_first = menu.addAction("Ask before code runs")
        self._auto_run = menu.addAction("Run code without asking in this conversation")
        for action in (self._ask_first, self._auto_run):
            action.setCheckable(True)
        return menu

    def _connect(self) -> None:
        self.text_edit.sent.connect(self.submit)
        self.text_edit.edit_last_asked.connect(self.edit_last_requested)
        self.text_edit.escaped.connect(self._on_edit_cancelled)
        self.text_edit.paths_pasted.connect(self.attach_paths)
        self.text_edit.image_pasted.connect(self.attach_image)
        self.text_edit.textChanged.connect(self._show_state)
        self.chips.changed.connect(self._show_state)
        self._cancel_edit.clicked.connect(self._on_edit_cancelled)
        self._attach.clicked.connect(self.choose_files)
        self._choose_model.triggered.connect(self.model_clicked)
        self._ask_first.triggered.connect(lambda: self.auto_run_toggled.emit(False))
        self._auto_run.triggered.connect(lambda: self.auto_run_toggled.emit(True))
        self.send_button.clicked.connect(self._on_send_clicked)
        self._theme.changed.connect(self._on_theme_changed)

    def _show_state(self) -> None:
        button = self.send_button
        _set_kind(button, "" if self._is_busy else "primary")
        _set_kind(self._policy, "auto" if self._is_auto_run else "quiet")
        button.setText("Stop" if self._is_busy else "Send")
        button.setToolTip("Stop (Esc)" if self._is_busy else "Send (Enter)")
        has_content = bool(self.text.strip() or self.chips.attachments)
        button.setEnabled(self._is_busy or has_content)
        icon, token = ("square", "text") if self._is_busy else ("arrow-up", "on_accent")
        self._theme.label_icon(button, icon, token)
        policy = "auto-run" if self._is_auto_run else "ask first"
        chevron = self._theme.icon("chevron-down", "warn" if self._is_auto_run else "mute")
        self._policy.setIcon(chevron)
        model = self._policy.fontMetrics().elidedText(
            self._model or "Direct mode",
            Qt.TextElideMode.ElideMiddle,
            max(40, min(_MODEL_PX, self.width() - _OTHER_BUTTONS_PX)),
        )
        self._policy.setText(f"{model} · {policy}")
        self._policy.setToolTip(f"{self._model or 'Direct mode: no model'}, {policy}")
        self._policy.setAccessibleName(f"Model and approval: {self._policy.text()}")
        self._ask_first.setChecked(not self._is_auto_run)
        self._auto_run.setChecked(self._is_auto_run)
        self.text_edit.setPlaceholderText(
            "Describe a task…" if self._model else "Type code to run…"
        )
        self.text_edit.viewport().update()  # Qt 6.11 draws a changed placeholder only later

    def _leave_edit(self) -> None:
        self._edited_id = self._before_edit = ""
        self._edit_bar.hide()

    def _on_edit_cancelled(self) -> None:
        if self._edited_id:
            before = self._before_edit
            self._leave_edit()
            self.set_text(before)
        elif self._is_busy:
            self.stop_requested.emit()

    def _on_send_clicked(self) -> None:
        if self._is_busy:
            self.stop_requested.emit()
        else:
            self.submit()

    async def _keep_image(self, image: QImage) -> None:
        try:
            attachment = await asyncio.to_thread(save_pasted, image, self._attachments_dir)
        except AppError as error:
            self.failed.emit(error)
        else:
            self.chips.add(attachment)

    def _on_theme_changed(self) -> None:
        self._attach.setIcon(self._theme.icon("paperclip", "mute"))
        self._show_state()


def _set_kind(button: QPushButton, kind: str) -> None:
    """Restyle only on a change: it is asked for at every key."""
    if button.property("kind") != kind:
        button.setProperty("kind", kind)
        button.style().unpolish(button)
        button.style().polish(button)
