"""The whole server: real kernels and real models behind it, and what answers besides turns."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from playhead.domain.settings import AppSettings
from playhead.execution.process_executor import ProcessExecutor
from playhead.session.ports import Provider, SessionPorts
from tests.support import model_server as ms
from tests.support.asking import provider_of
from tests.support.http_face import COLLECTION, Face, face
from tests.support.model_server import GOLDEN_ANSWER, GOLDEN_CODE, ModelServer
from tests.support.ports import (
    KeysInMemory,
    OneInterpreter,
    ScriptedProvider,
    SettingsInMemory,
    SmallCatalog,
    coded,
    said,
)
from tests.support.waiting import until
from tests.support.workers import SharedWorker

CHAT = "/v1/chat"
COMPLETIONS = "/v1/chat/completions"
GOLDEN = Path(__file__).parents[1] / "data" / "division_dialogue.jsonl"
GO = {"role": "user", "type": "command", "content": "go"}
Wire = dict[str, Any]


def user(words: str) -> Wire:
    return {"role": "user", "type": "message", "content": words}


def asked(*messages: Wire, **more: Any) -> Wire:
    return {"messages": list(messages), **more}


def output_of(messages: list[Wire]) -> str:
    return "".join(m["content"] for m in messages if m["type"] == "console")


@asynccontextmanager
async def real_face(
    tmp_path: Path, provider: Provider, *, api_base: str = "", **more: Any
) -> AsyncIterator[Face]:
    """A server whose code runs in real kernels."""
    executor = ProcessExecutor(tmp_path / "outputs")
    settings = AppSettings(
        model="openai/test",
        api_base=api_base,
        interpreter=sys.executable,
        folder=str(tmp_path),
    )
    ports = SessionPorts(
        provider=provider,
        executor=executor,
        interpreters=OneInterpreter(),
        settings=SettingsInMemory(settings),
        keys=KeysInMemory(openai="sk-test"),
        catalog=SmallCatalog(),
    )
    try:
        async with face(tmp_path, ports=ports, **more) as api:
            yield api
    finally:
        await executor.close()


async def test_the_division_dialogue_comes_over_http_chunk_for_chunk(
    tmp_path: Path, model_worker: SharedWorker
):
    script = [ms.execute(*GOLDEN_CODE), ms.text(*GOLDEN_ANSWER)]
    question = user("What's 34/24?")
    with ModelServer(script) as server:
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base=server.base_url) as api,
        ):
            first = await api.events(CHAT, asked(question))
            code = {"role": "assistant", "type": "code", "format": "python", "content": "34 / 24"}
            second = await api.events(CHAT, asked(question, code, GO))
    assert [first.pop()["content"], second.pop()["content"]] == ["awaiting_approval", "complete"]
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    told = [{k: v for k, v in chunk.items() if k != "id"} for chunk in [*first, *second]]
    assert told == golden


async def test_parallel_calls_of_a_model_come_one_after_the_other(
    tmp_path: Path, model_worker: SharedWorker
):
    tools = [{"type": "function", "function": {"name": name}} for name in ("one", "two")]
    both = ms.calls(
        ms.call("one", '{"a"', ": 1}", index=0, call_id="c1"),
        ms.call("two", '{"b"', ": 2}", index=1, call_id="c2"),
    )
    body = {"model": "openai/test", "messages": [{"role": "user", "content": "both"}]}
    with ModelServer(both) as server:
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base=server.base_url) as api,
        ):
            completion = await api.post(COMPLETIONS, {**body, "tools": tools})
            offered = server.requests[0].body["tools"]
    calls = completion["choices"][0]["message"]["tool_calls"]
    assert [(c["id"], c["function"]["name"]) for c in calls] == [("c1", "one"), ("c2", "two")]
    assert [json.loads(c["function"]["arguments"]) for c in calls] == [{"a": 1}, {"b": 2}]
    assert [tool["function"]["name"] for tool in offered] == ["one", "two"]


OFFERS = [
    ([], False, ["execute"]),
    ([], True, ["execute"]),
    (["one"], False, ["one"]),
    (["one"], True, ["one", "execute"]),
    (["one", "execute"], False, ["one", "execute"]),
    (["one", "execute"], True, ["one", "execute"]),
]


@pytest.mark.parametrize(("tools", "auto_run", "offered"), OFFERS)
async def test_the_model_is_offered_the_tools_that_the_request_allows(
    tmp_path: Path, model_worker: SharedWorker, tools: list[str], auto_run: bool, offered: list[str]
):
    body = {
        "model": "openai/test",
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [
            {"type": "function", "function": {"name": name, "description": "The client's."}}
            for name in tools
        ],
        "auto_run": auto_run,
    }
    with ModelServer(ms.text("hi")) as server:
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base=server.base_url, may_auto_run=True) as api,
        ):
            await api.post(COMPLETIONS, body)
    told = [tool["function"] for tool in server.requests[0].body["tools"]]
    assert [function["name"] for function in told] == offered
    own = {function["name"] for function in told if function["description"] == "The client's."}
    assert own == set(tools)


async def test_a_session_s_parameters_reach_the_model_until_they_are_taken_back(
    tmp_path: Path, model_worker: SharedWorker
):
    parameters = {"temperature": 0.25, "max_tokens": 77, "top_p": 0.5, "stop": ["END", "FIN"]}
    nothing = dict.fromkeys(parameters)
    with ModelServer(ms.text("hi")) as server:
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base=server.base_url) as api,
        ):
            room = await api.post("/v1/sessions", {"config": {"llm": parameters}}, 201)
            path = f"/v1/sessions/{room['session_id']}"
            for change in ({}, {"stop": "ONE"}, nothing):
                await api.client.patch(path, json={"config": {"llm": change}})
                await api.post(f"{path}/messages", {"messages": [user("hi")]})
    told = [request.body for request in server.requests]
    found = [{name: body[name] for name in parameters if name in body} for body in told]
    assert found == [parameters, parameters | {"stop": ["ONE"]}, {}]


async def test_what_a_model_refuses_becomes_our_error(tmp_path: Path, model_worker: SharedWorker):
    refused = {"error 401": (500, "upstream_auth_error"), "error 429": (429, "rate_limit_exceeded")}
    with ModelServer() as server:
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base=server.base_url) as api,
        ):
            for question, (status, code) in refused.items():
                await api.fails(CHAT, asked(user(question), stream=True), status, code)
            health = (await api.client.get("/v1/health")).json()
            events = await api.events(CHAT, asked(user("cut")))
    assert health["llm"]["status"] == "unreachable"
    assert events[-1]["error"]["code"] == "upstream_truncated"


async def test_a_request_names_its_own_model_and_address(
    tmp_path: Path, model_worker: SharedWorker
):
    with ModelServer(ms.text("mine")) as server:
        own = {"api_base": server.base_url, "api_key": "sk-own"}
        async with (
            provider_of(model_worker) as provider,
            real_face(tmp_path, provider, api_base="http://127.0.0.1:9/v1") as api,
        ):
            body = {"model": "openai/test-small", "messages": [{"role": "user", "content": "x"}]}
            completion = await api.post(COMPLETIONS, {**body, **own, "temperature": 0.5})
    assert completion["choices"][0]["message"]["content"] == "mine"
    assert server.requests[0].headers["authorization"] == "Bearer sk-own"
    assert server.requests[0].body["model"] == "test-small"
    assert server.requests[0].body["temperature"] == 0.5


async def test_a_history_that_goes_on_keeps_the_names_of_its_kernel(tmp_path: Path):
    provider = ScriptedProvider(coded("x = 41"), [], coded("print(x + 1)"), [])
    async with real_face(tmp_path, provider, may_auto_run=True) as api:
        first = await api.post(CHAT, asked(user("begin"), auto_run=True))
        history = [user("begin"), *first["messages"], user("and now?")]
        second = await api.post(CHAT, asked(*history, auto_run=True))
    assert output_of(second["messages"]) == "42\n"


async def test_a_history_from_elsewhere_gets_a_kernel_of_its_own(tmp_path: Path):
    provider = ScriptedProvider(coded("x = 41"), [], coded("print(x + 1)"), [])
    async with real_face(tmp_path, provider, may_auto_run=True) as api:
        await api.post(CHAT, asked(user("begin"), auto_run=True))
        other = [user("begin"), {"role": "assistant", "type": "message", "content": "Hm."}]
        second = await api.post(CHAT, asked(*other, user("and now?"), auto_run=True))
    assert "NameError" in output_of(second["messages"])


_FAMILY = """\
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"])
os.system("sleep 600 & echo $! > deaf")
with open("pids.new", "w") as file:
    print(child.pid, open("deaf").read(), file=file)
