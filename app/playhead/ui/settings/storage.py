"""The settings' page for the program's own files: where they lie, what they take, the way back."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from playhead.domain.app_data import AppFolder, AppFolderKind
from playhead.session.ports import AppFolders
from playhead.ui.composer.attachments import format_size
from playhead.ui.settings.form_rows import Note, add_row, form_grid, line
from playhead.ui.tasks import TaskOwner
from playhead.ui.wording import mark, tr

_KINDS: dict[AppFolderKind, tuple[str, str]] = {
    "data": (mark("Data"), mark("Conversations, outputs of runs, environments, backups")),
    "settings": (mark("Settings"), mark("One file; keys are not in it")),
    "logs": (mark("Logs"), mark("What “Log…” and “Crash reports…” in the window's menu show")),
    "cache": (mark("Cache"), mark("May be deleted at any time")),
}
_USUAL = mark(
    "These are the folders that the system has for such files. Started with --data-dir and a "
    "folder, Playhead keeps all of it below that one, as on a stick. Keys lie in the system's "
    "keyring in any case."
)
_PORTABLE = mark(
    "This Playhead was started with a folder of its own: everything lies below it but the keys, "
    "which are in this computer's keyring."
)
_RESET = mark(
    "Settings as at the first start. What was there before is kept in a dated backup; you are "
    "asked about keys and conversations."
)


class PlaceRow(QWidget):
    """A folder: its path to be copied, what it takes, and the way there."""

    def __init__(self, place: AppFolder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = place
        label, self._words = _KINDS[place.kind]
        self.label = tr(label)
        self.path = line("", tr("Folder: {name}", name=self.label))
        self.path.setReadOnly(True)
        self.path.setText(place.path)
        self.path.setCursorPosition(0)
        self.open_button = QPushButton(tr("Open folder"))
        self.open_button.setAutoDefault(False)
        self.open_button.setAccessibleName(tr("Open folder: {name}", name=self.label))
        self.note = Note()
        self.note.say(tr(self._words))
        self.open_button.clicked.connect(
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(place.path))
        )

    @property
    def rows(self) -> tuple[list[QWidget], list[QWidget]]:
        """What stands beside the label."""
        fields: list[QWidget] = [self.path, self.open_button]
        return fields, [self.note]

    def show_size(self, size_bytes: int) -> None:
        """Say what lies there."""
        size = format_size(size_bytes) if size_bytes else tr("empty")
        self.note.say(f"{tr(self._words)} · {size}")


class StoragePage(QWidget):
    """Owner: the dialog, in whose tasks the sizes are counted. Signal: `reset_requested()`."""

    reset_requested = Signal()

    def __init__(self, places: AppFolders, tasks: TaskOwner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places = places
        self._tasks = tasks
        self._has_counted = False
        self.rows = [PlaceRow(place, self) for place in places.places]
        self.note = Note()
        self.note.say(tr(_PORTABLE) if places.is_portable else tr(_USUAL))
        self.reset_button = QPushButton(tr("Reset…"))
        self.reset_button.setAutoDefault(False)
        self.reset_note = Note()
        self.reset_note.say(tr(_RESET))
        self.reset_button.clicked.connect(self.reset_requested)
        self._lay_out()

    @property
    def paths(self) -> list[QLineEdit]:
        """The fields of the folders."""
        return [row.path for row in self.rows]

    def count(self) -> None:
        """Say what the folders take; counted once, for it may be many files."""
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
        row.show_size(await self._places.size(row.place))
