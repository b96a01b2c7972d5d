"""The objects of the Assistants format: runs, steps, assistants, threads and their messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from playhead.domain.conversation.closing_code import drafts
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Citation
from playhead.domain.text.fences import fenced
from playhead.formats.wire.codec import Wire

RunStatus = Literal[
    "queued",
    "in_progress",
    "requires_action",
    "cancelling",
    "cancelled",
    "failed",
    "completed",
    "incomplete",
    "expired",
]
_ENDED_AT = {"completed": "completed_at", "cancelled": "cancelled_at", "failed": "failed_at"}
"""The field of a run, or of a step, that says when it ended like this."""


class RunFacts(Struct, frozen=True, kw_only=True):
    """The fields of a run that never change; times are in seconds since the epoch.

    `waits_s` is how long it waits for a decision, `settings` are fields that are reported as they
    were requested.
    """

    id: str
    thread_id: str
    assistant_id: str
    model: str
    created_at: int
    instructions: str = ""
    tools: Sequence[Wire] = ()
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
    waits_s: int | None = None
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


def run_wire(
    run: RunFacts,
    status: RunStatus,
    now_s: int,
    *,
    usage: Wire | None = None,
    required: Sequence[Wire] = (),
    error: Wire | None = None,
    is_cut: bool = False,
) -> Wire:
    """Return a run in its current state; `required` are the calls that wait for their outputs."""
    outputs = {"type": "submit_tool_outputs", "submit_tool_outputs": {"tool_calls": [*required]}}
    is_live = status in ("queued", "in_progress", "requires_action", "cancelling")
    wire: Wire = {
        "id": run.id,
        "object": "thread.run",
        "created_at": run.created_at,
        "assistant_id": run.assistant_id,
        "thread_id": run.thread_id,
        "status": status,
        "started_at": None if status == "queued" else run.created_at,
        "expires_at": now_s + run.waits_s if is_live and run.waits_s is not None else None,
        "completed_at": None,
        "cancelled_at": None,
        "failed_at": None,
        "required_action": outputs if required else None,
        "last_error": error,
        "incomplete_details": {"reason": "max_completion_tokens"} if is_cut else None,
        "model": run.model,
        "instructions": run.instructions,
        "tools": [*run.tools],
        "parallel_tool_calls": True,
        "file_ids": [],
        "metadata": dict(run.metadata),
        "usage": usage,
        **run.settings,
    }
    return _ended(wire, status, now_s)


def step_wire(
    run: RunFacts,
    step_id: str,
    created_at: int,
    details: Wire,
    status: str,
    now_s: int,
    *,
    error: Wire | None = None,
) -> Wire:
    """Return a step in its current state; its type is that of its details."""
    wire: Wire = {
        "id": step_id,
        "object": "thread.run.step",
        "created_at": created_at,
        "run_id": run.id,
        "assistant_id": run.assistant_id,
        "thread_id": run.thread_id,
        "type": details["type"],
        "status": status,
        "step_details": details,
        "last_error": error,
        "cancelled_at": None,
        "completed_at": None,
        "expired_at": None,
        "failed_at": None,
        "metadata": {},
        "usage": None,
    }
    wire = _ended(wire, status, now_s)
    return {**wire, "expired_at": now_s} if status == "expired" else wire


def message_wire(
    run: RunFacts, message_id: str, created_at: int, content: Sequence[Wire], status: str, why: str
) -> Wire:
    """Return an assistant's message in its current state; `why` names the reason if it is
    incomplete.
    """
    return {
        "id": message_id,
        "object": "thread.message",
        "created_at": created_at,
        "thread_id": run.thread_id,
        "run_id": run.id,
        "assistant_id": run.assistant_id,
        "role": "assistant",
        "status": status,
        "incomplete_details": {"reason": why} if why else None,
        "completed_at": created_at if status == "completed" else None,
        "incomplete_at": created_at if status == "incomplete" else None,
        "content": [*content],
        "attachments": [],
        "file_ids": [],
        "metadata": {},
    }


def thread_wire(
    thread_id: str,
    created_at: int,
    metadata: Mapping[str, str] | None = None,
    tool_resources: Mapping[str, Any] | None = None,
) -> Wire:
    """Return a thread."""
    return {
        "id": thread_id,
        "object": "thread",
        "created_at": created_at,
        "metadata": dict(metadata or {}),
        "tool_resources": dict(tool_resources or {}),
    }


def assistant_wire(assistant_id: str, created_at: int, model: str, said: Mapping[str, Any]) -> Wire:
    """Return an assistant; `said` are the given fields, the others have defaults."""
    return {
        "id": assistant_id,
        "object": "assistant",
        "created_at": created_at,
        "name": None,
        "description": None,
        "model": model,
        "instructions": None,
        "tools": [],
        "file_ids": [],
        "metadata": {},
        "tool_resources": {},
        "temperature": None,
        "top_p": None,
        "response_format": "auto",
        **said,
    }


def ended_run(wire: Wire, status: RunStatus, now_s: int, error: Wire | None = None) -> Wire:
    """Return a run that ended while it was not streamed."""
    ended = {**wire, "status": status, "required_action": None, "expires_at": None}
    return _ended({**ended, "last_error": error}, status, now_s)


def ended_step(wire: Wire, status: str, now_s: int, error: Wire | None = None) -> Wire:
    """Return a step that ended while its run was not streamed."""
    ended = _ended({**wire, "status": status, "last_error": error}, status, now_s)
    return {**ended, "expired_at": now_s} if status == "expired" else ended


def answered_step(wire: Wire, outputs: Mapping[str, str], now_s: int) -> Wire:
    """Return a step whose calls have their outputs, by the calls' ids."""
    calls = [
        {**call, "function": {**call["function"], "output": outputs[call["id"]]}}
        if call["type"] == "function" and call["id"] in outputs
        else call
        for call in wire["step_details"]["tool_calls"]
    ]
    details = {**wire["step_details"], "tool_calls": calls}
    return ended_step({**wire, "step_details": details}, "completed", now_s)


