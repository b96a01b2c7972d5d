"""Tables that pandas, polars and R have left in notebooks are read as tables, or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from playhead.domain.conversation.payloads import Table
from playhead.formats.documents.foreign_tables import table_of_html, table_of_resource

GROUPED = """<div>
<style scoped>.dataframe tbody tr th { vertical-align: top; }</style>
<table border="1" class="dataframe">
  <thead>
    <tr><th></th><th></th><th colspan="2" halign="left">units</th></tr>
    <tr><th></th><th></th><th>sum</th><th>mean</th></tr>
    <tr><th>region</th><th>year</th><th></th><th></th></tr>
  </thead>
  <tbody>
    <tr><th rowspan="2" valign="top">North</th><th>2024</th><td>7</td><td>3.5</td></tr>
    <tr><th>2025</th><td>8</td><td>NaN</td></tr>
    <tr><th>South &amp; East</th><th>2024</th><td>9</td><td>4.5</td></tr>
  </tbody>
</table>
</div>"""
POLARS = """<div><style></style><small>shape: (1_000, 2)</small>
<table border="1" class="dataframe"><thead><tr><th>a</th><th>name</th></tr>
<tr><td>i64</td><td>str</td></tr></thead><tbody><tr><td>1</td><td>&quot;x&quot;</td></tr>
<tr><td>&hellip;</td><td>&hellip;</td></tr><tr><td>null</td><td>null</td></tr></tbody></table></div>"""
R = """<table class="dataframe"><caption>A data.frame: 2 × 2</caption>
<thead><tr><th scope=col>speed</th><th scope=col>kind</th></tr>
<tr><th scope=col>&lt;dbl&gt;</th><th scope=col>&lt;chr&gt;</th></tr></thead>
<tbody><tr><td>4</td><td>NA</td></tr><tr><td>4.5</td><td>x</td></tr></tbody></table>"""


def read(markup: str) -> Table:
    table = table_of_html(markup)
    assert table is not None
    return table


def test_levels_of_columns_are_joined_and_those_of_the_index_repeated() -> None:
    table = read(GROUPED)
    assert table.columns == ("region", "year", "units · sum", "units · mean")
    assert table.rows == (
        ("North", 2024, 7, 3.5),
        ("North", 2025, 8, None),
        ("South & East", 2024, 9, 4.5),
    )
    assert (table.index_columns, table.total_rows, table.total_columns) == (2, 3, 4)
    assert table.missing[3] == "NaN"


def test_a_frame_of_polars_says_its_types_and_how_much_was_left_out() -> None:
    table = read(POLARS)
    assert table.dtypes == ("Int64", "String")
    assert table.rows == ((1, "x"), (None, None))
    assert (table.index_columns, table.total_rows, table.total_columns) == (None, 1_000, 2)


def test_a_frame_of_r_says_its_types() -> None:
    table = read(R)
    assert (table.columns, table.dtypes) == (("speed", "kind"), ("<dbl>", "<chr>"))
    assert table.rows == ((4.0, None), (4.5, "x"))
    assert table.missing[1] == "NA"


@pytest.mark.parametrize(
    "markup",
    [
        "<table><tr><td>1</td></tr></table>",
        '<table class="dataframe"></table>',
        '<table class="dataframe"><thead><tr><th></th></tr></thead></table>',
        '<table class="my-dataframe"><thead><tr><th>a</th></tr></thead><tr><td>1</td></tr></table>',
        '<style>.dataframe</style><p>class="dataframe"</p>',
        "",
    ],
)
def test_other_markup_is_no_frame(markup: str) -> None:
    assert table_of_html(markup) is None


@given(some.text(some.sampled_from('<>/"= abctdrhe1…'), max_size=200), some.integers(0, 400))
def test_no_markup_breaks_it(noise: str, at: int) -> None:
    for markup in (GROUPED, POLARS, R):
        broken = markup[:at] + noise + markup[at:]
        table = table_of_html(broken)
        assert table is None or all(len(row) == len(table.columns) for row in table.rows)


def pandas_frames() -> list[tuple[Any, Any]]:
    """Frames, and the table that each is read as from its HTML: columns, rows, index, totals."""
    pandas = pytest.importorskip("pandas")
    plain = pandas.DataFrame({"a": [1, 2], "b": [1.5, None], "c": ["x", "<y>"], "d": [True, False]})
    long = pandas.DataFrame({"n": range(1000)})
    return [
        (plain, (("a", "b", "c", "d"), ((1, 1.5, "x", True), (2, None, "<y>", False)), 0, (2, 4))),
        (plain[["a"]].tail(1), (("", "a"), ((1, 2),), 1, (1, 2))),
        (plain[["a", "c"]].set_index("c"), (("c", "a"), (("x", 1), ("<y>", 2)), 1, (2, 2))),
        (
            long,
            (
                ("", "n"),
                tuple((n, n) for n in (*range(5), *range(995, 1000))),
                1,
                (1000, 2),
            ),
        ),
    ]


def test_the_html_that_pandas_writes_is_read() -> None:
    for frame, (columns, rows, index, totals) in pandas_frames():
        table = read(frame._repr_html_())
        assert (table.columns, table.rows, table.index_columns) == (columns, rows, index)
        assert (table.total_rows, table.total_columns) == totals


def test_the_html_that_polars_writes_is_read() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, None], "s": ['say "x"', None], "t": [True, False]})
    table = read(frame._repr_html_())
    assert table.rows == ((1, 'say "x"', True), (None, None, False))


def test_a_table_with_a_schema_keeps_its_types_and_times() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "when": pandas.to_datetime(["2024-01-01T00:00:00", "2024-01-02T03:04:05"]),
            "took": pandas.to_timedelta(["1 days", "10 days"]),
            "kind": pandas.Categorical(["a", None]),
            "n": [1, 2],
        }
    )
    table = table_of_resource(json.loads(frame.to_json(orient="table")))
    assert table is not None
    assert table.columns == ("when", "took", "kind", "n")
    assert table.dtypes == ("datetime64[ns]", "timedelta64[ns]", "category", "int64")
    assert table.rows == (
        ("2024-01-01T00:00:00", "1 days 00:00:00", "a", 1),
        ("2024-01-02T03:04:05", "10 days 00:00:00", None, 2),
    )
    assert table.index_columns == 0
    named = table_of_resource(json.loads(frame[["n"]].set_axis(["p", "q"]).to_json(orient="table")))
    assert named is not None
    assert (named.columns, named.rows, named.index_columns) == (("", "n"), (("p", 1), ("q", 2)), 1)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {"schema": {"fields": []}, "data": []},
        {"schema": {"fields": [{"name": 1}]}, "data": []},
        {"schema": {"fields": "x"}, "data": [{}]},
        {"data": [{"a": 1}]},
    ],
)
def test_what_is_no_table_with_a_schema_is_left(raw: object) -> None:
    assert table_of_resource(raw) is None
