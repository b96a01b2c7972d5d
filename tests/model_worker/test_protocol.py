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
    text=TEXT,
    reasoning=TEXT,
    calls=st.lists(
        st.builds(CallPiece, index=st.integers(0, 9), id=TEXT, name=TEXT, arguments=TEXT),
        max_size=2,
    ).map(tuple),
    citations=st.lists(
        st.builds(CitedPage, start=st.integers(0), end=st.integers(0), title=TEXT, url=TEXT),
        max_size=1,
    ).map(tuple),
)


@pytest.mark.parametrize(
    "message",
    [
        Ask(
            turn="t",
            model="openai/x",
            messages=[{"role": "user", "content": "\u2028é"}],
            api_key="k",
        ),
        Ask(
            turn="t",
            model="m",
            messages=[],
            tools=[{"type": "function"}],
            tool_choice="auto",
            needs_tools=True,
            top_p=0.5,
            stop=["a", "b"],
        ),
        Ask(
            turn="t",
            model="m",
            messages=[],
            tool_choice={"type": "function", "function": {"name": "f"}},
        ),
        Cancel("t"),
        Ready(),
        Done("t", "length"),
        Done("t", "stop", Tokens(input_tokens=12, output_tokens=5, is_estimated=False)),
        Failed(
            turn="t", code="c", title="title", detail="detail", remedy="remedy", retry_after_s=7.5
        ),
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
    assert "sk-1" not in repr(Ask(turn="t", model="m", messages=[], api_key="sk-1"))
