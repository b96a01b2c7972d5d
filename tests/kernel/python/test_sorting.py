"""Tables are sorted by all of their rows, as their libraries sort, and are left as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playhead.kernel.python import frames

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")

NUMBERS = some.lists(some.none() | some.integers(-5, 5), max_size=30)
SLOW = """
import time
import pandas
class Slow:
    def __init__(self, number):
        self.number = number
    def __lt__(self, other):
        print(end="", flush=True)
        time.sleep(0.01)
        return self.number < other.number
frame = pandas.DataFrame({"slow": [Slow(-number) for number in range(5_000)]})
kept = [1, 2, 3]
"""


@pytest.fixture
def kernel(new_talk: Callable[..., Any]) -> Any:
    return new_talk()


def answer(talk: Any) -> dict[str, Any]:
    mark = talk.read_until("answer")[1][-1]
    return json.loads((talk.spool / mark.text("file")).read_bytes())


def ask(talk: Any, name: str, by: int | None = None, *, falling: bool = False) -> dict[str, Any]:
    talk.send("table", ask="1", name=name, first=0, rows=3, by=by, falling=falling)
    return answer(talk)


def stably_sorted(values: list[Any], is_falling: bool) -> list[int]:
    """The positions as they should be."""
    there = [place for place, value in enumerate(values) if value is not None]
    there.sort(key=lambda place: values[place], reverse=is_falling)
    return there + [place for place, value in enumerate(values) if value is None]


def positions(value: Any, is_falling: bool, column: int = 0) -> list[int]:
    return [int(place) for place in frames.order_of(value, column, is_falling)]


@given(NUMBERS, some.booleans())
def test_equal_rows_keep_their_order_and_what_is_missing_is_last(
    values: list[int | None], is_falling: bool
) -> None:
    expected = stably_sorted(values, is_falling)
    floats = [None if value is None else float(value) for value in values]
    table = pandas.DataFrame({"a": pandas.Series(floats, dtype="float64")})
    assert positions(table, is_falling) == expected
    assert positions(table["a"], is_falling) == expected
    nullable = pandas.DataFrame({"a": pandas.Series(values, dtype="Int64")})
    assert positions(nullable, is_falling) == expected
    assert positions(polars.DataFrame({"a": values}, {"a": polars.Int64}), is_falling) == expected
    with_nan = [float("nan") if value is None else value for value in floats]
    as_floats = polars.DataFrame({"a": with_nan}, {"a": polars.Float64})
    assert positions(as_floats, is_falling) == expected, "not a number is missing"
    matrix = numpy.array(with_nan, dtype=float).reshape(-1, 1)
    assert positions(matrix, is_falling) == expected
    if values:
        assert positions([{"a": value} for value in values], is_falling) == expected


@pytest.mark.parametrize(
    ("values", "rising"),
    [
        (pandas.Categorical(["low", "high", "low"], ["low", "high"], ordered=True), [0, 2, 1]),
        (pandas.Series(["b", None, "B", "a"]), [2, 3, 0, 1]),
        (pandas.to_datetime(["2026-02-01", None, "2026-01-01"]), [2, 0, 1]),
        (pandas.to_timedelta(["10 days", "9 days", None]), [1, 0, 2]),
        (pandas.Series([[10], [2], [3]]), [1, 2, 0]),
        (pandas.Series([True, None, False], dtype="boolean"), [2, 0, 1]),
    ],
)
def test_a_column_is_sorted_as_its_type_says(values: Any, rising: list[int]) -> None:
    assert positions(pandas.DataFrame({"a": values}), is_falling=False) == rising


def test_an_index_is_sorted_by_its_levels_and_two_columns_of_one_name_apart() -> None:
    index = pandas.MultiIndex.from_tuples([("b", 2), ("a", 3), ("a", 1)], names=["k", None])
    columns = pandas.MultiIndex.from_tuples([("x", "y"), ("x", "y")])
    frame = pandas.DataFrame([[1, 9], [2, 8], [3, 7]], index=index, columns=columns)
    page = frames.page(frame)
    assert (page["columns"], page["index_columns"]) == (["k", "", "x · y", "x · y"], 2)
    orders = [positions(frame, is_falling=False, column=number) for number in range(4)]
    assert orders == [[1, 2, 0], [2, 0, 1], [0, 1, 2], [2, 1, 0]]


def test_a_page_says_which_of_its_columns_are_the_index() -> None:
    counted = pandas.DataFrame({"a": [1, 2]})
    assert frames.page(counted)["index_columns"] == 0
    assert frames.page(counted.tail(1))["index_columns"] == 1
    assert frames.page(polars.DataFrame({"a": [1]}))["index_columns"] is None


@pytest.mark.parametrize(
    "value",
    [
        pandas.DataFrame({"a": [1, "x", None]}),
        pandas.DataFrame({"a": [{}, {}]}),
        polars.DataFrame({"a": [object(), object()]}),
        numpy.array([[1], ["x"]], dtype=object),
        [{"a": 1}, {"a": "x"}],
    ],
)
def test_values_that_do_not_compare_are_said(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be sorted"):
        frames.order_of(value, 0, is_falling=False)


def test_a_variable_is_sorted_by_all_rows_and_stays_as_it_is(kernel: Any) -> None:
    kernel.run("import pandas\nframe = pandas.DataFrame({'a': [*range(5_000), -1], 'b': 1})")
    page = ask(kernel, "frame", 0)
    assert (page["rows"], page["positions"]) == ([[-1, 1], [0, 1], [1, 1]], [5000, 0, 1])
    assert ask(kernel, "frame", 0, falling=True)["positions"] == [4999, 4998, 4997]
    assert ask(kernel, "frame")["positions"] == []
    assert kernel.run("frame['a'].iloc[[0, -1]].tolist()")[0] == "[0, -1]\n"


def test_a_block_that_changes_values_makes_the_order_anew(kernel: Any) -> None:
    kernel.run("import pandas\nframe = pandas.DataFrame({'a': [3, 1, 2]})")
    before = ask(kernel, "frame", 0)
    kernel.run("frame.loc[0, 'a'] = 0")
    after = ask(kernel, "frame", 0)
    assert (before["positions"], after["positions"]) == ([1, 2, 0], [0, 1, 2])
    assert after["key"] == before["key"], "it is the same frame"
    kernel.run("frame = frame * 2")
    assert ask(kernel, "frame", 0)["key"] != before["key"], "it is another one"


def test_a_sorting_that_is_given_up_leaves_everything(kernel: Any) -> None:
    kernel.run(SLOW)
    kernel.send("table", ask="7", name="frame", first=0, rows=3, by=0)
    kernel.send("give_up", ask="7")
    given_up = answer(kernel)
    assert "stopped" in given_up["error"]
    assert given_up["remedy"]
    assert kernel.run("kept, len(frame), frame.slow[0].number")[0] == "([1, 2, 3], 5000, 0)\n"


def test_code_goes_before_a_sorting(kernel: Any) -> None:
    kernel.run(SLOW)
    kernel.send("table", ask="7", name="frame", first=0, rows=3, by=0)
    kernel.begin("print(kept)")
    assert answer(kernel)["error"] in ("The sorting was stopped.", "The kernel is busy with code.")
    assert kernel.read_until("idle")[0].endswith("[1, 2, 3]\n")


def test_what_ends_a_program_in_a_comparison_does_not_end_the_kernel(kernel: Any) -> None:
    kernel.run(
        "import pandas, sys\nclass Exit:\n    def __lt__(self, other): sys.exit(3)\n"
        "frame = pandas.DataFrame({'a': [Exit(), Exit()]})"
    )
    assert "3" in ask(kernel, "frame", 0)["error"]
    assert kernel.run("6 * 7")[0] == "42\n"


def test_a_small_frame_is_kept_if_its_texts_do_not_tell_its_order(kernel: Any) -> None:
    code = (
        "import pandas\nlevels = ['low', 'high']\n"
        "pandas.DataFrame({'a': pandas.Categorical(levels, levels, ordered=True)})"
    )
    mark = next(mark for mark in kernel.run(code)[1] if mark.kind == "show")
    page = json.loads((kernel.spool / mark.text("file")).read_bytes())
    assert ask(kernel, page["key"], 0)["rows"] == [["low"], ["high"]]
