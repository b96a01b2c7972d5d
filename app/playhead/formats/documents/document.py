"""Write a conversation as a file of any kind, and read it from one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.text.json_text import read_json
from playhead.errors import DocumentError
from playhead.formats.documents.document_formats import DocumentKind
from playhead.formats.documents.imported_conversation import ImportedConversation
from playhead.formats.documents.message_list import read_message_list, write_messages
from playhead.formats.documents.notebook import write_notebook
from playhead.formats.documents.notebook_import import is_notebook, read_notebook
from playhead.formats.documents.picture import ReadFile, no_files


class Document(Struct, frozen=True):
    """A file's bytes, and those of the pictures that belong into a folder beside it."""

    data: bytes
    pictures: Mapping[str, bytes] = msgspec.field(default_factory=dict[str, bytes])


def write_document(
    kind: DocumentKind,
    messages: Iterable[Message],
    title: str = "",
    read_file: ReadFile = no_files,
    folder: str | None = None,
) -> Document:
    """Return the messages as a file of this kind.

    The pictures of Markdown are in `folder`, beside the file, or embedded if that is None.
    """
    match kind:
        case "md":
            from playhead.formats.documents.markdown_document import (
                write_markdown,  # loads markdown-it
            )

            written = write_markdown(messages, title, read_file, folder)
            return Document(written.text.encode(), written.pictures)
        case "ipynb":
            return Document(_json(write_notebook(messages, title, read_file), 1))
        case "py":
            from playhead.formats.documents.script import write_script

            return Document(write_script(messages, title).encode())
        case "json":
            return Document(_json(write_messages(messages, read_file), 2))


def read_document(data: bytes, title: str = "") -> ImportedConversation:
    """Read the conversation of a notebook, a list of messages or a recorded stream.

    Raises DocumentError.
    """
    from playhead.formats.documents.recordings import (
        is_recording,
        read_recording,
        read_recording_text,
    )

    text = _text(data)
    try:
        raw: object = read_json(text, parse_constant=lambda _word: None)
    except ValueError:
        return read_recording_text(text, title)
    if is_recording(raw):
        items = cast("list[object]", raw if isinstance(raw, list) else [raw])
        objects = (cast("dict[str, Any]", item) for item in items if isinstance(item, dict))
        return read_recording(objects, title)
    return read_notebook(raw, title) if is_notebook(raw) else read_message_list(raw, title)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            "This file cannot be read as a conversation.",
            detail="It is not text in UTF-8.",
            remedy="Choose a notebook, a list of messages or a recorded stream of events.",
        ) from error


def _json(value: object, indent: int) -> bytes:
    """Return JSON that every reader accepts: numbers that it cannot express are null."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    return f"{text}\n".encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_finite(item) for item in cast("list[Any]", value)]
    return value
