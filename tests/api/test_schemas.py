"""Bodies of requests: what is read, and which field and code a mistake is told by."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.api.schemas import ChatRequest, CompletionRequest, LlmConfig
from playhead.api.server.request_body import read_body
from playhead.api.turns.client_request import client_name, model_choice
from playhead.errors import RequestError

ASKED = [{"role": "user", "type": "message", "content": "hi"}]


def refused(raw: bytes | dict, kind: type = ChatRequest) -> tuple[str, str | None]:
    """The code and the param."""
    with pytest.raises(RequestError) as caught:
        read_body(raw if isinstance(raw, bytes) else json.dumps(raw).encode(), kind)
    assert caught.value.title
    return caught.value.code, caught.value.param


def test_unknown_fields_are_ignored_and_null_means_absent():
    body = {"messages": ASKED, "stream": None, "config": {"llm": None}, "new": {"x": 1}}
    read = read_body(json.dumps(body).encode(), ChatRequest)
    assert (read.messages, read.stream, read.auto_run) == (ASKED, None, None)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b"\xff",
        b'{"messages": [{"a": "\xed\xa0\x80"}]}',
        b'{"messages": [NaN]}',
        b'{"messages": [Infinity]}',
        b'{"messages": [' + b"[" * 100_000,
        b'{"messages": ["\\ud83d", NaN]}',
        b'{"messages": ["\\ud83d", ' + b"[" * 100_000,
    ],
    ids=lambda raw: str(raw[:24]),
)
def test_what_is_no_json_object_is_invalid_json(raw: bytes):
    assert refused(raw) == ("invalid_json", None)


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({}, "invalid_messages", "messages"),
        ({"messages": []}, "invalid_messages", "messages"),
        ({"messages": "hi"}, "invalid_messages", "messages"),
        ({"messages": ASKED, "stream": "yes"}, "invalid_request", "stream"),
        ({"messages": ASKED, "auto_run": 1}, "invalid_request", "auto_run"),
        ({"messages": ASKED, "config": []}, "invalid_request", "config"),
        (
            {"messages": ASKED, "config": {"llm": {"temperature": 3}}},
            "invalid_request",
            "config.llm.temperature",
        ),
        (
            {"messages": ASKED, "config": {"llm": {"model": 7}}},
            "invalid_model",
            "config.llm.model",
        ),
        (
            {"messages": ASKED, "config": {"llm": {"stop": [1]}}},
            "invalid_request",
            "config.llm.stop[0]",
        ),
        (
            {"messages": ASKED, "config": {"llm": {"api_base": "file:///etc/passwd"}}},
            "invalid_request",
            "config.llm.api_base",
        ),
    ],
)
def test_a_field_at_fault_is_named(body: dict, code: str, param: str):
    assert refused(body) == (code, param)


@pytest.mark.parametrize(
    ("more", "code", "param"),
    [
        ({"model": ""}, "invalid_model", "model"),
        ({"model": None}, "invalid_model", "model"),
        ({"model": "m", "tools": {}}, "invalid_tools", "tools"),
        ({"model": "m", "max_tokens": 0}, "invalid_request", "max_tokens"),
        ({"model": "m", "top_p": 1.5}, "invalid_request", "top_p"),
        ({"model": "m", "stream_options": 1}, "invalid_request", "stream_options"),
    ],
)
def test_a_field_of_a_completion_at_fault_is_named(more: dict, code: str, param: str):
    assert refused({"messages": ASKED, **more}, CompletionRequest) == (code, param)


def test_a_completion_needs_a_model():
    assert refused({"messages": ASKED}, CompletionRequest) == ("invalid_model", "model")


def test_numbers_that_no_float_holds_are_refused_and_the_last_of_two_equal_keys_counts():
    huge = b'{"messages": [{"role": 1}], "config": {"llm": {"temperature": 1e999}}}'
    assert refused(huge)[0] == "invalid_request"
    assert refused(b'{"messages": [' + b"9" * 5000 + b"]}")[0] == "invalid_messages"
    twice = read_body(b'{"messages": [1], "stream": false, "stream": true}', ChatRequest)
    assert twice.stream is True


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    body = b'{"messages": [{"content": "cut \\ud83d"}, {"content": "\\ud83d\\ude00"}]}'
    read = read_body(body, ChatRequest)
    assert [message["content"] for message in read.messages] == ["cut \ufffd", "\U0001f600"]


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_request_error(raw: bytes):
    for body in (raw, b'{"messages":[' + raw + b'],"model":"m"}'):
        for kind in (ChatRequest, CompletionRequest):
            with suppress(RequestError):
                read_body(body, kind)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["messages", "model", "stream", "tools", "stop", "config", "temperature", "session_id"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_no_value_of_a_field_raises_anything_but_a_request_error(body: dict):
    for kind in (ChatRequest, CompletionRequest):
        with suppress(RequestError):
            read_body(json.dumps(body).encode(), kind)


def test_an_address_must_bring_its_key():
    with pytest.raises(RequestError) as caught:
        model_choice(LlmConfig(api_base="http://x/v1"), "config.llm.")
    assert (caught.value.code, caught.value.param) == ("missing_api_key", "config.llm.api_key")
    choice = model_choice(LlmConfig(api_base="http://x/v1", api_key="k"))
    assert choice.api_key is not None
    assert (choice.api_base, choice.api_key.reveal()) == ("http://x/v1", "k")
    assert "k" not in repr(choice.api_key).replace("key", "")


def test_the_name_of_direct_mode_chooses_no_model():
    assert model_choice(LlmConfig(model="playhead/direct")).model == ""
    assert model_choice(LlmConfig(model="openai/x")).model == "openai/x"
    assert model_choice(LlmConfig()).model is None


def test_one_stop_or_many():
    assert model_choice(LlmConfig(stop="END")).parameters.stop == ("END",)
    assert model_choice(LlmConfig(stop=["a", "", "b"])).parameters.stop == ("a", "b")


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("OpenAI/Python 2.54.0", "openai-python"),
        ("AsyncOpenAI/Python 2.54.0", "openai-python"),
        ("OpenAI/JS 6.1.0", "openai-js"),
        ("ai/5.0 ai-sdk/openai/2.0 runtime/node.js/24", "AI SDK"),
        ("python-httpx/0.28.1", "httpx"),
        ("curl/8.5.0", "curl"),
        ("Mozilla/5.0 (X11; Linux)", "a browser"),
        ("my-tool", "my-tool"),
        ("", "a program"),
        ("<script>", "a program"),
        ("x" * 4000, "x" * 40),
    ],
)
def test_clients_have_names_that_a_person_knows(user_agent: str, name: str):
    assert client_name(user_agent) == name
