"""Makes attachments of dropped, pasted and chosen files, or explains why it cannot."""

from __future__ import annotations

import os
import time
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from playhead.domain.conversation.message import Attachment
from playhead.errors import AttachmentError
from playhead.ui.widgets.wording import format_size, tr, tr_n

IMAGE_LIMIT_BYTES = 20_000_000
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
IMAGE_LIMIT_PIXELS = 50_000_000
"""Larger ones are sent as files, because decoding one takes hundreds of MB."""
_IMAGE_FORMATS = frozenset({b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp"})
_COUNTED_BYTES = 20_000_000


def attachment_from(path: str) -> Attachment:
    """Return the attachment for a path; only its name and size are read, so size does not matter.

    Of a link it is what the link leads to now: one in the working folder could change later.
    Raises AttachmentError if it is missing, unreadable, or an image too large to be sent.
    """
    place = Path(os.path.realpath(path))
    try:
        size_bytes = place.stat().st_size
    except OSError as error:
        raise AttachmentError(
            tr("“{name}” cannot be attached.", name=place.name),
            detail=error.strerror or tr("It could not be read."),
            remedy=tr("Check that it still exists and that you may read it."),
        ) from error
    if not os.access(place, os.R_OK):
        raise AttachmentError(
            tr("“{name}” cannot be read.", name=place.name),
            detail=tr("You have no permission to read it."),
            remedy=tr("Change its permissions or attach a copy."),
        )
    if place.is_dir():
        return Attachment(kind="folder", path=str(place), name=place.name or str(place))
    if not place.is_file():
        raise AttachmentError(
            tr("“{name}” is not a regular file.", name=place.name),
            remedy=tr("Attach a file, an image or a folder."),
        )
    if place.suffix.lower() not in IMAGE_SUFFIXES:
        return Attachment(kind="file", path=str(place), name=place.name, size_bytes=size_bytes)
    return _image(place, size_bytes)


def _image(place: Path, size_bytes: int) -> Attachment:
    if size_bytes > IMAGE_LIMIT_BYTES:
        raise AttachmentError(
            tr("The image “{name}” is too large to send.", name=place.name),
            detail=tr(
                "It has {size}; the limit is {size_2}.",
                size=format_size(size_bytes),
                size_2=format_size(IMAGE_LIMIT_BYTES),
            ),
            remedy=tr(
                "Attach a smaller copy, or name its path in your message so that code opens it."
            ),
        )
    # A file that is no image in spite of its name is sent as a file; the header is enough to know.
    reader = QImageReader(str(place))
    is_image = reader.canRead() and bytes(reader.format().data()) in _IMAGE_FORMATS
    kind = "image" if is_image and not is_too_many_pixels(reader.size()) else "file"
    return Attachment(kind=kind, path=str(place), name=place.name, size_bytes=size_bytes)


def is_too_many_pixels(size: QSize) -> bool:
    """Return whether an image has too many pixels to be decoded."""
    return size.width() * size.height() > IMAGE_LIMIT_PIXELS


def words_about(attachment: Attachment) -> str:
    """Return why an image is sent as a file, or how many lines a text has. Call it in a thread."""
    path = Path(attachment.path)
    if attachment.kind != "file":
        return ""
    if path.suffix.lower() in IMAGE_SUFFIXES:
        size = QImageReader(attachment.path).size()
        if is_too_many_pixels(size):
            return tr(
                "{number:,.0f} megapixels, sent as a file",
                number=size.width() * size.height() / 1000000.0,
            )
        return tr("no readable image, sent as a file")
    lines = _count_lines(path) if attachment.size_bytes <= _COUNTED_BYTES else None
    return "" if lines is None else tr_n("%n lines", lines, one="1 line")


def _count_lines(path: Path) -> int | None:
    """Return the number of lines of a short text; None for binary and unreadable files."""
    try:
        with path.open("rb") as file:
            data = file.read(_COUNTED_BYTES)
    except OSError:
        return None
    if not data or b"\0" in data:
        return None
    return data.count(b"\n") + (not data.endswith(b"\n"))


def save_pasted_text(text: str, folder: Path) -> Attachment:
    """Save a long pasted text as a file. Call it in a thread."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = _free_name(folder, time.strftime("pasted-%Y%m%d-%H%M%S"), ".txt")
        place.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        raise AttachmentError(
            tr("The pasted text could not be kept as a file."),
            detail=error.strerror or str(error),
            remedy=tr(
                "Make room in {folder}, or attach the file that it comes from.", folder=folder
            ),
        ) from error
    return attachment_from(str(place))


def save_pasted(image: QImage, folder: Path) -> Attachment:
    """Save a pasted image as a PNG file. May take half a second: call it in a thread."""
    name = time.strftime("pasted-%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = _free_name(folder, name, ".png")
        saved = image.save(str(place), "PNG")  # type: ignore[call-overload]
    except OSError as error:
        raise AttachmentError(
            tr("The pasted image could not be kept."),
            detail=error.strerror or str(error),
            remedy=tr("Make room in {folder} or check its permissions.", folder=folder),
        ) from error
    if not saved:
        raise AttachmentError(
            tr("The pasted image could not be kept."),
            remedy=tr("Make room in {folder} or check its permissions.", folder=folder),
        )
    return attachment_from(str(place))


def _free_name(folder: Path, name: str, suffix: str) -> Path:
    place = folder / f"{name}{suffix}"
    number = 1
    while place.exists():
        number += 1
        place = folder / f"{name}-{number}{suffix}"
    return place


def thumbnail(path: str, side_px: int) -> QImage:
    """Return a small picture of an image file, decoded at its small size. Call it in a thread."""
    reader = QImageReader(path)
    reader.setAutoTransform(True)
    if is_too_many_pixels(reader.size()):
        return QImage()
    if (size := reader.size()).isValid():
        bounds = QSize(side_px, side_px)
        reader.setScaledSize(size.scaled(bounds, Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    return reader.read()