os.rename("pids.new", "pids")
try:
    while True:
        time.sleep(0.01)
finally:
    open("ended", "w").close()
"""


async def test_a_client_that_goes_ends_its_run_with_all_its_children(tmp_path: Path):
    provider = ScriptedProvider(coded(_FAMILY), said("never"))
    pids = tmp_path / "pids"
    async with real_face(tmp_path, provider, may_auto_run=True) as api:
        body = asked(user("go on"), stream=True, auto_run=True)
        async with api.client.stream("POST", CHAT, json=body) as response:
            assert response.status_code == 200
            await until(pids.exists)
            children = [int(pid) for pid in pids.read_text().split()]
            assert all(map(_is_alive, children))
        await until(lambda: not any(map(_is_alive, children)))
        await until((tmp_path / "ended").exists)
        await until(lambda: all(session.is_idle for session in api.sessions.open_sessions))
        assert len(provider.requests) == 1


def _is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


async def test_many_streams_at_once_get_each_its_own_answer(tmp_path: Path):
    count = 100
    provider = ScriptedProvider(*[said(f"answer {number}") for number in range(count)])
    async with face(tmp_path) as api:
        api.provider.answers = provider.answers
        asking = [api.events(CHAT, asked(user(f"question {number}"))) for number in range(count)]
        told = await asyncio.gather(*asking)
        heard = {request.conversation_id for request in api.provider.requests}
    answers = {"".join(e.get("content", "") for e in events[:-1]) for events in told}
    assert answers == {f"answer {number}" for number in range(count)}
    assert {events[-1]["content"] for events in told} == {"complete"}
    assert len(heard) == count


async def test_everything_but_the_health_needs_the_key(tmp_path: Path):
    async with face(tmp_path, said("never")) as api:
        async with httpx.AsyncClient(base_url=api.client.base_url, trust_env=False) as stranger:
            assert (await stranger.get("/v1/health")).status_code == 200
            for path in ("/v1/health?detail=full", "/v1/models", "/openapi.json", "/api.json"):
                assert (await stranger.get(path)).status_code == 401, path
            for path in (CHAT, COMPLETIONS):
                assert (await stranger.post(path, json={})).status_code == 401, path
        assert api.provider.requests == []


async def test_the_models_are_those_of_the_settings_and_direct_mode(tmp_path: Path):
    async with face(tmp_path) as api:
        listed = (await api.client.get("/v1/models")).json()
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == ["openai/test", "playhead/direct"]
    assert {model["owned_by"] for model in listed["data"]} == {"openai", "playhead"}
    assert all(isinstance(model["created"], int) for model in listed["data"])


async def test_the_health_tells_of_the_model_and_in_full_of_what_goes_on(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        short = (await api.client.get("/v1/health")).json()
        await api.post(CHAT, asked(user("go on")))
        full = (await api.client.get("/v1/health", params={"detail": "full"})).json()
    llm = {"model": "openai/test", "status": "ready"}
    history = {"status": "ok"}
    assert short == {
        "status": "healthy",
        "version": "1.2.3",
        "llm": llm,
        "history": history,
        "instances": {"active": 0, "max": 200},
    }
    assert full["sessions"] == {"active": 1, "total": 1}
    assert full["kernels"] == {"running": 0}
    assert full["uptime_s"] >= 0


async def test_the_collection_is_served_as_the_file_is(tmp_path: Path):
    async with face(tmp_path) as api:
        response = await api.client.get("/api.json")
    assert response.content == COLLECTION.read_bytes()
    assert response.headers["content-type"].startswith("application/json")


async def test_unknown_paths_and_methods_are_said_to_be_so(tmp_path: Path):
    async with face(tmp_path) as api:
        unknown = await api.client.get("/v1/nothing")
        other = await api.client.get(CHAT)
        head = await api.client.head("/v1/health")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "not_found")
    assert (other.status_code, other.headers["allow"]) == (405, "POST")
    assert head.status_code == 200
