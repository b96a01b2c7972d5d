"""Image files become what a model can see: a data URL, scaled down where it is large."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any, cast

from PIL import Image, UnidentifiedImageError

from playhead.model_worker.protocol import IMAGE_PART

MAX_SIDE_PX = 2048
MAX_FILE_BYTES = 256 * 1024 * 1024
_SENT_AS_THEY_ARE = {"PNG", "JPEG", "GIF", "WEBP"}


def with_images(messages: list[dict[str, Any]], *, can_see: bool) -> list[dict[str, Any]]:
    """The messages with image paths replaced: by the image, or by a text that names the file."""
    return [_message(message, can_see=can_see) for message in messages]


def _message(message: dict[str, Any], *, can_see: bool) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    parts: list[dict[str, Any]] = [
        _part(part["path"], can_see=can_see) if part.get("type") == IMAGE_PART else part
        for part in cast("list[dict[str, Any]]", content)
    ]
    if all(part.get("type") == "text" for part in parts):
        # Plain text is understood by every server, a list of parts is not.
        return {**message, "content": "\n\n".join(part["text"] for part in parts)}
    return {**message, "content": parts}


def _part(path: str, *, can_see: bool) -> dict[str, Any]:
    if not can_see:
        return {"type": "text", "text": f"[Image file: {path}]"}
    try:
        return {"type": "image_url", "image_url": {"url": data_url(Path(path))}}
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError, ValueError) as error:
        reason = type(error).__name__
        return {"type": "text", "text": f"[Image file that cannot be shown: {path} ({reason})]"}


def data_url(path: Path) -> str:
    """The image as a data URL, at most `MAX_SIDE_PX` wide and high."""
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ValueError("too large")
    with Image.open(path) as image:
        kind = image.format or ""
        if max(image.size) <= MAX_SIDE_PX and kind in _SENT_AS_THEY_ARE:
            return _url(kind, path.read_bytes())
        image.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
        kept = "JPEG" if kind == "JPEG" else "PNG"
        picture = image if image.mode in ("RGB", "RGBA", "L") else image.convert("RGBA")
        buffer = io.BytesIO()
        (picture.convert("RGB") if kept == "JPEG" else picture).save(buffer, kept)
    return _url(kept, buffer.getvalue())


def _url(kind: str, data: bytes) -> str:
    return f"data:image/{kind.lower()};base64,{base64.b64encode(data).decode('ascii')}"
