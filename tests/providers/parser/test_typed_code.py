"""What counts as code in Direct mode, and what is prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.python_syntax import syntax_fault
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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("!echo 'a' {x}", "!echo 'a' {x}"),
        ("%timeit sum(range(9))", "%timeit sum(range(9))"),
        ("pip install pandas", "pip install pandas"),
        ("python -m pip install pandas", "%pip install pandas"),
        ("ls", "!ls"),
        ("ls -la", "!ls -la"),
        ("cd ..", "%cd .."),
        ("cd 'my data'", "%cd 'my data'"),
        ("git status", "!git status"),
        ("head -n 3 data.csv", "!head -n 3 data.csv"),
    ],
)
def test_a_command_is_what_the_kernel_runs_as_one(text: str, code: str):
    found = find_code(text)
    assert found is not None
    assert (found.language, found.code) == ("python", code)
    assert syntax_fault(found.code) is None


def test_a_name_that_is_a_command_too_is_the_name():
    found = find_code("ls", earlier_code="ls = [1]")
    assert found is not None
    assert found.code == "ls"


@pytest.mark.parametrize(
    "text",
    [
        "git is great",
        "ls shows what?",
        "make a plot of a.csv",
        "find the largest file",
        "cat pictures",
        "sort my photos",
        "cd is what I would like to burn",
    ],
)
def test_prose_that_begins_as_a_command_does_is_prose(text: str):
    assert find_code(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('hi'", "'(' was never closed (line 1)"),
        ("for i in range(3) print(i)", "(line 1)"),
        ("for i in range(3)", "expected ':' (line 1)"),
        ("x = = 5", "invalid syntax (line 1)"),
        ("import pandas sa pd", "(line 1)"),
        ("import os\nprint(os.getcwd(", "was never closed (line 2)"),
        ("def f(x)\n    return x", "expected ':' (line 1)"),
        ('print "hi"', "Missing parentheses in call to 'print'"),
        ("34/24 +", "invalid syntax (line 1)"),
        ("[1, 2", "'[' was never closed (line 1)"),
        ("df.head(", "'(' was never closed (line 1)"),
        ("fro i in range(3): print(i)", "invalid syntax (line 1)"),
        ("improt os\nos.getcwd()", "invalid syntax (line 1)"),
        ("whlie True:\n    pass", "invalid syntax (line 1)"),
    ],
)
def test_code_with_a_typo_is_code_and_python_says_what_is_wrong(text: str, words: str):
    found, fault = find_code(text), syntax_fault(text)
    assert found is not None
    assert found.code == text
    assert fault is not None
    assert words in fault.text


@pytest.mark.parametrize(
    "text",
    [
        "import the data and plot it",
        "for each file, print its name",
        "if it rains, tell me",
        "with the data make a plot",
        "print the first ten rows",
        "return the sum",
        "try again",
        "class of 2020",
        "let x = 5",
        "what's up",
        "Plot sin(x) from 0 to 10",
        "form and function",
        "fro example the first row",
    ],
)
def test_prose_that_begins_as_python_does_is_prose(text: str):
    assert find_code(text) is None


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
