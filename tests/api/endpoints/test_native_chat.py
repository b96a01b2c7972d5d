"""POST /v1/chat, through a running server: chunks, decisions, settings, sessions, failures."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from playhead.api.server.server_options import ServerOptions
from playhead.domain.model import ModelParameters
from playhead.errors import ProviderError
from tests.support.http_face import Face, face
from tests.support.ports import (
    coded,
    said,
)
from tests.support.waiting import until

CHAT = "/v1/chat"
Wire = dict[str, Any]


def user(words: str = "go on") -> Wire:
    return {"role": "user", "type": "message", "content": words}


def command(word: str) -> Wire:
    return {"role": "user", "type": "command", "content": word}


def code(source: str, **more: Any) -> Wire:
    return {"role": "assistant", "type": "code", "format": "python", "content": source, **more}


def asked(*messages: Wire, **more: Any) -> Wire:
    return {"messages": list(messages) or [user()], **more}


def proposal(source: str) -> Wire:
    content = {"type": "code", "format": "python", "content": source}
    return {
        "role": "computer",
        "type": "confirmation",
        "format": "execution",
        "content": content,
    }


def output(words: str) -> Wire:
    return {"role": "computer", "type": "console", "format": "output", "content": words}


def message(words: str) -> Wire:
    return {"role": "assistant", "type": "message", "content": words}


def status(word: str) -> Wire:
    return {"role": "server", "type": "status", "content": word}


def let_go(api: Face) -> None:
    """The model, which was held, writes on."""
    gate, api.provider.gate = api.provider.gate, None
    gate.release()


WAITS = status("awaiting_approval")
COMPLETE = status("complete")


async def test_a_whole_answer_is_folded_messages(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        assert await api.post(CHAT, asked()) == {"messages": [message("Hello")]}


async def test_a_stream_is_one_chunk_an_event_and_ends_by_closing(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        data = await api.data(CHAT, asked())
    head = {"role": "assistant", "type": "message"}
    assert [json.loads(event) for event in data] == [
        head | {"start": True},
        head | {"content": "Hello"},
        head | {"end": True},
        COMPLETE,
    ]


async def test_code_is_proposed_and_nothing_runs(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), coded("6 * 7")) as api:
        events = await api.events(CHAT, asked())
        whole = await api.post(CHAT, asked(user("another")))
        assert events[-2:] == [proposal("6 * 7"), WAITS]
        assert whole["messages"] == [code("6 * 7"), proposal("6 * 7")]
        assert api.ran == []


async def test_go_runs_the_code_and_the_turn_goes_on(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        first = await api.post(CHAT, asked())
        events = await api.events(CHAT, asked(user(), *first["messages"], command("go")))
        assert api.ran == ["6 * 7"]
    console = {"role": "computer", "type": "console"}
    assert events[:5] == [
        console | {"start": True},
        console | {"format": "active_line", "content": "1"},
        console | {"format": "output", "content": "ran 6 * 7\n"},
        console | {"format": "active_line", "content": None},
        console | {"end": True},
    ]
    assert events[-1] == COMPLETE


async def test_the_code_runs_as_the_request_holds_it(tmp_path: Path):
    async with face(tmp_path, coded("old"), said("ok")) as api:
        await api.post(CHAT, asked())
        whole = await api.post(CHAT, asked(user(), code("new"), command("go")))
        assert api.ran == ["new"]
    assert whole["messages"] == [output("ran new\n"), message("ok")]


async def test_stop_declines_and_the_model_is_told(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("Then not.")) as api:
        first = await api.post(CHAT, asked())
        events = await api.events(CHAT, asked(user(), *first["messages"], command("stop")))
        assert api.ran == []
        told = api.provider.requests[1].messages[-1]
        assert (told.type, "chose not to run" in told.text) == ("tool_result", True)
    assert [event["content"] for event in events if "content" in event][-2:] == [
        "Then not.",
        "complete",
    ]


async def test_go_without_code_is_refused(tmp_path: Path):
    async with face(tmp_path) as api:
        await api.fails(CHAT, asked(user(), command("go")), 400, "nothing_to_approve")
        assert api.provider.requests == []


async def test_go_after_a_question_that_had_no_answer_is_refused(tmp_path: Path):
    async with face(tmp_path, []) as api:
        await api.post(CHAT, asked())
        await api.fails(CHAT, asked(user(), command("go")), 400, "nothing_to_approve")


async def test_two_proposals_are_decided_one_after_the_other(tmp_path: Path):
    both = [*coded("1", call_id="a"), *coded("2", call_id="b")]
    async with face(tmp_path, both, said("done")) as api:
        history = [user(), *(await api.post(CHAT, asked()))["messages"]]
        assert [m["type"] for m in history] == ["message", "code", "code", "confirmation"]
        second = await api.post(CHAT, asked(*history, command("go")))
        assert second["messages"] == [output("ran 1\n"), proposal("2")]
        history += [command("go"), *second["messages"]]
        last = await api.post(CHAT, asked(*history, command("go")))
        assert last["messages"] == [output("ran 2\n"), message("done")]
        assert api.ran == ["1", "2"]


async def test_auto_run_over_http_is_refused_where_it_is_not_allowed(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        refusal = await api.fails(CHAT, asked(auto_run=True), 403, "auto_run_forbidden")
        assert "May run without asking" in refusal.json()["error"]["message"]
        assert (api.ran, api.provider.requests) == ([], [])


async def test_auto_run_announces_code_and_runs_it(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("ok"), coded("2"), may_auto_run=True) as api:
        events = await api.events(CHAT, asked(auto_run=True))
        assert proposal("1") in events
        assert events[-1] == COMPLETE
        whole = await api.post(CHAT, asked(user("more"), auto_run=False))
        assert whole["messages"][-1] == proposal("2")
        assert api.ran == ["1"]
        assert api.executor.requests[0].stop_grace_s == 1.0


async def test_a_waiting_turn_stands_in_the_list_with_its_clients_name(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        await api.post(CHAT, asked(user("one and one")))
        rows = [(row.title, row.client) for row in api.sessions.summaries]
    assert rows == [("one and one", "httpx")]


async def test_only_the_windows_click_approves_where_clients_may_not(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("ok"), may_approve=False) as api:
        asking = asyncio.create_task(api.events(CHAT, asked()))
        await until(lambda: [s for s in api.sessions.open_sessions if s.pending])
        session = api.sessions.open_sessions[0]
        refusal = await api.fails(
            CHAT, asked(user(), code("1"), command("go")), 403, "approval_forbidden"
        )
        assert "May approve" in refusal.json()["error"]["message"]
        assert api.ran == []
        assert session.pending is not None
        session.approve(session.pending.id)
        events = await asking
        assert (api.ran, events[-1]) == (["1"], COMPLETE)
        assert WAITS not in events


async def test_settings_of_a_request_hold_for_it_alone(tmp_path: Path):
    llm = {
        "model": "openai/other",
        "temperature": 0.2,
        "max_tokens": 7,
        "top_p": 0.5,
        "stop": "END",
        "api_base": "http://elsewhere.example/v1",
        "api_key": "sk-own",
    }
    async with face(tmp_path, said("a"), said("b")) as api:
        await api.post(CHAT, asked(config={"llm": llm}))
        await api.post(CHAT, asked(user("again")))
        own, plain = (request.model for request in api.provider.requests)
    assert own.api_key is not None
    assert (own.model, own.api_base, own.api_key.reveal()) == (
        "openai/other",
        "http://elsewhere.example/v1",
        "sk-own",
    )
    assert own.parameters == ModelParameters(
        temperature=0.2, max_tokens=7, top_p=0.5, stop=("END",)
    )
    assert (plain.model, plain.api_base) == ("openai/test", None)
    assert plain.parameters == ModelParameters()


async def test_a_kept_key_never_goes_to_an_address_of_a_request(tmp_path: Path):
    llm = {"model": "openai/test", "api_base": "http://evil.example/v1"}
    async with face(tmp_path) as api:
        await api.fails(CHAT, asked(config={"llm": llm}), 400, "missing_api_key")
        assert api.provider.requests == []


async def test_a_session_keeps_its_history_and_takes_only_what_is_new(tmp_path: Path):
    async with face(tmp_path, said("Hello"), said("Fine")) as api:
        session = api.sessions.new()
        await api.post(CHAT, asked(user("hi"), session_id=session.conversation.id))
        await api.post(CHAT, asked(user("and you?"), session_id=session.conversation.id))
        heard = [m.text for m in api.provider.requests[1].messages if m.role != "server"]
    assert heard == ["hi", "Hello", "and you?"]


async def test_an_unknown_session_is_not_found(tmp_path: Path):
    async with face(tmp_path) as api:
        await api.fails(CHAT, asked(session_id="nobody"), 404, "not_found")


async def test_a_busy_session_takes_no_second_turn(tmp_path: Path):
    async with face(tmp_path, said("a")) as api:
        api.provider.gate = asyncio.Semaphore(0)
        session_id = api.sessions.new().conversation.id
        first = asyncio.create_task(api.post(CHAT, asked(session_id=session_id)))
        await until(lambda: api.provider.requests)
        await api.fails(CHAT, asked(session_id=session_id), 423, "session_busy")
        let_go(api)
        assert await first == {"messages": [message("a")]}


FAILURES = [
    ("rate_limit_exceeded", 429, "rate_limit_error", {"retry-after": "7"}),
    ("upstream_error", 500, "server_error", {}),
    ("upstream_truncated", 500, "server_error", {}),
    ("upstream_auth_error", 500, "server_error", {"x-should-retry": "false"}),
]


@pytest.mark.parametrize(("word", "status_code", "kind", "headers"), FAILURES)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_failure_before_the_first_piece_is_a_plain_error(
    tmp_path: Path, word: str, status_code: int, kind: str, headers: dict, stream: bool
):
    failure = ProviderError("No answer", remedy="Wait.", code=word, retry_after_s=7)
    async with face(tmp_path, [failure]) as api:
        response = await api.fails(CHAT, asked(stream=stream), status_code, word)
    error = response.json()["error"]
    assert (error["message"], error["type"]) == ("No answer. Wait.", kind)
    assert headers.items() <= dict(response.headers).items()
    assert response.headers["content-type"].startswith("application/json")


async def test_a_failure_after_the_first_piece_closes_the_message_and_comes_last(tmp_path: Path):
    cut = [*said("half")[:2], ProviderError("It broke off in /home/me/x", code="upstream_error")]
    async with face(tmp_path, cut, cut) as api:
        events = await api.events(CHAT, asked())
        await api.fails(CHAT, asked(user("whole")), 500, "upstream_error")
    assert events[1:3] == [message("half"), {"role": "assistant", "type": "message", "end": True}]
    assert (events[-1]["role"], events[-1]["type"]) == ("server", "error")
    assert events[-1]["error"]["code"] == "upstream_error"
    assert len(events) == 4


async def test_kinds_of_our_own_faces_come_only_when_asked_for(tmp_path: Path):
    async with face(tmp_path, coded("fail"), [], coded("fail"), may_auto_run=True) as api:
        plain = await api.events(CHAT, asked(auto_run=True))
        extended = await api.events(CHAT, asked(user("x"), auto_run=True, extended=True))
    assert {"run", "error"} & {event["type"] for event in plain} == set()
    assert {"run", "error"} <= {event["type"] for event in extended}


async def test_a_client_that_goes_while_the_model_writes_ends_its_stream(tmp_path: Path):
    async with face(tmp_path, said("a long story")) as api:
        api.provider.gate = asyncio.Semaphore(2)
        async with api.client.stream("POST", CHAT, json=asked(stream=True)) as response:
            await response.aiter_lines().__anext__()
            assert api.provider.closed_streams == 0
        await until(lambda: api.provider.closed_streams == 1)
        await until(lambda: all(session.is_idle for session in api.sessions.open_sessions))


async def test_a_client_that_goes_before_a_whole_answer_ends_it_too(tmp_path: Path):
    async with face(tmp_path, said("never")) as api:
        api.provider.gate = asyncio.Semaphore(0)
        asking = asyncio.create_task(api.post(CHAT, asked()))
        await until(lambda: api.provider.requests)
        asking.cancel()
        await until(lambda: api.provider.closed_streams == 1)
        with suppress(asyncio.CancelledError):
            await asking


async def test_silence_is_answered_with_a_status_and_pings(tmp_path: Path):
    options = ServerOptions(port=0, status_s=0.02, ping_s=0.02)
    async with face(tmp_path, said("late"), options=options) as api:
        api.provider.gate = asyncio.Semaphore(0)
        async with api.client.stream("POST", CHAT, json=asked(stream=True)) as response:
            lines = response.aiter_lines()
            assert (response.status_code, await anext(lines)) == (200, ": ping")
            let_go(api)
            rest = [line async for line in lines if line.startswith("data: ")]
    assert json.loads(rest[-1].removeprefix("data: ")) == COMPLETE


@pytest.mark.parametrize("depth", [150, 900, 50_000])
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v2/chat"])
async def test_a_body_nested_too_deeply_is_refused(tmp_path: Path, path: str, depth: int):
    tool = '{"type": "function", "function": {"name": "lookup", "parameters": '
    tool += '{"a":' * depth + "1" + "}" * depth + "}}"
    said_ = '{"role": "user", "type": "message", "content": "hi"}'
    body = f'{{"model": "openai/test", "messages": [{said_}], "tools": [{tool}]}}'
    async with face(tmp_path, said("Hello.")) as api:
        headers = {"Content-Type": "application/json"}
        response = await api.client.post(path, content=body, headers=headers)
        assert response.status_code == 400
        assert response.json()["error"]["code"] == "invalid_json"
        assert "nested too deeply" in response.text
