"""JSON of others: a value that can be gone through, or a ValueError."""

from __future__ import annotations

import json

import pytest

from playhead.domain.text.json_text import MAX_DEPTH, is_too_deep, read_json


def nested(depth: int) -> str:
    return '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2)


@pytest.mark.parametrize("depth", [0, 2, MAX_DEPTH])
def test_what_is_not_nested_deeply_is_read(depth: int):
    assert json.dumps(read_json(nested(depth)), separators=(",", ":")) == nested(depth)


@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 900, 50_000])
@pytest.mark.parametrize("ending", ["", "}"])
def test_what_is_nested_too_deeply_is_invalid(depth: int, ending: str):
    with pytest.raises(ValueError):
        read_json(nested(depth) + ending)
    with pytest.raises(ValueError):
        read_json((nested(depth) + ending).encode())


def test_many_values_beside_each_other_are_not_deep():
    assert not is_too_deep([{"a": [1, 2]}] * 10_000)
