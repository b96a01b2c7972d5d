"""Where a turn stops to ask the user: step limit, repeated failure, budget."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure, Proposal
from playhead.domain.conversation.usage import UsageSum
from playhead.domain.text.quantities import format_dollars
from playhead.errors import AppError

STEP_LIMIT = "step_limit"
REPEATED_FAILURE = "repeated_failure"
BUDGET_REACHED = "budget_reached"

QUESTIONS = frozenset({STEP_LIMIT, REPEATED_FAILURE, BUDGET_REACHED})
"""Codes of failures that are a question: whether to go on."""


class RepeatedFailures:
    """Notices code that fails as it has failed just before."""

    def __init__(self) -> None:
        self._failed: tuple[str, str] | None = None
        self.is_repeated = False

    def note(self, ran: Proposal, *, has_failed: bool) -> None:
        """Code has run."""
        code = (ran.language, ran.code.strip())
        self.is_repeated = has_failed and code == self._failed
        self._failed = code if has_failed else None


def open_question(messages: Sequence[Message]) -> Failure | None:
    """The question that a conversation rests at; None where it rests for any other reason."""
    content = messages[-1].content if messages else None
    return content if isinstance(content, Failure) and content.code in QUESTIONS else None


def step_limit_error(steps: int) -> AppError:
    """The model has been asked that often in one turn."""
    return AppError(
        f"Stopped after {steps} steps.",
        detail="The model wanted to go on.",
        remedy="Continue, send another message, or raise the step limit in the settings.",
        code=STEP_LIMIT,
    )


def repeated_failure_error() -> AppError:
    """The model had the same code run that had failed just before."""
    return AppError(
        "The same code failed twice in a row.",
        detail="The model did not change anything about it.",
        remedy="Continue to let it try once more, or stop and tell it what to do instead.",
        code=REPEATED_FAILURE,
    )


def check_budget(budget: float, spent: UsageSum) -> None:
    """Stop before a request that a budget in US dollars has no room for; 0 is none.

    Raises AppError.
    """
    if not budget or (spent.cost or 0.0) < budget:
        return
    about = "about " if spent.is_estimated or spent.is_cost_partial else ""
    raise AppError(
        f"This conversation has reached its budget of {format_dollars(budget)}.",
        detail=f"It has cost {about}{format_dollars(spent.cost or 0.0)} so far.",
        remedy="Raise the budget to continue, or stop here.",
        code=BUDGET_REACHED,
    )
