"""Whole native answers, and that they are known again when a client sends them back."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Proposal, RunReport
from playhead.formats.wire import native
from tests.support import chunk_streams
from tests.support.chunk_streams import streams

GOLDEN = Path(__file__).parents[3] / "data" / "division_dialogue.jsonl"
CODE = {"type": "code", "format": "python", "content": "34 / 24"}
CONFIRMATION = {
    "role": "computer",
    "type": "confirmation",
    "format": "execution",
    "content": CODE,
}


def golden_chunks() -> list[Chunk]:
    wires = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    decoder = native.Decoder()
    chunks = [chunk for wire in wires for chunk in decoder.decode(wire)]
    assert decoder.skipped == 0
    return [*chunks, Chunk(role="server", type="status", content="complete")]


def test_the_division_dialogue_goes_through_the_codec_unchanged():
    encoder = native.Encoder()
    events = [event for chunk in golden_chunks() for event in encoder.encode(chunk)]
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert events[:-1] == golden


def test_a_whole_answer_holds_messages_and_nothing_of_the_stream():
    assert native.whole(golden_chunks()) == [
        {"role": "assistant", **CODE},
        {
            "role": "computer",
            "type": "console",
            "format": "output",
            "content": "1.4166666666666667\n",
        },
        {
            "role": "assistant",
            "type": "message",
            "content": "The result of the division 34/24 is approximately 1.42.",
        },
    ]


def test_a_confirmation_that_waits_is_the_last_message():
    chunks = golden_chunks()[:7]
    waiting = Chunk(role="server", type="status", content="awaiting_approval")
    assert native.whole([*chunks, waiting])[-1] == CONFIRMATION
    declined = Chunk(role="server", type="status", content="complete")
    assert native.whole([*chunks, declined]) == [{"role": "assistant", **CODE}]


def test_only_the_confirmation_of_the_last_code_waits():
    chunks = golden_chunks()
    proposal = Chunk(
        role="computer",
        type="confirmation",
        format="execution",
        content=Proposal(id="", message_id="", language="r", code="2"),
    )
    waiting = Chunk(role="server", type="status", content="awaiting_approval")
    messages = native.whole([*chunks[:-1], proposal, waiting])
    assert [message["type"] for message in messages] == [
        "code",
        "console",
        "message",
        "confirmation",
    ]
    assert messages[-1]["content"]["format"] == "r"


def test_an_empty_console_is_left_out_and_calls_keep_their_ids():
    chunks = [
        Chunk(role="assistant", type="code", format="python", start=True, id="call_1"),
        Chunk(role="assistant", type="code", format="python", end=True),
        Chunk(role="computer", type="run", content=RunReport(state="started")),
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="active_line", content=1),
        Chunk(role="computer", type="console", end=True),
    ]
    assert native.whole(chunks) == [
        {
            "role": "assistant",
            "type": "code",
            "format": "python",
            "id": "call_1",
            "content": "",
        }
    ]
    assert [message["type"] for message in native.whole(chunks, extended=True)] == ["code", "run"]


@given(streams(chunk_streams.says | chunk_streams.codes | chunk_streams.consoles()))
def test_what_we_sent_is_known_again_when_it_returns(chunks: list[Chunk]):
    question = {"role": "user", "type": "message", "content": "?"}
    messages = native.whole(chunks)
    returned = json.loads(json.dumps([question, *messages]))
    entries = native.read_messages(returned)
    assert [entry.key for entry in entries[1:] if entry.key] == native.answer_keys(messages)
    for message in returned:
        message.pop("id", None)
        if message["type"] == "console":
            message["format"] = None
    assert [entry.key for entry in native.read_messages(returned)] == [e.key for e in entries]
