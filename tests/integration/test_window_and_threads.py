"""Threads of programs in the window: shown like its own, decided there or by their client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from playhead.ui.widgets.theme import Theme
from tests.integration.test_window_and_programs import RESOURCES, SETTINGS, Api, opened, serving
from tests.support.ports import coded, said
from tests.support.waiting import until

ASKED = {"role": "user", "content": "What's 6 * 7?"}
WAIT_S = 60


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme(RESOURCES)


class Thread:
    """A thread of a program, and its last run."""

    def __init__(self, api: Api) -> None:
        self._client = api.client
        self.path = ""
        self.run_path = ""

    async def post(self, path: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
        response = await self._client.post(path, json=body)
        assert response.status_code == status, response.text
        return response.json()

    async def run(self) -> None:
        """Begin it, to go on by itself."""
        made = await self.post("/v1/threads", {"messages": [ASKED]})
        self.path = f"/v1/threads/{made['id']}"
        run = await self.post(f"{self.path}/runs", {})
        self.run_path = f"{self.path}/runs/{run['id']}"

    async def polled(self) -> dict[str, Any]:
        """The run as it stands."""
        return (await self._client.get(self.run_path)).json()

    async def stands(self, status: str) -> dict[str, Any]:
        """The run as soon as it stands like this."""
        async with asyncio.timeout(WAIT_S):
            while True:
                run = await self.polled()
                if run["status"] == status:
                    return run
                await asyncio.sleep(0.02)

    async def submit(self, decision: dict[str, str], status: int = 200) -> dict[str, Any]:
        """Decide about the only call that waits."""
        run = await self.stands("requires_action")
        [call] = run["required_action"]["submit_tool_outputs"]["tool_calls"]
        outputs = [{"tool_call_id": call["id"], "output": json.dumps(decision)}]
        path = f"{self.run_path}/submit_tool_outputs"
        return await self.post(path, {"tool_outputs": outputs}, status)


@asynccontextmanager
async def asked(
    theme: Theme, tmp_path: Path, *, client_approves: bool
) -> AsyncIterator[tuple[Any, Thread]]:
    """A window in which a thread's code waits, and is shown."""
    settings = replace(SETTINGS, api_client_approves=client_approves)
    answers = coded("6 * 7"), said("42")
    async with opened(theme, tmp_path, *answers, settings=settings) as bench, serving(bench) as api:
        thread = Thread(api)
        await thread.run()
        banners = bench.parts.notifications
        await until(lambda: banners.banners)
        assert banners.banners[0].title == "openai-python wants to run code."
        bench.click(banners.banners[0].button)
        await bench.asked()
        yield bench, thread


async def test_a_click_decides_and_the_run_goes_on(theme: Theme, tmp_path: Path) -> None:
    async with asked(theme, tmp_path, client_approves=False) as (bench, thread):
        await thread.stands("in_progress")
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["6 * 7"])
        await bench.rests()
        await thread.stands("completed")


async def test_of_two_who_may_decide_the_first_counts(theme: Theme, tmp_path: Path) -> None:
    async with asked(theme, tmp_path, client_approves=True) as (bench, thread):
        waited = await thread.stands("requires_action")
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["6 * 7"])
        await bench.rests()
        [call] = waited["required_action"]["submit_tool_outputs"]["tool_calls"]
        outputs = [{"tool_call_id": call["id"], "output": "{}"}]
        path = f"{thread.run_path}/submit_tool_outputs"
        late = await thread.post(path, {"tool_outputs": outputs}, 400)
        assert late["error"]["code"] == "invalid_state"
        assert bench.ran == ["6 * 7"]


async def test_a_clients_decision_takes_the_question_away(theme: Theme, tmp_path: Path) -> None:
    async with asked(theme, tmp_path, client_approves=True) as (bench, thread):
        await thread.submit({"decision": "deny"})
        await until(lambda: not bench.parts.approval.isVisible())
        await bench.rests()
        assert bench.ran == []


async def test_stop_in_the_window_cancels_the_run(theme: Theme, tmp_path: Path) -> None:
    async with asked(theme, tmp_path, client_approves=True) as (bench, thread):
        session = bench.sessions.get(thread.path.rpartition("_")[2])
        await session.stopped()
        await thread.stands("cancelled")
        assert bench.ran == []
