"""Export and import of conversations: the menus, the dialogs and the banner that reports the end.

Files are read and written in a thread.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QIODevice, QObject, QSaveFile, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from playhead.atomic_file import read_plain
from playhead.domain.conversation.message import Message
from playhead.domain.text.titles import file_stem
from playhead.errors import DocumentError, StorageError
from playhead.formats.documents.document_formats import (
    FORMATS,
    IMPORT_LIMIT,
    DocumentFormat,
    DocumentKind,
)
from playhead.session.session import Session
from playhead.session.sessions import Sessions
from playhead.ui.widgets.banner import BannerAction, BannerArea
from playhead.ui.widgets.drop_zone import IMPORTED_SUFFIXES
from playhead.ui.widgets.file_dialog import FileDialog, existing_folder
from playhead.ui.widgets.system_opener import open_folder
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.wording import tr, tr_n

if TYPE_CHECKING:
    from playhead.formats.documents.imported_conversation import ImportedConversation
    from playhead.ui.checks.export_checks import ExportChecks

_CHECKED: tuple[DocumentKind, ...] = ("ipynb", "py", "json")
"""The kinds of exports that can be run again."""
_OUR_PICTURE = re.compile(r"picture-\d+\.\w+")


class DocumentActions(QObject):
    """Exports and imports conversations. Owner: the window.

    `shown` returns the conversation that the window shows. With `checks` exports can be
    checked. Signal: `imported(str id)` when a new conversation is in the list and is to be shown.
    """

    imported = Signal(str)

    def __init__(
        self,
        sessions: Sessions,
        shown: Callable[[], Session | None],
        notifications: BannerArea,
        tasks: TaskOwner,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self.checks: ExportChecks | None = None
        self._sessions = sessions
        self._shown = shown
        self._notifications = notifications
        self._tasks = tasks
        self._window = window
        self._format = FORMATS[0]
        self._folder = ""

    def menu_entries(self, ids: Sequence[str], menu: QMenu) -> Sequence[QAction]:
        """Return the entries for the menu of these conversations; without ids, of the list."""
        if len(ids) > 1:
            kinds = QMenu(tr("Export as"), menu)
            for one in FORMATS:
                kinds.addAction(one.name, lambda one=one: self.export_several(ids, one))
            return (kinds.menuAction(),)
        if ids:
            action = QAction(tr("Export…"), menu)
            action.triggered.connect(lambda: self.export(ids[0]))
        else:
            action = QAction(tr("Import conversation…"), menu)
            action.triggered.connect(self.choose_import)
        return (action,)

    @property
    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what the commands of the window do."""
        return {
            "export": self.export_shown,
            "check_export": self.check_shown,
            "import": self.choose_import,
            "replay": self.replay_shown,
        }

    def export_shown(self) -> None:
        """Ask where to export the conversation in the window."""
        if (session := self._shown()) is not None:
            self._choose_target(session)

    def check_shown(self) -> None:
        """Ask where to export the conversation in the window, then check what was written."""
        if (session := self._shown()) is not None:
            self._choose_target(session, is_checked=True)

    def replay_shown(self) -> None:
        """Show the conversation in the window as it was, by time."""
        session = self._shown()
        if session is None or not session.conversation.messages:
            self._notifications.show_notice(tr("There is nothing to replay yet."))
        elif self.checks is not None:
            self._tasks.start(self.checks.play(session.conversation))

    def export(self, conversation_id: str) -> None:
        """Ask where to export a conversation of the list."""
        self._tasks.start(self._export(conversation_id))

    def export_several(self, ids: Sequence[str], chosen: DocumentFormat) -> None:
        """Ask for the folder into which conversations are exported, each as a file."""
        title = tr("Choose a folder for the exported conversations")
        dialog = FileDialog(self._window, title, self._start_folder())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, tr("Export"))
        dialog.fileSelected.connect(
            lambda path: self._tasks.start(self._write_several(tuple(ids), Path(path), chosen))
        )
        dialog.open()

    def choose_import(self) -> None:
        """Ask which files to import as conversations."""
        suffixes = " ".join(f"*{suffix}" for suffix in IMPORTED_SUFFIXES)
        kinds = tr("Notebooks and conversations ({suffixes});;All files (*)", suffixes=suffixes)
        dialog = FileDialog(self._window, tr("Import conversation"), self._start_folder(), kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, tr("Import"))
        dialog.filesSelected.connect(self.import_files)
        dialog.open()

    def import_files(self, paths: Sequence[str]) -> None:
        """Make a conversation of each file, and show the last one."""
        for path in paths:
            self._folder = str(Path(path).parent)
            self._tasks.start(self._import(Path(path)))

    async def _export(self, conversation_id: str) -> None:
        self._choose_target(await self._sessions.open(conversation_id))

    def _choose_target(self, session: Session, *, is_checked: bool = False) -> None:
        title = session.conversation.title
        if not session.conversation.messages:
            self._notifications.show_notice(tr("There is nothing to export yet."))
            return
        formats = [one for one in FORMATS if one.kind in _CHECKED] if is_checked else FORMATS
        chosen = self._format if self._format in formats else formats[0]
        start = str(Path(self._start_folder(session)) / f"{file_stem(title)}.{chosen.kind}")
        label = tr("Export and check") if is_checked else tr("Export conversation")
        dialog = FileDialog(self._window, label, start)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([_filter(one) for one in formats])
        dialog.filterSelected.connect(lambda: dialog.setDefaultSuffix(_chosen(dialog).kind))
        dialog.selectNameFilter(_filter(chosen))
        dialog.setDefaultSuffix(chosen.kind)
        dialog.setLabelText(QFileDialog.DialogLabel.Accept, tr("Export"))
        dialog.setLabelText(QFileDialog.DialogLabel.LookIn, tr("Folder:"))
        dialog.setLabelText(QFileDialog.DialogLabel.FileType, tr("Format:"))
        dialog.fileSelected.connect(
            lambda path: self._tasks.start(
                self._write(session, Path(path), _chosen(dialog), is_checked=is_checked)
            )
        )
        dialog.open()

    async def _write(
        self, session: Session, path: Path, chosen: DocumentFormat, *, is_checked: bool = False
    ) -> None:
        """Write in a thread; the file's suffix chooses the format if it is a known one."""
        kinds = {f".{one.kind}": one for one in FORMATS}
        self._format = chosen = kinds.get(path.suffix.lower(), chosen)
        self._folder = str(path.parent)
        conversation = session.conversation
        messages = tuple(conversation.messages)
        title, folder = conversation.title, session.folder
        kind = chosen.kind
        await asyncio.to_thread(save, path, kind, messages, title, folder, with_results=is_checked)
        if is_checked and kind in _CHECKED and self.checks is not None:
            await self.checks.begin(session, path)
            return
        others = (
            [BannerAction(tr("Check it"), lambda: self._write_and_check(session, path, chosen))]
            if kind in _CHECKED and self.checks is not None
            else []
        )
        self._show_exported(tr("Exported as “{name}”.", name=path.name), path.parent, others)

    def _write_and_check(self, session: Session, path: Path, chosen: DocumentFormat) -> None:
        self._tasks.start(self._write(session, path, chosen, is_checked=True))

    async def _write_several(
        self, ids: Sequence[str], folder: Path, chosen: DocumentFormat
    ) -> None:
        """Write one file after the other under free names; stop at the first failure."""
        self._folder = str(folder)
        for id_ in ids:
            session = await self._sessions.open(id_)
            conversation = session.conversation
            path = await asyncio.to_thread(_free_path, folder, conversation.title, chosen.kind)
            messages = tuple(conversation.messages)
            where = session.folder
            await asyncio.to_thread(save, path, chosen.kind, messages, conversation.title, where)
        self._show_exported(tr_n("%n conversations were exported.", len(ids)), folder)

    def _show_exported(self, words: str, folder: Path, others: Sequence[BannerAction] = ()) -> None:
        action = BannerAction(tr("Open folder"), lambda: open_folder(folder))
        self._notifications.show_notice(words, str(folder), action, others=others)

    async def _import(self, path: Path) -> None:
        found = await asyncio.to_thread(load, path)
        conversation_id = await self._sessions.add(found)
        self.imported.emit(conversation_id)
        detail = tr("Nothing of it was run.")
        if found.left_out:
            parts = tr_n(
                "%n parts were not understood and left out.",
                found.left_out,
                one="1 part was not understood and left out.",
            )
            detail += f" {parts}"
        self._notifications.show_notice(tr("Imported “{name}”.", name=path.name), detail)

    def _start_folder(self, session: Session | None = None) -> str:
        """Return the folder that was used last, else the folder of the conversation."""
        session = session or self._shown()
        return self._folder or (existing_folder(session.folder) if session is not None else "")


