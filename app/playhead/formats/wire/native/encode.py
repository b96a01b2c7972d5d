"""Encode chunks as native events (docs/wire-formats.md, sections 2 and 2a)."""

from __future__ import annotations

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.text.run_ends import run_end_as_output
from playhead.formats.wire.codec import Pieces, Wire
from playhead.formats.wire.native.objects import encode_payload

EXTENDED = frozenset(
    {
        ("computer", "run"),
        ("computer", "error"),
        ("computer", "input"),
        ("computer", "timing"),
        ("computer", "table"),
        ("computer", "files"),
        ("server", "usage"),
    }
)
"""Kinds of chunks that only our own faces have words for."""
_EXTENDED_FORMATS = {"image": frozenset({"svg"}), "code": frozenset({"markdown", "latex"})}
CALLS = frozenset({"code", "tool_call", "tool_result"})
"""Types of chunks whose start carries the id of a call."""


def is_extended(chunk: Chunk) -> bool:
    """Return whether a plain reader has no word for this chunk."""
    return is_extended_kind(chunk.role, chunk.type, chunk.format)


def is_extended_kind(role: str, kind: str, format_: str | None) -> bool:
    """Return whether a plain reader has no word for chunks of this role, type and format."""
    if (role, kind) in EXTENDED:
        return True
    return role == "computer" and format_ in _EXTENDED_FORMATS.get(kind, ())


def encode_chunk(chunk: Chunk) -> Wire:
    """Return one chunk as a JSON object; empty fields are left out."""
    wire: Wire = {"role": chunk.role, "type": chunk.type}
    if chunk.format is not None:
        wire["format"] = chunk.format
    if chunk.start and chunk.id is not None and chunk.type in CALLS:
        wire["id"] = chunk.id
    if chunk.recipient is not None:
        wire["recipient"] = chunk.recipient
    content = chunk.content
    if chunk.format == "active_line":
        wire["content"] = None if content is None else str(content)
    elif isinstance(content, (str, int)):
        wire["content"] = content
    elif content is not None:
        wire |= encode_payload(content)
    if chunk.start:
        wire["start"] = True
    if chunk.end:
        wire["end"] = True
    return wire


def _plain(chunk: Chunk) -> Chunk:
    """Return the chunk without what only our own faces have words for."""
    if isinstance(content := chunk.content, Proposal) and content.facts is not None:
        plain = replace(content, facts=None, approved_at=0.0, diff="")
        return replace(chunk, content=plain)
    return chunk


class Encoder:
    """Makes one event per chunk; `extended` adds the kinds of our own clients and the usage."""

    def __init__(self, extended: bool = False) -> None:
        self._is_extended = extended
        self._pieces = Pieces()

    def encode(self, chunk: Chunk) -> list[Wire]:
        """Return the events that are certain after this chunk."""
        if self._is_extended:
            return [encode_chunk(piece) for piece in self._pieces.feed(chunk)]
        shown = run_end_as_output(chunk) if is_extended(chunk) else [_plain(chunk)]
        return [encode_chunk(piece) for one in shown for piece in self._pieces.feed(one)]

    def finish(self) -> list[Wire]:
        """Return the end of a message that is still open."""
        return [encode_chunk(piece) for piece in self._pieces.finish()]
