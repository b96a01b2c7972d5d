"""Messages between app and worker survive the pipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.model_worker.protocol import (
    Ask,
    CallPiece,
    Cancel,
    Cancelled,
    CitedPage,
    Delta,
    Deltas,
    Done,
    Failed,
    Message,
    ProtocolError,
    Ready,
    Tokens,
    decode,
    encode,
)

TEXT = st.text(alphabet=st.characters(codec=None))  # lone surrogates too
DELTAS = st.builds(
    Delta,
    TEXT,
    TEXT,
    st.lists(st.builds(CallPiece, st.integers(0, 9), TEXT, TEXT, TEXT), max_size=2).map(tuple),
    st.lists(st.builds(CitedPage, st.integers(0), st.integers(0), TEXT, TEXT), max_size=1).map(
        tuple
    ),
)


@pytest.mark.parametrize(
    "message",
    [
        Ask("t", "openai/x", [{"role": "user", "content": "\u2028é"}], api_key="k"),
        Ask("t", "m", [], [{"type": "function"}], "auto", True, top_p=0.5, stop=["a", "b"]),
        Ask("t", "m", [], tool_choice={"type": "function", "function": {"name": "f"}}),
        Cancel("t"),
        Ready(),
        Done("t", "length"),
        Done("t", "stop", Tokens(12, 5, is_estimated=False)),
        Failed("t", "c", "title", "detail", "remedy", 7.5),
        Cancelled("t"),
    ],
)
def test_every_message_is_one_line_and_comes_back(message: Message):
    line = encode(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == message


@given(st.lists(DELTAS, max_size=4).map(tuple))
def test_deltas_keep_their_boundaries_and_every_character(deltas: tuple[Delta, ...]):
    assert decode(encode(Deltas("t", deltas))) == Deltas("t", deltas)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello\n",
        b"[]\n",
        b'{"kind": "other"}\n',
        b'{"kind":"done"}',
        b'{"kind": "done", "turn": "t", "usage": 7}',
    ],
)
def test_a_line_that_is_no_message_is_refused(line: bytes):
    with pytest.raises(ProtocolError):
        decode(line)


def test_fields_of_a_later_version_are_skipped():
    assert decode(b'{"kind": "done", "turn": "t", "cost": 1}') == Done("t")


def test_the_key_is_not_in_the_repr():
    assert "sk-1" not in repr(Ask("t", "m", [], api_key="sk-1"))
