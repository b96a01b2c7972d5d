from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.kernel.python.cursor_context import (
    LONGEST,
    Step,
    find_call,
    find_context,
    find_expression,
)

NAMES = st.sampled_from(["a", "frame", "größe", "x1", "_hidden"])
STEPS = st.lists(
    st.one_of(
        NAMES.map(lambda name: ("." + name, Step("attribute", name))),
        st.sampled_from(["'k'", '"a b"', "0", "-1"]).map(
            lambda key: (f"[{key}]", Step("item", key))
        ),
        st.sampled_from(["[x + 1]", "[1:2]"]).map(lambda text: (text, Step("item"))),
        st.sampled_from(["()", "(1, 'a)')", "(b=[2], c={')': 3})"]).map(
            lambda text: (text, Step("call"))
        ),
    ),
    max_size=5,
)
BEFORE = st.sampled_from(
    [
        "",
        "y = ",
        "print(1, ",
        "if ",
        "# it's a remark\n",
        'text = """a\n(b[c{"""\n',
        "broken = 'no end\n",
        "never(closed\ndef f(",
        "f'{",
        "lambda q: ",
        "return -",
        "values = [1, {",
        "d = r'\\'\nx = ",
    ]
)


@given(before=BEFORE, name=NAMES, steps=STEPS, prefix=st.sampled_from(["", "par", "größ", "_"]))
def test_the_expression_before_a_dot_is_found_wherever_it_stands(
    before: str, name: str, steps: list[tuple[str, Step]], prefix: str
) -> None:
    written = name + "".join(text for text, _step in steps)
    chain = (Step("name", name), *(step for _text, step in steps))
    found = find_context(f"{before}{written}.{prefix}")
    assert (found.kind, found.prefix, found.owner) == ("attribute", prefix, chain)
    assert find_expression(before + written) == chain
    call = find_call(f"{before}{written}(1, [2, 3], key=")
    assert call is not None
    assert (call.callee, call.argument, call.keyword) == (chain, 2, "key")


@given(st.text(alphabet="ab. \n'\"#()[]{}=,\\fr0:;", max_size=60))
def test_any_text_has_a_context_that_ends_at_the_cursor(code: str) -> None:
    found = find_context(code)
    assert code.endswith(found.prefix)
    find_call(code)
    find_expression(code)


@pytest.mark.parametrize(
    ("code", "kind", "prefix", "owner"),
    [
        ("import nu", "module", "nu", ""),
        ("import numpy as np, os.pa", "module", "pa", "os"),
        ("from os import pa", "member", "pa", "os"),
        ("x = frame['pr", "key", "pr", "frame"),
        ("frame[['a', \"pr", "key", "pr", "frame"),
        ("open('data/me", "text", "data/me", ""),
        ("f'{frame.co", "attribute", "co", "frame"),
        ("f'frame.co", "text", "frame.co", ""),
        ("'abc'.up", "attribute", "up", "str"),
        ("# frame.co", "", "", ""),
        ("'''frame.\nco", "", "", ""),
        ("def na", "", "", ""),
        ("import numpy as n", "", "", ""),
        ("x = 1.", "", "", ""),
        ("for x in ra", "name", "ra", ""),
    ],
)
def test_what_is_before_the_cursor_is_known(code: str, kind: str, prefix: str, owner: str) -> None:
    found = find_context(code)
    assert (found.kind, found.prefix) == (kind, prefix)
    assert ".".join(step.text for step in found.owner) == owner


def test_the_words_of_the_code_are_names_and_no_attributes() -> None:
    assert find_context("total = 1\nother.part = 'text'\nto").words == ("other", "total")


@pytest.mark.parametrize("piece", ["(", "[", '"', "f'{", "a.", "a[", "\\", "'''", "x" * 30 + "\n"])
def test_a_long_text_is_read_in_time(piece: str) -> None:
    began = time.process_time()
    find_context(piece * (3 * LONGEST // len(piece)))
    assert time.process_time() - began < 5  # a scan that were quadratic takes minutes
