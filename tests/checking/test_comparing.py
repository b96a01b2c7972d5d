"""What counts as the same: texts, numbers, tables, figures and files."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image, ImageDraw

from playhead.checking.comparing.cell_comparison import compare_pair, likely_cause
from playhead.checking.comparing.figure_comparison import compare_figures, reduced_picture
from playhead.checking.comparing.file_comparison import compare_files
from playhead.checking.comparing.outcome import Outcome
from playhead.checking.comparing.table_comparison import compare_tables
from playhead.checking.comparing.text_comparison import RunContext, aligned, compare_texts
from playhead.domain.conversation.payloads import Table

TEXTS = st.text(alphabet="ab 01.e-\n/x", max_size=80)
CELLS = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-9, 9), st.text("ab"))
TIMED = RunContext(code="time.perf_counter()", began_at=1.7e9, ended_at=1.7e9 + 5)
"""A run on 14 November 2023."""


@given(TEXTS, TEXTS)
def test_comparing_texts_is_symmetric_and_a_text_is_the_same_as_itself(one: str, two: str) -> None:
    assert compare_texts(one, one).verdict == "same"
    assert compare_texts(one, two).verdict == compare_texts(two, one).verdict
    pairs = aligned(one, two)
    assert "\n".join(left for left, _ in pairs if left is not None) == one
    assert "\n".join(right for _, right in pairs if right is not None) == two


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ("<A at 0x7f0012345678>", "<A at 0x7f00aaaa5678>", "volatile"),
        ("0.30000000000000004", "0.3", "same"),
        ("mean 0.123456", "mean 0.123457", "differs"),
        ("12 rows", "13 rows", "differs"),
        ("saved /home/a/x.csv", "saved /home/b/x.csv", "volatile"),
        ("saved /home/a/x.csv", "saved /home/a/y.csv", "differs"),
        ("took 0.12 s", "took 3.4 s", "volatile"),
        ("at 2023-11-14 22:13:21", "at 2023-11-14 22:13:24", "volatile"),
        ("born 1990-01-02", "born 1990-01-03", "differs"),
        ("a\nb", "a\nb\n", "same"),
        ("a b", "a\nb", "differs"),
        ("1  2", "1 2", "differs"),
        (" 0.3 x", "0.30000000000000004 x", "same"),
        ("0xbc614e", "0xbc6140", "differs"),
        ("<pointer: 0x55d5c8a7f0a8>", "<pointer: 0x55d5c8a7f0b8>", "volatile"),
        ("4e99999", "5e88888", "differs"),
    ],
)
def test_only_what_no_two_runs_share_is_volatile(before: str, now: str, verdict: str) -> None:
    assert compare_texts(before, now, TIMED, TIMED).verdict == verdict


def test_a_time_is_a_result_where_no_clock_is_read() -> None:
    assert compare_texts("it fell 0.12 s", "it fell 3.4 s").verdict == "differs"


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.integers(0, 9))
def test_a_table_is_the_same_up_to_the_last_digits(rows: list[Any], at: int) -> None:
    def table(found: list[Any]) -> Table:
        rows = tuple(found)
        return Table(columns=("a", "b"), dtypes=("x", "x"), rows=rows, total_rows=len(rows))

    near = [
        tuple(one * (1 + 1e-9) if isinstance(one, float) else one for one in row) for row in rows
    ]
    assert compare_tables(table(rows), table(near)).verdict == "same"
    if rows:
        other = [*rows]
        other[at % len(rows)] = ("another one", None)
        assert compare_tables(table(rows), table(other)).verdict == "differs"


def test_tables_that_anybody_may_have_written_are_compared_without_an_error() -> None:
    one = Table(columns=("a",), dtypes=("x",), rows=((10**400,),), total_rows=1, total_columns=90)
    other = replace(one, rows=((1.5,),))
    assert compare_tables(one, other).verdict == "differs"
    assert compare_tables(replace(one, dtypes=()), one).verdict == "same"
    assert compare_tables(one, replace(one, total_columns=91)).verdict == "differs"
    pair = Outcome(kind="table"), Outcome(kind="table", table=one)
    assert compare_pair(pair, RunContext(), RunContext()).verdict == "differs"


def test_pictures_that_are_not_there_are_not_the_same() -> None:
    assert compare_figures(b"", b"").verdict == "differs"


def test_no_text_takes_long_to_compare() -> None:
    digits = "1" * 40_000, "2" * 40_000
    assert compare_texts(*digits, TIMED, TIMED).verdict == "differs"
    texts = ["\n".join(str(n % by) for n in range(990)) for by in (5, 7)]
    assert len(aligned(*texts)) == 990
    comments = b"<svg" + b"<!--" * 20_000
    assert compare_figures(comments, comments + b"x").verdict == "differs"
    assert likely_cause(None, "{" + "," * 40_000, frozenset()) == ""


def picture(end: int, colour: str = "blue", size: tuple[int, int] = (400, 300)) -> bytes:
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 20, size[0] - 20, size[1] - 20), outline="black")
    draw.line((40, 250, 200, 100, 360, end), fill=colour, width=3)
    draw.text((150, 5), "A title", fill="black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def test_figures_are_compared_as_they_look() -> None:
    one = picture(200)
    with Image.open(io.BytesIO(one)) as opened:
        double = opened.resize((800, 600), Image.Resampling.BICUBIC)
        file = io.BytesIO()
        double.save(file, "PNG")
    assert compare_figures(one, file.getvalue()).verdict == "same"  # drawn for a finer screen
    assert compare_figures(one, reduced_picture(one)).verdict == "same"
    assert compare_figures(one, picture(160)).verdict == "differs"
    assert compare_figures(one, picture(200, "red")).verdict == "differs"
    assert compare_figures(one, picture(200, size=(400, 340))).verdict == "differs"
    assert compare_figures(one, b"no picture").verdict == "differs"


@pytest.mark.parametrize(
    ("name", "before", "now", "verdict"),
    [
        ("a.csv", b"a,b\n1,2.5\n", b"a,b\n1,2.50\n", "same"),
        ("a.csv", b"a,b\n1,2.5\n", b"a,b\n1,2.6\n", "differs"),
        ("a.csv", b"a,b\n1,2\n", b"a,b\n1,3\n", "differs"),
        ("a.txt", b"one\n", b"two\n", "differs"),
        ("a.bin", b"\0\1", b"\0\2", "differs"),
        ("a.pdf", b"%PDF /CreationDate (D:1) x", b"%PDF /CreationDate (D:2) x", "same"),
    ],
)
def test_files_are_compared_by_what_they_contain(
    name: str, before: bytes, now: bytes, verdict: str
) -> None:
    assert compare_files(name, before, now).verdict == verdict
