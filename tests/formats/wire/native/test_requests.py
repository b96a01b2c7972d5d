"""Native requests: what is understood, what is skipped, what is refused and with which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Proposal
from playhead.domain.execution import Approve, Deny
from playhead.errors import RequestError
from playhead.formats.wire.native.requests import read_messages

PNG = "iVBORw0KGgoAAAANSUhEUg=="
ASKED = {"role": "user", "type": "message", "content": "How many?"}
CODE = {"role": "assistant", "type": "code", "format": "python", "content": "7 * 6", "id": "call_1"}


def test_a_history_becomes_whole_messages():
    entries = read_messages([ASKED, CODE, {**CODE, "type": "message", "content": "42"}])
    assert [entry.chunks for entry in entries] == [
        (Chunk(role="user", type="message", content="How many?"),),
        (
            Chunk(role="assistant", type="code", format="python", start=True, id="call_1"),
            Chunk(role="assistant", type="code", format="python", content="7 * 6"),
            Chunk(role="assistant", type="code", format="python", end=True),
        ),
        (
            Chunk(role="assistant", type="message", start=True),
            Chunk(role="assistant", type="message", content="42"),
            Chunk(role="assistant", type="message", end=True),
        ),
    ]
    assert len({entry.key for entry in entries}) == 3


@pytest.mark.parametrize(("word", "decision"), [("go", Approve()), ("stop", Deny())])
def test_a_command_decides_about_the_code_before_it(word: str, decision: Approve | Deny):
    command = {"role": "user", "type": "command", "content": word}
    entry = read_messages([ASKED, CODE, command])[-1]
    assert (entry.decision, entry.call_id, entry.chunks, entry.key) == (decision, "", (), "")


@pytest.mark.parametrize(
    "content",
    [{"type": "code", "format": "python", "content": "7"}, {"language": "python", "code": "7"}],
)
def test_a_confirmation_is_read_in_both_forms_and_names_nothing(content: dict[str, str]):
    wire = {"role": "computer", "type": "confirmation", "format": "execution", "content": content}
    entry = read_messages([ASKED, wire])[-1]
    assert entry.chunks[0].content == Proposal(id="", message_id="", language="python", code="7")
    assert entry.key == ""


@pytest.mark.parametrize(
    ("format_", "data", "read"),
    [
        ("base64.png", PNG, "base64.png"),
        ("base64", PNG, "base64.png"),
        ("base64", "/9j/4AAQSkZJRg==", "base64.jpeg"),
        ("path", "plots/a.png", "path"),
    ],
)
def test_images_come_as_files_and_in_base64(format_: str, data: str, read: str):
    wire = {"role": "user", "type": "image", "format": format_, "content": data}
    assert read_messages([wire])[0].chunks == (
        Chunk(role="user", type="image", format=read, content=data),
    )


def test_who_a_message_is_for_is_kept():
    entry = read_messages([ASKED, {**CODE, "recipient": "user"}])[1]
    assert {chunk.recipient for chunk in entry.chunks} == {"user"}


def test_output_is_one_console_and_running_lines_are_no_messages():
    console = {"role": "computer", "type": "console"}
    entries = read_messages(
        [
            ASKED,
            {**console, "format": "output", "content": "42\n"},
            {**console, "format": "active_line", "content": "1"},
        ]
    )
    assert entries[1].chunks == (
        Chunk(role="computer", type="console", start=True),
        Chunk(role="computer", type="console", format="output", content="42\n"),
        Chunk(role="computer", type="console", end=True),
    )
    assert len(entries) == 2


def test_what_a_later_version_may_send_is_skipped():
    later = [
        {"role": "moon", "type": "message", "content": "?"},
        {"role": "assistant", "type": "hologram", "content": {}},
        {"role": "server", "type": "status", "content": "complete"},
        {"role": "user", "type": "command", "content": "input", "id": "1", "text": "x"},
    ]
    assert len(read_messages([*later, {**ASKED, "mood": "good"}])) == 1


def test_halves_of_characters_never_come_in():
    entry = read_messages([{**ASKED, "content": "a\ud83d"}])[0]
    assert entry.chunks[0].content == "a\ufffd"


@pytest.mark.parametrize(
    ("raw", "param"),
    [
        (None, "messages"),
        ([], "messages"),
        ({}, "messages"),
        ("hello", "messages"),
        ([1], "messages[0]"),
        ([{"type": "message", "content": "a"}], "messages[0].role"),
        ([{"role": "user", "content": "a"}], "messages[0].type"),
        ([{"role": "user", "type": 1}], "messages[0].type"),
        ([ASKED, {**ASKED, "content": 7}], "messages[1].content"),
        ([{**ASKED, "content": ""}], "messages[0].content"),
        ([{"role": "user", "type": "message"}], "messages[0].content"),
        ([ASKED, {**CODE, "format": None}], "messages[1].format"),
        ([ASKED, {**CODE, "recipient": "moon"}], "messages[1].recipient"),
        ([ASKED, {**CODE, "id": 3}], "messages[1].id"),
        ([{"role": "user", "type": "command", "content": "perhaps"}], "messages[0].content"),
        (
            [{"role": "user", "type": "image", "format": "base64.png", "content": "no image"}],
            "messages[0].content",
        ),
        (
            [{"role": "user", "type": "image", "format": "tiff", "content": PNG}],
            "messages[0].format",
        ),
        ([{"role": "computer", "type": "confirmation", "content": "x"}], "messages[0].content"),
        ([{"role": "assistant", "type": "citation", "content": {}}], "messages[0].content"),
        ([{"role": "moon", "type": "message"}], "messages"),
    ],
)
def test_a_malformed_request_is_refused_with_the_place_of_the_mistake(raw: Any, param: str):
    with pytest.raises(RequestError) as caught:
        read_messages(raw)
    assert (caught.value.code, caught.value.param) == ("invalid_messages", param)
    assert param in caught.value.title


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
kinds = st.sampled_from(
    [
        *("message", "code", "console", "image", "file", "command", "confirmation", "citation"),
        *("run", "error", "input", "timing", "tool_call", "tool_result", "status", "usage"),
    ]
)
odd_messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "computer"]) | json_values,
        "type": kinds | json_values,
        "content": json_values
        | st.sampled_from(["go", PNG])
        | st.dictionaries(
            st.sampled_from(["state", "seconds", "line", "name", "frames", "start", "end", "code"]),
            json_values,
        ),
    },
    optional={
        "format": st.sampled_from(["base64", "path", "active_line", "python"]) | json_values,
        "id": json_values,
        "recipient": json_values,
    },
)


@given(json_values | st.lists(odd_messages, max_size=4))
def test_no_json_at_all_gives_anything_but_entries_or_a_refusal(raw: Any):
    told: list[Any] = []
    try:
        told = read_messages(raw)
    except RequestError as error:
        told = [error.param] if error.code == "invalid_messages" else []
    assert told
    assert told[0]
