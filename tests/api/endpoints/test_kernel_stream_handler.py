"""POST /v1/kernel/stream: messages of @unternet/kernel as events, as lines and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.http_face import face
from tests.support.ports import called, coded, said

PATH = "/v1/kernel/stream"
INPUT = {"type": "input", "id": "i", "createdAt": 1, "text": "hi"}
ASK = {"messages": [INPUT]}
LOOKUP = {"type": "function", "name": "lookup", "parameters": {"type": "object"}}


def decided(messages: list[dict[str, Any]], value: object) -> dict[str, Any]:
    """The request with the answer's messages and what its client says to the last one's call."""
    call = messages[-1]["toolCalls"][0]
    result = {"toolCallId": call["id"], "name": call["name"], "value": value}
    return {"messages": [INPUT, *messages, {"type": "tool_results", "results": [result]}]}


async def test_a_reply_streams_as_events_and_ends_with_a_mark(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        *told, last = await api.data(PATH, ASK)
    events = [json.loads(data) for data in told]
    assert [event.get("status") for event in events][:2] == ["created", "in_progress"]
    assert (events[-1]["type"], events[-1]["text"], last) == ("reply", "Hello", "[DONE]")


async def test_lines_are_sent_where_they_are_accepted(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        headers = {"Accept": "application/x-ndjson"}
        answer = await api.client.post(PATH, json=ASK, headers=headers)
    assert answer.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    events = [json.loads(line) for line in answer.text.splitlines()]
    assert events[-1]["text"] == "Hello"


async def test_code_waits_as_a_call_runs_when_approved_and_the_talk_goes_on(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42"), said("Bye")) as api:
        first = (await api.post(PATH, {**ASK, "stream": False}))["messages"]
        assert (first[-1]["type"], api.ran) == ("tool_calls", [])
        asked = decided(first, {"decision": "approve"})
        second = (await api.post(PATH, {**asked, "stream": False}))["messages"]
        assert api.ran == ["6 * 7"]
        assert [message["type"] for message in second] == ["tool_results", "reply"]
        assert second[0]["results"][0]["toolCallId"] == first[-1]["toolCalls"][0]["id"]
        more = [*asked["messages"], *second, {"type": "input", "text": "bye"}]
        third = await api.post(PATH, {"messages": more, "stream": False})
        assert third["messages"][-1]["text"] == "Bye"
        assert len(api.sessions.open_sessions) == 1


async def test_denied_code_does_not_run(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("Well")) as api:
        first = (await api.post(PATH, {**ASK, "stream": False}))["messages"]
        denied = decided(first, '{"decision": "deny"}')
        second = (await api.post(PATH, {**denied, "stream": False}))["messages"]
        assert (api.ran, second[-1]["text"]) == ([], "Well")


async def test_code_runs_unasked_where_that_is_allowed(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        await api.fails(PATH, {**ASK, "auto_run": True}, 403, "auto_run_forbidden")
        api.may_auto_run = True
        answer = await api.post(PATH, {**ASK, "auto_run": True, "stream": False})
        assert api.ran == ["6 * 7"]
    kinds = [message["type"] for message in answer["messages"]]
    assert kinds == ["tool_calls", "tool_results", "reply"]


async def test_a_clients_own_tools_are_called_there(tmp_path: Path):
    async with face(tmp_path, called("lookup", '{"q": 1}'), said("Nine")) as api:
        body = {**ASK, "tools": [LOOKUP], "stream": False}
        first = (await api.post(PATH, body))["messages"]
        assert first[-1]["toolCalls"][0]["args"] == {"q": 1}
        asked = {**decided(first, {"n": 9}), "tools": [LOOKUP], "stream": False}
        second = (await api.post(PATH, asked))["messages"]
    assert second[-1]["text"] == "Nine"


async def test_wrong_messages_are_refused(tmp_path: Path):
    async with face(tmp_path) as api:
        await api.fails(PATH, {"messages": []}, 400, "invalid_messages")
        await api.fails(PATH, {"messages": [{"type": "input"}]}, 400, "invalid_messages")
        await api.fails(PATH, {**ASK, "tools": [3]}, 400, "invalid_tools")
        await api.fails(PATH, {**ASK, "api_base": "http://x"}, 400, "missing_api_key")
