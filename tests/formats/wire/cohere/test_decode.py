"""What is read of Cohere's streams: its documents' events, and what servers make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.formats.wire.cohere.decode import CohereDecoder
from tests.support import chunk_streams
from tests.support.chunk_streams import cut, essence, texts

DATA = Path(__file__).parents[3] / "data" / "streams"
COMPLETE = Chunk(role="server", type="status", content="complete")
WAITING = Chunk(role="server", type="status", content="awaiting_approval")


def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def decoded(events: list[Any], **options: Any) -> list[Chunk]:
    decoder = CohereDecoder(**options)
    return [chunk for event in events for chunk in decoder.feed(event)] + decoder.finish()


def event(kind: str, index: int | None = None, **message: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"type": kind, "delta": {"message": message}}
    return told if index is None else {**told, "index": index}


def text(value: str) -> dict[str, Any]:
    return event("content-delta", 0, content={"text": value})


def call(index: int, arguments: str, name: str = "", call_id: str = "") -> dict[str, Any]:
    told: dict[str, Any] = {"function": {"arguments": arguments}}
    if name:
        told = {"id": call_id, "type": "function", "function": {"name": name, **told["function"]}}
    return event("tool-call-start" if name else "tool-call-delta", index, tool_calls=told)


def end(reason: str = "COMPLETE", **more: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, **more}}


def test_the_documents_tool_turn_is_a_plan_and_two_calls():
    chunks = decoded(recorded("cohere_tool_turn.jsonl"))
    arguments = '{\n "location": "%s"\n}'
    plan = "I will search for the weather in Madrid and Brasilia."
    first, second = "get_weather_p1t92w7gfgq7", "get_weather_ay6nmvjgp9vn"
    assert essence(chunks) == [
        ("assistant", "plan", None, None, plan),
        ("assistant", "tool_call", "get_weather", first, arguments % "Madrid"),
        ("assistant", "tool_call", "get_weather", second, arguments % "Brasilia"),
        Chunk(
            role="server",
            type="usage",
            content=Usage(input_tokens=913, output_tokens=83, finish_reason="tool_calls"),
        ),
        COMPLETE,
    ]
    assert [chunk.content for chunk in chunks[1:4]] == ["I", " will", " search"]


def test_the_documents_answer_is_a_message_and_what_it_cites():
    chunks = decoded(recorded("cohere_answer.jsonl"))
    said = "It is currently 24°C in Madrid and 28°C in Brasilia."
    madrid = Source(
        id="get_weather_m3kdvxncg1p8:0", text='{"temperature": "{\\"madrid\\":\\"24°C\\"}"}'
    )
    brasilia = Source(
        id="get_weather_cfwfh3wzkbrs:0", text='{"temperature": "{\\"brasilia\\":\\"28°C\\"}"}'
    )
    assert essence(chunks) == [
        ("assistant", "message", None, None, said),
        Chunk(
            role="assistant",
            type="citation",
            content=Citation(start=16, end=20, text="24°C", sources=(madrid,)),
        ),
        Chunk(
            role="assistant",
            type="citation",
            content=Citation(start=35, end=39, text="28°C", sources=(brasilia,)),
        ),
        Chunk(role="server", type="usage", content=Usage(input_tokens=1061, output_tokens=85)),
        COMPLETE,
    ]


def test_every_event_of_the_documents_is_known():
    for name in ("cohere_tool_turn.jsonl", "cohere_answer.jsonl"):
        decoder = CohereDecoder()
        for one in recorded(name):
            decoder.feed(one)
        assert (decoder.skipped, decoder.is_over) == (0, True)


@given(texts, texts, st.lists(st.integers(0, 10_000)), st.booleans())
def test_arguments_cut_anywhere_give_the_same_code(
    language: str, code: str, places: list[int], is_ascii: bool
):
    arguments = json.dumps({"language": language, "code": code}, ensure_ascii=is_ascii)
    pieces = [call(0, part) for part in cut(arguments, places)]
    chunks = decoded([call(0, "", "execute", "c"), *pieces, end("TOOL_CALL")])
    replaced = chunk_streams.replaced
    assert essence(chunks) == [
        ("assistant", "code", replaced(language), "c", replaced(code)),
        WAITING,
    ]


def test_code_streams_while_its_call_is_being_written():
    decoder = CohereDecoder()
    decoder.feed(call(0, '{"language": "r", "code": "', "execute", "c"))
    assert [chunk.content for chunk in decoder.feed(call(0, "1 + "))] == ["1 + "]


def test_code_is_only_what_a_language_known_here_runs():
    languages = {"py": "python"}.get
    arguments = [json.dumps({"language": word, "code": "1"}) for word in ("py", "cobol")]
    calls = [call(place, told, "execute", "c") for place, told in enumerate(arguments)]
    told = essence(decoded([*calls, end("TOOL_CALL")], canonical=languages))
    assert told[0] == ("assistant", "code", "python", "c", "1")
    assert told[1] == ("assistant", "tool_call", "execute", "c", arguments[1])
    plain = essence(decoded([calls[0], end("TOOL_CALL")], offers_execute=False))
    assert plain[0] == ("assistant", "tool_call", "execute", "c", arguments[0])


def test_each_call_gets_an_id_of_its_own_where_earlier_ones_are_told():
    calls = [call(0, "{}", "f", "a"), call(1, "{}", "f", "b"), call(2, "{}", "f", "b")]
    found = [c.id for c in decoded([*calls, end()], known_ids=["a"]) if c.start]
    assert found[1] == "b"
    assert len({"a", *found}) == 4


def test_calls_may_come_as_lists_and_count_from_anywhere():
    start, *rest = [call(3, "", "f", "a"), call(3, '{"q"'), call(4, "{}", "g", "b"), call(3, ":1}")]
    start["delta"]["message"]["tool_calls"] = [start["delta"]["message"]["tool_calls"]]
    told = essence(decoded([start, *rest, end("TOOL_CALL")]))
    assert [one[2:] for one in told[:2]] == [("f", "a", '{"q":1}'), ("g", "b", "{}")]  # type: ignore[index]


def test_a_call_without_arguments_ends_with_its_block():
    decoder = CohereDecoder()
    decoder.feed(call(0, "", "f", "a"))
    told = decoder.feed({"type": "tool-call-end", "index": 0})
    assert [(chunk.type, chunk.end) for chunk in told] == [("tool_call", True)]


def test_thinking_and_text_are_messages_of_their_own():
    events = [
        event("content-start", 0, content={"type": "thinking", "thinking": "Hm"}),
        event("content-delta", 0, content={"thinking": "m."}),
        {"type": "content-end", "index": 0},
        event("content-start", 1, content={"type": "text", "text": ""}),
        event("content-delta", 1, content={"text": "Ja."}),
        {"type": "content-end", "index": 1},
        event("content-start", 2, content={"type": "text", "text": "Nein."}),
        end(),
    ]
    assert [one[1:] for one in essence(decoded(events))[:3]] == [  # type: ignore[index]
        ("reasoning", None, None, "Hmm."),
        ("message", None, None, "Ja."),
        ("message", None, None, "Nein."),
    ]


def test_citations_between_the_pieces_of_a_text_come_after_it():
    wire = {"start": 0, "end": 2, "text": "Ja", "sources": []}
    document = {"type": "document", "id": "d", "document": {"title": "T", "snippet": "S"}}
    wire["sources"] = [document]
    told = decoded([text("Ja"), event("citation-start", 0, citations=[wire]), text("."), end()])
    assert essence(told)[:2] == [
        ("assistant", "message", None, None, "Ja."),
        Chunk(
            role="assistant",
            type="citation",
            content=Citation(
                start=0, end=2, text="Ja", sources=(Source(id="d", title="T", url="", text="S"),)
            ),
        ),
    ]


@pytest.mark.parametrize(
    ("told", "code", "title"),
    [
        (end("ERROR", error="Too busy."), "upstream_error", "Too busy."),
        (end("COMPLETE", error={"message": "Gone."}), "upstream_error", "Gone."),
        (end("TIMEOUT"), "timeout", "The model took too long."),
    ],
)
def test_an_end_that_is_none_is_an_error(told: dict[str, Any], code: str, title: str):
    chunks = decoded([text("a"), told, text("b")])
    assert essence(chunks[:-1]) == [("assistant", "message", None, None, "a")]
    assert isinstance(chunks[-1].content, Failure)
    assert (chunks[-1].content.code, chunks[-1].content.title) == (code, title)


def test_a_stream_that_was_cut_ends_in_an_error():
    half = call(0, '{"language": "r", "code": "unlink(', "execute", "c")
    for events in ([text("a")], [half, end("TOOL_CALL")], [half, end("MAX_TOKENS")]):
        last = decoded(events)[-1].content
        assert isinstance(last, Failure)
        assert last.code == "upstream_truncated"


def test_half_a_call_that_the_model_took_for_a_whole_one_is_given_back_where_that_is_asked_for():
    half = call(0, '{"language": "r", "code": "unlink(', "execute", "c")
    decoder = CohereDecoder(gives_back=True)
    chunks = [chunk for event in (half, end("TOOL_CALL")) for chunk in decoder.feed(event)]
    code, result = essence(chunks)[:2]
    assert isinstance(result, tuple)
    assert code == ("assistant", "code", "r", "c", "unlink(")
    assert result[:4] == ("computer", "tool_result", "execute", "c")
    assert "broke off" in str(result[4])
    assert not [chunk for chunk in chunks if isinstance(chunk.content, Failure)]


def test_what_is_unknown_is_skipped_and_counted():
    decoder = CohereDecoder()
    odd = [{"type": "content-dance"}, {}, "nonsense", 3, {"type": ["x"]}]
    assert [chunk for one in odd for chunk in decoder.feed(one)] == []
    assert decoder.skipped == 5
    assert decoder.feed("[DONE]") == []
    assert decoder.skipped == 5


def test_usage_without_tokens_is_that_which_was_billed():
    usage = {"billed_units": {"input_tokens": 3.0, "output_tokens": 4}, "cached_tokens": 2.0}
    told = decoded([text("a"), end("MAX_TOKENS", usage=usage)])
    assert told[-2].content == Usage(
        input_tokens=3, output_tokens=4, finish_reason="length", cached_tokens=2
    )


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
kinds = st.sampled_from(
    [
        *("content-start", "content-delta", "content-end", "tool-plan-delta", "citation-start"),
        *("tool-call-start", "tool-call-delta", "tool-call-end", "message-end"),
    ]
)
keys = st.sampled_from(
    [
        *("delta", "message", "content", "text", "tool_calls", "function", "arguments", "name"),
        *("index", "citations", "sources", "start", "end", "usage", "tokens", "finish_reason"),
    ]
)
junk = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)


@given(
    st.lists(
        st.builds(lambda kind, rest: {**rest, "type": kind}, kinds, st.dictionaries(keys, junk))
    )
)
def test_any_nonsense_gives_a_proper_stream(events: list[dict[str, Any]]):
    chunks = decoded(events)
    essence(chunks)
    assert (chunks[-1].role, chunks[-1].type) in {("server", "status"), ("server", "error")}
