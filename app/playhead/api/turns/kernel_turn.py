"""A turn in the messages of @unternet/kernel, over HTTP or pipes; imports nothing heavy."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence

from playhead.api.schemas import KernelRequest
from playhead.api.turns.api_turn import ApiTurn
from playhead.api.turns.client_request import (
    STOP_GRACE_S,
    ClientRequest,
    model_choice,
    resolve_tool_choice,
)
from playhead.domain.execution import Approve
from playhead.formats.wire import kernel_messages
from playhead.formats.wire.entry import Entry
from playhead.session.turn_settings import TurnOptions


class KernelTurn(kernel_messages.Encoder):
    """The messages of one turn."""

    def __init__(self, turn: ApiTurn) -> None:
        super().__init__(
            uuid.uuid4().hex[:12],
            lambda: time.time_ns() // 1_000_000,
            has_tools=bool(turn.incoming.options.tools),
            call_ids=_approved(turn.incoming.entries),
        )

    def keys(self) -> list[str]:
        """Return the keys of its messages, as they come back."""
        return kernel_messages.answer_keys(self.answer()["messages"])


def kernel_turn_request(asked: KernelRequest, client: str) -> ClientRequest:
    """Return the request; the client decides about `execute` calls unless code runs unasked."""
    entries, instructions = kernel_messages.read_messages(asked.messages)
    is_auto_run = asked.auto_run is True
    offering = resolve_tool_choice(
        kernel_messages.read_tools(asked.tools), None, is_auto_run=is_auto_run
    )
    return ClientRequest(
        wire_format="kernel",
        entries=tuple(entries),
        options=TurnOptions(
            choice=model_choice(asked),
            instructions=instructions,
            tools=offering.tools,
            offers_execute=True,
            auto_run=asked.auto_run,
            stop_grace_s=STOP_GRACE_S,
        ),
        session_id=asked.session_id or "",
        client=client,
        is_call_clients=offering.is_call_clients or not is_auto_run,
    )


def _approved(entries: Sequence[Entry]) -> list[str]:
    """Return the ids of the calls whose code the last messages approve."""
    found: list[str] = []
    for entry in reversed(entries):
        if entry.decision is None:
            break
        found += [entry.call_id] if isinstance(entry.decision, Approve) else []
    return found[::-1]
