"""What counts as code in Direct mode, and what is prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.providers.parser.typed_code import find_code, find_sum


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("What's 34/24?", "34 / 24"),
        ("what is 2^10 ?", "2 ** 10"),
        ("2 + 2 =", "2 + 2"),
        ("How much is (3.5 + 1) * -2?", "(3.5 + 1) * -2"),
        ("7 × 6", "7 * 6"),
        ("calculate 10 % 4", "10 % 4"),
        ("42", "42"),
    ],
)
def test_a_sum_becomes_an_expression(question: str, code: str):
    assert find_sum(question) == code


@pytest.mark.parametrize("text", ["What's up?", "what is x?", "True", "is 3", "", "1 if 2 else 3"])
def test_a_question_without_a_sum_is_none(text: str):
    assert find_sum(text) is None


@pytest.mark.parametrize(
    "text",
    ["hello", "not sure", "yes, no", "help", "How do I sort a list?", "read the file please", ""],
)
def test_prose_is_not_code(text: str):
    assert find_code(text) is None


@pytest.mark.parametrize(
    "text",
    ["print('hi')", "x = 1", "import this", "for i in range(3):\n    print(i)", "[1, 2, 3]", "'a'"],
)
def test_python_is_code_as_typed(text: str):
    found = find_code(text)
    assert found is not None
    assert (found.language, found.code) == ("python", text)


def test_a_single_word_is_code_once_it_is_a_name():
    assert find_code("total") is None
    assert find_code("total", earlier_code="total = 5") is not None
    assert find_code("total - rest", earlier_code="total = 5") is None


def test_a_fence_is_taken_out_of_the_text_around_it():
    found = find_code("Please run\n```py\nx = '`'\nprint(x)\n```\nthanks")
    assert found is not None
    assert (found.language, found.code) == ("py", "x = '`'\nprint(x)")


def test_a_fence_may_be_tildes_longer_or_left_open():
    for text in ("~~~\n1\n~~~", "````\n1\n````", "```\n1"):
        found = find_code(text)
        assert found is not None
        assert found.code == "1"


def test_a_shell_command_is_quoted_whatever_it_holds():
    found = find_code("""!echo "it's" 'a "test"' \\ {x}""")
    assert found is not None
    assert compile(found.code, "<test>", "exec")
    assert repr("""echo "it's" 'a "test"' \\ {x}""") in found.code


@given(st.text())
def test_no_text_breaks_it(text: str):
    found = find_code(text, text)
    assert found is None or found.code.strip()


@pytest.mark.parametrize(
    "text",
    ["1 +" + " " * 20_000 + "x y", "what is" + " ?" * 10_000 + "x", "```" + "a" * 20_000 + "`"],
)
def test_a_long_text_is_looked_at_once(text):
    """A pattern that goes back over it would hold the window up for minutes."""
    assert find_code(text) is None
