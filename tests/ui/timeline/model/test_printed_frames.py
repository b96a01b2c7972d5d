import pytest

from playhead.domain.conversation.payloads import Table
from playhead.ui.timeline.model.console_text import without_frame

TABLE = Table(
    columns=("date", "units sold"),
    dtypes=("object", "int64"),
    rows=(),
    total_rows=3,
    total_columns=2,
)
PANDAS = """\
    date  units sold
0  today           1
1  later           2

[2 rows x 2 columns]
"""
WIDE = """\
    date  \\
0  today

   units sold
0           1
"""
POLARS = """\
shape: (2, 2)
┌───────┬────────────┐
│ date  ┆ units sold │
└───────┴────────────┘
"""


@pytest.mark.parametrize("printed", [PANDAS, WIDE, POLARS])
def test_a_frame_is_taken_out_of_the_output_above_its_table(printed: str) -> None:
    assert without_frame(f"total 3\n{printed}", TABLE) == "total 3\n"
    assert without_frame(printed, TABLE) == ""


def test_a_frame_with_a_gap_is_taken_out_though_its_last_columns_are_not_here() -> None:
    printed = "     0    1  ...  198  199\n0  0.5  0.5  ...  0.5  0.5\n\n[1 rows x 200 columns]\n"
    table = Table(
        columns=tuple(str(number) for number in range(50)),
        dtypes=(),
        rows=(),
        total_rows=1,
        total_columns=200,
    )
    assert without_frame(f"after\n{printed}", table) == "after\n"


@pytest.mark.parametrize(
    ("printed", "columns", "rows"),
    [
        ("0    1\n1    2\nName: s, dtype: int64\n", ("s",), 2),
        ("0    1\n1    2\ndtype: int64\n", ("",), 2),
        ("day\na    1\nb    2\nName: s, dtype: int64\n", ("day", "s"), 2),
        ("a    1\nb    2\ndtype: int64\n", ("", ""), 2),
        ("0  1\n" * 5 + "    ..\n" + "9  1\n" * 5 + "Length: 99, dtype: int64\n", ("",), 99),
        ("shape: (2,)\nSeries: 's' [i64]\n[\n\t1\n\t2\n]\n", ("s",), 2),
    ],
)
def test_a_series_is_taken_out_as_well(printed: str, columns: tuple[str, ...], rows: int) -> None:
    table = Table(columns=columns, dtypes=(), rows=(), total_rows=rows, total_columns=len(columns))
    assert without_frame(f"total 3\n{printed}", table) == "total 3\n"
    assert without_frame(printed, table) == ""


def test_only_the_last_one_is_taken() -> None:
    assert without_frame(PANDAS + PANDAS, TABLE) == PANDAS


@pytest.mark.parametrize("output", ["", "no frame\n", "  an indented line\n", "date units\n"])
def test_other_output_stays(output: str) -> None:
    assert without_frame(output, TABLE) == output


@pytest.mark.parametrize(
    "printed",
    [
        "0    a\n1    b\ndtype: category\nCategories (2, str): ['a', 'b']",
        "Empty DataFrame\nColumns: [a, b]\nIndex: []",
        "shape: (0, 1)\n┌──────┐\n│ a    │\n└──────┘",
    ],
)
def test_a_table_that_brings_its_text_takes_exactly_that(printed: str) -> None:
    table = Table(columns=("a",), dtypes=(), rows=(), total_rows=0, total_columns=1, text=printed)
    assert without_frame(f"total 3\n{printed}\n", table) == "total 3\n"
    assert without_frame(f"{printed}\n", table) == ""
    cut = f"[The output is long: more of it follows when the code has ended.]\n{printed[1:]}\n"
    assert without_frame(cut, table) == cut
