"""Stored conversations with the times of their messages, runs and statements."""

from __future__ import annotations

from msgspec.structs import replace

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.conversation import Conversation
from playhead.domain.conversation.payloads import LineTiming, Proposal, RunReport


def said(conversation: Conversation, role: str, kind: str, text: str, at: float) -> str:
    """A message of text."""
    chunk = Chunk(role=role, type=kind, start=True, format="python" if kind == "code" else None)  # type: ignore[arg-type]
    conversation.apply(chunk, at=at)
    conversation.apply(replace(chunk, start=False, content=text))
    return conversation.apply(replace(chunk, start=False, end=True))


def run(conversation: Conversation, code: str, output: str, at: float) -> None:
    """A run of two statements: the first takes 1 s and prints, the second 3 s."""
    message_id = said(conversation, "assistant", "code", code, at)
    proposal = Proposal(id="p", message_id=message_id, language="python", code=code)
    single = Chunk(role="computer", type="confirmation", format="execution", content=proposal)
    conversation.apply(single, at=at + 1)
    started = RunReport(state="started")
    conversation.apply(Chunk(role="computer", type="run", content=started), at=at + 5)
    said(conversation, "computer", "console", output, at + 5)
    for line, seconds in ((1, 1.0), (2, 3.0)):
        timing = LineTiming(line=line, seconds=seconds, last_line=line)
        conversation.apply(Chunk(role="computer", type="timing", content=timing), at=at + 9)
    ended = RunReport(state="finished", seconds=4.0)
    conversation.apply(Chunk(role="computer", type="run", content=ended), at=at + 9)
