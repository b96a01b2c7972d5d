"""What is read of Cohere's requests, and what ours to its models look like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playhead.domain.conversation.payloads import Source
from playhead.domain.execution import Answered, Approve, Deny
from playhead.errors import RequestError
from playhead.formats.wire.cohere.requests import (
    documents_as_instructions,
    read_documents,
    read_messages,
)
from tests.support.chunk_streams import essence

ASK = {"role": "user", "content": "What's the weather in Madrid?"}


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def planned(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "tool_plan": "I will look.", "tool_calls": list(calls)}


def result(call_id: str, *data: object) -> dict[str, Any]:
    parts = [{"type": "document", "document": {"data": item}} for item in data]
    return {"role": "tool", "tool_call_id": call_id, "content": parts}


def test_plans_calls_and_their_documents_are_read():
    found = read_messages(
        [
            {"role": "system", "content": "Be brief."},
            ASK,
            planned(call("get_weather", "c", location="Madrid"), call("execute", "e", n=1)),
            result("c", '{"temp": "24°C"}', {"wind": "9 km/h"}),
        ]
    )
    assert found.instructions == "Be brief."
    assert essence(chunk for entry in found.entries[1:] for chunk in entry.chunks) == [
        ("assistant", "plan", None, None, "I will look."),
        ("assistant", "tool_call", "get_weather", "c", '{"location": "Madrid"}'),
        ("assistant", "tool_call", "execute", "e", '{"n": 1}'),
        ("computer", "tool_result", "get_weather", "c", '{"temp": "24°C"}\n{"wind": "9 km/h"}'),
    ]
    assert found.sources == (
        Source(id="c:0", text='{"temp": "24°C"}'),
        Source(id="c:1", text='{"wind": "9 km/h"}'),
    )
    assert found.has_fresh_results
    assert not read_messages(
        [ASK, planned(call("f", "c")), result("c", "1"), ASK]
    ).has_fresh_results


@pytest.mark.parametrize(
    "data", ['{"decision": "approve", "code": "2"}', {"decision": "deny"}, "4"]
)
@pytest.mark.parametrize("is_document", [True, False])
def test_what_comes_of_code_is_a_decision(data: Any, is_document: bool):
    if not is_document and not isinstance(data, str):
        data = json.dumps(data)
    told = result("c", data) if is_document else {**result("c"), "content": data}
    code = planned(call("execute", "c", language="python", code="1"))
    entry = read_messages([ASK, code, told]).entries[-1]
    expected = {"4": Answered("4")}.get(str(data))
    assert entry.decision == (expected or (Approve("2") if "approve" in str(data) else Deny()))
    assert (entry.call_id, entry.chunks) == ("c", ())


def test_thinking_is_not_sent_back_to_a_model():
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]
    entries = read_messages([ASK, {"role": "assistant", "content": parts}]).entries
    assert essence(entries[1].chunks) == [("assistant", "message", None, None, "Yes.")]


def test_an_answer_is_the_same_with_and_without_its_plan():
    full = planned(call("f", "c", q=1))
    bare = {key: value for key, value in full.items() if key != "tool_plan"}
    keys = [read_messages([ASK, told]).entries[1].key for told in (full, bare)]
    assert keys[0] == keys[1] != ""


def test_documents_are_texts_or_objects_with_data():
    documents = read_documents(
        ["plain", {"data": "text"}, {"id": "d", "data": {"title": "T", "snippet": "S"}}]
    )
    assert documents == (
        Source(id="doc_0", text="plain"),
        Source(id="doc_1", text="text"),
        Source(id="d", title="T", text='{"title": "T", "snippet": "S"}'),
    )
    assert "[doc_1] \ntext" in documents_as_instructions(documents)
    assert (read_documents(None), documents_as_instructions([])) == ((), "")


@pytest.mark.parametrize(
    ("messages", "param"),
    [
        (3, "messages"),
        ([{"role": "user"}], "messages[0].content"),
        ([ASK, {"role": "tool", "content": "x"}], "messages[1].tool_call_id"),
        ([ASK, {"role": "tool", "tool_call_id": "z", "content": "x"}], "messages[1].tool_call_id"),
        ([ASK, planned({"id": "c"})], "messages[1].tool_calls[0].function"),
        ([ASK, {**planned(), "tool_plan": 3}], "messages[1].tool_plan"),
        (
            [ASK, planned(call("f", "c")), {**result("c"), "content": [{"type": "document"}]}],
            "messages[2].content[0].document",
        ),
        ([ASK, planned(call("f", "c")), result("c", 3)], "messages[2].content[0].document.data"),
        ([ASK, planned(call("f", "c")), {**result("c"), "content": [3]}], "messages[2].content[0]"),
    ],
)
def test_a_wrong_field_is_named(messages: Any, param: str):
    with pytest.raises(RequestError) as caught:
        read_messages(messages)
    assert caught.value.param == param


def test_documents_without_data_are_refused():
    with pytest.raises(RequestError) as caught:
        read_documents([{"id": "d"}])
    assert caught.value.param == "documents[0].data"
