"""Kernel messages: the documents' events, what goes out, what comes back, requests."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Failure, Proposal
from playhead.domain.execution import Answered, Approve, Deny
from playhead.errors import RequestError
from playhead.formats.wire import kernel_messages
from playhead.formats.wire.kernel_messages.decode import Decoder
from playhead.formats.wire.kernel_messages.encode import Encoder
from tests.formats.wire.cohere.test_decode import COMPLETE, WAITING, junk, recorded
from tests.formats.wire.cohere.test_encode import message, printed, proposal, said
from tests.support import chunk_streams
from tests.support.chunk_streams import essence, of_kinds, streams

KINDS = ("message", "reasoning", "plan", "code", "tool_call")
marked = st.one_of(
    chunk_streams.says,
    chunk_streams.thinks,
    chunk_streams.plans,
    chunk_streams.codes,
    chunk_streams.calls,
)


def encoder(**options: Any) -> Encoder:
    clock = count(1735000000000, 100)
    return Encoder("t", lambda: next(clock), **{"has_tools": True, **options})


def events_of(chunks: list[Chunk], **options: Any) -> list[dict[str, Any]]:
    made = encoder(**options)
    return [event for chunk in chunks for event in made.encode(chunk)] + made.finish()


def decoded(events: list[Any]) -> list[Chunk]:
    decoder = Decoder()
    return [chunk for event in events for chunk in decoder.decode(event)] + decoder.finish()


def wholes(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def test_the_documents_reply_is_a_message():
    chunks = decoded(recorded("kernel_reply.jsonl"))
    assert essence(chunks) == [("assistant", "message", None, None, "Hello, world!"), COMPLETE]
    assert [chunk.content for chunk in chunks[1:3]] == ["Hello", ", world!"]


def test_a_reply_has_the_documents_phases_and_is_told_whole_after_them():
    events = events_of([*said("Hello", ", world!"), COMPLETE])
    theirs = recorded("kernel_reply.jsonl")
    assert [event["status"] for event in events[:-1]] == [
        "created",
        *["in_progress"] * 2,
        "completed",
    ]
    assert {key for event in events[:-1] for key in event} == {
        key for told in theirs for key in told
    }
    assert len({(event["id"], event["createdAt"]) for event in events}) == 1
    assert [event["delta"] for event in events[:-1]] == [
        {},
        {"text": "Hello"},
        {"text": ", world!"},
        {},
    ]
    assert (events[-1]["type"], events[-1]["text"]) == ("reply", "Hello, world!")


def plainly(chunks: list[Chunk]) -> list[Any]:
    """Arguments as their values; no reasoning is none."""
    told: list[Any] = []
    for _role, kind, format_, _id, content in essence(of_kinds(chunks, *KINDS)):  # type: ignore[misc]
        if kind == "tool_call":
            content = json.loads(chunk_streams.replaced(content) or "{}")
            content = json.loads(chunk_streams.replaced(json.dumps(content, ensure_ascii=False)))
        if content or kind not in ("reasoning", "plan"):
            told.append((kind, format_, content))
    return told


@given(streams(marked, st.just([COMPLETE])))
def test_what_this_format_has_words_for_comes_back(chunks: list[Chunk]):
    events = events_of(chunks)
    for event in events:
        json.dumps(event, ensure_ascii=False).encode()
    again = decoded([json.loads(json.dumps(event)) for event in events])
    assert not of_kinds(again, "error")
    assert plainly(again) == plainly(chunks)


@given(streams(chunk_streams.plain | chunk_streams.extended))
def test_every_stream_has_whole_replies_and_nothing_is_told_twice(chunks: list[Chunk]):
    made = encoder()
    events = [event for chunk in chunks for event in made.encode(chunk)] + made.finish()
    statuses: dict[str, list[str]] = {}
    for event in wholes(events, "reply.delta"):
        statuses.setdefault(event["id"], []).append(event["status"])
    for told in statuses.values():
        assert (told[0], told[-1], told.count("created")) == ("created", "completed", 1)
        assert set(told[1:-1]) <= {"in_progress"}
    replies = [event["id"] for event in wholes(events, "reply")]
    assert replies == list(statuses)
    told = [event["id"] for event in events if event["type"] != "reply.delta"]
    assert len(told) == len(set(told))
    assert made.answer()["messages"] == [e for e in events if e["type"] != "reply.delta"]


def test_all_calls_of_a_turn_are_one_message():
    code = message("code", "7*6", format_="python", call_id="call_a1")
    call = message("tool_call", '{"q": 1}', format_="lookup", call_id="call_b2")
    events = events_of([*said("So:"), *code, *call, proposal("7*6"), WAITING])
    [calls] = wholes(events, "tool_calls")
    assert calls["toolCalls"] == [
        {"id": "call_a1", "name": "execute", "args": {"language": "python", "code": "7*6"}},
        {"id": "call_b2", "name": "lookup", "args": {"q": 1}},
    ]
    assert decoded(events)[-1] == WAITING


def test_what_code_printed_is_the_result_of_its_call():
    first = message("code", "1", format_="python", call_id="a")
    second = message("code", "2", format_="python", call_id="b")
    ran = [proposal("1"), *printed("one\n"), proposal("2"), *printed("two\n")]
    events = events_of([*first, *second, *ran, *said("Done."), COMPLETE])
    [results] = wholes(events, "tool_results")
    assert results["results"] == [
        {"toolCallId": "a", "name": "execute", "value": "one\n"},
        {"toolCallId": "b", "name": "execute", "value": "two\n"},
    ]
    assert [event["type"] for event in events if "." not in event["type"]] == [
        "tool_calls",
        "tool_results",
        "reply",
    ]


def test_code_approved_later_answers_the_call_that_was_made_before():
    events = events_of([proposal("1"), *printed("1\n"), *said("So."), COMPLETE], call_ids=["c"])
    assert wholes(events, "tool_results")[0]["results"][0]["toolCallId"] == "c"


def test_what_was_cut_off_is_never_offered():
    failure = Chunk(
        role="server", type="error", content=Failure(code="upstream_error", title="It broke.")
    )
    code = message("code", "unlink(1)", format_="r")
    for chunks in ([*code, failure], [*code[:2], failure], [*said("a"), *code, failure]):
        events = events_of(chunks)
        assert not wholes(events, "tool_calls")
        assert events[-1]["error"] == {"code": "upstream_error", "message": "It broke."}
        assert decoded(events)[-1].content == Failure(code="upstream_error", title="It broke.")


def test_a_reply_that_was_not_completed_was_cut():
    last = decoded(recorded("kernel_reply.jsonl")[:2])[-1].content
    assert isinstance(last, Failure)
    assert last.code == "upstream_truncated"


def test_messages_under_the_names_of_later_and_older_kernels_are_read():
    told = essence(
        decoded(
            [
                {"type": "delta", "messageType": "reply", "id": "m", "delta": {"text": "Hi"}},
                {"type": "delta", "messageType": "reply", "id": "m", "delta": {}, "final": True},
                {"type": "reply", "id": "m", "timestamp": 1, "text": "Hi"},
                {"type": "reply", "id": "n", "timestamp": 1, "text": "Alone"},
                {"type": "tool-calls", "calls": [{"callId": "c", "name": "f", "args": {"q": 1}}]},
                {"type": "tool-results", "results": [{"callId": "c", "output": {"n": 2}}]},
                {"type": "actionproposal", "uri": "app:x", "actionId": "go", "args": {"a": 1}},
                {"type": "reasoning", "title": "Why", "summary": "Because"},
            ]
        )
    )
    assert [one[:2] + one[2:] for one in told[:-1]] == [  # type: ignore[index]
        ("assistant", "message", None, None, "Hi"),
        ("assistant", "message", None, None, "Alone"),
        ("assistant", "tool_call", "f", "c", '{"q": 1}'),
        ("computer", "tool_result", "f", "c", '{"n": 2}'),
        ("assistant", "tool_call", "app:x#go", None, '{"a": 1}'),
        ("assistant", "reasoning", None, None, "Because"),
    ]


def test_what_is_unknown_is_skipped_and_counted():
    decoder = Decoder()
    for event in ({"type": "dance"}, {}, {"type": 3}, {"type": "delta", "messageType": "dance"}):
        assert decoder.decode(event) == []
    assert decoder.skipped == 4


kinds = st.sampled_from(
    [
        *("reply.delta", "reply", "reasoning", "input", "tool_calls", "tool_results", "delta"),
        *("actionproposal", "error", "tool-calls"),
    ]
)
keys = st.sampled_from(
    [
        *("id", "text", "delta", "status", "toolCalls", "calls", "args", "results", "value"),
        *("name", "summary", "title", "error", "messageType", "final"),
    ]
)
odd_events = st.builds(
    lambda kind, rest: {**rest, "type": kind}, kinds, st.dictionaries(keys, junk)
)


@given(st.lists(odd_events, max_size=8))
def test_any_nonsense_gives_a_proper_stream(events: list[dict[str, Any]]):
    chunks = decoded(events)
    essence(chunks)
    assert (chunks[-1].role, chunks[-1].type) in {("server", "status"), ("server", "error")}


ASK = {"type": "input", "id": "i", "createdAt": 1, "text": "What is 7*6?"}
CALL = {"id": "c", "name": "execute", "args": {"language": "python", "code": "7*6"}}


@pytest.mark.parametrize(
    ("value", "decision"),
    [
        ({"decision": "approve"}, Approve()),
        ({"decision": "approve", "code": "8"}, Approve("8")),
        ('{"decision": "deny", "reason": "no"}', Deny("no")),
        ("42", Answered("42")),
    ],
)
def test_results_of_execute_are_decisions(value: Any, decision: Any):
    results = [{"toolCallId": "c", "name": "execute", "value": value}]
    entries, _ = kernel_messages.read_messages(
        [
            ASK,
            {"type": "tool_calls", "toolCalls": [CALL]},
            {"type": "tool_results", "results": results},
        ]
    )
    assert (entries[-1].decision, entries[-1].call_id) == (decision, "c")


def test_a_request_is_read_with_its_instructions_and_files():
    entries, instructions = kernel_messages.read_messages(
        [
            {"type": "system", "text": "Be brief."},
            {**ASK, "files": ["a.csv", {"odd": 1}]},
            {"type": "reasoning", "title": "t", "summary": "Hm."},
            {"type": "reply", "text": "42"},
            {"type": "dance"},
        ]
    )
    assert instructions == "Be brief."
    assert [chunk.content for chunk in entries[0].chunks] == ["What is 7*6?", "a.csv"]
    assert [entry.key != "" for entry in entries] == [True, False, True]


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        ("x", "messages"),
        ([{"text": "x"}], "messages[0].type"),
        ([{"type": "input"}], "messages[0].text"),
        ([ASK, {"type": "tool_calls", "toolCalls": [{}]}], "messages[1].toolCalls"),
        (
            [ASK, {"type": "tool_results", "results": [{"toolCallId": "z"}]}],
            "messages[1].results[0].toolCallId",
        ),
    ],
)
def test_a_wrong_field_is_named(messages: Any, param: str):
    with pytest.raises(RequestError) as caught:
        kernel_messages.read_messages(messages)
    assert caught.value.param == param


def test_tools_stand_in_the_kernels_own_shape():
    schema = {"type": "object", "properties": {}}
    tool = {"type": "function", "name": "f", "description": "d", "parameters": schema}
    [offer] = kernel_messages.read_tools([tool])
    assert (offer.name, offer.description, offer.parameters) == ("f", "d", schema)
    assert kernel_messages.read_tools(None) == ()
    with pytest.raises(RequestError):
        kernel_messages.read_tools([{**tool, "type": "dance"}])


def test_a_proposal_is_no_message_of_its_own():
    assert (
        events_of(
            [
                Chunk(
                    role="computer",
                    type="confirmation",
                    content=Proposal(id="", message_id="", language="r", code="1"),
                ),
                WAITING,
            ]
        )
        == []
    )
