"""POST /v2/chat: events with names, approval by tool messages, documents that are cited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.http_face import Face, face
from tests.support.ports import called, coded, said

ASK = {"model": "openai/test", "messages": [{"role": "user", "content": "hi"}]}
LOOKUP = {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}


async def events(api: Face, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a stream, each with its name."""
    async with api.client.stream("POST", "/v2/chat", json={**body, "stream": True}) as response:
        text = (await response.aread()).decode()
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    found: list[dict[str, Any]] = []
    for told in text.strip().split("\n\n"):
        name, data = told.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    return found


def continued(first: dict[str, Any], decision: object, *, is_document: bool) -> dict[str, Any]:
    """The request with the answer and what its client decides about the answer's call."""
    message = first["message"]
    content: Any = json.dumps(decision)
    if is_document:
        content = [{"type": "document", "document": {"data": decision}}]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": content}
    return {**ASK, "messages": [*ASK["messages"], message, result]}


async def test_a_text_streams_in_named_events(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        told = await events(api, ASK)
    assert [event["type"] for event in told][:2] == ["message-start", "content-start"]
    assert told[-1]["delta"]["finish_reason"] == "COMPLETE"


@pytest.mark.parametrize("is_document", [True, False])
async def test_code_waits_as_a_call_and_runs_when_approved(tmp_path: Path, is_document: bool):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        first = await api.post("/v2/chat", ASK)
        assert (first["finish_reason"], api.ran) == ("TOOL_CALL", [])
        approval = continued(first, {"decision": "approve"}, is_document=is_document)
        second = await api.post("/v2/chat", approval)
        assert api.ran == ["6 * 7"]
    assert second["finish_reason"] == "COMPLETE"
    assert second["message"]["content"][-1]["text"].endswith("42")


async def test_edited_code_runs_and_denied_code_does_not(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("So"), coded("2"), said("Well")) as api:
        first = await api.post("/v2/chat", ASK)
        edit = {"decision": "approve", "code": "3"}
        await api.post("/v2/chat", continued(first, edit, is_document=False))
        assert api.ran == ["3"]
        again = await api.post("/v2/chat", {**ASK, "messages": [{"role": "user", "content": "x"}]})
        denied = continued(again, {"decision": "deny"}, is_document=True)
        denied["messages"][0] = {"role": "user", "content": "x"}
        answer = await api.post("/v2/chat", denied)
        assert api.ran == ["3"]
    assert answer["finish_reason"] == "COMPLETE"


async def test_code_runs_unasked_where_that_is_allowed(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        await api.fails("/v2/chat", {**ASK, "auto_run": True}, 403, "auto_run_forbidden")
        api.may_auto_run = True
        answer = await api.post("/v2/chat", {**ASK, "auto_run": True})
        assert api.ran == ["6 * 7"]
    text = "".join(block["text"] for block in answer["message"]["content"])
    assert "```python\n6 * 7\n```" in text
    assert text.endswith("42")


async def test_calls_of_a_clients_tool_go_there_and_their_results_are_cited(tmp_path: Path):
    async with face(tmp_path, called("lookup", '{"q": 1}'), said("It is 19 °C.")) as api:
        body = {**ASK, "tools": [LOOKUP]}
        first = await api.post("/v2/chat", body)
        assert first["message"]["tool_calls"][0]["function"]["name"] == "lookup"
        asked = {**continued(first, {"temp": "19 °C"}, is_document=True), "tools": [LOOKUP]}
        answer = await api.post("/v2/chat", asked)
    [citation] = answer["message"]["citations"]
    assert (citation["start"], citation["end"], citation["text"]) == (6, 11, "19 °C")
    assert citation["sources"][0]["tool_output"] == {"temp": "19 °C"}


async def test_documents_reach_the_model_and_are_cited_unless_that_is_off(tmp_path: Path):
    documents = [{"id": "letter", "data": {"title": "T", "text": "Yours, Ada"}}]
    async with face(tmp_path, said("Yours, Ada"), said("Yours, Ada")) as api:
        answer = await api.post("/v2/chat", {**ASK, "documents": documents})
        assert "Yours, Ada" in api.provider.requests[0].instructions
        off = {**ASK, "documents": documents, "citation_options": {"mode": "OFF"}}
        silent = await api.post("/v2/chat", off)
    assert answer["message"]["citations"][0]["sources"][0]["id"] == "letter"
    assert "citations" not in silent["message"]


async def test_errors_have_the_words_that_cohere_users_read(tmp_path: Path):
    async with face(tmp_path) as api:
        failed = await api.fails("/v2/chat", {**ASK, "messages": []}, 400, "invalid_messages")
        assert failed.json()["message"] == failed.json()["error"]["message"]
        await api.fails("/v2/chat", {"messages": ASK["messages"]}, 400, "invalid_model")
        wrong = {**ASK, "documents": [3]}
        await api.fails("/v2/chat", wrong, 400, "invalid_messages")