def _free_path(folder: Path, title: str, kind: str) -> Path:
    """Return the path of a file that does not exist yet, named like the conversation."""
    stem = file_stem(title)
    path = folder / f"{stem}.{kind}"
    for number in itertools.count(2):
        if not path.exists():
            break
        path = folder / f"{stem} {number}.{kind}"
    return path


def _filter(one: DocumentFormat) -> str:
    return f"{one.name} (*.{one.kind})"


def _chosen(dialog: QFileDialog) -> DocumentFormat:
    wanted = dialog.selectedNameFilter()
    return next((one for one in FORMATS if _filter(one) == wanted), FORMATS[0])


def save(
    path: Path,
    kind: DocumentKind,
    messages: Sequence[Message],
    title: str,
    folder: str,
    *,
    with_results: bool = False,
) -> None:
    """Write a conversation that works in `folder`; replace an older file only when all is written.

    The pictures of Markdown are put into a folder beside the file. A notebook or a script has a
    manifest, a script `with_results` also what its code gave. Raises StorageError.
    """
    from playhead.checking.document_edit import with_manifest
    from playhead.checking.manifest import manifest_of
    from playhead.checking.recorded_cells import cells_of
    from playhead.formats.documents.document import write_document  # not needed for the first paint

    beside = _folder_beside(path)

    def read_file(name: str) -> bytes | None:
        return _picture(os.path.join(folder, name), folder)

    document = write_document(kind, messages, title, read_file, beside)
    if document.pictures:
        place = path.with_name(beside)
        try:
            place.mkdir(exist_ok=True)
        except OSError as error:
            raise _refused(path, error.strerror or str(error), 0) from error
        for name, data in document.pictures.items():
            _write(place / name, data)
    data = document.data
    if kind in ("ipynb", "py"):
        cells = cells_of(messages, read_file) if with_results else ()
        data = with_manifest(data, path.name, manifest_of(messages, folder), cells)
    _write(path, data)


