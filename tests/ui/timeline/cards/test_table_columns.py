"""Cells are short to look at and whole to copy."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playhead.domain.conversation.payloads import RowOrder, Table
from playhead.ui.timeline.cards.table_columns import (
    TableColumn,
    columns_of,
    next_order,
    size_text,
    sorted_table,
    table_as_text,
    tells_order,
)


def table(*rows: tuple, total: int | None = None, dtypes: tuple[str, ...] = ()) -> Table:
    names = tuple(f"c{number}" for number in range(len(rows[0]) if rows else 1))
    return Table(
        columns=names,
        dtypes=dtypes,
        rows=rows,
        total_rows=len(rows) if total is None else total,
        total_columns=len(names),
    )


def sorted_rows(shown: Table, column: int, is_falling: bool) -> list[int]:
    return list(sorted_table(shown, RowOrder(column, is_falling)).positions)


def test_numbers_of_a_column_have_the_decimals_that_they_need() -> None:
    assert [TableColumn([1.5, 2.25]).text(cell) for cell in (1.5, 2.25)] == ["1.50", "2.25"]
    assert TableColumn([1.0, 2.0]).text(2.0) == "2.0"
    assert TableColumn([0.1 + 0.2]).text(0.1 + 0.2) == "0.3"
    assert TableColumn([0.00001, 5.0]).text(0.00001) == "1e-05"
    assert TableColumn([float("inf")]).text(float("-inf")) == "−∞"


def test_only_columns_of_nothing_but_numbers_stand_right() -> None:
    columns = columns_of(table((1, "a", True, None), (2.5, None, False, None)))
    assert [column.is_number for column in columns] == [True, False, False, False]
    assert TableColumn([None], "Int64").is_number


def test_what_is_missing_is_named_in_the_words_of_its_library() -> None:
    assert TableColumn([1.0, None]).text(None) == "NaN"
    assert TableColumn(["a", None]).text(None) == "None"


def test_moments_are_shown_without_what_all_of_them_share() -> None:
    days = TableColumn(["2026-01-01T00:00:00", "2026-01-02T00:00:00"], "datetime64[ns]")
    assert days.text("2026-01-01T00:00:00") == "2026-01-01"
    assert days.text("2026-01-03T07:30:00") == "2026-01-03 07:30:00"
    hours = TableColumn(["2026-01-01T01:00:00", "2026-01-01T02:30:00"], "datetime64[ns]")
    assert hours.text("2026-01-01T02:30:00") == "2026-01-01 02:30"
    assert TableColumn(["2026-01-01T00:00:00"], "object").text("2026-01-01T00:00:00")[10] == "T"


def test_a_text_of_several_lines_stays_in_its_row() -> None:
    assert "\n" not in TableColumn(["a\nb"]).text("a\nb\r\nc\u2028d")


def test_sorting_knows_numbers_from_texts_and_puts_nothing_last() -> None:
    rows = table((10,), (9,), (None,), (float("nan"),), (100,))
    assert sorted_rows(rows, 0, is_falling=False) == [1, 0, 4, 2, 3]
    assert sorted_rows(rows, 0, is_falling=True) == [4, 0, 1, 2, 3]
    assert sorted_rows(table((10**400,), (0.5,)), 0, is_falling=False) == [1, 0]
    words = table(("b",), ("A",), ("c",), ("B",))
    assert sorted_rows(words, 0, is_falling=False) == [1, 3, 0, 2], "as Python and pandas do"


def test_rows_that_are_equal_keep_their_order_both_ways() -> None:
    rows = table((1, "a"), (2, "b"), (1, "c"), (2, "d"))
    assert sorted_rows(rows, 0, is_falling=False) == [0, 2, 1, 3]
    assert sorted_rows(rows, 0, is_falling=True) == [1, 3, 0, 2]


def test_times_are_sorted_by_their_moment_and_not_by_their_clock() -> None:
    rows = table(
        ("2026-10-25T02:30:00+02:00",),
        ("2026-10-25T02:10:00+01:00",),
        ("2026-10-25T02:00:00+02:00",),
        dtypes=("datetime64[ns, Europe/Zurich]",),
    )
    assert sorted_rows(rows, 0, is_falling=False) == [2, 0, 1]


@pytest.mark.parametrize(
    ("cells", "dtype", "is_told"),
    [
        (("b", "a", None), "object", True),
        (("b", 1), "object", False),
        (("b", "a"), "str", True),
        (("b", "a"), "String", True),
        (("low", "high"), "category", False),
        (("[10]", "[2]"), "object", False),
        (("(0, 10]", "(10, 20]"), "interval[int64, right]", False),
        ((True, None, False), "boolean", True),
        ((1, 2.5, None), "Float64", True),
    ],
)
def test_only_what_the_cells_tell_is_sorted_without_the_kernel(
    cells: tuple, dtype: str, is_told: bool
) -> None:
    rows = tuple((cell,) for cell in cells)
    assert tells_order(table(*rows, dtypes=(dtype,)), 0) is is_told
    assert not tells_order(table(*rows, total=len(rows) + 1, dtypes=(dtype,)), 0)


def test_a_third_click_gives_the_own_order_back() -> None:
    assert next_order(None, 2) == RowOrder(2)
    assert next_order(RowOrder(2), 2) == RowOrder(2, is_falling=True)
    assert next_order(RowOrder(2, is_falling=True), 2) is None
    assert next_order(RowOrder(1, is_falling=True), 2) == RowOrder(2)


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (table((1,), total=12_000), "1 of 12,000 rows · 1 column"),
        (table((1, 2), (1, 2)), "2 rows · 2 columns"),
        (
            Table(columns=("a",), dtypes=(), rows=(), total_rows=0, total_columns=40),
            "0 rows · 1 of 40 columns",
        ),
    ],
)
def test_the_size_says_how_much_of_it_is_here(shown: Table, words: str) -> None:
    assert size_text(shown) == words


@given(some.lists(some.tuples(some.text(), some.text()), max_size=8), some.sampled_from("\t,"))
def test_what_is_copied_can_be_read_back(rows: list[tuple[str, str]], separator: str) -> None:
    text = table_as_text(("x", "y"), rows, separator)
    read = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    assert read[1:] == rows or any("\r" in cell or "\0" in cell for row in rows for cell in row)


def test_what_is_missing_is_shown_as_its_library_writes_it_and_never_sorted_in() -> None:
    rows = (("NaN",), (2.0,), (None,), ("inf",), (-1.0,))
    shown = Table(
        columns=("x",),
        dtypes=("Float64",),
        rows=rows,
        total_rows=5,
        total_columns=1,
        missing=("null",),
    )
    [column] = columns_of(shown)
    assert [column.text(cell) for (cell,) in rows] == ["NaN", "2.0", "null", "∞", "-1.0"]
    assert column.is_number
    assert sorted_rows(shown, 0, is_falling=False) == [4, 1, 3, 0, 2]
    assert sorted_rows(shown, 0, is_falling=True) == [3, 1, 4, 0, 2]


def test_a_text_that_looks_like_nothing_is_a_text() -> None:
    names = Table(
        columns=("x",),
        dtypes=("str",),
        rows=(("None",), ("Ada",)),
        total_rows=2,
        total_columns=1,
        missing=("NaN",),
    )
    assert sorted_rows(names, 0, is_falling=True) == [0, 1]
    assert columns_of(names)[0].is_missing("None") is False


@pytest.mark.parametrize(
    ("dtype", "cells"),
    [
        ("timedelta64[ns]", ("-1 days +02:00:00", "2 days 00:00:00", "10 days 00:00:00.5")),
        ("Duration(time_unit='us')", ("0:00:09", "1 day, 2:00:00", "11 days, 0:00:00")),
        ("Decimal(10,2)", ("-3.50", "2.25", "10.00")),
        ("Int128", (9, "99999999999999999999")),
    ],
)
def test_spans_and_decimals_are_sorted_by_their_size(dtype: str, cells: tuple[str, ...]) -> None:
    shown = Table(
        columns=("x",),
        dtypes=(dtype,),
        rows=tuple((cell,) for cell in cells),
        total_rows=len(cells),
        total_columns=1,
    )
    assert sorted_rows(shown, 0, is_falling=False) == list(range(len(cells)))


def test_intervals_are_no_numbers() -> None:
    assert not TableColumn([], "interval[int64, right]").is_number
