import pytest

from playhead.domain.conversation.left_out import left_out_line
from playhead.domain.conversation.payloads import Table
from playhead.ui.timeline.model.console_text import without_frame


def table_of(printed: str) -> Table:
    return Table(columns=("a",), dtypes=(), rows=(), total_rows=0, total_columns=1, text=printed)


@pytest.mark.parametrize("output", ["", "no frame\n", "  an indented line\n", "a b\n"])
@pytest.mark.parametrize("printed", ["", "a"])
def test_other_output_stays(output: str, printed: str) -> None:
    assert without_frame(output, table_of(printed)) == output


@pytest.mark.parametrize(
    "printed",
    [
        "    a  b\n0   1  2\n\n[1 rows x 2 columns]",
        "0    a\n1    b\ndtype: category\nCategories (2, str): ['a', 'b']",
        "Empty DataFrame\nColumns: [a, b]\nIndex: []",
        "shape: (0, 1)\n┌──────┐\n│ a    │\n└──────┘",
    ],
)
def test_the_text_of_a_table_is_taken_out_of_the_output_above_it(printed: str) -> None:
    table = table_of(printed)
    assert without_frame(f"total 3\n{printed}\n", table) == "total 3\n"
    assert without_frame(f"{printed}\n", table) == ""
    assert without_frame(f"{printed}\n{printed}\n", table) == f"{printed}\n"
    cut = left_out_line(2, 30, "whole output in a file") + f"{printed[1:]}\n"
    assert without_frame(cut, table) == cut