def _folder_beside(path: Path) -> str:
    """Return the name of the pictures' folder: that of an earlier export, or a free one."""
    for number in itertools.count(1):
        place = path.with_name(f"{path.stem}_files" + (f"-{number}" if number > 1 else ""))
        if not place.exists() or (place.is_dir() and _holds_pictures_only(place)):
            return place.name
    raise AssertionError  # numbers do not end


def _holds_pictures_only(place: Path) -> bool:
    try:
        return all(_OUR_PICTURE.fullmatch(name) for name in os.listdir(place))
    except OSError:
        return False


def load(path: Path) -> ImportedConversation:
    """Return the conversation in a file. Raises DocumentError or StorageError."""
    from playhead.formats.documents.document import read_document  # not needed for the first paint

    try:
        data = read_plain(path, IMPORT_LIMIT)
    except OSError as error:
        raise StorageError(
            tr("{name} could not be read.", name=path.name),
            detail=error.strerror or str(error),
            remedy=tr("Check that it is there and that you may read it."),
        ) from error
    if data is None:
        raise DocumentError(
            tr("{name} is not imported.", name=path.name),
            detail=tr(
                "It is not a regular file of at most {number} MB.", number=IMPORT_LIMIT // 1000000
            ),
            remedy=tr("Choose a notebook or a list of messages."),
        )
    return read_document(data, path.stem)


def _write(path: Path, data: bytes) -> None:
    file = QSaveFile(str(path))
    is_written = (
        file.open(QIODevice.OpenModeFlag.WriteOnly)
        and file.write(data) == len(data)
        and file.commit()
    )
    if not is_written:
        raise _refused(path, file.errorString(), len(data))


def _refused(path: Path, reason: str, size: int) -> StorageError:
    remedy = tr("Choose a folder that you may write to.")
    try:
        if shutil.disk_usage(path.parent).free < size:
            remedy = tr("The disk is full: free some space, or choose another one.")
    except OSError:
        remedy = tr("Choose a folder that is there.")
    return StorageError(
        tr("{name} could not be written.", name=path.name),
        detail=f"{path.parent}: {reason}",
        remedy=remedy,
    )


def _picture(path: str, folder: str) -> bytes | None:
    from playhead.formats.documents.imported_conversation import PICTURE_LIMIT

    try:
        return read_plain(path, PICTURE_LIMIT, folder)
    except (OSError, ValueError):  # also a name that no file can have
        return None
