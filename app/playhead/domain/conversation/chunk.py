"""The one vocabulary of everything that streams (docs/wire-formats.md, section 2)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from playhead.domain.conversation.payloads import Payload

Role = Literal["user", "assistant", "computer", "server"]
ChunkType = Literal[
    "message",
    "code",
    "console",
    "image",
    "file",
    "confirmation",
    "command",
    "reasoning",
    "plan",
    "tool_call",
    "tool_result",
    "citation",
    "run",
    "error",
    "input",
    "timing",
    "table",
    "files",
    "usage",
    "retry",
    "echo",
    "status",
]
Recipient = Literal["user", "assistant"]
Content = str | int | Payload | None


class Chunk(Struct, frozen=True, kw_only=True):
    """A streamed fragment.

    A message is one chunk with `start`, any number with `content`, one with `end`, all of one
    role and type; a chunk with neither `start` nor `end` outside a message is *single* and is
    a message by itself. Messages never nest or interleave.

    `content` is a non-empty str for text, an int or None for `format == "active_line"`, an
    OutputTail for `format == "tail"` (each takes the place of the one before it), a
    payload for the structured kinds: confirmation → Proposal, run → RunReport,
    computer/error → CodeError, input → InputRequest, timing → LineTiming, table → Table,
    files → FileChanges, citation → Citation,
    server/error → Failure, server/usage → Usage, server/retry → Waiting, server/echo → Echo.
    `server/status` has the text complete, awaiting_approval or cancelled.

    `id` is given at the start of code, tool_call and tool_result (the provider's call id) and at
    the start of console (the run's id).
    """

    role: Role
    type: ChunkType
    format: str | None = None
    content: Content = None
    start: bool = False
    end: bool = False
    id: str | None = None
    recipient: Recipient | None = None

    @property
    def is_single(self) -> bool:
        """Return whether the chunk can be a whole message (it neither opens nor closes one)."""
        return not self.start and not self.end
