"""Never more than the limit in any minute, and a wait that is true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.api.server.auth import WINDOW_S, RateLimit, TooManyRequests


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def let_through(limit: RateLimit) -> bool:
    try:
        limit.count()
    except TooManyRequests:
        return False
    return True


def test_the_limit_is_let_through_and_then_no_more() -> None:
    limit = RateLimit(3, Clock())
    assert [let_through(limit) for _ in range(5)] == [True, True, True, False, False]


def test_who_waits_as_long_as_told_is_let_through() -> None:
    clock = Clock()
    limit = RateLimit(2, clock)
    limit.count()
    clock.now_s += 10
    limit.count()
    with pytest.raises(TooManyRequests) as refusal:
        limit.count()
    assert refusal.value.retry_after_s == 50
    assert refusal.value.code == "rate_limit_exceeded"
    clock.now_s += refusal.value.retry_after_s
    assert let_through(limit)
    assert not let_through(limit)


def test_zero_is_no_limit() -> None:
    limit = RateLimit(0, Clock())
    assert all(let_through(limit) for _ in range(1000))


def test_the_limit_can_be_changed_while_it_counts() -> None:
    clock = Clock()
    limit = RateLimit(10, clock)
    for _ in range(10):
        limit.count()
        clock.now_s += 1
    limit.per_minute = 2
    with pytest.raises(TooManyRequests) as refusal:
        limit.count()
    clock.now_s += refusal.value.retry_after_s
    assert let_through(limit)
    limit.per_minute = 0
    assert all(let_through(limit) for _ in range(100))


@given(st.integers(1, 10), st.lists(st.floats(0, 20), max_size=100))
def test_no_minute_ever_holds_more_than_the_limit(per_minute: int, pauses: list[float]) -> None:
    clock = Clock()
    limit = RateLimit(per_minute, clock)
    times: list[float] = []
    for pause_s in pauses:
        clock.now_s += pause_s
        if let_through(limit):
            times.append(clock.now_s)
    for time_s in times:
        assert sum(time_s <= other < time_s + WINDOW_S for other in times) <= per_minute
