"""Arguments of calls, read while they are still being written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.formats.wire.argument_reader import ArgumentReader
from tests.support.chunk_streams import cut

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.lists(st.integers()), st.booleans())
def test_any_object_cut_anywhere_gives_its_texts(
    values: dict[str, object], places: list[int], is_ascii: bool
):
    reader = ArgumentReader()
    found: dict[str, str] = {}
    for piece in cut(json.dumps(values, ensure_ascii=is_ascii), places):
        for key, text in reader.feed(piece):
            found[key] = found.get(key, "") + text
    assert reader.is_complete
    assert not reader.is_broken
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    assert reader.closed == set(texts)
    assert found == {key: value for key, value in texts.items() if value}


@pytest.mark.parametrize("text", ["[1]", "nonsense", '{"a" "b"}', '{"a": }', "{1: 2}"])
def test_what_is_no_object_is_noticed(text: str):
    reader = ArgumentReader()
    reader.feed(text)
    assert reader.is_broken
    assert not reader.is_complete