def annotations_wire(citation: Citation) -> list[Wire]:
    """Return the annotations of a citation, one for each source."""
    return [
        {
            "type": "file_citation",
            "text": citation.text,
            "start_index": citation.start,
            "end_index": citation.end,
            "file_citation": {"file_id": source.id or source.url or source.title},
        }
        for source in citation.sources
    ]


def _ended(wire: Wire, status: str, now_s: int) -> Wire:
    field_name = _ENDED_AT.get(status)
    return {**wire, field_name: now_s} if field_name else wire


_STATUSES = {"streaming": "in_progress", "interrupted": "incomplete", "complete": "completed"}


class ThreadMessage(Struct):
    """One message of a thread: what was said at once, and what it cites."""

    parts: list[Message]
    citations: list[Citation] = msgspec.field(default_factory=list[Citation])

    @property
    def id(self) -> str:
        """Return the message's id, which is that of its first part."""
        return f"msg_{self.parts[0].id}"


def thread_messages(
    messages: Sequence[Message], kept: Mapping[str, Mapping[str, Any]]
) -> list[ThreadMessage]:
    """Return the messages of the user and the assistant, oldest first.

    `kept` has further facts by the ids of messages: `parts` are the other messages of the
    conversation that a client sent with one.
    """
    owners = {part: id_ for id_, told in kept.items() for part in told.get("parts", ())}
    found: list[ThreadMessage] = []
    places: dict[str, ThreadMessage] = {}
    examples = drafts(messages)
    for message in messages:
        if message.id in examples:
            text = fenced(message.text, message.format or "")
            message = replace(message, type="message", format=None, content=text)
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
    """Return the message as clients see it; `file_id` is the prefix of its pictures' ids."""
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
