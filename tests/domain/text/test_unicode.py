from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.text.unicode import utf8_length, utf16_length, whole_characters


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_becomes_one_that_a_file_can_hold(text: str) -> None:
    kept = whole_characters(text)
    kept.encode()
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert kept == text


def test_the_halves_of_a_pair_are_joined() -> None:
    assert whole_characters("a\ud83c\udf88b") == "a🎈b"
    assert whole_characters("a\ud83cb") == "a\ufffdb"


def test_halves_of_characters_are_shown_as_a_mark() -> None:
    assert whole_characters("a\ud800b") == "a�b"
    assert whole_characters("fine 😀") == "fine 😀"


def test_lengths_are_those_of_the_encodings() -> None:
    assert (utf8_length("ä😀"), utf16_length("ä😀")) == (6, 3)
    assert (utf8_length("\ud800"), utf16_length("\ud800")) == (3, 1)
