"""Recorded streams become conversations: every format is known by its shape, nonsense refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Proposal, RunReport
from playhead.errors import DocumentError
from playhead.formats.documents.document import read_document
from playhead.formats.documents.imported_conversation import ImportedConversation
from playhead.formats.documents.recordings import events_in, format_of
from playhead.formats.wire import assistants, chat_completions, kernel_messages, native
from playhead.formats.wire.cohere.encode import Encoder as CohereEncoder
from tests.formats.wire.cohere.test_encode import message, printed, proposal, said
from tests.support import chunk_streams
from tests.support.chunk_streams import streams

DATA = Path(__file__).parents[2] / "data" / "streams"
COMPLETE = Chunk(role="server", type="status", content="complete")


def encoders() -> dict[str, Callable[[], Any]]:
    numbers = count(1)
    run = assistants.RunFacts(
        id="run_1", thread_id="thread_1", assistant_id="asst_1", model="m", created_at=1
    )
    ids = assistants.Ids(lambda kind: f"{kind}_{next(numbers)}", lambda: 1)
    both: dict[str, Any] = {"has_tools": True, "is_call_clients": True}
    return {
        "native": native.Encoder,
        "chat": lambda: chat_completions.Encoder("c", 1, "m", **both),
        "assistants": lambda: assistants.Encoder(run, ids, **both),
        "cohere": lambda: CohereEncoder("c", **both),
        "kernel": lambda: kernel_messages.Encoder("k", lambda: 1, has_tools=True),
    }


FORMATS = sorted(encoders())


def events_of(wire_format: str, chunks: list[Chunk]) -> list[dict[str, Any]]:
    made = encoders()[wire_format]()
    return [event for chunk in chunks for event in made.encode(chunk)] + made.finish()


def sse(wire_format: str, events: list[dict[str, Any]], end: str = "\n") -> bytes:
    told: list[str] = [": ping", ""]
    for event in events:
        data: Any = event
        if wire_format == "assistants":
            told.append(f"event: {event['event']}")
            data = event["data"]
        told += [f"data: {data if data == '[DONE]' else json.dumps(data)}", ""]
    told += ["data: [DONE]", ""] if wire_format in ("chat", "kernel") else []
    return end.join(told).encode()


def lines(events: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in events).encode()


def told(found: ImportedConversation, *kinds: str) -> list[tuple[str, str | None, object]]:
    return [(m.type, m.format, m.content) for m in found.messages if m.type in kinds]


ANSWER = [
    *said("So:"),
    *message("tool_call", '{"q": 1}', format_="lookup", call_id="call_a"),
    *message("code", "7*6", format_="python", call_id="call_b"),
    COMPLETE,
]


@pytest.mark.parametrize("wire_format", FORMATS)
@pytest.mark.parametrize("form", ["lines", "list", "sse", "sse with CRLF"])
def test_a_recording_of_every_format_becomes_a_conversation(wire_format: str, form: str):
    events = events_of(wire_format, ANSWER)
    match form:
        case "lines":
            data = lines(events)
        case "list":
            data = json.dumps(events).encode()
        case _:
            data = sse(wire_format, events, "\r\n" if "CRLF" in form else "\n")
    found = read_document(data, "A name")
    assert (found.title, found.left_out) == ("A name", 0)
    assert told(found, "message", "tool_call", "code") == [
        ("message", None, "So:"),
        ("tool_call", "lookup", '{"q": 1}'),
        ("code", "python", "7*6"),
    ]


@pytest.mark.parametrize("path", sorted(DATA.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_documents_streams_can_be_imported(path: Path):
    found = read_document(path.read_bytes())
    assert found.messages
    assert found.left_out == 0


def test_answers_that_follow_each_other_are_one_conversation():
    both = [
        (DATA / name).read_bytes() for name in ("cohere_tool_turn.jsonl", "cohere_answer.jsonl")
    ]
    found = read_document(b"".join(both))
    assert [m.type for m in found.messages] == [
        *("plan", "tool_call", "tool_call", "message", "citation", "citation"),
    ]


def test_code_that_has_run_can_be_run_again_and_nothing_waits():
    chunks = [*message("code", "1", format_="python"), proposal("1"), *printed("1\n"), COMPLETE]
    found = read_document(lines(events_of("native", chunks)))
    kinds = [(m.type, m.content) for m in found.messages]
    assert [kind for kind, _ in kinds] == ["code", "confirmation", "run", "console", "run"]
    assert isinstance(kinds[1][1], Proposal)
    assert isinstance(kinds[-1][1], RunReport)


def test_a_recording_that_was_cut_says_so():
    found = read_document(lines(events_of("cohere", said("Fort"))[:3]))
    assert isinstance(found.messages[-1].content, Failure)


def test_what_is_not_understood_is_counted():
    events = [
        *events_of("cohere", ANSWER)[:-1],
        {"type": "dance"},
        *events_of("cohere", ANSWER)[-1:],
    ]
    assert read_document(lines(events) + b"{half\n").left_out >= 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"hello\nworld",
        b"data: 3\n\ndata: [DONE]\n\n",
        b"[" * 100_000,
        b'{"type": "dance"}\n{"type": "song"}',
        b"data: {}\n" * 1000,
    ],
)
def test_what_is_no_recording_is_refused_in_words(data: bytes):
    with pytest.raises(DocumentError) as caught:
        read_document(data)
    assert caught.value.remedy


def test_a_list_of_messages_is_no_recording():
    native = [{"role": "user", "type": "message", "content": "Hi"}]
    assert told(read_document(json.dumps(native).encode()), "message") == [("message", None, "Hi")]


plain = st.one_of(chunk_streams.says, chunk_streams.codes, chunk_streams.calls)
filled = streams(plain, st.just([COMPLETE])).filter(
    lambda chunks: any(isinstance(c.content, str) and c.content.strip() for c in chunks[:-1])
)


@given(st.sampled_from(FORMATS), filled)
def test_every_stream_is_known_by_its_shape(wire_format: str, chunks: list[Chunk]):
    assert format_of(events_in(lines(events_of(wire_format, chunks)).decode())) == wire_format
    assert (
        format_of(events_in(sse(wire_format, events_of(wire_format, chunks)).decode()))
        == wire_format
    )


noise = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "role", "event", "data", "choices", "delta", "content", "start"]
            ),
            inner
            | st.sampled_from(["message-end", "reply", "thread.run.completed", "code", "user"]),
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.lists(noise, max_size=6), st.booleans())
def test_any_file_is_read_or_refused_in_words(items: list[Any], is_list: bool):
    data = json.dumps(items).encode() if is_list else lines(items)
    with suppress(DocumentError):
        assert read_document(data).messages
