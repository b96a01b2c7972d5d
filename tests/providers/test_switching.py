"""A model that takes over in the middle is sent what it can read, whatever stands before."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.domain.conversation.message import Message
from playhead.domain.conversation.model_request import TurnRequest
from playhead.domain.model import ModelOverride, ModelSettings, ToolOffer
from playhead.providers.request_writer import RequestWriter
from playhead.providers.transcript import NO_QUESTION, chat_messages
from tests.support.talks import talks

"""A busy machine is no defect."""


def check_calls(entries: list[dict[str, Any]]) -> None:
    """Each call has one result, right after it, in order; no result stands alone."""
    waiting: list[str] = []
    for entry in entries:
        if entry["role"] == "tool":
            assert waiting
            assert entry["tool_call_id"] == waiting.pop(0)
            continue
        assert not waiting
        waiting = [call["id"] for call in entry.get("tool_calls") or ()]
        assert len(set(waiting)) == len(waiting)
    assert not waiting


def check_contents(entries: list[dict[str, Any]]) -> None:
    """Nothing is empty but the text beside calls."""
    for entry in entries:
        content = entry["content"]
        if content is None:
            assert entry["tool_calls"]
        elif isinstance(content, str):
            assert content.strip()
        else:
            assert content
            assert all(part.get("text", "x").strip() for part in content)


@given(talks(), st.booleans())
def test_any_conversation_is_valid_for_any_model(talk: list[Message], takes_tools: bool) -> None:
    model = ModelSettings(model="openai/next", override=ModelOverride(takes_tools=takes_tools))
    entries = RequestWriter().messages(
        TurnRequest(turn_id="t", conversation_id="c", messages=tuple(talk), model=model)
    )
    assert entries[0]["role"] == "system"
    check_calls(entries)
    check_contents(entries)
    said = [entry["role"] for entry in entries[1:] if entry["role"] != "tool"]
    assert all(pair != ("user", "user") for pair in itertools.pairwise(said))


@given(talks())
def test_a_model_without_tools_is_told_all_in_alternating_roles(talk: list[Message]) -> None:
    entries = chat_messages(talk, takes_tools=False)
    roles = [entry["role"] for entry in entries]
    expected = ["user" if place % 2 == 0 else "assistant" for place in range(len(roles))]
    assert roles == expected
    assert not any("tool_calls" in entry for entry in entries)


def _told(entry: dict[str, Any]) -> str:
    return str(entry["content"])


def test_calls_become_fences_and_results_words_for_a_model_without_tools() -> None:
    talk = [
        Message(id="1", parent_id=None, role="user", type="message", content="What is it?"),
        Message(id="2", parent_id=None, role="assistant", type="message", content="Let me see."),
        Message(
            id="3",
            parent_id=None,
            role="assistant",
            type="code",
            format="python",
            content="print(1)",
            call_id="a",
        ),
        Message(
            id="4",
            parent_id=None,
            role="computer",
            type="tool_result",
            format="execute",
            content="1",
            call_id="a",
        ),
        Message(
            id="5",
            parent_id=None,
            role="assistant",
            type="tool_call",
            format="lookup",
            content='{"q": "x"}',
            call_id="b",
        ),
        Message(
            id="6",
            parent_id=None,
            role="computer",
            type="tool_result",
            format="lookup",
            content="found",
            call_id="b",
        ),
        Message(id="7", parent_id=None, role="assistant", type="message", content="It is one."),
        Message(id="8", parent_id=None, role="user", type="message", content="Sure?"),
    ]
    entries = chat_messages(talk, takes_tools=False)
    assert _told(entries[1]) == "Let me see.\n\n```python\nprint(1)\n```"
    assert _told(entries[2]) == "What came of the code:\n1"
    assert _told(entries[3]) == '[Call of lookup: {"q": "x"}]'
    assert _told(entries[4]) == "What came of the call of lookup:\nfound"
    assert [_told(entry) for entry in entries[5:]] == ["It is one.", "Sure?"]


def test_fences_of_a_model_without_tools_stay_text_for_one_with_tools() -> None:
    talk = [
        Message(id="1", parent_id=None, role="user", type="message", content="?"),
        Message(
            id="2",
            parent_id=None,
            role="assistant",
            type="code",
            format="python",
            content="1",
            call_id=None,
        ),
        Message(
            id="3",
            parent_id=None,
            role="computer",
            type="tool_result",
            format="execute",
            content="declined",
        ),
    ]
    entries = chat_messages(talk)
    assert [entry["role"] for entry in entries] == ["user", "assistant", "user"]
    assert "```python\n1\n```" in _told(entries[1])


def test_a_conversation_that_begins_with_an_answer_has_a_question_before_it() -> None:
    talk = [Message(id="1", parent_id=None, role="assistant", type="message", content="Hello.")]
    for takes_tools in (False, True):  # some servers refuse a call that nobody asked for
        entries = chat_messages(talk, takes_tools=takes_tools)
        assert [entry["role"] for entry in entries] == ["user", "assistant"]
        assert _told(entries[0]) == NO_QUESTION


def test_a_clients_own_tools_are_offered_whatever_the_model_is_said_to_take() -> None:
    writer = RequestWriter()
    model = ModelSettings(model="openai/next", override=ModelOverride(takes_tools=False))
    request = TurnRequest(
        turn_id="t", conversation_id="c", messages=(), model=model, tools=(ToolOffer("lookup"),)
    )
    assert [tool["function"]["name"] for tool in writer.tools(request)] == ["lookup"]
    assert (
        writer.tools(TurnRequest(turn_id="t", conversation_id="c", messages=(), model=model)) == []
    )


SIGNED = f"call_1__thought__{'QUJD' * 30}"
LONG = "chatcmpl-tool-" + "5" * 40


@pytest.mark.parametrize(
    ("model", "api_base", "form"),
    [
        ("mistral/mistral-large-latest", None, r"[a-zA-Z0-9]{9}"),
        ("mistral/mistral-large-latest", "https://gateway.example.com/v1", r"[a-zA-Z0-9]{9}"),
        ("openai/gpt-5", None, r".{1,40}"),
        ("azure/gpt-5", "https://mine.openai.azure.com", r".{1,40}"),
    ],
)
def test_calls_of_other_models_get_ids_that_the_next_one_takes(
    model: str, api_base: str | None, form: str
) -> None:
    ids = ["call_1", SIGNED, LONG, LONG + "6", "functions.execute:0", "abcDEF123"]
    calls = [
        Message(
            id=f"c{number}",
            parent_id=None,
            role="assistant",
            type="code",
            format="python",
            content="1",
            call_id=call_id,
        )
        for number, call_id in enumerate(ids)
    ]
    talk = [Message(id="q", parent_id=None, role="user", type="message", content="?"), *calls]
    entries = chat_messages(talk, model=ModelSettings(model=model, api_base=api_base))
    check_calls(entries)
    taken = [call["id"] for call in entries[1]["tool_calls"]]
    assert all(re.fullmatch(form, found) for found in taken)
    assert taken[-1] == "abcDEF123"


@pytest.mark.parametrize("model", ["gemini/gemini-3-pro", "anthropic/claude-opus-4-5"])
def test_ids_that_a_provider_gave_go_back_to_it_as_they_are(model: str) -> None:
    own = Message(
        id="c",
        parent_id=None,
        role="assistant",
        type="code",
        format="python",
        content="1",
        call_id=SIGNED,
    )
    entries = chat_messages([own], model=ModelSettings(model=model))
    assert entries[1]["tool_calls"][0]["id"] == entries[2]["tool_call_id"] == SIGNED


def test_a_server_of_one_s_own_gets_back_long_ids_as_it_gave_them() -> None:
    own = Message(
        id="c",
        parent_id=None,
        role="assistant",
        type="code",
        format="python",
        content="1",
        call_id=LONG,
    )
    model = ModelSettings(model="openai/local", api_base="http://127.0.0.1:8080/v1")
    assert chat_messages([own], model=model)[1]["tool_calls"][0]["id"] == LONG
