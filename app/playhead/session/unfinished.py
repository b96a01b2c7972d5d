"""Closes what a conversation's last turn left open when the program ended under it."""

from __future__ import annotations

from playhead.conversation.chunk import Chunk
from playhead.conversation.conversation import Conversation
from playhead.conversation.payloads import Proposal, RunReport

_CUT_RUN = "Playhead ended while this code was running."
_CUT_DECISION = "This code was not run: Playhead ended before the user decided."


def close_unfinished(conversation: Conversation) -> None:
    """Say so where a run has no end or code no decision; else a view would wait for ever."""
    open_run: RunReport | None = None
    proposal: Proposal | None = None
    for message in conversation.messages:
        match message.content:
            case RunReport() as report:
                open_run = report if report.state == "started" else None
                proposal = None
            case Proposal() as proposal:
                pass
            case _ if message.type == "tool_result" or message.role == "user":
                proposal = None
            case _:
                pass
    if open_run is not None:
        report = RunReport("killed", reason=_CUT_RUN)
        conversation.apply(Chunk("computer", "run", content=report))
    elif proposal is not None:
        _refuse(conversation, proposal)


def _refuse(conversation: Conversation, proposal: Proposal) -> None:
    call = conversation.message(proposal.message_id)
    call_id = call.call_id if call is not None else None
    apply = conversation.apply
    apply(Chunk("computer", "tool_result", "execute", start=True, id=call_id))
    apply(Chunk("computer", "tool_result", "execute", content=_CUT_DECISION))
    apply(Chunk("computer", "tool_result", "execute", end=True))
