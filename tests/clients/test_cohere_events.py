"""The cohere SDKs' own parsers, newest and 5.20, read what is written for them unwarned."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source
from playhead.formats.wire.cohere.encode import Encoder
from tests.formats.wire.cohere.test_encode import message, said
from tests.support.waiting import LIMIT_S

READER = Path(__file__).with_name("cohere_reader.py")
PLACES = {"newest": "7.", "5.20": "5.20."}
COMPLETE = Chunk(role="server", type="status", content="complete")


@pytest.fixture(params=sorted(PLACES))
def sdk(request: pytest.FixtureRequest) -> tuple[Path, str]:
    """Where this cohere SDK lies beside the other one, and how its version begins."""
    place = Path(sys.prefix) / f"cohere-{request.param}"
    if not place.is_dir():
        pytest.skip(f"cohere {request.param} is not installed")
    return place, PLACES[request.param]


def read_by(sdk: tuple[Path, str], body: bytes, form: str) -> list[tuple[str, Any]]:
    place, version = sdk
    environment = {**os.environ, "PYTHONPATH": str(place)}
    command = [sys.executable, READER, form]
    done = subprocess.run(
        command, input=body, env=environment, capture_output=True, check=True, timeout=LIMIT_S
    )
    told = json.loads(done.stdout)
    assert told["version"].startswith(version)
    assert told["warnings"] == []
    return [(name, one) for name, one in told["read"]]


def stream_of(chunks: list[Chunk], encoder: Encoder) -> bytes:
    events = [event for chunk in chunks for event in encoder.encode(chunk)] + encoder.finish()
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]
    return "".join(lines).encode()


ANSWER = [
    *message("reasoning", "Hm."),
    *said("It is ", "19 °C."),
    Chunk(
        role="assistant",
        type="citation",
        content=Citation(start=6, end=11, text="19 °C", sources=(Source(id="c:0", text="19"),)),
    ),
    *message("tool_call", '{"q"', ": 1}", format_="lookup", call_id="call_a1"),
    COMPLETE,
]


def encoder(**options: Any) -> Encoder:
    return Encoder("6c1e", has_tools=True, **options)


def test_every_event_of_a_stream_is_one_that_the_sdk_knows(sdk: tuple[Path, str]):
    read = read_by(sdk, stream_of(ANSWER, encoder()), "stream")
    assert [one["type"] for _, one in read] == [
        *("message-start", "content-start", "content-delta", "content-end", "content-start"),
        *("content-delta", "content-delta", "citation-start", "citation-end", "content-end"),
        *("tool-call-start", "tool-call-delta", "tool-call-delta", "tool-call-end", "message-end"),
    ]
    assert all(name.endswith("V2ChatStreamResponse") for name, _ in read)
    assert read[-1][1]["delta"]["finish_reason"] == "TOOL_CALL"


def test_plans_and_failures_are_read_too(sdk: tuple[Path, str]):
    failure = Chunk(
        role="server", type="error", content=Failure(code="upstream_error", title="It broke.")
    )
    chunks = [*said("I look."), *ANSWER[-5:-1], failure]
    read = read_by(sdk, stream_of(chunks, encoder(holds_text=True)), "stream")
    assert read[1][1]["delta"]["message"]["tool_plan"] == "I look."
    assert read[-1][1]["delta"]["error"] == "It broke."


def test_a_whole_answer_is_read(sdk: tuple[Path, str]):
    made = encoder()
    stream_of(ANSWER, made)
    [(_, one)] = read_by(sdk, json.dumps(made.answer()).encode(), "whole")
    kinds = [(block["type"], block.get("text")) for block in one["message"]["content"]]
    assert kinds == [("thinking", None), ("text", "It is 19 °C.")]
    assert one["message"]["tool_calls"][0]["function"]["arguments"] == '{"q": 1}'
    assert one["message"]["citations"][0]["sources"][0]["type"] == "tool"
    assert one["finish_reason"] == "TOOL_CALL"
