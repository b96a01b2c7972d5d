import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.timeline.text.math_text import mark_formulas, placeholder


def latex(text: str) -> list[str]:
    return [formula.latex for formula in mark_formulas(text)[1]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a $x_1*y*z$ b", ["x_1*y*z"]),
        (r"\(a\) and \[b\]", ["a", "b"]),
        ("$$\na\n$$", ["a"]),
        ("> $$\n> a\n> b\n> $$", ["a\nb"]),
        ("**$x$**, $20$ and $|x|$.", ["x", "20", "|x|"]),
        (r"\$5 $a\$b$", [r"a\$b"]),
        ("- one $a$\n\n- two $b$", ["a", "b"]),
    ],
)
def test_formulas_are_found(text, found):
    assert latex(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $10",
        "from $5-$10 to US$7, 5$",
        "| $5 | $6 |",
        "between $5 dollars or 3$",
        "$HOME/$USER",
        "$ x $",
        "`$x$` and ``a ` $b$``",
        "```\n$a$\n```",
        "- ~~~\n  $a$\n  ~~~",
        "not $closed",
        "$a\nb$",
        r"\$a\$",
        "[a](http://x.example/$b$) <http://y.example/$c$> https://z.example/?$d$",
        "$$ $$",
        r"\\(a\\)",
        r"Ten \[1\] and [\[12\]](<https://example.org/A>)",
    ],
)
def test_what_is_no_formula_stays(text):
    assert mark_formulas(text) == (text, [])


SIGNS = st.sampled_from(
    [
        "$",
        "$$",
        "\\",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "`",
        "```",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "a",
        " ",
        "1",
    ]
)


@given(st.lists(SIGNS, max_size=40).map("".join) | st.text(max_size=60))
def test_with_the_formulas_put_back_the_text_is_what_it_was(text):
    taken, formulas = mark_formulas(text)
    for number, formula in enumerate(formulas):
        taken = taken.replace(placeholder(number), formula.source, 1)
    assert taken == text


@given(st.lists(SIGNS, max_size=40).map("".join))
def test_a_later_paragraph_changes_no_formula_before_it(text):
    if "```" not in text:
        assert latex(text + "\n\n$z$") == [*latex(text), "z"]
