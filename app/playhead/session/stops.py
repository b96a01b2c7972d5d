"""The limits at which a turn stops to ask the user: steps, repeated failure, budget."""

from __future__ import annotations

from collections.abc import Sequence

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure, Proposal
from playhead.domain.conversation.usage import UsageSum
from playhead.domain.text.quantities import format_dollars
from playhead.errors import AppError, phrase

STEP_LIMIT = "step_limit"
REPEATED_FAILURE = "repeated_failure"
BUDGET_REACHED = "budget_reached"
BAD_CALLS = "bad_calls"

MAX_BAD_ANSWERS = 3
"""Answers in a row with nothing but failed calls that are given back to the model."""

QUESTIONS = frozenset({STEP_LIMIT, REPEATED_FAILURE, BUDGET_REACHED, BAD_CALLS})
"""Codes of the failures that ask the user whether to continue."""


class RepeatedFailures:
    """Notices code that fails as it has failed just before."""

    def __init__(self) -> None:
        self._failed: tuple[str, str] | None = None
        self.is_repeated = False

    @property
    def has_failed(self) -> bool:
        """Return whether the last run failed."""
        return self._failed is not None

    def record(self, ran: Proposal, *, has_failed: bool) -> None:
        """Record the code of a run and its failure."""
        code = (ran.language, ran.code.strip())
        self.is_repeated = has_failed and code == self._failed
        self._failed = code if has_failed else None


def open_question(messages: Sequence[Message]) -> Failure | None:
    """Return the question that a conversation waits at; None if it waits for another reason."""
    content = messages[-1].content if messages else None
    return content if isinstance(content, Failure) and content.code in QUESTIONS else None


def step_limit_error(steps: int) -> AppError:
    """Return the error for a turn in which the model was asked `steps` times."""
    return AppError(
        "Stopped after 1 step."
        if steps == 1
        else phrase("Stopped after {steps} steps.", steps=steps),
        detail="The model wanted to go on.",
        remedy="Continue, send another message, or raise “Steps per turn” in the settings.",
        code=STEP_LIMIT,
    )


def bad_calls_error(count: int) -> AppError:
    """Return the error for a model whose last `count` answers had nothing but failed calls."""
    return AppError(
        "The model keeps making calls that cannot be run.",
        detail=phrase(
            "{count} answers in a row had broken arguments or unknown tools.", count=count
        ),
        remedy="Continue to let it try again, or choose a model that is better with tools.",
        code=BAD_CALLS,
    )


def repeated_failure_error() -> AppError:
    """Return the error for code that failed twice in a row without a change."""
    return AppError(
        "The same code failed twice in a row.",
        detail="The model did not change anything about it.",
        remedy="Continue to let it try once more, or stop and tell it what to do instead.",
        code=REPEATED_FAILURE,
    )


def check_budget(budget: float, spent: UsageSum) -> None:
    """Stop before a request that would exceed a budget in US dollars; 0 means no limit.

    Raises AppError.
    """
    if not budget or (spent.cost or 0.0) < budget:
        return
    cost = format_dollars(spent.cost or 0.0)
    raise AppError(
        phrase(
            "This conversation has reached its budget of {budget}.", budget=format_dollars(budget)
        ),
        detail=phrase("It has cost about {cost} so far.", cost=cost)
        if spent.is_estimated or spent.is_cost_partial
        else phrase("It has cost {cost} so far.", cost=cost),
        remedy="Raise the budget to continue, or stop here.",
        code=BUDGET_REACHED,
    )
