"""A picture of a conversation as bytes, identified by its content and not by its name."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.text.unicode import whole_characters

ReadFile = Callable[[str], bytes | None]
"""Reads a file that a message names; None for what is not there or too large."""

SVG = "image/svg+xml"
SUFFIXES = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/bmp": "bmp",
    SVG: "svg",
}
_MARKS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}
_LOOKED_AT = 2000


class Picture(Struct, frozen=True):
    """`mime` is one of `SUFFIXES`."""

    mime: str
    data: bytes

    @property
    def suffix(self) -> str:
        """Return the suffix of its file name, without a dot."""
        return SUFFIXES[self.mime]

    @property
    def base64(self) -> str:
        """Return the data as text."""
        return base64.b64encode(self.data).decode("ascii")


def no_files(_path: str) -> bytes | None:
    """Return None for every path."""
    return None


def picture_of(message: Message, read_file: ReadFile) -> Picture | None:
    """Return the picture of an image message; None if it cannot be read or is not a picture."""
    form = message.format or "path"
    if form == "svg":
        return Picture(SVG, whole_characters(message.text).encode())
    if form.startswith("base64"):
        return picture_of_base64(message.text)
    data = read_file(message.text) if form == "path" else None
    return picture_of_bytes(data) if data else None


def picture_of_base64(text: str) -> Picture | None:
    """Return the picture of a text in base64; None if it is not a picture."""
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return picture_of_bytes(data)


def picture_of_bytes(data: bytes) -> Picture | None:
    """Return the picture of a file's bytes; None if they are not a picture."""
    for mark, mime in _MARKS.items():
        if data.startswith(mark):
            return Picture(mime, data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Picture("image/webp", data)
    return Picture(SVG, data) if _is_svg(data) else None


def _is_svg(data: bytes) -> bool:
    head = data[:_LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith((b"<svg", b"<?xml", b"<!--", b"<!DOCTYPE svg")) or b"<svg" not in head:
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
