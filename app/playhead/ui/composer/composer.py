"""The composer: the field for a message, with its attachments and the Send button."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from playhead.errors import AppError, AttachmentError
from playhead.ui.composer.attachment_chips import AttachmentChips
from playhead.ui.composer.attachment_files import attachment_from, save_pasted, save_pasted_text
from playhead.ui.composer.button_row import ButtonRow
from playhead.ui.composer.message_field import MessageField
from playhead.ui.composer.queue_rows import QueueRows
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QImage, QMouseEvent, QShowEvent

    from playhead.domain.conversation.message import Attachment
    from playhead.session.message_queue import QueuedMessage
    from playhead.ui.widgets.task_owner import TaskOwner
    from playhead.ui.widgets.theme import Theme

_SPACING_PX = 6
_MARGINS_PX = 20  # above and below, with the frame


class _Edit(Struct, frozen=True, kw_only=True):
    """Holds the message that is edited, and the text that was in the field before."""

    id: str
    is_queued: bool
    text_before: str
    attachments_before: tuple[Attachment, ...]


class Composer(QFrame):
    """The field for a message and its attachments.

    Signals: `submitted(str text, list[Attachment])`, while busy `queued(…)` with the same,
    `edit_submitted(str message_id, str text)`, `queued_edit_ended(object text, list)`: the queued
    message that was edited, None when it stays as it was; `stop_requested()`,
    `auto_run_toggled(bool)`,
    `edit_last_requested()`, `changed()` when the draft changed, `failed(AppError)` when
    something cannot be attached.

    The text remains until the owner calls `clear()`, so that a refused message is not lost.
    """

    submitted = Signal(str, list)
    queued = Signal(str, list)
    edit_submitted = Signal(str, str)
    queued_edit_ended = Signal(object, list)
    stop_requested = Signal()
    auto_run_toggled = Signal(bool)
    edit_last_requested = Signal()
    changed = Signal()
    failed = Signal(object)

    def __init__(
        self, theme: Theme, tasks: TaskOwner, attachments_dir: Path, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._attachments_dir = attachments_dir
        self._is_busy = False
        self._model = ""
        self._edit: _Edit | None = None
        self._keeping = 0
        self._place = 0
        self._sends_when_kept = False
        self._place_words = ""
        self.setProperty("kind", "composer")
        self.queue_rows = QueueRows(theme, self)
        self.text_edit = MessageField(self)
        self.chips = AttachmentChips(theme, tasks, self)
        self.buttons = ButtonRow(theme, self)
        self._edit_bar = self._make_edit_bar()
        self._keeping_words = QLabel(tr("Keeping what you pasted as a file…"), self)
        self._keeping_words.setProperty("kind", "mute")
        self._keeping_words.hide()
        self._lay_out()
        self._connect()
        self._on_theme_changed()

    @property
    def send_button(self) -> QPushButton:
        """Return the button for Send and Stop."""
        return self.buttons.send

    @property
    def text(self) -> str:
        """Return the text in the field."""
        return self.text_edit.toPlainText()

    @property
    def is_typed(self) -> bool:
        """Return whether a person typed the whole text in the field, letter for letter."""
        return self.text_edit.is_typed

    def set_text(self, text: str) -> None:
        """Set the text of the field, with the cursor at its end."""
        self.text_edit.walk.end()
        self.text_edit.put(text)

    def clear(self) -> None:
        """Clear the field and the attachments once the message is sent."""
        self._leave_edit()
        self.text_edit.walk.end()
        self.text_edit.clear()
        focused = self.window().focusWidget()
        if focused is not None and self.chips.isAncestorOf(focused):
            self.text_edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.chips.clear()

    def draft(self) -> tuple[str, list[Attachment]]:
        """Return the unsent text and attachments; during an edit, those from before it."""
        if self._edit is not None and self._edit.is_queued:
            return self._edit.text_before, list(self._edit.attachments_before)
        if self._edit is not None:
            return self._edit.text_before, self.chips.attachments
        return self.text_edit.walk.unsent(self.text), self.chips.attachments

    def put_draft(self, text: str, attachments: Iterable[Attachment]) -> None:
        """Restore a draft, which may belong to another conversation."""
        self._place += 1  # what is still being kept belongs to the conversation before
        self._keeping, self._sends_when_kept = 0, False
        self.clear()
        self.set_text(text)
        for attachment in attachments:
            self.chips.add(attachment)
        self._show_state()

    def set_busy(self, is_busy: bool) -> None:
        """Show Stop in place of Send while busy."""
        self._is_busy = is_busy
        self._show_state()

    @property
    def model(self) -> str:
        """Return the model that answers; '' in direct mode."""
        return self._model

    def set_model(self, model: str, is_auto_run: bool) -> None:
        """Set the model that answers, and whether its code runs without asking."""
        self._model = model
        self.buttons.choice.show_choice(model, is_auto_run=is_auto_run)
        self._show_state()

    def set_place(self, words: str) -> None:
        """Show in the empty field where a message would be in the past; '' for at the end."""
        self._place_words = words
        self._show_state()

    def attach_paths(self, paths: Iterable[str]) -> None:
        """Attach files, images or folders; emit `failed` for those that cannot be attached."""
        for path in paths:
            try:
                self.chips.add(attachment_from(path))
            except AttachmentError as error:
                self.failed.emit(error)
        self.text_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def attach_image(self, image: QImage) -> None:
        """Attach a pasted or dropped image, which is saved as a file."""
        self._keep(lambda: save_pasted(image, self._attachments_dir))

    def attach_text(self, text: str) -> None:
        """Attach a long text, which is saved as a file."""
        self._keep(lambda: save_pasted_text(text, self._attachments_dir))

    def begin_edit(self, message_id: str, text: str) -> None:
        """Begin to edit a sent message; sending it makes a branch, Esc cancels."""
        self._begin_edit(
            message_id, tr("Editing your message: what came after it stays as a branch")
        )
        self.set_text(text)

    def begin_queued_edit(self, message: QueuedMessage) -> None:
        """Begin to edit a queued message; Enter keeps the change, Esc cancels."""
        self._begin_edit(
            message.id, tr("Editing a queued message: it keeps its place"), is_queued=True
        )
        self.set_text(message.text)
        self.chips.clear()
        for attachment in message.attachments:
            self.chips.add(attachment)

    def leave_edit(self) -> None:
        """Cancel the edit and leave the message as it was."""
        self._end_edit(None, ())

    def choose_files(self) -> None:
        """Open the file dialog beside the running program."""
        from playhead.ui.widgets.file_dialog import FileDialog

        dialog = FileDialog(self, tr("Attach files"), str(Path.home()))
        dialog.setFileMode(FileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.attach_paths)
        dialog.open()

    def submit(self) -> None:
        """Handle Enter: send, queue, or end the edit."""
        if self._keeping:
            self._sends_when_kept = True
            return
        text = self.text.strip()
        attachments = self.chips.attachments
        if not (text or attachments):
            return
        if self._edit is not None and self._edit.is_queued:
            self._end_edit(text, attachments)
        elif self._edit is not None and not self._is_busy:
            self.edit_submitted.emit(self._edit.id, text)
        elif self._edit is None:
            (self.queued if self._is_busy else self.submitted).emit(text, attachments)

    def event(self, event: QEvent) -> bool:
        """Fit the text field again when the height of the parts above it has changed."""
        is_done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.text_edit.fit()
        return is_done

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit all parts again when the height of the window changes."""
        if event.type() == QEvent.Type.Resize:
            for part in (self.queue_rows, self.chips, self.text_edit):
                part.fit()
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Focus the text field after a click into the frame, also between the buttons."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """Follow the window's height from now on."""
        super().showEvent(event)
        self.window().installEventFilter(self)  # once more is the same
        self.text_edit.fit()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 10, 8)
        layout.setSpacing(_SPACING_PX)
        for widget in (
            self.queue_rows,
            self._edit_bar,
            self._keeping_words,
            self.chips,
            self.text_edit,
            self.buttons,
        ):
            layout.addWidget(widget)
        self.setFocusProxy(self.text_edit)
        self.text_edit.taken_px = self._taken_px

    def _taken_px(self) -> int:
        """Return the height in pixels of everything but the text."""
        others = (self.queue_rows, self._edit_bar, self._keeping_words, self.chips, self.buttons)
        heights = [one.sizeHint().height() + _SPACING_PX for one in others if not one.isHidden()]
        return sum(heights) + _MARGINS_PX

    def _make_edit_bar(self) -> QWidget:
        bar = QWidget(self)
        layout = QHBoxLayout(bar)
        layout.setContentsMargins(4, 0, 0, 0)
        self._edit_words = QLabel(bar)
        self._edit_words.setProperty("kind", "mute")
        self._edit_words.setWordWrap(True)
        self._edit_words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._cancel_edit = QPushButton(tr("Cancel"), bar)
        self._cancel_edit.setProperty("kind", "quiet")
        self._cancel_edit.setToolTip(tr("Leave it as it was (Esc)"))
        layout.addWidget(self._edit_words, 1)
        layout.addWidget(self._cancel_edit)
        bar.hide()
        return bar

    def _connect(self) -> None:
        field, buttons, choice = self.text_edit, self.buttons, self.buttons.choice
        field.sent.connect(self.submit)
        field.edit_last_asked.connect(self.edit_last_requested)
        field.escaped.connect(self._on_escaped)
        field.paths_pasted.connect(self.attach_paths)
        field.image_pasted.connect(self.attach_image)
        field.text_pasted.connect(self.attach_text)
        field.attachments_wanted.connect(self.chips.focus_last)
        field.focus_changed.connect(self._on_focus_changed)
        field.textChanged.connect(self._on_content_changed)
        self.chips.changed.connect(self._on_content_changed)
        self.chips.changed.connect(lambda: self.chips.order_tabs(field))
        self.chips.left.connect(field.setFocus)
        self.queue_rows.left.connect(field.setFocus)
        self._cancel_edit.clicked.connect(self._on_escaped)
        buttons.attach.clicked.connect(self.choose_files)
        buttons.send_clicked.connect(self.submit)
        buttons.queue_clicked.connect(self.submit)
        buttons.stop_clicked.connect(self.stop_requested)
        choice.auto_run_toggled.connect(self.auto_run_toggled)
        self._theme.changed.connect(self._on_theme_changed)
        self._theme.zoomed.connect(self._size_text)

    def _show_state(self) -> None:
        self.buttons.show_state(
            is_busy=self._is_busy,
            has_content=bool(self.text.strip() or self.chips.attachments or self._keeping),
            is_edit=self._edit is not None,
        )
        self._keeping_words.setVisible(bool(self._keeping))
        words = tr("Describe a task…") if self._model else tr("Type code to run…")
        if self._is_busy:
            words = tr("Write what comes next: it waits for the end of this turn…")
            if self._place_words:
                words = tr("What you write waits for the end of this turn, and goes on from now…")
        elif self._place_words:
            words = self._place_words
        self.text_edit.set_hint(words)

    def _begin_edit(self, message_id: str, words: str, *, is_queued: bool = False) -> None:
        if self._edit is not None and self._edit.is_queued:
            self.leave_edit()
        text, attachments = self.draft()
        self._edit = _Edit(
            id=message_id,
            is_queued=is_queued,
            text_before=text,
            attachments_before=tuple(attachments),
        )
        self._edit_words.setText(words)
        self._edit_bar.show()
        self.text_edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end_edit(self, text: str | None, attachments: Sequence[Attachment]) -> None:
        """End the edit of a queued message and restore what was written before it.

        `text` is None if the message is not changed.
        """
        edit, self._edit = self._edit, None
        self._edit_bar.hide()
        if edit is None:
            return
        self.set_text(edit.text_before)
        if edit.is_queued:
            self.chips.clear()
            for attachment in edit.attachments_before:
                self.chips.add(attachment)
            self.queued_edit_ended.emit(text, list(attachments))

    def _leave_edit(self) -> None:
        edit, self._edit = self._edit, None
        self._edit_bar.hide()
        if edit is not None and edit.is_queued:
            self.queued_edit_ended.emit(None, [])

    def _on_escaped(self) -> None:
        if self._edit is not None:
            self.leave_edit()
        elif self._is_busy:
            self.stop_requested.emit()

    def _on_content_changed(self) -> None:
        self._show_state()
        self.changed.emit()

    def _on_focus_changed(self, has_focus: bool) -> None:
        self.setProperty("focused", "true" if has_focus else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def _keep(self, save: Callable[[], Attachment]) -> None:
        self._keeping += 1
        self._show_state()
        self._tasks.start(self._attach_kept(save, self._place))

    async def _attach_kept(self, save: Callable[[], Attachment], place: int) -> None:
        import asyncio

        kept: Attachment | None = None
        try:
            kept = await asyncio.to_thread(save)
        except AppError as error:
            self.failed.emit(error)
        if place != self._place:
            return
        self._keeping -= 1
        if kept is not None:
            self.chips.add(kept)
        self._show_state()
        if not self._keeping and self._sends_when_kept:
            self._sends_when_kept = False
            if kept is not None:
                self.submit()

    def _size_text(self) -> None:
        look = self._theme.type
        self.text_edit.set_type_px(look.zoomed(look.prose_px))

    def _on_theme_changed(self) -> None:
        self._size_text()
        self.buttons.apply_theme()
        self.chips.apply_theme()
        self.queue_rows.apply_theme()
        self._show_state()
