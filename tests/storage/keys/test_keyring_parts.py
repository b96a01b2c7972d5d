"""Long texts in parts, all keys in one text: nothing is lost, whatever the keys are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.secret import Secret
from playhead.domain.text.unicode import utf16_length
from playhead.storage.keys.system_keyring import (
    UnreadableKeysError,
    cut_in_parts,
    decode_keys,
    encode_keys,
    head_for,
    head_of,
)

any_text = st.text(st.characters(), max_size=60) | st.text("a𝄞é\ud800\udc00", max_size=60)


def utf16(text: str) -> bytes:
    """Two halves of a character are the character here, as in every keyring."""
    return text.encode("utf-16-le", "surrogatepass")


def units(text: str) -> int:
    return len(utf16(text)) // 2


@given(any_text, st.integers(2, 9))
def test_parts_make_up_the_text_and_none_is_too_long(text: str, limit: int):
    parts = cut_in_parts(text, limit)
    assert "".join(parts) == text
    assert all(units(part) <= limit for part in parts)
    assert utf16_length(text) == units(text)


@given(st.text("a𝄞é", min_size=1, max_size=60), st.integers(2, 9))
def test_no_part_ends_in_the_middle_of_a_character(text: str, limit: int):
    for part in cut_in_parts(text, limit):
        assert part.encode("utf-16-le").decode("utf-16-le") == part


@given(st.dictionaries(any_text, any_text, max_size=5))
def test_any_keys_come_back_and_are_kept_in_plain_ascii(texts: dict[str, str]):
    kept = encode_keys({name: Secret(text) for name, text in texts.items()})
    assert kept.isascii()
    found = {utf16(name): utf16(secret.reveal()) for name, secret in decode_keys(kept).items()}
    assert found == {utf16(name): utf16(text) for name, text in texts.items()}


@given(any_text, st.integers(1, 500))
def test_a_head_names_its_parts_and_knows_them_again(text: str, count: int):
    head = head_for(text, count, before=None)
    again = head_of(head.text)
    assert again is not None
    assert again == head
    assert again.fits(text)
    assert not again.fits(text + "x")
    following = head_for(text, count, before=head)
    assert not set(head.names("keys")) & set(following.names("keys"))


def test_what_has_no_mark_is_no_head():
    assert head_of("sk-0123") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk-0123",
        "[]",
        '{"version": 2, "keys": {}}',
        '{"version": 1}',
        "[" * 100_000,
        '{"version": 1, "keys": {"openai": 7}}',
        '{"version": 1, "keys": []}',
    ],
)
def test_what_is_no_list_of_keys_is_an_error_that_does_not_repeat_it(text: str):
    with pytest.raises(UnreadableKeysError) as caught:
        decode_keys(text)
    assert "sk-0123" not in str(caught.value)
