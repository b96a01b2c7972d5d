"""Native streams: what goes out is valid, what comes in is mended."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Refused, RunEnd, RunReport, Usage
from playhead.formats.wire import native
from tests.support import chunk_streams
from tests.support.chunk_streams import essence, streams


def events_of(chunks: list[Chunk], extended: bool = False) -> list[dict[str, Any]]:
    encoder = native.Encoder(extended)
    events = [event for chunk in chunks for event in encoder.encode(chunk)] + encoder.finish()
    return [json.loads(json.dumps(event).encode()) for event in events]


def chunks_of(events: list[Any]) -> list[Chunk]:
    decoder = native.Decoder()
    return [chunk for event in events for chunk in decoder.decode(event)] + decoder.finish()


@given(streams(chunk_streams.plain | chunk_streams.extended))
def test_decoding_a_whole_stream_gives_the_messages_again(chunks: list[Chunk]):
    again = chunks_of(events_of(chunks, extended=True))
    singles = [c if c.content is None or isinstance(c.content, str | int) else None for c in chunks]
    expected = [
        whole if kept is None else kept
        for kept, whole in zip(singles, map(_cleaned, chunks), strict=True)
    ]
    assert essence(again) == essence(expected)


def _cleaned(chunk: Chunk) -> Chunk:
    if chunk.content is None or isinstance(chunk.content, str | int):
        return chunk
    text = json.dumps(native.encode_chunk(chunk), ensure_ascii=False)
    decoded = native.decode_chunk(json.loads(chunk_streams.replaced(text)))
    assert decoded is not None
    return decoded


@given(streams(chunk_streams.plain | chunk_streams.extended))
def test_every_line_is_fit_for_utf_8_and_nothing_nests(chunks: list[Chunk]):
    open_kind = None
    for event in events_of(chunks):
        json.dumps(event, ensure_ascii=False).encode("utf-8")
        kind = (event["role"], event["type"])
        assert event.get("content") != ""
        assert "start" not in event or open_kind is None
        assert "end" not in event or open_kind == kind
        assert open_kind in (None, kind)
        open_kind = kind if "start" in event else None if "end" in event else open_kind
    assert open_kind is None


def test_kinds_of_our_own_faces_go_out_only_where_they_are_wanted():
    chunks = [
        Chunk(role="computer", type="run", content=RunReport(state="started")),
        Chunk(role="server", type="usage", content=Usage(input_tokens=3, output_tokens=4)),
        Chunk(role="computer", type="image", format="svg", start=True),
        Chunk(role="computer", type="image", format="svg", content="<svg/>"),
        Chunk(role="computer", type="image", format="svg", end=True),
        Chunk(role="server", type="status", content="complete"),
    ]
    assert [event["type"] for event in events_of(chunks)] == ["status"]
    assert len(events_of(chunks, extended=True)) == len(chunks)


def test_who_a_message_is_for_survives():
    start = Chunk(role="assistant", type="message", start=True, recipient="user")
    content = Chunk(role="assistant", type="message", content="a", recipient="user")
    end = Chunk(role="assistant", type="message", end=True, recipient="user")
    status = Chunk(role="server", type="status", content="complete")
    assert chunks_of(events_of([start, content, end, status])) == [start, content, end, status]
    assert native.whole([start, content, end, status])[0]["recipient"] == "user"


def test_halves_of_a_character_are_joined_and_a_lone_one_is_replaced():
    say = [
        Chunk(role="assistant", type="message", content=text)
        for text in ("a\ud83d", "\ude00b", "\ud83d")
    ]
    start = Chunk(role="assistant", type="message", start=True)
    end = Chunk(role="assistant", type="message", end=True)
    contents = [event.get("content") for event in events_of([start, *say, end])]
    assert contents == [None, "a", "😀b", "\ufffd", None]


def test_a_long_output_is_split_so_that_no_line_is_too_long():
    output = "\0" * 1_500_000
    chunks = [
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="output", content=output),
        Chunk(role="computer", type="console", end=True),
    ]
    events = events_of(chunks)
    assert max(len(json.dumps(event)) for event in events) < 1_000_000
    assert "".join(event.get("content", "") for event in events) == output


def test_a_failure_closes_the_open_message_first():
    failed = Chunk(
        role="server",
        type="error",
        content=Failure(code="upstream_error", title="It broke.", detail="Cut."),
    )
    events = events_of([Chunk(role="assistant", type="code", format="python", start=True), failed])
    assert events[1:] == [
        {"role": "assistant", "type": "code", "format": "python", "end": True},
        {
            "role": "server",
            "type": "error",
            "content": "It broke. Cut.",
            "error": {"code": "upstream_error", "message": "It broke."},
        },
    ]


def test_a_stream_that_was_cut_is_closed_and_ends_in_an_error():
    chunks = chunks_of([{"role": "assistant", "type": "message", "start": True}])
    assert chunks[1] == Chunk(role="assistant", type="message", end=True)
    assert isinstance(chunks[2].content, Failure)
    assert chunks[2].content.code == "upstream_truncated"


def test_a_writer_with_other_habits_is_understood():
    said = {"role": "assistant", "type": "message"}
    events = [
        {**said, "start": True, "end": False, "content": "Hel"},
        {**said, "start": False, "end": False, "content": "lo"},
        {"role": "assistant", "type": "hologram", "content": "?"},
        {"role": "computer", "type": "console", "format": "active_line", "content": 3},
        {"role": "computer", "type": "console", "start": True},
        {"role": "computer", "type": "console", "format": "active_line", "content": 3},
        {"role": "computer", "type": "console", "format": "output", "content": "7\n", "end": True},
        {"role": "server", "type": "status", "content": "complete"},
    ]
    assert essence(chunks_of(events)) == [
        ("assistant", "message", None, None, "Hello"),
        ("line", 3),
        ("computer", "console", None, None, "7\n"),
        Chunk(role="server", type="status", content="complete"),
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
odd_events = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "computer", "server"]) | json_values,
        "type": st.sampled_from(
            ["message", "code", "console", "run", "error", "citation", "timing"]
        )
        | json_values,
    },
    optional={
        name: json_values | st.booleans()
        for name in ("format", "content", "start", "end", "id", "recipient", "error")
    },
)


@given(st.lists(odd_events, max_size=6))
def test_no_event_makes_a_decoder_fail_and_what_it_gives_is_in_order(events: list[Any]):
    essence(chunks_of(events))


DEATH = RunReport(state="killed", seconds=0.3, line=2, end=RunEnd(kind="exited", exit_status=3))


def test_a_plain_reader_is_told_as_output_that_the_kernel_died():
    chunks = [
        Chunk(role="computer", type="run", content=RunReport(state="started")),
        Chunk(role="computer", type="run", content=DEATH),
        Chunk(role="server", type="status", content="complete"),
    ]
    head = {"role": "computer", "type": "console"}
    told = "[The kernel ended at line 2 after 0.3 s: exit status 3. Its variables were lost.]\n"
    assert events_of(chunks) == [
        {**head, "start": True},
        {**head, "format": "output", "content": told},
        {**head, "end": True},
        {"role": "server", "type": "status", "content": "complete"},
    ]
    assert [event["type"] for event in events_of(chunks, extended=True)] == ["run", "run", "status"]


def test_an_ordinary_end_is_no_output():
    for report in (
        RunReport(state="finished", seconds=1.0),
        RunReport(state="finished", refused=(Refused("a.example:443", 2),)),
        RunReport(state="interrupted", seconds=1.0, line=3),
    ):
        assert events_of([Chunk(role="computer", type="run", content=report)]) == []
