"""A call that broke off although its model said it was whole, with the real model worker."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.domain.settings import AppSettings
from tests.support import model_server as ms
from tests.support.asking import provider_of
from tests.support.assistants_face import asking
from tests.support.http_face import Face, face
from tests.support.model_server import ModelServer
from tests.support.ports import RecordingExecutor, ScriptedProvider, SettingsInMemory, ports_with
from tests.support.workers import SharedWorker

MODEL = "openai/test"
HALF = ms.call("execute", '{"language": "python", "code": "rm(', "'all")
WHOLE = ms.execute("6 * 7")
USER = {"role": "user", "content": "hi"}
NATIVE = {"messages": [{"role": "user", "type": "message", "content": "hi"}]}
CHAT = {"model": MODEL, "messages": [USER]}
KERNEL = {"messages": [{"type": "input", "text": "hi"}], "stream": False}
EXECUTE = {"type": "function", "function": {"name": "execute", "parameters": {"type": "object"}}}


@asynccontextmanager
async def served(
    worker: SharedWorker, folder: Path, script: list[ms.Reply]
) -> AsyncIterator[tuple[Face, ModelServer]]:
    """The API over a model server that answers this."""
    with ModelServer(script) as server:
        async with provider_of(worker) as provider:
            settings = SettingsInMemory(AppSettings(model=MODEL, api_base=server.base_url))
            ports = ports_with(ScriptedProvider(), RecordingExecutor())
            ports = replace(ports, provider=provider, settings=settings)
            async with face(folder, ports=ports, may_auto_run=True) as api:
                yield api, server


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat", {**NATIVE, "auto_run": True}),
        ("/v1/chat/completions", {**CHAT, "auto_run": True}),
        ("/v2/chat", {**CHAT, "auto_run": True}),
        ("/v1/kernel/stream", {**KERNEL, "auto_run": True}),
    ],
)
async def test_it_is_given_back_to_the_model_which_calls_again(
    model_worker: SharedWorker, tmp_path: Path, path: str, body: dict[str, Any]
):
    async with served(model_worker, tmp_path, [HALF, WHOLE, ms.text("42")]) as (api, server):
        told = await api.post(path, body)
        assert api.ran == ["6 * 7"]
        assert "42" in json.dumps(told)
        [result] = [m for m in server.requests[1].messages if m["role"] == "tool"]
        assert "broke off" in result["content"]


async def test_a_kernel_client_is_asked_about_the_whole_call_alone(
    model_worker: SharedWorker, tmp_path: Path
):
    async with served(model_worker, tmp_path, [HALF, WHOLE]) as (api, _server):
        told = (await api.post("/v1/kernel/stream", KERNEL))["messages"]
    calls = [call for m in told if m["type"] == "tool_calls" for call in m["toolCalls"]]
    assert [call["args"]["code"] for call in calls] == ["6 * 7"]
    assert [m for m in told if m["type"] == "tool_results"] == []


async def test_an_assistants_run_requires_action_for_the_whole_call_alone(
    model_worker: SharedWorker, tmp_path: Path
):
    async with served(model_worker, tmp_path, [HALF, WHOLE, ms.text("42")]) as (api, _server):
        asked = await asking(api)
        await asked.run("hi")
        [call] = asked.calls(await asked.polled())
        assert json.loads(call["function"]["arguments"])["code"] == "6 * 7"
        broken = (await asked.steps())[0]["step_details"]["tool_calls"][0]["function"]
        with pytest.raises(ValueError, match="Unterminated"):
            json.loads(broken["arguments"])
        await asked.submit({"decision": "approve"})
        assert api.ran == ["6 * 7"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {**CHAT, "tools": [EXECUTE]}),
        ("/v2/chat", CHAT),
    ],
)
async def test_a_client_that_has_seen_half_of_it_gets_a_failure(
    model_worker: SharedWorker, tmp_path: Path, path: str, body: dict[str, Any]
):
    async with served(model_worker, tmp_path, [HALF, WHOLE]) as (api, _server):
        await api.fails(path, body, 500, "upstream_truncated")
        assert api.ran == []


async def test_after_three_times_the_client_is_told(model_worker: SharedWorker, tmp_path: Path):
    async with served(model_worker, tmp_path, [HALF] * 5) as (api, server):
        await api.fails("/v1/chat", NATIVE, 500, "upstream_error")
        assert len(server.requests) == 4
        assert api.ran == []


DEEP = ms.call("execute", '{"language": "python", "code": ' + "[" * 50_000, "]" * 50_000 + "}")
DEEP_OF_ITS_OWN = ms.call("lookup", '{"place": ' + "[" * 50_000, "]" * 50_000 + "}")


@pytest.mark.parametrize("reply", [DEEP, DEEP_OF_ITS_OWN], ids=["execute", "another tool"])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat", {**NATIVE, "auto_run": True}),
        ("/v1/chat/completions", {**CHAT, "auto_run": True}),
        ("/v2/chat", {**CHAT, "auto_run": True}),
        ("/v1/kernel/stream", {**KERNEL, "auto_run": True}),
    ],
)
async def test_arguments_nested_deeply_are_a_broken_call(
    model_worker: SharedWorker,
    tmp_path: Path,
    path: str,
    body: dict[str, Any],
    reply: ms.Reply,
):
    async with served(model_worker, tmp_path, [reply, ms.text("Sorry.")]) as (api, server):
        told = await api.post(path, body)
        assert "Sorry." in json.dumps(told)
        assert api.ran == []
        [result] = [m for m in server.requests[1].messages if m["role"] == "tool"]
        assert result["content"]
