"""Writes conversations into files and reads them, in a thread; explains every failure in words."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile

from playhead.domain.conversation.message import Message
from playhead.errors import DocumentError, StorageError
from playhead.formats.documents.document import read_document, write_document
from playhead.formats.documents.document_formats import IMPORT_LIMIT, DocumentKind
from playhead.formats.documents.imported_conversation import PICTURE_LIMIT, ImportedConversation
from playhead.ui.widgets.wording import tr

_OUR_PICTURE = re.compile(r"picture-\d+\.\w+")
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def save(
    path: Path, kind: DocumentKind, messages: Sequence[Message], title: str, folder: str
) -> None:
    """Write a conversation that works in `folder`; replace an older file only when all is written.

    The pictures of Markdown are put into a folder beside the file. Raises StorageError.
    """
    beside = _folder_beside(path)

    def read_file(name: str) -> bytes | None:
        return _picture(os.path.join(folder, name))

    document = write_document(kind, messages, title, read_file, beside)
    if document.pictures:
        place = path.with_name(beside)
        try:
            place.mkdir(exist_ok=True)
        except OSError as error:
            raise _refused(path, error.strerror or str(error), 0) from error
        for name, data in document.pictures.items():
            _write(place / name, data)
    _write(path, document.data)


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
    try:
        data = _plain_file(str(path), IMPORT_LIMIT)
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


def _picture(path: str) -> bytes | None:
    try:
        return _plain_file(path, PICTURE_LIMIT)
    except (OSError, ValueError):  # also a name that no file can have
        return None


def _plain_file(path: str, limit: int) -> bytes | None:
    """Return a file's bytes; None if it is no regular file or over the limit. Raises OSError."""
    # Not blocking: to open a pipe would wait for its other end.
    descriptor = os.open(path, _OPEN_FLAGS)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > limit:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)
