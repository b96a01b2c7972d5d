"""A key shows itself only when asked by name."""

from __future__ import annotations

import pickle

import pytest

from playhead.domain.model import ModelSettings
from playhead.domain.secret import Secret


def test_no_way_of_printing_shows_the_key():
    settings = ModelSettings(model="openai/x", api_key=Secret("sk-123"))
    for text in (repr(settings), str(settings.api_key), f"{settings.api_key}", f"{settings!r}"):
        assert "sk-123" not in text
    assert settings.api_key is not None
    assert settings.api_key.reveal() == "sk-123"


def test_a_key_cannot_be_pickled():
    with pytest.raises(TypeError):
        pickle.dumps(Secret("sk-123"))


def test_keys_compare_by_their_text():
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert not Secret("")
