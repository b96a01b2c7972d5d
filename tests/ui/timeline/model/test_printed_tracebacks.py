import traceback

import pytest

from playhead.ui.timeline.model.console_text import split_traceback


def raised(code: str) -> tuple[str, str]:
    """What Python prints, and the exception's name."""
    try:
        exec(compile(code, "<block 1>", "exec"), {})
    except BaseException as error:  # noqa: BLE001
        return traceback.format_exc(), type(error).__name__
    raise AssertionError("nothing was raised")


CHAIN = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('no') from error"
DURING = "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['x']"
LINES = "raise ValueError('one\\ntwo\\n\\nthree')"


@pytest.mark.parametrize("code", ["1 / 0", CHAIN, DURING, LINES, "raise KeyError", "x ="])
def test_the_traceback_at_the_end_of_an_output_is_found(code: str) -> None:
    trace, name = raised(code)
    output, found = split_traceback(f"before\n{trace}", name)
    assert output.startswith("before\n")
    assert found
    assert output + found + "\n" == f"before\n{trace}"
    if "SyntaxError" not in trace:
        assert output == "before\n"


def test_a_chain_is_taken_from_its_first_traceback_on() -> None:
    trace, name = raised(CHAIN)
    assert split_traceback(trace, name) == ("", trace.rstrip("\n"))


def test_colours_of_the_program_do_not_hide_it() -> None:
    trace, name = raised("1 / 0")
    coloured = trace.replace("ZeroDivisionError", "\x1b[1;31mZeroDivisionError\x1b[0m")
    assert split_traceback(f"a\n{coloured}", name)[0] == "a\n"


@pytest.mark.parametrize(
    "output",
    ["", "just text\n", "Traceback (most recent call last):\nunfinished", "ValueError: not one\n"],
)
def test_an_output_without_one_stays_as_it_is(output: str) -> None:
    assert split_traceback(output, "ValueError") == (output, "")


def test_a_traceback_that_the_program_printed_of_another_error_stays() -> None:
    trace, _name = raised("1 / 0")
    assert split_traceback(trace, "KeyError") == (trace, "")
