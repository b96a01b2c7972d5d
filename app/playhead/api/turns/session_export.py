"""A conversation's messages as JSON and as files, made in the server's thread or another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from playhead.api.turns.api_sessions import SessionTranscript
from playhead.atomic_file import read_plain
from playhead.checking.document_edit import with_manifest
from playhead.checking.manifest import manifest_of
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.message import Message
from playhead.errors import RequestError
from playhead.formats.documents.document import write_document
from playhead.formats.documents.document_formats import FORMATS, DocumentKind
from playhead.formats.documents.imported_conversation import PICTURE_LIMIT
from playhead.formats.documents.message_list import write_messages
from playhead.formats.documents.picture import ReadFile, no_files
from playhead.formats.wire.codec import Wire
from playhead.formats.wire.native.encode import is_extended

_MIME = {each.kind: each.mime for each in FORMATS}


def transcript_wire(transcript: SessionTranscript, *, is_full: bool) -> Wire:
    """Return native messages as `/v1/chat` has them; all kinds with `is_full`. Call it in a
    thread.
    """
    wires: list[Wire] = []
    for message in _waiting_last(transcript):
        if is_full or not is_extended(
            Chunk(role=message.role, type=message.type, format=message.format)
        ):
            wires += [_without_mark(wire, message) for wire in write_messages([message])]
    return {"messages": wires}


def document_kind(name: str) -> DocumentKind:
    """Return the kind of file that a request names. Raises RequestError."""
    for kind in get_args(DocumentKind):
        if kind == name:
            return kind
    raise RequestError(
        "format must be json, md, ipynb or py", code="invalid_request", param="format"
    )


def export_transcript(
    transcript: SessionTranscript, kind: DocumentKind, read_file: ReadFile
) -> tuple[bytes, str]:
    """Return the file's bytes and media type; pictures are embedded. Call it in a thread.

    Notebooks and scripts have their manifest.
    """
    messages = transcript.messages
    data = write_document(kind, messages, transcript.title, read_file).data
    if kind in ("ipynb", "py"):
        data = with_manifest(data, f".{kind}", manifest_of(messages, transcript.folder))
    return data, _MIME[kind]


def folder_reader(folder: Path | None) -> ReadFile:
    """Return a function that reads only files in this folder: messages may name any path."""
    if folder is None:
        return no_files
    root = folder.resolve()

    def read(name: str) -> bytes | None:
        try:
            path = Path(name).resolve(strict=True)
            return read_plain(path, PICTURE_LIMIT, root) if path.is_relative_to(root) else None
        except (OSError, ValueError, RuntimeError):  # gone, or a name that no file can have
            return None

    return read


def _waiting_last(transcript: SessionTranscript) -> Sequence[Message]:
    """Return the messages without confirmations; one that waits comes last."""
    kept = [message for message in transcript.messages if message.type != "confirmation"]
    waiting = [message for message in transcript.messages if message.type == "confirmation"]
    return [*kept, waiting[-1]] if transcript.is_waiting and waiting else kept


def _without_mark(wire: Wire, message: Message) -> Wire:
    """Return the message with its own recipient, without the mark for plain readers."""
    plain = {name: value for name, value in wire.items() if name != "recipient"}
    return plain if message.recipient is None else {**plain, "recipient": message.recipient}
