"""What every dialect makes of one message of a request."""

from __future__ import annotations

from dataclasses import dataclass

from playhead.conversation.chunk import Chunk
from playhead.conversation.decisions import Decision


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
