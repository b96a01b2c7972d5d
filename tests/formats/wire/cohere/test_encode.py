"""What goes out in Cohere's format: its documents' events, blocks in order, citations, approval."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Proposal, Source, Usage
from playhead.formats.wire.cohere.decode import CohereDecoder
from playhead.formats.wire.cohere.encode import Encoder, VerbatimCiter
from playhead.formats.wire.cohere.requests import read_messages
from tests.formats.wire.cohere.test_decode import COMPLETE, WAITING, decoded, recorded
from tests.support import chunk_streams
from tests.support.chunk_streams import essence, of_kinds, streams
from tests.support.whole_answers import whole

KINDS = ("message", "reasoning", "plan", "code", "tool_call")
marked = st.one_of(
    chunk_streams.says,
    chunk_streams.thinks,
    chunk_streams.plans,
    chunk_streams.codes,
    chunk_streams.calls,
)


def encoder(**options: Any) -> Encoder:
    return Encoder("6c1e", **{"has_tools": True, "is_call_clients": True, **options})


def events_of(chunks: list[Chunk], **options: Any) -> list[dict[str, Any]]:
    made = encoder(**options)
    return [event for chunk in chunks for event in made.encode(chunk)] + made.finish()


def message(kind: str, *pieces: str, format_: str | None = None, call_id: str | None = None) -> Any:
    role: Any = "computer" if kind in ("console", "tool_result") else "assistant"
    start = Chunk(role=role, type=kind, format=format_, start=True, id=call_id)  # type: ignore[arg-type]
    content = [Chunk(role=role, type=kind, format=format_, content=piece) for piece in pieces]  # type: ignore[arg-type]
    return [start, *content, Chunk(role=role, type=kind, format=format_, end=True)]  # type: ignore[arg-type]


def said(*pieces: str) -> list[Chunk]:
    return message("message", *pieces)


def printed(text: str) -> list[Chunk]:
    start, end = message("console")
    return [start, Chunk(role="computer", type="console", format="output", content=text), end]


def types_of(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def told(events: list[dict[str, Any]], kind: str) -> list[Any]:
    return [event["delta"]["message"] for event in events if event["type"] == kind]


def text_of(events: list[dict[str, Any]]) -> str:
    pieces = [delta["content"] for delta in told(events, "content-delta")]
    return "".join(piece.get("text", "") for piece in pieces)


def proposal(code: str, language: str = "python") -> Chunk:
    return Chunk(
        role="computer",
        type="confirmation",
        format="execution",
        content=Proposal(id="", message_id="", language=language, code=code),
    )


@pytest.mark.parametrize("name", ["cohere_tool_turn.jsonl", "cohere_answer.jsonl"])
def test_the_documents_events_go_out_as_they_came(name: str):
    events = recorded(name)
    again = events_of(decoded(events))
    assert types_of(again) == types_of(events)
    for ours, theirs in zip(again, events, strict=True):
        if ours["type"] in ("message-start", "message-end"):
            ours["id"] = theirs["id"] = ""  # its own, and the SDK shows one where there is none
            ours["delta"].get("usage", {}).pop("billed_units", None)
            theirs["delta"].get("usage", {}).pop("billed_units", None)
        if ours["type"] == "citation-start":
            assert ours["delta"]["message"]["citations"].pop("content_index") == 0
        if ours["type"] == "tool-call-start":
            assert isinstance(ours["delta"]["message"]["tool_calls"], dict)
        assert ours == theirs


def expected(chunks: list[Chunk], *, is_held: bool) -> list[Any]:
    """Empty prose is none, no arguments an object; text before the first call may be a plan."""
    merged: list[Any] = []
    has_called = not is_held or not any(chunk.type in ("code", "tool_call") for chunk in chunks)
    for one in essence(of_kinds(chunks, *KINDS)):
        _role, kind, format_, _id, content = one  # type: ignore[misc]
        has_called = has_called or kind in ("code", "tool_call")
        kind = "plan" if kind == "message" and not has_called else kind
        if kind in ("message", "reasoning", "plan") and not content:
            continue
        if kind == "plan" and merged and merged[-1][:1] == ("plan",):
            content = merged.pop()[2] + content
        merged.append((kind, format_, content or ("{}" if kind == "tool_call" else "")))
    return merged


@given(streams(marked, st.just([COMPLETE])), st.booleans())
def test_what_this_format_has_words_for_comes_back(chunks: list[Chunk], is_held: bool):
    events = [json.loads(json.dumps(event)) for event in events_of(chunks, holds_text=is_held)]
    again = decoded(events)
    assert not of_kinds(again, "error")
    assert expected(again, is_held=False) == expected(chunks, is_held=is_held)


texts = st.text(max_size=12)
citations = st.builds(
    Citation,
    start=st.integers(0, 99),
    end=st.integers(0, 99),
    text=texts,
    sources=st.lists(
        st.builds(Source, id=texts | st.just("call_a:0"), title=texts, url=texts, text=texts),
        max_size=2,
    ).map(tuple),
)


@given(st.lists(citations, min_size=1, max_size=3), st.text(min_size=1))
def test_citations_and_their_sources_come_back(found: list[Citation], text: str):
    cites = [Chunk(role="assistant", type="citation", content=one) for one in found]
    chunks = [*said(text), *cites, *said("More."), COMPLETE]
    events = events_of(chunks)
    again = of_kinds(decoded(json.loads(json.dumps(events))), "citation")
    assert [chunk.content for chunk in again] == found
    place = types_of(events).index("content-end")
    assert types_of(events)[place - 2 : place] == ["citation-start", "citation-end"]
    numbers = [event["index"] for event in events if event["type"] == "citation-start"]
    assert numbers == list(range(len(found)))


@given(streams(chunk_streams.plain | chunk_streams.extended), st.booleans(), st.booleans())
def test_blocks_never_nest_and_indices_grow(chunks: list[Chunk], is_held: bool, is_clients: bool):
    events = events_of(chunks, holds_text=is_held, is_call_clients=is_clients)
    assert types_of(events)[0] == "message-start"
    assert types_of(events).count("message-end") == types_of(events).count("message-start") == 1
    assert types_of(events)[-1] == "message-end"
    opened: tuple[str, int] | None = None
    begun = {"content": -1, "tool-call": -1, "citation": -1}
    for event in events[1:-1]:
        kind, _, phase = event["type"].rpartition("-")
        if kind == "citation":
            begun[kind] += phase == "start"
            assert (event["index"], opened is None or opened[0]) == (
                begun[kind],
                opened is None or "content",
            )
        elif kind == "tool-plan":
            assert opened is None
        elif phase == "start":
            begun[kind] += 1
            assert (opened, event["index"]) == (None, begun[kind])
            opened = (kind, event["index"])
        else:
            assert opened == (kind, event["index"])
            opened = None if phase == "end" else opened
    assert opened is None


def test_text_is_held_until_a_call_makes_a_plan_of_it():
    made = encoder(holds_text=True)
    assert [event for chunk in said("I look.") for event in made.encode(chunk)] == []
    events = made.encode(message("tool_call", format_="f", call_id="c")[0])
    assert types_of(events) == ["message-start", "tool-plan-delta", "tool-call-start"]


def test_text_that_was_held_is_the_answer_where_no_call_comes():
    events = events_of([*said("No", "."), COMPLETE], holds_text=True)
    assert text_of(events) == "No."
    assert types_of(events)[-2:] == ["content-end", "message-end"]


def test_text_goes_out_at_once_where_nothing_holds_it():
    made = encoder()
    events = [event for chunk in said("No")[:2] for event in made.encode(chunk)]
    assert types_of(events) == ["message-start", "content-start", "content-delta"]


def test_code_that_waits_is_a_call_of_execute():
    code = message("code", "7 ", "* 6", format_="python", call_id="call_a1")
    events = events_of([*code, proposal("7 * 6"), WAITING])
    calls = [delta["tool_calls"] for delta in told(events, "tool-call-start")]
    assert (calls[0]["id"], calls[0]["function"]["name"]) == ("call_a1", "execute")
    pieces = [calls[0], *(delta["tool_calls"] for delta in told(events, "tool-call-delta"))]
    arguments = "".join(piece["function"]["arguments"] for piece in pieces)
    assert json.loads(arguments) == {"language": "python", "code": "7 * 6"}
    assert events[-1]["delta"]["finish_reason"] == "TOOL_CALL"


def test_code_that_runs_here_is_text_in_fences():
    code = message("code", "print(42)", format_="python")
    chunks = [*said("So:"), *code, proposal("print(42)"), *printed("42\n"), *said("Yes."), COMPLETE]
    events = events_of(chunks, is_call_clients=False)
    fences = "So:\n\n```python\nprint(42)\n```\n\n```output\n42\n```\n\nYes."
    assert text_of(events) == fences
    assert events[-1]["delta"]["finish_reason"] == "COMPLETE"
    made = encoder(is_call_clients=False)
    answer = whole(chunks, made)
    assert "".join(block["text"] for block in answer["message"]["content"]) == fences


def test_a_failure_closes_what_is_open_and_never_completes_a_call():
    failure = Chunk(
        role="server", type="error", content=Failure(code="upstream_error", title="It broke.")
    )
    code = message("code", "unlink(1)", format_="r")
    for chunks in ([*code, failure], [*code[:2], failure]):
        events = events_of(chunks)
        assert types_of(events)[-2:] == ["tool-call-end", "message-end"]
        assert events[-1]["delta"] == {"error": "It broke.", "finish_reason": "ERROR"}
        calls = [*told(events, "tool-call-start"), *told(events, "tool-call-delta")]
        with pytest.raises(ValueError, match="Unterminated"):
            json.loads("".join(call["tool_calls"]["function"]["arguments"] for call in calls))


def test_a_time_limit_and_a_length_have_words_of_their_own():
    late = Chunk(role="server", type="error", content=Failure(code="timeout", title="Too late."))
    assert events_of([*said("a"), late])[-1]["delta"]["finish_reason"] == "TIMEOUT"
    cut = Chunk(
        role="server",
        type="usage",
        content=Usage(input_tokens=9, output_tokens=4, finish_reason="length"),
    )
    assert events_of([*said("a"), cut, COMPLETE])[-1]["delta"] == {
        "finish_reason": "MAX_TOKENS",
        "usage": {
            "billed_units": {
                "input_tokens": 9,
                "output_tokens": 4,
                "search_units": None,
                "classifications": None,
            },
            "tokens": {"input_tokens": 9, "output_tokens": 4},
        },
    }


def test_a_stream_without_its_end_ends_in_an_error():
    assert events_of(said("a")[:2])[-1]["delta"]["finish_reason"] == "ERROR"


WEATHER = Source(id="call_a1:0", text='{"temp": "19 °C", "inner": "{\\"wind\\": 12}", "o": true}')
LETTER = Source(id="doc_0", title="T", text="Yours, Ada")


def cited(text: str, **options: Any) -> list[tuple[int, int, str, list[str]]]:
    events = events_of([*said(text), COMPLETE], citer=VerbatimCiter([WEATHER, LETTER]), **options)
    found = [delta["citations"] for delta in told(events, "citation-start")]
    return [(c["start"], c["end"], c["text"], [s["id"] for s in c["sources"]]) for c in found]


def test_what_stands_word_for_word_in_a_source_is_cited():
    assert cited("It is 19 °C, wind 12, 19 °C. Yours, Ada") == [
        (6, 11, "19 °C", ["call_a1:0"]),
        (18, 20, "12", ["call_a1:0"]),
        (29, 39, "Yours, Ada", ["doc_0"]),
    ]
    assert cited("In 2012 it was 9 °C.") == []


def test_a_models_own_citations_are_the_only_ones():
    own = Chunk(
        role="assistant",
        type="citation",
        content=Citation(start=0, end=2, text="It", sources=(LETTER,)),
    )
    events = events_of([*said("It is 19 °C"), own, COMPLETE], citer=VerbatimCiter([WEATHER]))
    [wire] = [delta["citations"] for delta in told(events, "citation-start")]
    assert (wire["text"], wire["type"], wire["content_index"]) == ("It", "TEXT_CONTENT", 0)
    assert wire["sources"] == [
        {"type": "document", "id": "doc_0", "document": {"title": "T", "data": "Yours, Ada"}}
    ]


def test_a_tools_result_is_cited_with_what_the_tool_gave():
    events = events_of([*said("19 °C"), COMPLETE], citer=VerbatimCiter([WEATHER]))
    [wire] = [delta["citations"] for delta in told(events, "citation-start")]
    [source] = wire["sources"]
    assert source == {"type": "tool", "id": "call_a1:0", "tool_output": json.loads(WEATHER.text)}


def test_a_whole_answer_says_what_its_stream_says():
    call = message("tool_call", '{"q": 1}', format_="f", call_id="c")
    chunks = [*message("reasoning", "Hm."), *said("I look."), *call, COMPLETE]
    answer = whole(chunks, encoder(holds_text=True))
    assert answer["message"] == {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm."}],
        "tool_plan": "I look.",
        "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"q": 1}'}}
        ],
    }
    assert (answer["id"], answer["finish_reason"]) == ("6c1e", "TOOL_CALL")


def test_an_answer_is_known_again_when_it_returns():
    call = message("tool_call", '{"q": 1}', format_="f", call_id="c")
    for chunks in ([*said("So."), COMPLETE], [*said("So."), *call, COMPLETE]):
        made = encoder(holds_text=True)
        returned = whole(chunks, made)["message"]
        found = read_messages([{"role": "user", "content": "?"}, returned])
        assert [found.entries[1].key] == made.keys() != [""]


def test_decoders_of_every_format_are_called_alike():
    assert CohereDecoder().decode({"type": "message-start"}) == []
