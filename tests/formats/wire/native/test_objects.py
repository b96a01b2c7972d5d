"""Native chunks survive the way to JSON and back."""

from __future__ import annotations

import json
from itertools import product
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from playhead.client import chat_transcript
from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.payloads import (
    CodeError,
    Frame,
    InputRequest,
    LineTiming,
    Proposal,
    RunEnd,
    RunReport,
)
from playhead.domain.execution import Place
from playhead.domain.trust import RiskFact
from playhead.formats.wire.native.decode import decode_chunk
from playhead.formats.wire.native.encode import Encoder, encode_chunk, is_extended
from playhead.formats.wire.native.objects import decode_payload, encode_payload

texts = st.text(min_size=1)
lines = st.integers(1, 2**62)
payloads = st.one_of(
    st.builds(
        lambda state, seconds, line: Chunk(
            role="computer", type="run", content=RunReport(state=state, seconds=seconds, line=line)
        ),
        st.sampled_from(["started", "finished", "interrupted", "killed"]),
        st.floats(0, 1e6),
        st.none() | lines,
    ),
    st.builds(
        lambda name, text, file, line: Chunk(
            role="computer",
            type="error",
            content=CodeError(name=name, message=text, frames=(Frame(file, line, name),)),
        ),
        texts,
        texts,
        texts,
        lines,
    ),
    st.builds(
        lambda id_, prompt, secret: Chunk(
            role="computer", type="input", content=InputRequest(id_, prompt, secret)
        ),
        texts,
        texts,
        st.booleans(),
    ),
    st.builds(
        lambda line, seconds: Chunk(
            role="computer", type="timing", content=LineTiming(line=line, seconds=seconds)
        ),
        lines,
        st.floats(0, 1e6),
    ),
)
streamed = st.builds(
    lambda kind, format_, content, edge, call: Chunk(
        role=kind[0],
        type=kind[1],
        format=format_,
        content=content if edge == "content" else None,
        start=edge == "start",
        end=edge == "end",
        id=call if edge == "start" and kind[1] != "message" else None,
    ),
    st.sampled_from([("assistant", "message"), ("assistant", "code"), ("computer", "tool_result")]),
    st.none() | texts.filter(lambda text: text != "active_line"),
    texts,
    st.sampled_from(["start", "content", "end"]),
    st.none() | texts,
)


@given(st.one_of(payloads, streamed))
def test_decoding_what_was_encoded_gives_the_chunk_again(chunk: Chunk):
    assert decode_chunk(json.loads(json.dumps(encode_chunk(chunk)))) == chunk


def test_an_active_line_is_a_text_on_the_wire_and_null_when_nothing_runs():
    line = Chunk(role="computer", type="console", format="active_line", content=7)
    rest = Chunk(role="computer", type="console", format="active_line")
    assert encode_chunk(line)["content"] == "7"
    assert encode_chunk(rest) == {
        "role": "computer",
        "type": "console",
        "format": "active_line",
        "content": None,
    }
    assert decode_chunk({**encode_chunk(line), "content": 7}) == line


def test_a_confirmation_carries_the_code_and_neither_ids_nor_paths():
    chunk = Chunk(
        role="computer",
        type="confirmation",
        format="execution",
        content=Proposal(
            id="p1",
            message_id="m1",
            language="python",
            code="7 * 6",
            folder="/home/me",
            interpreter="/usr/bin/python3",
        ),
    )
    assert encode_chunk(chunk)["content"] == {
        "type": "code",
        "format": "python",
        "content": "7 * 6",
    }
    older = {**encode_chunk(chunk), "content": {"language": "python", "code": "7 * 6"}}
    decoded = decode_chunk(older)
    assert decoded is not None
    assert decoded.content == Proposal(id="", message_id="", language="python", code="7 * 6")


def test_what_a_later_version_may_send_is_skipped():
    assert decode_chunk({"role": "assistant", "type": "hologram"}) is None
    assert decode_chunk({"role": "moon", "type": "message"}) is None
    known = decode_chunk({"role": "assistant", "type": "message", "content": "a", "mood": "good"})
    assert known == Chunk(role="assistant", type="message", content="a")


def test_kinds_of_our_own_faces_are_told_apart():
    assert is_extended(Chunk(role="computer", type="run", content=RunReport(state="started")))
    assert not is_extended(Chunk(role="computer", type="console", start=True))
    assert not is_extended(Chunk(role="server", type="error"))


def test_the_python_face_tells_the_same_kinds_apart():
    formats = (None, "path", "html", "svg", "markdown", "latex")
    for role, kind, format_ in product(get_args(Role), get_args(ChunkType), formats):
        if role != "server":  # the end of a stream is no chunk there
            wire = {"role": role, "type": kind, "format": format_}
            chunk = Chunk(role=role, type=kind, format=format_)
            assert chat_transcript.is_extended(wire) == is_extended(chunk), wire


def test_the_end_of_a_run_travels_in_words():
    end = RunEnd(kind="time_limit", limit=5)
    report = RunReport(state="interrupted", seconds=5.0, end=end)
    wire = encode_chunk(Chunk(role="computer", type="run", content=report))
    words = "the limit of the settings is 5 s"
    assert wire["content"] == {"state": "interrupted", "seconds": 5.0, "reason": words}
    back = decode_chunk(json.loads(json.dumps(wire)))
    assert back is not None
    assert isinstance(back.content, RunReport)
    assert back.content.end == RunEnd(kind="other", words=words)


def test_what_is_seen_of_code_goes_with_its_confirmation() -> None:
    facts = (
        RiskFact(kind="deletes", line=2, target="build"),
        RiskFact(kind="network", line=4, certainty="unknown", module="tools.py"),
    )
    plain = Proposal(id="", message_id="", language="python", code="x")
    looked = replace(plain, facts=facts, approved_at=5.0, diff="-a")
    for proposal in (plain, replace(plain, facts=()), looked):
        assert decode_payload("confirmation", encode_payload(proposal)["content"]) == proposal
    assert encode_payload(plain)["content"] == {"type": "code", "format": "python", "content": "x"}
    newer = {"format": "python", "content": "x", "facts": [{"kind": "new", "line": 1}]}
    assert decode_payload("confirmation", newer) == replace(plain, facts=())


def test_a_confirmation_names_the_kernel_in_both_dialects():
    place = Place(language="python", label="Lab", folder="/k")
    asked = Proposal(id="1", message_id="2", language="python", code="x", interpreter=place.id)
    code = {"type": "code", "format": "python", "content": "x", "kernel": "Lab"}
    chunk = Chunk(role="computer", type="confirmation", format="execution", content=asked)
    for dialect in (False, True):
        (wire,) = Encoder(dialect).encode(chunk)
        assert wire["content"] == code
    assert chat_transcript.plain_chunk(encode_chunk(chunk))["content"] == code
    ours = replace(asked, interpreter="/usr/bin/python3")
    assert "kernel" not in encode_payload(ours)["content"]
