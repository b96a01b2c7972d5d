"""Asks how far back a reset goes, does it, and says where the backup lies."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.app_data import ResetOptions
from playhead.errors import AppError
from playhead.session.ports import Resetter
from playhead.ui.settings.form_rows import Note
from playhead.ui.tasks import TaskOwner
from playhead.ui.theme import GAP_L, GAP_M, GAP_XL
from playhead.ui.wording import mark, tr

_SETTINGS = mark(
    "Models, profiles, look, shortcuts and all else in the settings become what they were at the "
    "first start. A copy of them is kept in a folder with today's date, with a word on how to get "
    "them back."
)
_BOX_PX = 23  # of a check box, before its words
_KEYS = mark("They are in no backup: you would have to enter them again.")
_CONVERSATIONS = mark("The list is empty then. The backup has them, with the files of their runs.")


class ResetDialog(QDialog):
    """`open()` it. Signal: `was_reset(str)` with the folder of the backup."""

    was_reset = Signal(str)

    def __init__(self, resetting: Resetter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._resetting = resetting
        self._is_busy = False
        self.tasks = TaskOwner(self)
        self.tasks.failed.connect(self._on_failed)
        self.setWindowTitle(tr("Reset"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.keys = QCheckBox(tr("Delete the keys from the system's keyring, too"))
        self.conversations = QCheckBox(tr("Put all conversations away, too"))
        self.problem = Note()
        self.reset_button = QPushButton(tr("Reset"), self)
        self.reset_button.setProperty("kind", "danger")
        self.reset_button.setAutoDefault(False)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        self.cancel_button.setDefault(True)
        self._lay_out()
        self.reset_button.clicked.connect(self._on_reset)
        self.cancel_button.clicked.connect(self.reject)

    @property
    def wish(self) -> ResetOptions:
        """What the boxes say."""
        return ResetOptions(self.keys.isChecked(), self.conversations.isChecked())

    def reject(self) -> None:
        """What has begun is carried through."""
        if not self._is_busy:
            super().reject()

    def _lay_out(self) -> None:
        title = QLabel(tr("Back to the defaults?"), self)
        title.setProperty("kind", "title")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_XL)
        layout.setSpacing(GAP_M)
        layout.addWidget(title)
        layout.addWidget(_note(tr(_SETTINGS)))
        for box, words in ((self.conversations, _CONVERSATIONS), (self.keys, _KEYS)):
            layout.addSpacing(GAP_M)
            layout.addWidget(box)
            layout.addWidget(_note(tr(words), _BOX_PX))
        layout.addWidget(self.problem)
        layout.addSpacing(GAP_L)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.reset_button)
        layout.addLayout(buttons)
        self.setMinimumWidth(460)

    def _on_reset(self) -> None:
        self.problem.say("")
        self._set_busy(True)
        self.tasks.start(self._reset())

    async def _reset(self) -> None:
        try:
            folder = await self._resetting.reset(self.wish)
        finally:
            self._set_busy(False)
        self.was_reset.emit(folder)
        self.accept()

    def _set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        for widget in (self.keys, self.conversations, self.reset_button, self.cancel_button):
            widget.setEnabled(not is_busy)
        self.reset_button.setText(tr("Resetting…") if is_busy else tr("Reset"))

    def _on_failed(self, error: AppError) -> None:
        self.problem.say(str(error), "danger")


def _note(text: str, indent_px: int = 0) -> QLabel:
    note = QLabel(text)
    note.setProperty("kind", "mute")
    note.setTextFormat(Qt.TextFormat.PlainText)
    note.setWordWrap(True)
    note.setContentsMargins(indent_px, 0, 0, 0)
    return note
