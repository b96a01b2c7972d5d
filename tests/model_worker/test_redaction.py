"""No error text repeats a key, as it is or in disguise."""

from __future__ import annotations

import base64
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


def test_a_key_that_stands_where_a_long_text_is_cut_is_not_left_in_part():
    key = "abcdefghijklmnopqrstuvwxyz0123456789"
    for lead in range(MAX_CHARACTERS - len(key) - 2, MAX_CHARACTERS + 2):
        assert "abcdefgh" not in brief("x" * lead + key + " and more", key)


@pytest.mark.parametrize("text", ["", "Rate limit reached.", "x" * 50])
def test_other_texts_stay_as_they_are(text: str):
    assert redacted(text, "sk-0123456789abcdef", "x") == text
