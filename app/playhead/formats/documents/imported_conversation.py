"""A conversation read from a document, before a session takes it, and the row of messages that
readers build it with.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from msgspec import Struct

from playhead.domain.conversation.chunk import ChunkType, Content, Recipient, Role
from playhead.domain.conversation.message import Message, MessageState
from playhead.domain.conversation.payloads import Proposal, RunEnd, RunReport

MESSAGE_LIMIT = 100_000
PICTURE_LIMIT = 64_000_000
TEXT_LIMIT = 64_000_000


class ImportedConversation(Struct, frozen=True):
    """Messages in a row, each below the one before; pictures in them are text in base64.

    `left_out` counts what could not be understood.
    """

    title: str
    messages: tuple[Message, ...]
    left_out: int = 0


class MessageBuilder:
    """Makes messages, each below the one before; counts those that are too long and left out.

    Those that are added have the time `created_at`, 0 while it is unknown.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.left_out = 0
        self.created_at = 0.0

    def add(
        self,
        role: Role,
        kind: ChunkType,
        content: Content,
        format_: str | None = None,
        *,
        call_id: str | None = None,
        recipient: Recipient | None = None,
        state: MessageState = "complete",
    ) -> Message | None:
        """Add a message and return it, or None if there is no room for it."""
        if len(self.messages) >= MESSAGE_LIMIT or _is_too_long(kind, content):
            self.left_out += 1
            return None
        parent = self.messages[-1].id if self.messages else None
        message = Message(
            id=uuid.uuid4().hex,
            parent_id=parent,
            role=role,
            type=kind,
            format=format_,
            content=content,
            call_id=call_id,
            recipient=recipient,
            created_at=self.created_at,
            state=state,
        )
        self.messages.append(message)
        return message

    def copy(self, message: Message) -> Message | None:
        """Add a copy of the message and return it."""
        self.created_at = message.created_at
        return self.add(
            message.role,
            message.type,
            message.content,
            message.format,
            call_id=message.call_id,
            recipient=message.recipient,
            state=message.state,
        )

    def begin_run(self, language: str, code: str, message: Message | None) -> None:
        """Record that code has run, so that it can be run again."""
        message_id = message.id if message is not None else ""
        proposal = Proposal(
            id=uuid.uuid4().hex, message_id=message_id, language=language, code=code
        )
        self.add("computer", "confirmation", proposal, "execution")
        self.add("computer", "run", RunReport(state="started"))

    def end_run(self, report: RunReport | None = None) -> None:
        """Record that the run is over."""
        self.add("computer", "run", report or RunReport(state="finished"))


def close_open_ends(messages: Sequence[Message]) -> list[Message]:
    """Return the messages without an open question at their end, and with the ends of their
    runs.
    """
    kept = list(messages)
    is_running = False
    asked: int | None = None
    for place, message in enumerate(kept):
        match message.content:
            case RunReport(state=state):
                is_running, asked = state == "started", None
            case Proposal():
                asked = place
            case _ if message.role == "user" or message.type == "tool_result":
                asked = None
            case _:
                pass
    if is_running:
        row = MessageBuilder()
        row.messages = kept
        row.end_run(RunReport(state="killed", end=RunEnd(kind="saved_early")))
    elif asked is not None:
        del kept[asked]
        row = MessageBuilder()
        for message in kept:
            row.copy(message)
        return row.messages
    return kept


def _is_too_long(kind: ChunkType, content: Content) -> bool:
    limit = PICTURE_LIMIT * 4 // 3 + 4 if kind == "image" else TEXT_LIMIT
    return isinstance(content, str) and len(content) > limit
