"""Which code and calls of a conversation are open, and which code has run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from playhead.conversation.message import Message
from playhead.conversation.payloads import Proposal, RunReport


def count_runs(messages: Sequence[Message], until: float = math.inf) -> int:
    """How many code runs have begun in these messages, up to a time (seconds since the epoch)."""
    return sum(
        isinstance(message.content, RunReport)
        and message.content.state == "started"
        and message.created_at <= until
        for message in messages
    )


def open_calls(messages: Sequence[Message]) -> list[Message]:
    """The code and tool calls since the last question that nothing has come of yet, in order.

    A result names its call. A run belongs to the proposal before it; an output without a run,
    as histories from elsewhere have it, and a result without a name to the first open code.
    """
    calls: list[Message] = []
    proposed, has_reports = "", False
    for message in messages:
        match message:
            case Message(role="user"):
                calls, proposed, has_reports = [], "", False
            case Message(role="assistant", type="code" | "tool_call"):
                calls.append(message)
            case Message(content=Proposal(message_id=proposed)):
                pass
            case Message(content=RunReport()):
                has_reports = True
                calls = [call for call in calls if call.id != proposed]
            case Message(type="tool_result", call_id=str() as answered):
                calls = [call for call in calls if call.call_id != answered]
            case Message(type="tool_result"):
                calls = _without_first_code(calls)
            case Message(type="console") if not has_reports:
                calls = _without_first_code(calls)
            case _:
                pass
    return calls


def _without_first_code(calls: list[Message]) -> list[Message]:
    first = next((call for call in calls if call.type == "code"), None)
    return [call for call in calls if call is not first]


def ran_blocks(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """(language, code) of every block that was run, as it ran (edits count), in order."""
    blocks: list[tuple[str, str]] = []
    proposal: Proposal | None = None
    for message in messages:
        match message.content:
            case Proposal() as proposal:
                pass
            case RunReport(state="started") if proposal is not None:
                blocks.append((proposal.language, proposal.code))
                proposal = None
            case _:
                pass
    return blocks
