"""No error text repeats a key, as it is or in disguise."""

from __future__ import annotations

import base64
import html
import itertools
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.model_worker.redaction import MAX_CHARACTERS, brief, redacted

secrets = st.text(st.characters(exclude_categories=["Cs"]), min_size=8, max_size=40)


@given(secrets, st.text("abc ", max_size=5), st.text("abc ", max_size=5))
def test_a_key_is_gone_in_every_form(secret: str, before: str, after: str):
    for form in (secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]):
        assert form not in redacted(f"{before}{form}{after}", secret)
    raw = secret.encode()
    assert raw.hex() not in redacted(raw.hex(), secret)


@given(secrets, st.binary(max_size=5), st.binary(max_size=5))
def test_of_a_key_in_base64_only_its_edges_are_left(secret: str, before: bytes, after: bytes):
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = encode(before + secret.encode() + after).decode()
        left = redacted(text, secret)
        own = len(secret.encode()) * 8 // 6 - 2
        assert len(left.replace("…", "")) <= len(text) - own


def spelled(character: str, how: int) -> str:
    """One character of a key as some server may write it."""
    units = character.encode("utf-16-be")
    escaped = "".join(f"\\u{units[n]:02x}{units[n + 1]:02X}" for n in range(0, len(units), 2))
    code = ord(character)
    percent = quote(character, safe="") if code > 127 else f"%{code:02X}"
    named = html.escape(character, quote=True)
    python = "".join(f"\\x{byte:02x}" for byte in character.encode())
    json_text = json.dumps(character)[1:-1]
    plain = [character, escaped, percent, f"&#{code};", f"&#x{code:x};", named, python, json_text]
    twice = [escaped.replace("\\", "\\\\"), quote(percent), f"&amp;#{code};"]
    return [*plain, *twice][how % 11]


# The signs of escapes are in no key, and half an escape before another one is no spelling.
ascii_secrets = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\&%"),
    min_size=8,
    max_size=40,
)
any_secrets = st.text(
    st.characters(exclude_categories=["C"], exclude_characters="\\&%"), min_size=8, max_size=40
)


@given(
    st.one_of(ascii_secrets, any_secrets),
    st.lists(st.integers(0, 10), min_size=40, max_size=40),
    st.text("abc ", max_size=5),
    st.text("abc ", max_size=5),
)
def test_a_key_is_gone_in_any_mixture_of_escapes(
    secret: str, ways: list[int], before: str, after: str
):
    way = itertools.cycle(ways)
    parts = [spelled(character, next(way)) for character in secret]
    assert redacted(f"{before} {''.join(parts)} {after}", secret) == f"{before} … {after}"


@given(
    ascii_secrets.filter(lambda secret: len(secret) > 9),
    st.data(),
    st.lists(st.integers(0, 10), min_size=40, max_size=40),
)
def test_of_a_key_that_is_cut_in_two_less_than_eight_characters_are_left(
    secret: str, data: st.DataObject, ways: list[int]
):
    place = data.draw(st.integers(1, len(secret) - 1))
    for part in (secret[:place], secret[place:]):
        text = "".join(spelled(each, way) for each, way in zip(part, ways, strict=False))
        left = redacted(f"cut {text} here", secret)
        assert left == "cut … here" or len(part) < 8


def test_what_looks_like_a_key_is_gone_in_escapes_too():
    assert redacted(r'{"error": "\u0073k-0123456789abcdef"}') == '{"error": "…"}'
    assert redacted("the key &#115;k%2D0123456789abcdef is wrong") == "the key … is wrong"


def test_a_key_that_stands_where_a_long_text_is_cut_is_not_left_in_part():
    key = "abcdefghijklmnopqrstuvwxyz0123456789"
    for lead in range(MAX_CHARACTERS - len(key) - 2, MAX_CHARACTERS + 2):
        assert "abcdefgh" not in brief("x" * lead + key + " and more", key)


@pytest.mark.parametrize("text", ["", "Rate limit reached.", "x" * 50])
def test_other_texts_stay_as_they_are(text: str):
    assert redacted(text, "sk-0123456789abcdef", "x") == text
