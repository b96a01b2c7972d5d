from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.fences import Fence, fenced, open_fence, opening_fence


@pytest.mark.parametrize(
    ("line", "fence"),
    [
        ("```", Fence("```")),
        ("  ~~~~ py `x`\n", Fence("~~~~", "py `x`", 2)),
        ("```python\r\n", Fence("```", "python")),
        ("    ```", None),
        ("```a```", None),
        ("``", None),
    ],
)
def test_a_fence_opens_as_in_commonmark(line: str, fence: Fence | None) -> None:
    assert opening_fence(line) == fence


@pytest.mark.parametrize("line", ["~~~", "  ~~~~  \r\n"])
def test_a_fence_is_closed_by_as_many_signs(line: str) -> None:
    assert Fence("~~~").closes(line)


@pytest.mark.parametrize("line", ["~~", "```", "    ~~~", "~~~ py", ""])
def test_other_lines_close_no_fence(line: str) -> None:
    assert not Fence("~~~").closes(line)


@given(st.sampled_from(["~~~", "  ~~~~  \r\n", "~~~ \t\n"]), st.integers(0, 10))
def test_each_beginning_of_a_closing_fence_may_become_one(line: str, cut: int) -> None:
    assert Fence("~~~").may_close(line[:cut])


def test_a_shorter_fence_is_a_line_of_the_block() -> None:
    assert open_fence("````\n```\n") == Fence("````")
    assert open_fence("- a\n      ````\n```\n`````\n") is None


@given(st.text(st.sampled_from("`~ a\n\r"), max_size=40))
def test_nothing_in_a_block_closes_it(text: str) -> None:
    opener, *body, end = fenced(text, "text").split("\n")
    fence = opening_fence(opener)
    assert fence is not None
    assert fence.closes(end)
    assert not any(fence.closes(line) for line in body)
