from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.kernel import protocol

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4),
    max_leaves=8,
)
FIELDS = st.dictionaries(st.text(max_size=10).filter(lambda k: k not in {"t", "run"}), VALUES)


def body(mark: bytes, nonce: str) -> bytes:
    prefix = protocol.mark_prefix(nonce)
    assert mark.startswith(prefix)
    assert mark.endswith(protocol.MARK_CLOSE)
    return mark[len(prefix) : -len(protocol.MARK_CLOSE)]


@given(st.text(max_size=20), st.text(max_size=20), FIELDS)
def test_what_is_marked_is_read_back_and_holds_no_escape(
    kind: str, run: str, fields: dict[str, Any]
) -> None:
    try:
        mark = protocol.encode_mark("cafe", kind, run, fields)
    except ValueError as error:
        assert "a mark of" in str(error)  # noqa: PT017 - long ones are refused, nothing else
        return
    inner = body(mark, "cafe")
    assert b"\x1b" not in inner
    assert len(mark) <= protocol.MARK_LIMIT
    assert protocol.parse_mark(inner) == (kind, run, {"t": kind, "run": run, **fields})


@pytest.mark.parametrize("kind", protocol.SHOWN)
def test_what_is_shown_goes_by_the_name_of_its_file(kind: str) -> None:
    mark = protocol.encode_mark("n", "show", "r", {"kind": kind, "file": "7-1.x"})
    parsed = protocol.parse_mark(body(mark, "n"))
    assert parsed is not None
    assert (parsed.kind, parsed.text("kind"), parsed.text("file")) == ("show", kind, "7-1.x")


def test_times_carry_where_a_statement_ends_and_a_lines_share() -> None:
    rows = [[1, 0.5, 4, None], [2, 0.25, 2, 0.5]]
    parsed = protocol.parse_mark(
        body(protocol.encode_mark("n", "timings", "r", {"times": rows}), "n")
    )
    assert parsed is not None
    assert parsed.rows("times") == rows


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"{}", b'{"t": 1, "run": ""}', b'{"t": "x"}', b"[" * 100_000]
)
def test_what_is_no_mark_is_none(line: bytes) -> None:
    assert protocol.parse_mark(line) is None


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (
            "execute",
            {"run": "r", "code": "x", "folder": "", "lines": True, "times": False, "memory": 0},
        ),
        ("text", {"run": "r", "text": "a\nb", "end": True}),
        ("variables", {"ask": "a-1"}),
        ("table", {"ask": "a-2", "name": "df", "first": 200, "rows": 100}),
    ],
)
def test_a_command_is_one_line_and_read_back(kind: str, fields: dict[str, Any]) -> None:
    line = protocol.encode_command(kind, **fields)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"t": kind, **fields}


def test_half_a_character_is_told_by_its_number_and_a_whole_one_stays() -> None:
    fields = {"name": "\ud83d\ude00 \ud800", "frames": [["\ud800", 1, "f"]], "\udfff": {"x": None}}
    mark = protocol.parse_mark(body(protocol.encode_mark("n", "error", "r", fields), "n"))
    assert mark is not None
    assert mark.text("name") == "\U0001f600 \\ud800"
    assert mark.rows("frames") == [["\\ud800", 1, "f"]]
    assert mark.fields["\\udfff"] == {"x": None}
