"""The costs of the model's answers, summed by turn and for the whole conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Proposal, Usage


class UsageSum(Struct, frozen=True, kw_only=True):
    """The sum of several usages; `models` in the order in which they were asked.

    `cost` is in US dollars: the sum of the known costs, None if none is known;
    `is_cost_partial` is whether only some of the answers have a known cost.
    """

    answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    is_cost_partial: bool = False
    is_estimated: bool = False
    models: tuple[str, ...] = ()


class TurnUsage(Struct, frozen=True):
    """The cost of one turn; `question_id` is the user's last message before it began.

    `seconds` is the time from the question to the end of its last answer, without the time in
    which it waited for a decision.
    """

    question_id: str
    total: UsageSum
    seconds: float = 0.0


class ConversationUsage(Struct, frozen=True):
    """The cost of a conversation: `turns` of the active path, `total` of all branches."""

    turns: tuple[TurnUsage, ...] = ()
    total: UsageSum = UsageSum()


def sum_usages(usages: Iterable[Usage]) -> UsageSum:
    """Return the sum of several usages."""
    all_of = tuple(usages)
    costs = [usage.cost for usage in all_of if usage.cost is not None]
    return UsageSum(
        answers=len(all_of),
        input_tokens=sum(usage.input_tokens for usage in all_of),
        output_tokens=sum(usage.output_tokens for usage in all_of),
        cached_tokens=sum(usage.cached_tokens for usage in all_of),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in all_of),
        cost=sum(costs) if costs else None,
        is_cost_partial=0 < len(costs) < len(all_of),
        is_estimated=any(usage.is_estimated for usage in all_of),
        models=tuple(dict.fromkeys(usage.model for usage in all_of if usage.model)),
    )


def usage_by_turn(
    path: Sequence[Message], kept: Mapping[str, Sequence[Message]]
) -> list[TurnUsage]:
    """Return the turns of a path that had a cost; `kept` has usages by the message before."""
    turn = _Turn()
    found: list[TurnUsage] = []
    before: Message | None = None
    for message in path:
        if message.role == "user" and (before is None or before.role != "user"):
            found += turn.end()
            turn = _Turn(message)
        turn.follow(message, kept.get(message.id, ()))
        before = message
    return found + turn.end()


class _Turn:
    """Gathers the answers of one turn."""

    def __init__(self, question: Message | None = None) -> None:
        self._question = question
        self._began_at = question.created_at if question else 0.0
        self._usages: list[Usage] = []
        self._waits_since = self._waited = self._ended_at = 0.0

    def follow(self, message: Message, kept: Sequence[Message]) -> None:
        if message.role == "user" and message.type == "message":
            self._question = message  # the messages before it are its attachments
        if self._waits_since:
            self._waited += max(message.created_at - self._waits_since, 0.0)
        self._waits_since = message.created_at if isinstance(message.content, Proposal) else 0.0
        for one in kept:
            if isinstance(one.content, Usage):
                self._usages.append(one.content)
                self._ended_at = one.created_at

    def end(self) -> list[TurnUsage]:
        if self._question is None or not self._usages:
            return []
        seconds = self._ended_at - self._began_at - self._waited
        return [TurnUsage(self._question.id, sum_usages(self._usages), max(seconds, 0.0))]
