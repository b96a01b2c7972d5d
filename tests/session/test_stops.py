"""Where a turn stops to ask, as plain rules."""

from __future__ import annotations

import pytest

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.payloads import Failure, Proposal
from playhead.domain.conversation.usage import UsageSum
from playhead.errors import AppError
from playhead.session.stops import (
    BUDGET_REACHED,
    RepeatedFailures,
    check_budget,
    open_question,
    repeated_failure_error,
    step_limit_error,
)


def ran(code: str, language: str = "python") -> Proposal:
    return Proposal(id="p", message_id="m", language=language, code=code)


def test_only_the_same_code_failing_twice_in_a_row_counts() -> None:
    failures = RepeatedFailures()
    for code, has_failed, is_repeated in (
        ("a", True, False),
        ("b", True, False),
        ("b", False, False),
        ("b", True, False),
        ("b\n", True, True),
    ):
        failures.record(ran(code), has_failed=has_failed)
        assert failures.is_repeated is is_repeated
    failures.record(ran("b", "bash"), has_failed=True)
    assert not failures.is_repeated


@pytest.mark.parametrize(("budget", "cost"), [(0.0, 9.0), (1.0, 0.99), (1.0, None)])
def test_there_is_room_without_a_budget_below_it_and_where_no_price_is_known(
    budget: float, cost: float | None
) -> None:
    check_budget(budget, UsageSum(answers=1, cost=cost))


def test_a_used_up_budget_says_how_much_was_spent_and_whether_that_is_certain() -> None:
    with pytest.raises(AppError) as caught:
        check_budget(0.5, UsageSum(answers=1, cost=0.5))
    assert caught.value.code == BUDGET_REACHED
    assert caught.value.detail == "It has cost $0.50 so far."
    with pytest.raises(AppError) as caught:  # the same words as in the window
        check_budget(0.456, UsageSum(answers=1, cost=0.456))
    assert caught.value.title == "This conversation has reached its budget of $0.456."
    with pytest.raises(AppError, match="about"):
        check_budget(0.001, UsageSum(answers=1, cost=0.0025, is_estimated=True))


def test_a_question_is_open_while_nothing_stands_after_it() -> None:
    def told(error: AppError) -> Message:
        failure = Failure(code=error.code, title=error.title)
        return Message(id="f", parent_id=None, role="server", type="error", content=failure)

    later = Message(id="u", parent_id=None, role="user", type="message", content="go on")
    assert open_question([]) is None
    for error in (repeated_failure_error(), step_limit_error(3)):
        assert open_question([told(error)]) is not None
        assert open_question([told(error), later]) is None
    assert open_question([told(AppError("No", code="upstream_error"))]) is None
