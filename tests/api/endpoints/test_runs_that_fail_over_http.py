"""Code that asks with nobody to answer, and failures after code has run, through a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import InputRequest, RunReport
from playhead.domain.execution import RunRequest
from playhead.errors import ProviderError
from tests.support.http_face import face
from tests.support.ports import RecordingExecutor, ScriptedProvider, coded, ports_with, said
from tests.support.waiting import LIMIT_S, until

CHATS = {
    "/v1/chat": {"messages": [{"role": "user", "type": "message", "content": "go on"}]},
    "/v1/chat/completions": {
        "model": "openai/m",
        "messages": [{"role": "user", "content": "go on"}],
    },
}


class AskingExecutor(RecordingExecutor):
    """Its code asks for a name and waits for the answer until it is interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.interrupted = asyncio.Event()

    async def run(self, request: RunRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        yield Chunk(role="computer", type="run", content=RunReport(state="started"))
        yield Chunk(role="computer", type="input", content=InputRequest("i1", "Name? "))
        await self.interrupted.wait()
        yield Chunk(
            role="computer", type="run", content=RunReport(state="interrupted", seconds=0.1, line=1)
        )

    async def interrupt(self, conversation_id: str) -> None:
        self.interrupted.set()


@pytest.mark.parametrize("path", CHATS)
async def test_code_that_asks_for_input_ends_its_turn_in_words(tmp_path: Path, path: str):
    ports = ports_with(ScriptedProvider(coded("ask"), said("not reached")), AskingExecutor())
    async with face(tmp_path, ports=ports, may_auto_run=True) as api:
        body = {**CHATS[path], "auto_run": True}
        async with asyncio.timeout(LIMIT_S):
            events = await api.events(path, body)
        assert events[-1]["error"]["code"] == "input_unanswered"
        assert "Name?" in events[-1]["error"]["message"]
        await until(api.executor.interrupted.is_set)
        assert len(api.provider.requests) == 1


@pytest.mark.parametrize("path", CHATS)
async def test_a_whole_answer_says_so_with_a_status_that_is_not_repeated(tmp_path: Path, path: str):
    ports = ports_with(ScriptedProvider(coded("ask")), AskingExecutor())
    async with face(tmp_path, ports=ports, may_auto_run=True) as api:
        async with asyncio.timeout(LIMIT_S):
            await api.fails(path, {**CHATS[path], "auto_run": True}, 400, "input_unanswered")


@pytest.mark.parametrize("path", CHATS)
async def test_standard_input_ends_where_a_run_begins_that_nobody_sees(tmp_path: Path, path: str):
    async with face(tmp_path, coded("x = 1"), said("Done."), may_auto_run=True) as api:
        await api.post(path, {**CHATS[path], "auto_run": True})
        assert api.executor.ended_inputs == ["x = 1"]


async def test_a_failure_after_code_has_run_asks_clients_not_to_repeat_it(tmp_path: Path):
    failing = [ProviderError("Busy.", code="rate_limit_exceeded", retry_after_s=7)]
    async with face(tmp_path, coded("x = 1"), failing, may_auto_run=True) as api:
        body = {**CHATS["/v1/chat"], "auto_run": True}
        response = await api.fails("/v1/chat", body, 429, "rate_limit_exceeded")
        assert response.headers["x-should-retry"] == "false"
        assert response.headers["retry-after"] == "7"


async def test_a_failure_before_any_code_may_be_repeated(tmp_path: Path):
    async with face(tmp_path, [ProviderError("Down.", code="upstream_error")]) as api:
        response = await api.fails("/v1/chat", CHATS["/v1/chat"], 500, "upstream_error")
        assert "x-should-retry" not in response.headers
