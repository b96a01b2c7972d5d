"""The items of a Responses request: what they become, and what is refused, with its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from playhead.domain.execution import Answered, Approve, Deny
from playhead.errors import RequestError
from playhead.formats.wire.responses.requests import (
    chat_choice,
    items_of,
    read_input,
    read_tools,
)

POINT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
Item = dict[str, Any]


def user(content: Any) -> Item:
    return {"role": "user", "content": content}


def call(name: str, arguments: object, call_id: str = "call_1") -> Item:
    return {
        "type": "function_call",
        "name": name,
        "arguments": json.dumps(arguments),
        "call_id": call_id,
    }


def result(output: Any, call_id: str = "call_1") -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


EXECUTE = call("execute", {"language": "python", "code": "6 * 7"})


def kinds(*items: Item) -> list[str]:
    chunks = [chunk for entry in read_input([], items).entries for chunk in entry.chunks]
    return [f"{chunk.role}/{chunk.type}" for chunk in chunks if chunk.content]


def test_a_text_is_a_users_message_and_has_the_same_key_as_its_part():
    (item,) = items_of("hello")
    part = user([{"type": "input_text", "text": "hello"}])
    (one,), (other,) = read_input([], [item]).entries, read_input([], [part]).entries
    assert one == other


def test_messages_pictures_and_instructions_are_read():
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{POINT}"}
    items = [
        {"type": "message", "role": "developer", "content": "Be brief."},
        user([{"type": "input_text", "text": "look"}, picture]),
        {"role": "assistant", "content": [{"type": "output_text", "text": "A point."}]},
        {"type": "reasoning", "summary": []},
        {"type": "something_new"},
        user("thanks"),
    ]
    read = read_input([], items)
    assert read.instructions == "Be brief."
    assert kinds(*items) == [
        "user/message",
        "user/image",
        "assistant/message",
        "user/message",
    ]


def test_code_comes_back_with_its_outputs_and_code_that_did_not_run_without():
    outputs = [
        {"type": "logs", "logs": "42\n"},
        {"type": "image", "url": f"data:image/png;base64,{POINT}"},
        {"type": "image", "url": "data:image/webp;base64,UklG"},
    ]
    ran = {"type": "code_interpreter_call", "status": "completed", "code": "6 * 7"}
    assert kinds({**ran, "outputs": outputs}, user("so?")) == [
        "assistant/code",
        "computer/console",
        "computer/image",
        "user/message",
    ]
    assert kinds({**ran, "status": "incomplete"}, user("so?")) == ["user/message"]


@pytest.mark.parametrize(
    ("output", "decision"),
    [
        ('{"decision": "approve"}', Approve()),
        ('{"decision": "deny", "reason": "no"}', Deny("no")),
        ([{"type": "input_text", "text": "42"}], Answered("42")),
    ],
)
def test_the_output_of_execute_is_a_decision(output: Any, decision: object):
    *_, last = read_input([], [user("go"), EXECUTE, result(output)]).entries
    assert (last.decision, last.call_id) == (decision, "call_1")


def test_what_the_last_decisions_let_run_is_known():
    edit = result('{"decision": "approve", "code": "1"}')
    assert read_input([user("go"), EXECUTE], [edit]).approved == (("python", "1"),)
    yes = result('{"decision": "approve"}')
    assert read_input([user("go"), EXECUTE], [yes]).approved == (("python", "6 * 7"),)
    assert read_input([user("go"), EXECUTE, yes], [user("and?")]).approved == ()


def test_a_functions_output_is_a_result():
    assert kinds(user("go"), call("lookup", {}), result("19 degrees")) == [
        "user/message",
        "assistant/tool_call",
        "computer/tool_result",
    ]


@pytest.mark.parametrize(
    ("items", "param"),
    [
        ([user("")], "input[0].content"),
        ([user("hi"), result("lost")], "input[1].call_id"),
        ([user([{"type": "input_file", "file_id": "1"}])], "input[0].content[0].type"),
        (
            [user([{"type": "input_image", "image_url": "https://a.example/b.png"}])],
            "input[0].content[0].image_url.url",
        ),
        ([{"type": "function_call", "name": "f"}], "input[0].arguments"),
        ([{"type": "message", "content": "x"}], "input[0].role"),
    ],
)
def test_malformed_items_are_refused_with_their_place(items: list[Item], param: str):
    with pytest.raises(RequestError) as caught:
        read_input([], items)
    assert caught.value.param == param


def test_the_tools_are_functions_and_the_interpreter():
    lookup = {"type": "function", "name": "lookup", "parameters": {"type": "object"}}
    tools = read_tools([lookup, {"type": "code_interpreter", "container": {"type": "auto"}}])
    assert [tool.name for tool in tools.functions] == ["lookup"]
    assert tools.has_interpreter
    assert read_tools(None).functions == ()
    for bad in ({"type": "web_search"}, {"type": "function", "name": "a b"}, {}):
        with pytest.raises(RequestError) as caught:
            read_tools([bad])
        assert caught.value.code == "invalid_tools"
    assert chat_choice({"type": "function", "name": "lookup"}) == {
        "type": "function",
        "function": {"name": "lookup"},
    }
    assert chat_choice("required") == "required"
