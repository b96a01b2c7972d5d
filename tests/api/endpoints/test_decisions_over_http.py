"""A second decision about the same code: a no can become a yes, a yes never runs a second time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from playhead.api.turns import session_lifetimes
from tests.support.http_face import Face, face
from tests.support.ports import coded, said
from tests.support.waiting import until

Wire = dict[str, Any]
USER = {"role": "user", "content": "hi"}
NATIVE_USER = {"role": "user", "type": "message", "content": "hi"}
INPUT = {"type": "input", "id": "i", "createdAt": 1, "text": "hi"}
EXECUTE = {"type": "function", "function": {"name": "execute", "parameters": {"type": "object"}}}
CODE = "6 * 7"


class Chat:
    """A client without tools: it answers the question in words."""

    path = "/v1/chat/completions"
    refuses_repetition = False  # a second yes is an ordinary message
    more: ClassVar[Wire] = {}
    answer: Any

    async def ask(self, api: Face) -> None:
        told = await api.post(self.path, {"model": "openai/test", "messages": [USER], **self.more})
        self.answer = told["choices"][0]["message"]

    def decided(self, verb: str) -> Wire:
        word = {"approve": "yes", "deny": "no"}[verb]
        messages = [USER, self.answer, {"role": "user", "content": word}]
        return {"model": "openai/test", "messages": messages}


class ChatCalls(Chat):
    """A client with its own `execute`."""

    refuses_repetition = True
    more: ClassVar[Wire] = {"tools": [EXECUTE]}

    def decided(self, verb: str) -> Wire:
        result = {
            "role": "tool",
            "tool_call_id": self.answer["tool_calls"][0]["id"],
            "content": json.dumps({"decision": verb}),
        }
        return {"model": "openai/test", "messages": [USER, self.answer, result], **self.more}


class Cohere(ChatCalls):
    path = "/v2/chat"
    more: ClassVar[Wire] = {}

    async def ask(self, api: Face) -> None:
        told = await api.post(self.path, {"model": "openai/test", "messages": [USER]})
        self.answer = told["message"]


class Native(Chat):
    path = "/v1/chat"
    refuses_repetition = True

    async def ask(self, api: Face) -> None:
        self.answer = (await api.post(self.path, {"messages": [NATIVE_USER]}))["messages"]

    def decided(self, verb: str) -> Wire:
        word = {"approve": "go", "deny": "stop"}[verb]
        command = {"role": "user", "type": "command", "content": word}
        return {"messages": [NATIVE_USER, *self.answer, command]}


class Session(Native):
    """Only what is new is sent."""

    async def ask(self, api: Face) -> None:
        made = await api.post("/v1/sessions", {}, 201)
        self.path = f"/v1/sessions/{made['session_id']}/messages"
        await super().ask(api)

    def decided(self, verb: str) -> Wire:
        return {"messages": super().decided(verb)["messages"][-1:]}


class Kernel(Chat):
    path = "/v1/kernel/stream"
    refuses_repetition = True

    async def ask(self, api: Face) -> None:
        told = await api.post(self.path, {"messages": [INPUT], "stream": False})
        self.answer = told["messages"]

    def decided(self, verb: str) -> Wire:
        call_id = self.answer[-1]["toolCalls"][0]["id"]
        result = {"toolCallId": call_id, "name": "execute", "value": {"decision": verb}}
        results = {"type": "tool_results", "results": [result]}
        return {"messages": [INPUT, *self.answer, results], "stream": False}


WIRES = [Chat, ChatCalls, Cohere, Native, Session, Kernel]
ANSWERS = [said("one"), said("two"), said("three")]


@pytest.mark.parametrize("wire", WIRES)
async def test_a_no_that_is_edited_into_a_yes_runs_the_code_in_its_conversation(
    tmp_path: Path, wire: type[Chat]
):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        client = wire()
        await client.ask(api)
        await api.post(client.path, client.decided("deny"))
        assert api.ran == []
        await api.post(client.path, client.decided("approve"))
        assert api.ran == [CODE]
        [session] = api.sessions.open_sessions
        told = api.provider.requests[-1].messages
        assert "one" not in [message.text for message in told]  # the answer to the no is beside it
        assert session.pending is None
        again = await api.client.post(client.path, json=client.decided("approve"))
        assert again.status_code == (400 if client.refuses_repetition else 200)
        assert api.ran == [CODE]


@pytest.mark.parametrize("wire", WIRES)
async def test_what_was_approved_runs_once_however_often_that_is_sent(
    tmp_path: Path, wire: type[Chat]
):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        client = wire()
        await client.ask(api)
        for verb in ("approve", "approve", "deny"):
            await api.client.post(client.path, json=client.decided(verb))
            assert api.ran == [CODE]


@pytest.mark.parametrize("wire", [Chat, ChatCalls, Cohere, Native, Kernel])
async def test_it_runs_once_also_when_its_conversation_is_gone(
    tmp_path: Path, wire: type[Chat], monkeypatch: pytest.MonkeyPatch
):
    async with face(tmp_path, coded(CODE), *ANSWERS, said("four")) as api:
        client = wire()
        await client.ask(api)
        await api.post(client.path, client.decided("approve"))
        [first] = api.sessions.open_sessions
        monkeypatch.setattr(session_lifetimes, "MAX_IDLE", 0)
        await api.post("/v1/chat", {"messages": [{**NATIVE_USER, "content": "other"}]})
        await until(lambda: first not in api.sessions.open_sessions)
        again = await api.client.post(client.path, json=client.decided("approve"))
        assert again.status_code == (400 if client.refuses_repetition else 200)
        assert api.ran == [CODE]


async def test_in_a_session_any_other_message_of_a_chat_client_declines(tmp_path: Path):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        session = (await api.post("/v1/sessions", {}, 201))["session_id"]
        body = {"model": "openai/test", "session_id": session}
        for word in ("hi", "no", "yes"):
            await api.post(Chat.path, {**body, "messages": [{"role": "user", "content": word}]})
        assert api.ran == []
        told = [message.text for message in api.provider.requests[-1].messages]
    assert told[-3:] == ["no", "one", "yes"]


async def test_in_a_session_of_the_window_a_message_waits_for_its_decision(tmp_path: Path):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        session = api.sessions.new()
        session.send("from the window")
        await until(lambda: session.pending)
        body = {"model": "openai/test", "session_id": session.conversation.id}
        asked = {**body, "messages": [{"role": "user", "content": "no"}]}
        await api.fails(Chat.path, asked, 423, "session_busy")
        assert session.pending is not None
        await session.stopped()


async def test_what_the_window_declined_stays_declined(tmp_path: Path):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        client = Native()
        await client.ask(api)
        [session] = api.sessions.open_sessions
        pending = session.pending
        assert pending is not None
        assert session.reject(pending.id)
        await api.fails(client.path, client.decided("approve"), 400, "invalid_state")
        assert api.ran == []


async def test_only_who_may_approve_turns_a_no_into_a_yes(tmp_path: Path):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        client = Chat()
        await client.ask(api)
        await api.post(client.path, client.decided("deny"))
        api.may_approve = False
        await api.fails(client.path, client.decided("approve"), 403, "approval_forbidden")
        assert api.ran == []


async def test_a_yes_to_an_older_answer_that_asks_nothing_is_a_message_there(tmp_path: Path):
    async with face(tmp_path, said("Shall I?"), said("one"), said("two")) as api:
        client = Chat()
        await client.ask(api)
        await api.post(client.path, client.decided("deny"))
        await api.post(client.path, client.decided("approve"))
        told = [message.text for message in api.provider.requests[-1].messages]
    assert told == ["hi", "Shall I?", "yes"]


async def test_a_declined_block_runs_as_the_edited_request_holds_it(tmp_path: Path):
    async with face(tmp_path, coded(CODE), *ANSWERS) as api:
        client = Native()
        await client.ask(api)
        await api.post(client.path, client.decided("deny"))
        body = client.decided("approve")
        body["messages"][1] = {**body["messages"][1], "content": "6 * 9"}
        await api.post(client.path, body)
        assert api.ran == ["6 * 9"]
