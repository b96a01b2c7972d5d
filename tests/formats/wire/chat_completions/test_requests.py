"""OpenAI requests: histories, decisions, images and tools; mistakes are refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.execution import Answered, Approve, Decision, Deny
from playhead.domain.model import ToolOffer
from playhead.errors import RequestError
from playhead.formats.wire.chat_completions.requests import read_messages, read_tools
from playhead.formats.wire.entry import Entry

PNG = "iVBORw0KGgoAAAANSUhEUg=="
ASKED = {"role": "user", "content": "How many?"}


def called(name: str, arguments: str, call_id: str = "call_1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


EXECUTED = called("execute", '{"language": "python", "code": "7 * 6"}')


def entries_of(*messages: dict[str, Any]) -> list[Entry]:
    return read_messages(list(messages))[0]


def test_a_history_becomes_whole_messages():
    entries = entries_of(ASKED, {"role": "assistant", "content": "42"}, EXECUTED)
    assert [entry.chunks for entry in entries] == [
        (Chunk(role="user", type="message", content="How many?"),),
        (
            Chunk(role="assistant", type="message", start=True),
            Chunk(role="assistant", type="message", content="42"),
            Chunk(role="assistant", type="message", end=True),
        ),
        (
            Chunk(role="assistant", type="code", format="python", start=True, id="call_1"),
            Chunk(role="assistant", type="code", format="python", content="7 * 6"),
            Chunk(role="assistant", type="code", format="python", end=True),
        ),
    ]
    assert len({entry.key for entry in entries}) == 3


def test_instructions_stand_apart():
    system = {"role": "system", "content": "Be brief."}
    developer = {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]}
    entries, instructions = read_messages([system, developer, ASKED])
    assert (len(entries), instructions) == (1, "Be brief.\n\nBe kind.")


def test_text_and_parts_of_text_are_the_same_message():
    parts = {"role": "user", "content": [{"type": "text", "text": "How many?"}]}
    assert entries_of(parts) == entries_of(ASKED)


def test_an_image_comes_in_a_data_url():
    url = {"url": f"data:image/png;base64,{PNG}", "detail": "low"}
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": url}]
    [entry] = entries_of({"role": "user", "content": parts})
    assert entry.chunks == (
        Chunk(role="user", type="message", content="What is it?"),
        Chunk(role="user", type="image", format="base64.png", content=PNG),
    )


@pytest.mark.parametrize(
    ("result", "decision"),
    [
        ('{"decision": "approve"}', Approve()),
        ('{"decision": "approve", "code": "6 * 7"}', Approve("6 * 7")),
        ('{"decision": "deny"}', Deny()),
        ('{"decision": "deny", "reason": "no"}', Deny("no")),
        ('{"decision": "perhaps"}', Answered('{"decision": "perhaps"}')),
        ("42", Answered("42")),
        ("approve", Answered("approve")),
        ("", Answered("")),
        ("[" * 100_000, Answered("[" * 100_000)),
    ],
)
def test_the_result_of_execute_decides_or_is_what_came_out(result: str, decision: Decision):
    answer = {"role": "tool", "tool_call_id": "call_1", "content": result}
    entry = entries_of(ASKED, EXECUTED, answer)[-1]
    assert (entry.decision, entry.call_id, entry.chunks) == (decision, "call_1", ())
    assert entry.key


def test_the_result_of_a_clients_tool_is_a_message():
    answer = {"role": "tool", "tool_call_id": "call_1", "content": '{"decision": "approve"}'}
    call, result = entries_of(ASKED, called("lookup", "{}"), answer)[1:]
    assert call.chunks[0] == Chunk(
        role="assistant", type="tool_call", format="lookup", start=True, id="call_1"
    )
    assert (result.decision, result.chunks[0].type) == (None, "tool_result")
    assert result.chunks[0].id == "call_1"


def test_broken_arguments_of_execute_are_never_code():
    answer = {"role": "tool", "tool_call_id": "call_1", "content": '{"decision": "approve"}'}
    for arguments in ("", "{", "[]", '{"code": "x"}', '{"language": "python", "code": 3}'):
        call, result = entries_of(ASKED, called("execute", arguments), answer)[1:]
        assert {chunk.type for chunk in call.chunks} == {"tool_call"}
        assert result.decision is None


@pytest.mark.parametrize("text", ["yes", "Y", " YES! ", "y.", "Yes…"[:3], "yes?!\n"])
def test_a_yes_is_marked_and_stays_a_message(text: str):
    [entry] = entries_of({"role": "user", "content": text})
    assert entry.is_yes
    assert entry.chunks == (Chunk(role="user", type="message", content=text),)


@pytest.mark.parametrize("text", ["yes please", "no", "ye", "yeſ", "y e s", "yy", "oh, yes"])
def test_other_words_are_no_yes(text: str):
    assert not entries_of({"role": "user", "content": text})[0].is_yes


def test_unknown_roles_and_fields_are_skipped():
    moon = {"role": "moon", "content": {}}
    assert entries_of(moon, {**ASKED, "name": "Ada", "mood": 3}) == entries_of(ASKED)


def url_message(url: str) -> dict[str, Any]:
    part = {"type": "image_url", "image_url": {"url": url}}
    return {"role": "user", "content": [part]}


URL_PARAM = "messages[0].content[0].image_url.url"


@pytest.mark.parametrize(
    ("raw", "param"),
    [
        (None, "messages"),
        ([], "messages"),
        (["hello"], "messages[0]"),
        ([{"content": "a"}], "messages[0].role"),
        ([{"role": "user"}], "messages[0].content"),
        ([{"role": "user", "content": ""}], "messages[0].content"),
        ([{"role": "user", "content": []}], "messages[0].content"),
        ([ASKED, {"role": "user", "content": [7]}], "messages[1].content[0]"),
        ([{"role": "user", "content": [{"type": "sound"}]}], "messages[0].content[0].type"),
        ([{"role": "system", "content": 7}], "messages[0].content"),
        ([{"role": "system", "content": "Be brief."}], "messages"),
        ([url_message("https://example.org/a.png")], URL_PARAM),
        ([url_message("data:image/png,abc")], URL_PARAM),
        ([url_message("data:image/png;base64,!!")], URL_PARAM),
        ([url_message("data:image/gif;base64,R0lGODlh")], URL_PARAM),
        ([ASKED, {**EXECUTED, "tool_calls": 7}], "messages[1].tool_calls"),
        ([ASKED, {**EXECUTED, "tool_calls": [{"id": "a"}]}], "messages[1].tool_calls[0].function"),
        ([ASKED, called("f", "{}", "")], "messages[1].tool_calls[0].id"),
        ([ASKED, {"role": "tool", "content": "42"}], "messages[1].tool_call_id"),
        (
            [ASKED, {"role": "tool", "tool_call_id": "x", "content": "42"}],
            "messages[1].tool_call_id",
        ),
        (
            [
                EXECUTED,
                {
                    "role": "tool",
                    "tool_call_id": "call_1",
                    "content": '{"decision": "approve", "code": 7}',
                },
            ],
            "messages[1].content.code",
        ),
    ],
)
def test_a_malformed_request_is_refused_with_the_place_of_the_mistake(raw: Any, param: str):
    with pytest.raises(RequestError) as caught:
        read_messages(raw)
    assert (caught.value.code, caught.value.param) == ("invalid_messages", param)
    assert param.rpartition(".")[0] in caught.value.title


def tool(name: Any, **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **more}}


def test_tools_are_read_with_their_schemas():
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    raw = [tool("lookup", description="Looks it up.", parameters=schema), tool("now")]
    assert read_tools(raw) == (ToolOffer("lookup", "Looks it up.", schema), ToolOffer("now"))
    assert read_tools(None) == read_tools([]) == ()


@pytest.mark.parametrize(
    ("raw", "param"),
    [
        ({}, "tools"),
        ([7], "tools[0]"),
        ([{"type": "web_search"}], "tools[0].type"),
        ([{"type": "function"}], "tools[0].function"),
        ([tool(None)], "tools[0].function.name"),
        ([tool("")], "tools[0].function.name"),
        ([tool("a b")], "tools[0].function.name"),
        ([tool("a" * 65)], "tools[0].function.name"),
        ([tool("a"), tool("a")], "tools[1].function.name"),
        ([tool("a", parameters=[])], "tools[0].function.parameters"),
        ([tool("a", description=7)], "tools[0].function.description"),
    ],
)
def test_bad_tools_are_refused(raw: Any, param: str):
    with pytest.raises(RequestError) as caught:
        read_tools(raw)
    assert (caught.value.code, caught.value.param) == ("invalid_tools", param)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
odd_parts = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image_url"]) | json_values},
    optional={
        "text": json_values,
        "image_url": st.fixed_dictionaries({"url": st.text().map("data:;base64,".__add__)}),
    },
)
odd_calls = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b"]) | json_values,
        "function": st.fixed_dictionaries(
            {
                "name": st.sampled_from(["execute", "f"]) | json_values,
                "arguments": json_values.map(json.dumps) | json_values,
            }
        ),
    }
)
odd_messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool"]) | json_values,
        "content": st.text() | st.lists(odd_parts, max_size=3) | json_values,
    },
    optional={
        "tool_calls": st.lists(odd_calls, max_size=3) | json_values,
        "tool_call_id": st.sampled_from(["a", "b"]) | json_values,
    },
)


@given(json_values | st.lists(odd_messages, max_size=4))
def test_no_json_at_all_gives_anything_but_entries_or_a_refusal(raw: Any):
    told: list[Any] = []
    try:
        told = read_messages(raw)[0]
    except RequestError as error:
        told = [error.param] if error.code == "invalid_messages" else []
    assert told
    assert told[0]


@given(json_values | st.lists(odd_calls | json_values, max_size=3))
def test_no_json_at_all_makes_reading_tools_fail(raw: Any):
    try:
        read_tools(raw)
    except RequestError as error:
        refusal = error.code
    else:
        refusal = "invalid_tools"
    assert refusal == "invalid_tools"
