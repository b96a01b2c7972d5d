"""Opens, copies and saves a picture of the conversation."""

from __future__ import annotations

import asyncio
import base64
import binascii
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from playhead.domain.conversation.message import Message
from playhead.errors import StorageError
from playhead.ui.timeline.cards.picture_decoder import decode_picture
from playhead.ui.widgets.file_dialog import FileDialog
from playhead.ui.widgets.task_owner import TaskOwner
from playhead.ui.widgets.theme import Theme
from playhead.ui.widgets.wording import tr

if TYPE_CHECKING:
    from playhead.ui.dialogs.picture_view import PictureView

_LARGEST = QSize(6_000, 6_000)
_DRAWING = QSize(2_400, 2_400)
_SMALLEST_LEVEL = 400


class PictureOpener(QObject):
    """Handles the actions of pictures. Owner: the opener of results.

    Signal: `noticed(title, detail)` for what could not be done.
    """

    noticed = Signal(str, str)

    def __init__(self, tasks: TaskOwner, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._tasks = tasks
        self._theme = theme
        self._window = window
        self.view: PictureView | None = None

    def handle(self, what: str, message: Message, folder: str) -> None:
        """Do what the card of a picture asks for."""
        match what:
            case "picture":
                self._open(message, folder)
            case "copy_picture":
                self._tasks.start(self._copy(message, folder))
            case _:
                self._choose_file(message, folder)

    def close_down(self) -> None:
        """Remove the open picture."""
        if self.view is not None:
            self.view.end()

    def _open(self, message: Message, folder: str) -> None:
        self.close_down()
        from playhead.ui.dialogs.picture_view import PictureView  # not needed for the first paint

        view = self.view = PictureView(self._theme, _name(message), self._window)
        view.closed.connect(self._on_closed)
        view.copy_requested.connect(lambda: self._tasks.start(self._copy(message, folder)))
        view.save_requested.connect(lambda: self._choose_file(message, folder))
        self._tasks.start(self._fill(view, message, folder))

    def _on_closed(self) -> None:
        self.view = None

    async def _fill(self, view: PictureView, message: Message, folder: str) -> None:
        levels, problem = await asyncio.to_thread(_levels, message, folder)
        if self.view is view:
            view.show_picture(levels, problem)

    async def _copy(self, message: Message, folder: str) -> None:
        image, problem = await asyncio.to_thread(_decoded, message, folder)
        if problem:
            self.noticed.emit(tr("The picture could not be copied."), problem)
        else:
            QGuiApplication.clipboard().setImage(image)

    def _choose_file(self, message: Message, folder: str) -> None:
        start = str(Path(folder) / _name(message))
        dialog = FileDialog(self._window, tr("Save picture"), start)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(start)
        dialog.fileSelected.connect(
            lambda path: self._tasks.start(save_picture(message, folder, Path(path)))
        )
        dialog.open()


async def save_picture(message: Message, folder: str, path: Path) -> None:
    """Write the original bytes of the picture to a file."""
    try:
        await asyncio.to_thread(lambda: path.write_bytes(_data(message, folder)))
    except (OSError, binascii.Error, ValueError) as error:
        raise StorageError(
            tr("{name} could not be written.", name=path.name),
            detail=str(error),
            remedy=tr("Choose another folder."),
        ) from error


def _kind(message: Message) -> str:
    return message.format or "path"


def _source(message: Message, folder: str) -> str:
    return str(Path(folder) / message.text) if _kind(message) == "path" else message.text


def _data(message: Message, folder: str) -> bytes:
    kind = _kind(message)
    if kind.startswith("base64"):
        return base64.b64decode(message.text, validate=False)
    if kind == "svg":
        return message.text.encode("utf-8", "replace")
    return Path(_source(message, folder)).read_bytes()


def _name(message: Message) -> str:
    kind = _kind(message)
    if kind == "path":
        return PurePath(message.text).name
    return f"picture.{'svg' if kind == 'svg' else kind.partition('.')[2] or 'png'}"


def _decoded(message: Message, folder: str) -> tuple[QImage, str]:
    kind = _kind(message)
    limit = _DRAWING if kind == "svg" else _LARGEST
    return decode_picture(_source(message, folder), kind, limit)


def _levels(message: Message, folder: str) -> tuple[list[QImage], str]:
    """Return the picture, its smooth halvings for small scales, and what is wrong with it."""
    image, problem = _decoded(message, folder)
    levels = [] if image.isNull() else [image]
    while levels and levels[-1].width() > 2 * _SMALLEST_LEVEL:
        half = levels[-1].width() // 2
        levels.append(levels[-1].scaledToWidth(half, Qt.TransformationMode.SmoothTransformation))
    return levels, problem
