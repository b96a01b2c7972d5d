from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.tokens import TokenCounter, count_text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It was the best of times, it was the worst of times; nobody asked why. " * 20, 360),
        ("def run(self, code):\n    return self._kernel.execute(code)\n" * 20, 300),
        ("\n".join(f"{i} {i * i} {i**0.5:.4f}" for i in range(200)), 1967),
        ("Все люди рождаются свободными и равными в своем достоинстве и правах. " * 4, 140),
        ("人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。" * 4, 140),
    ],
)
def test_guesses_are_near_to_what_a_tokenizer_counts(text: str, tokens: int) -> None:
    assert 0.7 < count_text(text) / tokens < 1.5


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert 0 <= count_text(text) <= count_text(text + more) + 1


def test_lone_surrogates_are_counted_too() -> None:
    assert count_text("\ud800 x") > 0


@given(st.lists(st.text()))
def test_pieces_count_as_much_as_the_whole(pieces: list[str]) -> None:
    counter = TokenCounter()
    for piece in pieces:
        counter.add(piece)
    assert abs(counter.tokens - count_text("".join(pieces))) <= 1
