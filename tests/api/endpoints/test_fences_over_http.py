"""Fences of a model without tools, in each format: examples are text, the last ones are asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.assistants_face import asking
from tests.support.http_face import face
from tests.support.ports import coded, said

LONG = "This is how it is done. " * 20
EXAMPLE = "```python\nrm()\n```"
ANSWER = [
    *said("So:"),
    *coded("rm()"),
    *said(LONG),
    *coded("a = 1"),
    *coded("a + 1"),
    *said("Shall I?"),
]
APPROVE = {"decision": "approve"}
INPUT = {"type": "input", "id": "i", "createdAt": 1, "text": "hi"}
NATIVE_USER = {"role": "user", "type": "message", "content": "hi"}
GO = {"role": "user", "type": "command", "content": "go"}
CHAT_USER = {"role": "user", "content": "hi"}


async def test_native_each_proposal_has_its_own_confirmation_and_the_example_none(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2")) as api:
        history: list[dict[str, Any]] = [NATIVE_USER]
        asked: list[str] = []
        for _ in range(3):
            body = {"messages": history, "stream": False}
            told = (await api.post("/v1/chat", body))["messages"]
            asked += [m["content"]["content"] for m in told if m["type"] == "confirmation"]
            history = [*history, *told, GO]
        assert asked == ["a = 1", "a + 1"]
        assert api.ran == ["a = 1", "a + 1"]


async def test_native_a_foreign_history_approves_the_proposal_and_not_the_example(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2")) as first:
        told = (await first.post("/v1/chat", {"messages": [NATIVE_USER]}))["messages"]
    async with face(tmp_path, said("2")) as api:
        await api.post("/v1/chat", {"messages": [NATIVE_USER, *told, GO]})
        assert api.ran == ["a = 1"]


async def test_chat_asks_about_one_after_the_other(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2")) as api:
        body: dict[str, Any] = {"model": "openai/test", "messages": [CHAT_USER]}
        texts: list[str] = []
        for _ in range(3):
            answer = await api.post("/v1/chat/completions", body)
            message = answer["choices"][0]["message"]
            texts.append(message["content"])
            yes = {"role": "user", "content": "yes"}
            body = {**body, "messages": [*body["messages"], message, yes]}
        assert api.ran == ["a = 1", "a + 1"]
    question = "Do you want to run this code?"
    assert [text.count(question) for text in texts] == [1, 1, 0]
    assert texts[0].index(EXAMPLE) < texts[0].index(LONG.strip())
    assert texts[0].endswith(f"```python\na = 1\n```\n\n{question}")
    assert texts[1].endswith(f"```python\na + 1\n```\n\n{question}")


async def test_assistants_require_action_for_the_proposals_alone(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2")) as api:
        asked = await asking(api)
        await asked.run("hi")
        calls = [json.loads(c["function"]["arguments"]) for c in asked.calls(await asked.polled())]
        assert [call["code"] for call in calls] == ["a = 1", "a + 1"]
        assert ("assistant", EXAMPLE) in await asked.texts()
        await asked.submit(APPROVE, APPROVE)
        assert api.ran == ["a = 1", "a + 1"]


async def test_assistants_that_run_unasked_run_the_proposals_alone(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2"), may_auto_run=True) as api:
        asked = await asking(api)
        await asked.run("hi", auto_run=True)
        assert api.ran == ["a = 1", "a + 1"]
        steps = [s["step_details"] for s in await asked.steps() if s["type"] == "tool_calls"]
        codes = [c["code_interpreter"] for step in steps for c in step["tool_calls"]]
    assert [(c["input"], c["outputs"][0]["logs"]) for c in codes] == [
        ("a = 1", "ran a = 1\n"),
        ("a + 1", "ran a + 1\n"),
    ]


async def test_cohere_calls_the_proposals_alone(tmp_path: Path):
    async with face(tmp_path, ANSWER, said("2")) as api:
        body = {"model": "openai/test", "messages": [CHAT_USER]}
        message = (await api.post("/v2/chat", body))["message"]
        codes = [json.loads(c["function"]["arguments"])["code"] for c in message["tool_calls"]]
        assert codes == ["a = 1", "a + 1"]
        assert EXAMPLE in message.get("tool_plan", "") + json.dumps(
            message.get("content"), ensure_ascii=False
        ).replace("\\n", "\n")
        results = [
            {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(APPROVE)}
            for call in message["tool_calls"]
        ]
        await api.post("/v2/chat", {**body, "messages": [CHAT_USER, message, *results]})
        assert api.ran == ["a = 1", "a + 1"]


@pytest.mark.parametrize("auto_run", [False, True])
async def test_kernel_messages_call_the_proposals_alone(tmp_path: Path, auto_run: bool):
    async with face(tmp_path, ANSWER, said("2"), may_auto_run=True) as api:
        body = {"messages": [INPUT], "stream": False, "auto_run": auto_run}
        told = (await api.post("/v1/kernel/stream", body))["messages"]
        calls = [call for m in told if m["type"] == "tool_calls" for call in m["toolCalls"]]
        assert [call["args"]["code"] for call in calls] == ["a = 1", "a + 1"]
        assert EXAMPLE in [m.get("text") for m in told]
        if not auto_run:
            results = [
                {"toolCallId": call["id"], "name": "execute", "value": APPROVE} for call in calls
            ]
            decided = {"type": "tool_results", "results": results}
            body["messages"] = [INPUT, *told, decided]
            await api.post("/v1/kernel/stream", body)
        assert api.ran == ["a = 1", "a + 1"]
