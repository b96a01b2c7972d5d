"""Long lines are cut the same way however the text arrives."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from playhead.ui.editor.code.code_editor import CUT_MARK, LineCutter


def whole(text: str, limit: int) -> str:
    return LineCutter(limit).feed(text)


def test_short_lines_pass_as_they_are() -> None:
    cutter = LineCutter(10)
    assert cutter.feed("abc\ndef\n") == "abc\ndef\n"
    assert not cutter.has_cut


def test_a_long_line_is_cut_once_and_the_next_one_starts_anew() -> None:
    assert whole("abcdef\nxy\n", 3) == f"abc{CUT_MARK}\nxy\n"


@given(st.text("ab\n", max_size=40), st.lists(st.integers(0, 40)), st.integers(1, 6))
def test_any_split_gives_the_same_display_and_the_same_text(
    text: str, cuts: list[int], limit: int
) -> None:
    cutter = LineCutter(limit)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(edges)]
    assert "".join(cutter.feed(piece) for piece in pieces) == whole(text, limit)
    assert cutter.text == text
