from __future__ import annotations

import pytest

from playhead.domain.text.quantities import (
    format_dollars,
    format_duration,
    format_price,
    format_size,
)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (0.0, "$0.00"),
        (1e-05, "under $0.0001"),
        (0.0025, "$0.0025"),
        (0.456, "$0.456"),
        (0.5, "$0.50"),
        (0.9999, "$1.00"),
        (1234.5, "$1,234.50"),
    ],
)
def test_a_sum_has_cents_or_as_many_digits_as_it_needs(cost: float, words: str) -> None:
    assert format_dollars(cost) == words


@pytest.mark.parametrize(
    ("price", "words"),
    [(2.0, "$2"), (0.25, "$0.25"), (0.0375, "$0.0375"), (1500.0, "$1,500.00")],
)
def test_a_price_is_written_without_an_exponent(price: float, words: str) -> None:
    assert format_price(price) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.038, "38 ms"), (1.13, "1.1 s"), (59.97, "1 min 0 s"), (125.0, "2 min 5 s")],
)
def test_a_time_has_the_unit_that_people_read_it_in(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words


@pytest.mark.parametrize(("seconds", "words"), [(2.2, "2 s"), (59.97, "1 min 0 s")])
def test_a_running_time_has_whole_seconds(seconds: float, words: str) -> None:
    assert format_duration(seconds, is_running=True) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (2_400, "2 kB"),
        (999_999, "1.0 MB"),
        (1_500_000, "1.5 MB"),
        (212_400_000, "212 MB"),
        (999_900_000, "1.0 GB"),
        (2_000_000_000, "2.0 GB"),
    ],
)
def test_a_size_has_the_unit_that_people_read_it_in(size: int, words: str) -> None:
    assert format_size(size) == words
