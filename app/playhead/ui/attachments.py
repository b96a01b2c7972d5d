"""Makes attachments of dropped, pasted and chosen things, and says in words why one cannot be."""

from __future__ import annotations

import os
import time
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from playhead.conversation.requests import Attachment
from playhead.errors import AttachmentError

IMAGE_LIMIT_BYTES = 20_000_000
IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})


def attachment_from(path: str) -> Attachment:
    """The attachment for a path; only its name and size are looked at, so size does not matter.

    Raises AttachmentError if it is missing, unreadable, or an image too large to be sent.
    """
    place = Path(path).absolute()
    try:
        size_bytes = place.stat().st_size
    except OSError as error:
        raise AttachmentError(
            f"“{place.name}” cannot be attached.",
            detail=error.strerror or "It could not be read.",
            remedy="Check that it still exists and that you may read it.",
        ) from error
    if not os.access(place, os.R_OK):
        raise AttachmentError(
            f"“{place.name}” cannot be read.",
            detail="You have no permission to read it.",
            remedy="Change its permissions or attach a copy.",
        )
    if place.is_dir():
        return Attachment("folder", str(place), place.name or str(place))
    if not place.is_file():
        raise AttachmentError(
            f"“{place.name}” is no ordinary file.", remedy="Attach a file, an image or a folder."
        )
    if place.suffix.lower() not in IMAGE_SUFFIXES:
        return Attachment("file", str(place), place.name, size_bytes)
    return _image(place, size_bytes)


def _image(place: Path, size_bytes: int) -> Attachment:
    if size_bytes > IMAGE_LIMIT_BYTES:
        raise AttachmentError(
            f"The image “{place.name}” is too large to send.",
            detail=f"It has {format_size(size_bytes)}; the limit is "
            f"{format_size(IMAGE_LIMIT_BYTES)}.",
            remedy="Attach a smaller copy, or name its path in your message so that code opens it.",
        )
    # What is no image in spite of its name goes as a file; reading the header is enough to know.
    kind = "image" if QImageReader(str(place)).canRead() else "file"
    return Attachment(kind, str(place), place.name, size_bytes)


def save_pasted(image: QImage, folder: Path) -> Attachment:
    """Keep a pasted image as a PNG file. May take half a second: call it in a thread."""
    name = time.strftime("pasted-%Y%m%d-%H%M%S")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = _free_name(folder, name)
        saved = image.save(str(place), "PNG")  # type: ignore[call-overload]
    except OSError as error:
        raise AttachmentError(
            "The pasted image could not be kept.",
            detail=error.strerror or str(error),
            remedy=f"Make room in {folder} or check its permissions.",
        ) from error
    if not saved:
        raise AttachmentError(
            "The pasted image could not be kept.",
            remedy=f"Make room in {folder} or check its permissions.",
        )
    return attachment_from(str(place))


def _free_name(folder: Path, name: str) -> Path:
    place = folder / f"{name}.png"
    number = 1
    while place.exists():
        number += 1
        place = folder / f"{name}-{number}.png"
    return place


def thumbnail(path: str, side_px: int) -> QImage:
    """A small picture of an image file, decoded at its small size. Call it in a thread."""
    reader = QImageReader(path)
    reader.setAutoTransform(True)
    if (size := reader.size()).isValid():
        bounds = QSize(side_px, side_px)
        reader.setScaledSize(size.scaled(bounds, Qt.AspectRatioMode.KeepAspectRatioByExpanding))
    return reader.read()


def format_size(size_bytes: int) -> str:
    """A size as people read it."""
    if size_bytes < 1_000:
        return "1 byte" if size_bytes == 1 else f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} kB"
    if size_bytes < 1_000_000_000:
        return f"{size_bytes / 1_000_000:.1f} MB"
    return f"{size_bytes / 1_000_000_000:.1f} GB"
