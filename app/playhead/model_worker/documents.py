"""Parts of a message that are ours become what servers know: pictures, documents, or words."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from playhead.model_worker.attached_files import FileError, Part, file_bytes, told
from playhead.model_worker.file_limits import FileLimits
from playhead.model_worker.images import image_parts
from playhead.model_worker.protocol import DOCUMENT_PART, IMAGE_DATA_PART, IMAGE_PART

_OURS = (IMAGE_PART, IMAGE_DATA_PART, DOCUMENT_PART)
_MARK = b"%PDF-"
_HEAD_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Reader:
    """What the model that is asked can look at."""

    can_see: bool = False
    takes_documents: bool = False
    limits: FileLimits = field(default_factory=FileLimits)


def has_files(messages: Iterable[dict[str, Any]]) -> bool:
    """Whether any message has parts of ours."""
    return any(part.get("type") in _OURS for message in messages for part in _parts(message))


def with_files(messages: list[dict[str, Any]], reader: Reader) -> list[dict[str, Any]]:
    """The messages with our parts replaced. It reads and scales: call it in a thread."""
    return [_message(message, reader) for message in messages]


def _message(message: dict[str, Any], reader: Reader) -> dict[str, Any]:
    if not isinstance(message.get("content"), list):
        return message
    parts = [new for part in _parts(message) for new in _made(part, reader)]
    if all(part.get("type") == "text" for part in parts):
        # Plain text is understood by every server, a list of parts is not.
        return {**message, "content": "\n\n".join(part["text"] for part in parts)}
    return {**message, "content": parts}


def _parts(message: dict[str, Any]) -> list[Part]:
    content = message.get("content")
    return cast("list[Part]", content) if isinstance(content, list) else []


def _made(part: Part, reader: Reader) -> list[Part]:
    if part.get("type") == DOCUMENT_PART:
        return _document(str(part["path"]), reader)
    if part.get("type") in _OURS:
        return image_parts(part, reader.limits, can_see=reader.can_see)
    return [part]


def _document(path: str, reader: Reader) -> list[Part]:
    """The PDF itself; its path has been told, so a model that takes none misses nothing."""
    if not reader.takes_documents:
        return []
    name = Path(path).name
    try:
        data = file_bytes(path, reader.limits.document_bytes)
        if _MARK not in data[:_HEAD_BYTES]:
            raise FileError("it is no PDF")
    except FileError as error:
        return [told(f"{name} is not shown to you: {error}. Have code read it")]
    url = f"data:application/pdf;base64,{base64.b64encode(data).decode('ascii')}"
    return [{"type": "file", "file": {"filename": name, "file_data": url}}]
