"""The settings page for the program's own files: their folders and sizes, and the reset."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from playhead.domain.app_data import AppFolder, AppFolderKind, ResetOptions
from playhead.errors import AppError
from playhead.session.ports import AppFolders, Resetter
from playhead.ui.widgets.form import FormNote, add_row, form_grid, line
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import GAP_L, GAP_M, GAP_XL
from playhead.ui.widgets.wording import format_size, mark, tr, tr_error

_PLACE_TEXTS: dict[AppFolderKind, tuple[str, str]] = {
    "data": (mark("Data"), mark("Conversations, outputs of runs, environments, backups")),
    "settings": (mark("Settings"), mark("One file; keys are not in it")),
    "logs": (mark("Logs"), mark("What “Log…” and “Crash reports…” in the window's menu show")),
    "cache": (mark("Cache"), mark("May be deleted at any time")),
}
_USUAL = mark(
    "These are the folders that the system has for such files. Started with --data-dir and a "
    "folder, Playhead keeps all of it below that one, as on a stick. Keys are always in the "
    "system's keyring."
)
_PORTABLE = mark(
    "This Playhead was started with a folder of its own: everything is in it but the keys, "
    "which are in this computer's keyring."
)
_RESET = mark(
    "Settings as at the first start. What was there before is kept in a dated backup; you are "
    "asked about keys and conversations."
)


class PlaceRow(QWidget):
    """A folder: its path to copy, its size, and a button that opens it."""

    def __init__(self, place: AppFolder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = place
        label, self._words = _PLACE_TEXTS[place.kind]
        self.label = tr(label)
        self.path = line("", tr("Folder: {name}", name=self.label))
        self.path.setReadOnly(True)
        self.path.setText(place.path)
        self.path.setCursorPosition(0)
        self.open_button = QPushButton(tr("Open folder"))
        self.open_button.setAutoDefault(False)
        self.open_button.setAccessibleName(tr("Open folder: {name}", name=self.label))
        self.note = FormNote()
        self.note.show_text(tr(self._words))
        self.open_button.clicked.connect(lambda: open_folder(place.path))

    @property
    def rows(self) -> tuple[list[QWidget], list[QWidget]]:
        """Return the widgets beside the label, row by row."""
        fields: list[QWidget] = [self.path, self.open_button]
        return fields, [self.note]

    def show_size(self, size_bytes: int, in_copies: int = 0) -> None:
        """Show the size of the folder, and how much of it waits in copies for a review."""
        size = format_size(size_bytes) if size_bytes else tr("empty")
        if in_copies:
            copies = format_size(in_copies)
            size = tr(
                "{size}, {copies} of it in copies that wait for a review", size=size, copies=copies
            )
        self.note.show_text(f"{tr(self._words)} · {size}")


class StoragePage(QWidget):
    """The folders and their sizes. Owner: the dialog, whose tasks count the sizes.

    Signal: `reset_requested()`.
    """

    reset_requested = Signal()

    def __init__(self, places: AppFolders, tasks: TaskOwner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places = places
        self._tasks = tasks
        self._has_counted = False
        self.rows = [PlaceRow(place, self) for place in places.places]
        self.note = FormNote()
        self.note.show_text(tr(_PORTABLE) if places.is_portable else tr(_USUAL))
        self.reset_button = QPushButton(tr("Reset…"))
        self.reset_button.setAutoDefault(False)
        self.reset_note = FormNote()
        self.reset_note.show_text(tr(_RESET))
        self.reset_button.clicked.connect(self.reset_requested)
        self._lay_out()

    @property
    def paths(self) -> list[QLineEdit]:
        """Return the fields of the folders."""
        return [row.path for row in self.rows]

    def count(self) -> None:
        """Show the sizes of the folders; count them once, because there may be many files."""
        if not self._has_counted:
            self._has_counted = True
            for row in self.rows:
                self._tasks.start(self._count(row))

    def _lay_out(self) -> None:
        folders = QWidget(self)
        grid = form_grid(folders)
        for row in self.rows:
            add_row(grid, row.label, row.rows)
        hairline = QFrame(self)
        hairline.setProperty("kind", "hairline")
        title = QLabel(tr("Back to the defaults"), self)
        title.setProperty("kind", "title")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for widget in (folders, self.note, hairline, title, self.reset_note):
            layout.addWidget(widget)
        layout.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignLeft)

    async def _count(self, row: PlaceRow) -> None:
        in_copies = await self._places.copies_size() if row.place.kind == "data" else 0
        row.show_size(await self._places.size(row.place), in_copies)


_SETTINGS = mark(
    "Models, profiles, look, shortcuts and all else in the settings become what they were at the "
    "first start. A copy of them is kept in a folder with today's date, with a word on how to get "
    "them back."
)
_BOX_PX = 23  # of a check box, before its words
_KEYS = mark("They are in no backup: you would have to enter them again.")
_CONVERSATIONS = mark("The list is empty then. The backup has them, with the files of their runs.")


class ResetDialog(QDialog):
    """Asks what to reset; call `open()`. Signal: `was_reset(str)` with the folder of the backup."""

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
        self.problem = FormNote()
        self.reset_button = QPushButton(tr("Reset"), self)
        self.reset_button.setProperty("kind", "danger")
        self.reset_button.setAutoDefault(False)
        self.cancel_button = QPushButton(tr("Cancel"), self)
        self.cancel_button.setDefault(True)
        self._lay_out()
        self.reset_button.clicked.connect(self._on_reset)
        self.cancel_button.clicked.connect(self.reject)

    @property
    def options(self) -> ResetOptions:
        """Return the choice of the boxes."""
        return ResetOptions(self.keys.isChecked(), self.conversations.isChecked())

    def reject(self) -> None:
        """Ignore Cancel once the reset has begun."""
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
        self.problem.show_text("")
        self._set_busy(True)
        self.tasks.start(self._reset())

    async def _reset(self) -> None:
        try:
            folder = await self._resetting.reset(self.options)
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
        self.problem.show_text(str(tr_error(error)), "danger")


def _note(text: str, indent_px: int = 0) -> QLabel:
    note = QLabel(text)
    note.setProperty("kind", "mute")
    note.setTextFormat(Qt.TextFormat.PlainText)
    note.setWordWrap(True)
    note.setContentsMargins(indent_px, 0, 0, 0)
    return note
