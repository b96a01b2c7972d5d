"""What every dialect makes of one message of a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playhead.domain.conversation.chunk import Chunk, ChunkType, Recipient, Role
from playhead.domain.execution import Decision
from playhead.errors import RequestError


@dataclass(frozen=True, slots=True)
class Entry:
    """One message that a client sent.

    `chunks` are what it is in a conversation (whole messages, none for a decision alone).
    `key` is its content in one canonical text, the same for what this server sent and a client
    sends back; '' for what clients may leave out (confirmations, reasoning, status).
    `decision` is what it decides: about the call `call_id`, or, where that is '', about the code
    that stands last before it. `is_yes` marks a user message of one word that may be an approval
    and is an ordinary message otherwise.
    """

    chunks: tuple[Chunk, ...] = ()
    key: str = ""
    decision: Decision | None = None
    call_id: str = ""
    is_yes: bool = False


def text_message(
    role: Role,
    kind: ChunkType,
    text: str,
    *,
    format_: str | None = None,
    call_id: str | None = None,
    recipient: Recipient | None = None,
) -> tuple[Chunk, ...]:
    """A whole message of text: one chunk of a user's, else start, content and end."""
    content = Chunk(role, kind, format_, content=text, recipient=recipient)
    if role == "user":
        return (content,)
    start = Chunk(role, kind, format_, start=True, id=call_id, recipient=recipient)
    if kind == "console":
        start = Chunk(role, kind, start=True, recipient=recipient)
        content = Chunk(role, kind, "output", content=text, recipient=recipient)
    end = Chunk(role, kind, start.format, end=True, recipient=recipient)
    return (start, content, end) if text else (start, end)


def checked(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, if they say anything at all. Raises RequestError."""
    if not any(entry.chunks or entry.decision for entry in entries):
        raise RequestError("messages hold nothing to answer", param="messages")
    return list(entries)
