"""What is read of OpenAI streams: ours come back whole, those of others in any order of pieces."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.formats.wire.chat_completions.decode import Decoder
from playhead.formats.wire.chat_completions.encode import Encoder
from tests.support import chunk_streams
from tests.support.chunk_streams import cut, essence, of_kinds, streams
from tests.support.chunk_streams import texts as any_text

COMPLETE = Chunk(role="server", type="status", content="complete")
KINDS = ("message", "reasoning", "code", "tool_call")
marked = st.one_of(
    chunk_streams.says, chunk_streams.thinks, chunk_streams.codes, chunk_streams.calls
)


def wire_events(chunks: list[Chunk], **options: Any) -> list[dict[str, Any]]:
    made = Encoder("chatcmpl-7f", 1735000000, "m", has_tools=True, is_call_clients=True, **options)
    events = [event for chunk in chunks for event in made.encode(chunk)] + made.finish()
    return [json.loads(json.dumps(event)) for event in events]


def decoded(events: list[Any]) -> list[Chunk]:
    decoder = Decoder()
    return [chunk for event in events for chunk in decoder.decode(event)] + decoder.finish()


def event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def piece(index: int, arguments: str, **first: str) -> dict[str, Any]:
    function = {"arguments": arguments}
    if "name" in first:
        function["name"] = first.pop("name")
    return {"index": index, **first, "function": function}


def distinguishable(told: list[object]) -> list[object]:
    """Neighbours of one prose kind are one, empty prose is none, no arguments are an object."""
    merged: list[Any] = []
    for _role, kind, format_, _id, content in told:  # type: ignore[misc]
        if kind in ("message", "reasoning"):
            if not content:
                continue
            if merged and merged[-1][0] == kind:
                joint = "\n\n" if kind == "message" else ""
                merged[-1] = (kind, None, spaced(merged[-1][2], content, joint))
                continue
        empty = "{}" if kind == "tool_call" else ""
        merged.append((kind, format_, content or empty))
    return merged


def spaced(before: str, after: str, joint: str) -> str:
    """Two messages that follow each other are set apart by a blank line."""
    ends = len(before[-2:]) - len(before[-2:].rstrip("\n"))
    return before + joint[ends:] + after


@given(streams(marked, st.just([COMPLETE])))
def test_what_this_format_has_words_for_comes_back(chunks: list[Chunk]):
    again = decoded(wire_events(chunks))
    assert not of_kinds(again, "error")
    sent, received = (
        distinguishable(essence(of_kinds(stream, *KINDS))) for stream in (chunks, again)
    )
    assert received == sent


@given(streams(chunk_streams.plain, st.just([COMPLETE])))
def test_lossless_streams_come_back_whole(chunks: list[Chunk]):
    plain = [c for c in chunks if c.content is None or isinstance(c.content, str | int)]
    assert essence(decoded(wire_events(plain, is_lossless=True))) == essence(plain)


@given(any_text, any_text, st.lists(st.integers(0, 10_000)), st.booleans(), st.booleans())
def test_arguments_cut_anywhere_give_the_same_code(
    language: str, code: str, places: list[int], is_ascii: bool, is_turned: bool
):
    values = {"language": language, "code": code}
    if is_turned:
        values = dict(reversed(values.items()))
    text = json.dumps(values, ensure_ascii=is_ascii)
    first = event({"tool_calls": [piece(0, "", id="call_1", name="execute", type="function")]})
    rest = [event({"tool_calls": [piece(0, part)]}) for part in cut(text, places)]
    chunks = decoded([first, *rest, event({}, "tool_calls")])
    replaced = chunk_streams.replaced
    assert essence(chunks) == [
        ("assistant", "code", replaced(language), "call_1", replaced(code)),
        Chunk(role="server", type="status", content="awaiting_approval"),
    ]


def test_pieces_of_parallel_calls_may_alternate_and_text_between_them_waits():
    chunks = decoded(
        [
            event({"role": "assistant", "content": "So:"}),
            event({"tool_calls": [piece(0, '{"q"', id="a", name="lookup")]}),
            event({"tool_calls": [piece(1, '{"language": "r", ', id="b", name="execute")]}),
            event({"content": "later"}),
            event({"tool_calls": [piece(1, '"code": "1"}'), piece(0, ": 1}")]}),
            event({}, "tool_calls"),
        ]
    )
    assert essence(chunks) == [
        ("assistant", "message", None, None, "So:"),
        ("assistant", "tool_call", "lookup", "a", '{"q": 1}'),
        ("assistant", "code", "r", "b", "1"),
        ("assistant", "message", None, None, "later"),
        Chunk(role="server", type="status", content="awaiting_approval"),
    ]


def test_calls_that_a_server_numbers_all_alike_are_told_apart_by_id():
    calls = [piece(0, '{"n": 1}', id="a", name="f"), piece(0, '{"n": 2}', id="b", name="f")]
    chunks = decoded([event({"tool_calls": [call]}) for call in calls] + [event({}, "tool_calls")])
    assert [told[4] for told in essence(chunks)[:2]] == ['{"n": 1}', '{"n": 2}']  # type: ignore[index]


def test_arguments_that_are_no_code_make_a_call():
    for arguments in ("[1]", '{"language": 3, "code": "x"}', '{"code": "x"}', "{}", "nonsense"):
        call = piece(0, arguments, id="a", name="execute")
        told = essence(decoded([event({"tool_calls": [call]}, "tool_calls")]))
        assert told[0] == ("assistant", "tool_call", "execute", "a", arguments)


def test_nothing_after_the_arguments_belongs_to_them():
    call = piece(0, '{"q": 1}\n{"q": 2}', id="a", name="f")
    told = essence(decoded([event({"tool_calls": [call]}), event({"tool_calls": [piece(0, "x")]})]))
    assert told[0] == ("assistant", "tool_call", "f", "a", '{"q": 1}')


def test_half_code_is_a_failure_though_the_stream_has_an_end():
    call = piece(0, '{"language": "r", "code": "unlink(', id="a", name="execute")
    chunks = decoded([event({"tool_calls": [call]}), event({}, "length")])
    assert isinstance(chunks[-1].content, Failure)
    assert chunks[-1].content.code == "upstream_truncated"


def test_a_stream_that_was_cut_is_closed_and_ends_in_an_error():
    chunks = decoded([event({"content": "Fort"})])
    assert essence(chunks[:-1]) == [("assistant", "message", None, None, "Fort")]
    assert isinstance(chunks[-1].content, Failure)
    assert chunks[-1].content.code == "upstream_truncated"


def test_an_error_event_ends_the_stream():
    error = {"error": {"message": "Too many.", "code": "rate_limit_exceeded"}}
    chunks = decoded([event({"content": "a"}), error, event({"content": "b"})])
    assert chunks[-1].content == Failure(code="rate_limit_exceeded", title="Too many.")
    assert essence(chunks[:-1]) == [("assistant", "message", None, None, "a")]
    assert isinstance(decoded([{"error": "down"}])[-1].content, Failure)


def test_the_cost_comes_with_the_reason_of_the_end():
    usage = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5}}
    chunks = decoded([event({"content": "a"}), event({}, "length"), usage])
    assert chunks[-2].content == Usage(input_tokens=12, output_tokens=5, finish_reason="length")


def test_annotations_become_citations_of_their_message():
    place = {"start_index": 6, "end_index": 11, "title": "Weather", "url": "https://example.org/"}
    noted = event({"annotations": [{"type": "url_citation", "url_citation": place}]})
    chunks = decoded([event({"content": "It is 19 °C."}), noted, event({}, "stop")])
    source = Source(title="Weather", url="https://example.org/")
    cited = Citation(start=6, end=11, text="19 °C", sources=(source,))
    assert chunks[3] == Chunk(role="assistant", type="citation", content=cited)


def test_a_citation_finds_its_message_again():
    cited = Citation(
        start=0, end=5, text="19 °C", sources=(Source(title="W", url="https://example.org/"),)
    )
    chunks = [
        *[
            Chunk(role="assistant", type="message", start=True),
            Chunk(role="assistant", type="message", content="Hm."),
        ],
        Chunk(role="assistant", type="message", end=True),
        *[
            Chunk(role="assistant", type="code", format="r", start=True),
            Chunk(role="assistant", type="code", format="r", end=True),
        ],
        Chunk(role="assistant", type="message", start=True),
        Chunk(role="assistant", type="message", content="19 °C."),
        Chunk(role="assistant", type="message", end=True),
        Chunk(role="assistant", type="citation", content=cited),
        COMPLETE,
    ]
    [again] = of_kinds(decoded(wire_events(chunks)), "citation")
    assert again.content == cited


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
odd_pieces = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(-1, 2) | json_values,
        "id": st.sampled_from(["a", "b"]) | json_values,
        "function": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["execute", "f"]) | json_values,
                "arguments": st.sampled_from(["{", '{"language": "r", "code": "', '"}'])
                | json_values,
            },
        )
        | json_values,
    },
)
odd_deltas = st.fixed_dictionaries(
    {},
    optional={
        "content": json_values,
        "reasoning_content": json_values,
        "tool_calls": st.lists(odd_pieces, max_size=3) | json_values,
        "annotations": json_values,
    },
)
odd_events = st.builds(
    lambda delta, reason: {"choices": [{"delta": delta, "finish_reason": reason}]},
    odd_deltas | json_values,
    st.sampled_from([None, "stop", "length", "tool_calls"]) | json_values,
) | st.dictionaries(st.sampled_from(["choices", "error", "usage", "lmc"]), json_values)


@given(st.lists(odd_events, max_size=6))
def test_no_event_makes_a_decoder_fail_and_what_it_gives_is_in_order(events: list[Any]):
    chunks = decoded(events)
    essence(chunks)
    assert chunks[-1].role == "server"
