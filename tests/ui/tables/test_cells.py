"""Cells are short to look at and whole to copy."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playhead.conversation.payloads import Table
from playhead.ui.tables.cells import Column, as_text, columns_of, size_words, sorted_rows


def table(*rows: tuple, total: int | None = None, dtypes: tuple[str, ...] = ()) -> Table:
    names = tuple(f"c{number}" for number in range(len(rows[0]) if rows else 1))
    return Table(names, dtypes, rows, len(rows) if total is None else total, len(names))


def test_numbers_of_a_column_have_the_decimals_that_they_need() -> None:
    assert [Column([1.5, 2.25]).text(cell) for cell in (1.5, 2.25)] == ["1.50", "2.25"]
    assert Column([1.0, 2.0]).text(2.0) == "2.0"
    assert Column([0.1 + 0.2]).text(0.1 + 0.2) == "0.3"
    assert Column([0.00001, 5.0]).text(0.00001) == "1e-05"
    assert Column([float("inf")]).text(float("-inf")) == "−∞"


def test_only_columns_of_nothing_but_numbers_stand_right() -> None:
    columns = columns_of(table((1, "a", True, None), (2.5, None, False, None)))
    assert [column.is_number for column in columns] == [True, False, False, False]
    assert Column([None], "Int64").is_number


def test_what_is_missing_is_named_in_the_words_of_its_library() -> None:
    assert Column([1.0, None]).text(None) == "NaN"
    assert Column(["a", None]).text(None) == "None"


def test_moments_are_shown_without_what_all_of_them_share() -> None:
    days = Column(["2026-01-01T00:00:00", "2026-01-02T00:00:00"], "datetime64[ns]")
    assert days.text("2026-01-01T00:00:00") == "2026-01-01"
    assert days.text("2026-01-03T07:30:00") == "2026-01-03 07:30:00"
    hours = Column(["2026-01-01T01:00:00", "2026-01-01T02:30:00"], "datetime64[ns]")
    assert hours.text("2026-01-01T02:30:00") == "2026-01-01 02:30"
    assert Column(["2026-01-01T00:00:00"], "object").text("2026-01-01T00:00:00")[10] == "T"


def test_a_text_of_several_lines_stays_in_its_row() -> None:
    assert "\n" not in Column(["a\nb"]).text("a\nb\r\nc\u2028d")


def test_sorting_knows_numbers_from_texts_and_puts_nothing_last() -> None:
    rows = table((10,), (9,), (None,), (float("nan"),), (100,))
    assert sorted_rows(rows, 0, is_falling=False) == [1, 0, 4, 2, 3]
    assert sorted_rows(rows, 0, is_falling=True) == [4, 0, 1, 2, 3]
    assert sorted_rows(table((10**400,), (0.5,)), 0, is_falling=False) == [1, 0]
    words = table(("b",), ("A",), ("c",))
    assert sorted_rows(words, 0, is_falling=False) == [1, 0, 2]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (table((1,), total=12_000), "1 of 12,000 rows · 1 column"),
        (table((1, 2), (1, 2)), "2 rows · 2 columns"),
        (Table(("a",), (), (), 0, 40), "0 rows · 1 of 40 columns"),
    ],
)
def test_the_size_says_how_much_of_it_is_here(shown: Table, words: str) -> None:
    assert size_words(shown) == words


@given(some.lists(some.tuples(some.text(), some.text()), max_size=8), some.sampled_from("\t,"))
def test_what_is_copied_can_be_read_back(rows: list[tuple[str, str]], separator: str) -> None:
    text = as_text(("x", "y"), rows, separator)
    read = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    assert read[1:] == rows or any("\r" in cell or "\0" in cell for row in rows for cell in row)
