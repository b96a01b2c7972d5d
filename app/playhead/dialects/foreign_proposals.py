"""Joins the proposals of a list that anybody may have written to the code that they are about."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from playhead.dialects.imported import MessageRow
from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, RunReport


def with_proposals_shown(messages: Sequence[Message]) -> list[Message]:
    """The messages anew, each proposal with a code message of its own that shows it.

    One without such a message is left out: “Run all again” runs what was proposed, and nothing that
    no entry shows must be among it.
    """
    joiner = _Joiner()
    for message in messages:
        joiner.take(message)
    return joiner.row.messages


class _Joiner:
    """`_asked` is the code of the proposal that has not run yet: another one is its edit."""

    def __init__(self) -> None:
        self.row = MessageRow()
        self._waiting: list[Message] = []
        self._asked: Message | None = None

    def take(self, message: Message) -> None:
        match message.content:
            case Proposal() as proposal:
                code = self._asked = self._code_of(proposal)
                if code is not None:
                    told = replace(proposal, id=uuid.uuid4().hex, message_id=code.id)
                    self.row.copy(replace(message, content=told))
                return
            case RunReport(state="started"):
                self._asked = None
            case _ if message.type == "tool_result":
                self._asked = None
            case _:
                pass
        added = self.row.copy(message)
        if message.role in ("user", "assistant") and message.type == "code" and added is not None:
            self._waiting.append(added)
        elif message.role == "user":
            self._waiting, self._asked = [], None

    def _code_of(self, proposal: Proposal) -> Message | None:
        same = [one for one in self._waiting if one.text == proposal.code]
        if self._asked is not None and not same:
            return self._asked
        for code in (same or self._waiting)[:1]:
            self._waiting.remove(code)
            return code
        return None
