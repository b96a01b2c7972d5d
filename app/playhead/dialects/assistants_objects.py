"""The objects of the Assistants format: runs, steps, messages, threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from playhead.conversation.payloads import Citation
from playhead.dialects.codec import Wire

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


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What stays the same of a run; times are in seconds since the epoch."""

    id: str
    thread_id: str
    assistant_id: str
    model: str
    created_at: int
    instructions: str = ""
    tools: Sequence[Wire] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    expires_at: int | None = None


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
    """A run as it stands; `required` are the calls that wait for their outputs."""
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
        "expires_at": run.expires_at if is_live else None,
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
    """A step as it stands; its type is that of its details."""
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
    """An assistant's message as it stands; `why` it is incomplete, else ''."""
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


def thread_wire(thread_id: str, created_at: int) -> Wire:
    """A thread."""
    return {
        "id": thread_id,
        "object": "thread",
        "created_at": created_at,
        "metadata": {},
        "tool_resources": {},
    }


def annotations_wire(citation: Citation) -> list[Wire]:
    """What a text cites: one of these for each source."""
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
