"""Images become what a model can see: a data URL, scaled down where they are large."""

from __future__ import annotations

import base64
import io
import os
import stat
from pathlib import Path
from typing import Any, cast

from PIL import Image, UnidentifiedImageError

from playhead.model_worker.protocol import IMAGE_DATA_PART, IMAGE_PART

MAX_SIDE_PX = 2048
MAX_FILE_BYTES = 256 * 1024 * 1024
OURS = (IMAGE_PART, IMAGE_DATA_PART)
"""Types of message parts that no server knows."""

_SENT_AS_THEY_ARE = {"PNG", "JPEG", "GIF", "WEBP"}


def with_images(messages: list[dict[str, Any]], *, can_see: bool) -> list[dict[str, Any]]:
    """The messages with our image parts replaced: by the image, or by a text in its place."""
    return [_message(message, can_see=can_see) for message in messages]


def _message(message: dict[str, Any], *, can_see: bool) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts: list[dict[str, Any]] = [
        _part(part, can_see=can_see) if part.get("type") in OURS else part
        for part in cast("list[dict[str, Any]]", content)
    ]
    if all(part.get("type") == "text" for part in parts):
        # Plain text is understood by every server, a list of parts is not.
        return {**message, "content": "\n\n".join(part["text"] for part in parts)}
    return {**message, "content": parts}


def _part(part: dict[str, Any], *, can_see: bool) -> dict[str, Any]:
    is_file = part["type"] == IMAGE_PART
    name = f"Image file{{}}: {part['path']}" if is_file else "Image{}"
    if not can_see:
        unseen = "" if is_file else " that this model cannot see"
        return _told(name.format(unseen))
    try:
        data = _contents(Path(part["path"])) if is_file else _decoded(part["data"])
        return {"type": "image_url", "image_url": {"url": data_url(data)}}
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError) as error:
        return _told(f"{name.format(' that cannot be shown')} ({type(error).__name__})")


def _told(text: str) -> dict[str, Any]:
    return {"type": "text", "text": f"[{text}]"}


def _contents(path: Path) -> bytes:
    """The file's bytes; not of a pipe or a device, which may never end."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
        raise ValueError("too large, or no file")
    return path.read_bytes()


def _decoded(text: str) -> bytes:
    """What base64 stands for; a data URL is taken as well."""
    data = text.rpartition(",")[2] if text.startswith("data:") else text
    return base64.b64decode(data)


def data_url(data: bytes) -> str:
    """The image as a data URL, at most `MAX_SIDE_PX` wide and high."""
    with Image.open(io.BytesIO(data)) as image:
        kind = image.format or ""
        if max(image.size) <= MAX_SIDE_PX and kind in _SENT_AS_THEY_ARE:
            return _url(kind, data)
        image.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
        kept = "JPEG" if kind == "JPEG" else "PNG"
        picture = image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGBA")
        buffer = io.BytesIO()
        (picture.convert("RGB") if kept == "JPEG" else picture).save(buffer, kept)
    return _url(kept, buffer.getvalue())


def _url(kind: str, data: bytes) -> str:
    return f"data:image/{kind.lower()};base64,{base64.b64encode(data).decode('ascii')}"
