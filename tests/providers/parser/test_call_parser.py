"""The JSON of a call is mended where it is clear what it was to be, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.model_worker.protocol import CallPiece, Delta
from playhead.providers.parser.call_parser import CallCode, CutOffError, find_call_code, repair_json
from playhead.providers.parser.delta_parser import DeltaParser

"""A busy machine is no defect."""

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.text(min_size=1), _VALUES, min_size=1, max_size=4)


@given(_VALUES, st.booleans())
def test_valid_json_is_never_changed(value: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert repair_json(text) == text


@given(st.text())
def test_what_comes_back_can_always_be_read(text: str) -> None:
    mended = repair_json(text)
    if mended is not None:
        json.loads(mended)


def _is_part(part: Any, whole: Any) -> bool:
    """Whether all of a value stands in another one, each leaf as it is there."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(map(_is_part, part, whole))
    return type(part) is type(whole) and part == whole


@given(_OBJECTS, st.data())
def test_no_value_is_made_of_one_that_was_cut_off(value: dict[str, Any], data: Any) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    mended = repair_json(cut)
    assert mended is None or _is_part(json.loads(mended), value)


@given(st.text(), st.data())
def test_code_that_was_cut_off_is_never_offered(code: str, data: Any) -> None:
    text = json.dumps({"language": "python", "code": code})
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert find_call_code(cut) in (None, CallCode("python", code))


@given(st.dictionaries(st.from_regex(r"\w+", fullmatch=True), st.text(), min_size=1))
def test_raw_line_ends_commas_too_many_and_missing_braces_are_mended(value: dict[str, str]) -> None:
    text = json.dumps(value)
    raw = text.replace("\\n", "\n").replace("\\t", "\t") if "\\\\" not in text else text
    for broken in (raw, raw[:-1] + ", }", raw[:-1]):
        mended = repair_json(broken)
        assert mended is not None
        assert json.loads(mended) == value


@given(_VALUES.filter(lambda value: not isinstance(value, str)))
def test_a_dict_as_python_writes_it_is_read_or_refused_but_never_misread(value: Any) -> None:
    mended = repair_json(repr({"value": value}))
    assert mended is None or json.loads(mended) == {"value": value}


@pytest.mark.parametrize(
    ("broken", "meant"),
    [
        ("{'language': 'python', 'code': 'print(\"hi\")'}", 'print("hi")'),
        ("{'language': 'python', 'code': 'it\\'s'}", "it's"),
        ('{"language": "python", "code": "a\nb", }', "a\nb"),
        ('{"language": "python", "code": "1", "quiet": True}', "1"),
        ('{"language": "python", "code": "1"', "1"),
        ("print(1)", "print(1)"),
        ('"x = 1\\nprint(x)"', "x = 1\nprint(x)"),
        ("import os\nprint(os.getcwd())\n", "import os\nprint(os.getcwd())"),
    ],
)
def test_calls_that_are_clear_become_code(broken: str, meant: str) -> None:
    assert find_call_code(broken) == CallCode("python", meant)
    parser = DeltaParser({"python": "python"}.get)
    chunks = parser.feed(
        Delta(calls=(CallPiece(index=0, id="c", name="execute", arguments=broken),))
    )
    chunks += parser.finish()
    assert {chunk.type for chunk in chunks} == {"code"}
    said = "".join(str(chunk.content) for chunk in chunks if chunk.content)
    assert said == meant


@pytest.mark.parametrize(
    "unclear",
    [
        '{"language": "python", "code": "print(1',
        "{'language': 'python', 'code': 'x = '",
        "{'code': 'print('hi')'}",
        '{"language": "python", "code"',
        '{"language": "python",',
        '{"seconds": 12',
        "{'code': '\\x41'}",
        "{code: 1}",
        '{"a": "b"} and more',
        "hello",
        "",
        "[" * 500,
    ],
)
def test_what_may_have_meant_several_things_stays_as_it_is(unclear: str) -> None:
    assert repair_json(unclear) is None
    assert find_call_code(unclear) is None


def test_an_answer_that_reached_its_limit_is_not_mended() -> None:
    parser = DeltaParser({"python": "python"}.get)
    parser.feed(Delta(calls=(CallPiece(index=0, id="c", name="execute", arguments="print(1)"),)))
    with pytest.raises(CutOffError):
        parser.finish("length")
