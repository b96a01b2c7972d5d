"""Parts of a message that name or hold a picture become the picture, or words in its place."""

from __future__ import annotations

import base64

from playhead.model_worker.attached_files import FileError, Part, file_bytes, told
from playhead.model_worker.file_limits import FileLimits
from playhead.model_worker.pictures import PictureError, fitted
from playhead.model_worker.protocol import IMAGE_PART

_UNSEEN = "You cannot see images: say so, or have code look at it"
_UNKNOWN = "it is no picture that is known here"


def image_parts(part: Part, limits: FileLimits, *, can_see: bool) -> list[Part]:
    """The picture, with the place of its file, which code may need; else why it is not there."""
    path = str(part["path"]) if part["type"] == IMAGE_PART else ""
    named = f"Image file: {path}" if path else "Image"
    if not can_see:
        return [told(f"{named}. {_UNSEEN}")]
    try:
        kind, data = fitted(file_bytes(path) if path else _decoded(part["data"]), limits)
    except ValueError as error:
        why = str(error) if isinstance(error, PictureError | FileError) else _UNKNOWN
        return [told(f"{named}. It cannot be shown to you: {why}")]
    text = base64.b64encode(data).decode("ascii")
    shown: Part = {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{text}"}}
    return [shown, told(named)] if path else [shown]


def _decoded(text: str) -> bytes:
    """What base64 stands for; a data URL is taken as well."""
    data = text.rpartition(",")[2] if text.startswith("data:") else text
    return base64.b64decode(data)
