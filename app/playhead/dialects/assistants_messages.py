"""A conversation's messages as those of a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playhead.dialects.assistants_objects import annotations_wire
from playhead.dialects.codec import Wire
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation

_STATUSES = {"streaming": "in_progress", "interrupted": "incomplete", "complete": "completed"}


@dataclass(slots=True)
class ThreadMessage:
    """One message of a thread: what was said at once, and what it cites."""

    parts: list[Message]
    citations: list[Citation] = field(default_factory=list[Citation])

    @property
    def id(self) -> str:
        """Its id: the first part's."""
        return f"msg_{self.parts[0].id}"


def thread_messages(
    messages: Sequence[Message], kept: Mapping[str, Mapping[str, Any]]
) -> list[ThreadMessage]:
    """What user and assistant said, oldest first.

    `kept` says by the ids of messages what else is known of them: `parts` are the further messages
    of the conversation that a client sent with one.
    """
    owners = {part: id_ for id_, told in kept.items() for part in told.get("parts", ())}
    found: list[ThreadMessage] = []
    places: dict[str, ThreadMessage] = {}
    for message in messages:
        if isinstance(message.content, Citation):
            if found and found[-1].parts[0].role == "assistant":
                found[-1].citations.append(message.content)
        elif (owner := places.get(owners.get(message.id, ""))) is not None:
            owner.parts.append(message)
        elif _is_said(message):
            found.append(ThreadMessage([message]))
            places[found[-1].id] = found[-1]
    return found


def thread_message_wire(
    told: ThreadMessage, thread_id: str, file_id: str, kept: Mapping[str, Any]
) -> Wire:
    """The message as clients see it; `file_id` is what the ids of its pictures begin with."""
    first = told.parts[0]
    created_at, status = int(first.created_at), _STATUSES[first.state]
    why = kept.get("incomplete_details") or {"reason": "run_cancelled"}
    return {
        "id": told.id,
        "object": "thread.message",
        "created_at": created_at,
        "thread_id": thread_id,
        "run_id": kept.get("run_id"),
        "assistant_id": kept.get("assistant_id"),
        "role": first.role,
        "status": status,
        "incomplete_details": why if status == "incomplete" else None,
        "completed_at": created_at if status == "completed" else None,
        "incomplete_at": created_at if status == "incomplete" else None,
        "content": _contents(told, file_id),
        "attachments": [],
        "file_ids": [],
        "metadata": kept.get("metadata") or {},
    }


def _contents(told: ThreadMessage, file_id: str) -> list[Wire]:
    annotations = [wire for citation in told.citations for wire in annotations_wire(citation)]
    contents: list[Wire] = []
    for part in told.parts:
        if part.type == "image":
            picture = {"file_id": f"{file_id}{part.id}", "detail": "auto"}
            contents.append({"type": "image_file", "image_file": picture})
        elif part.text:
            text = {"value": part.text, "annotations": annotations}
            contents.append({"type": "text", "text": text})
    return contents


def _is_said(message: Message) -> bool:
    if message.recipient == "assistant":
        return False
    kinds = {"user": ("message", "image", "file"), "assistant": ("message",)}
    return message.type in kinds.get(message.role, ())
