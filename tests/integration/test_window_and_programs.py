"""A program asks over HTTP while the window is open: who may decide, and what both see."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from playhead.api.assistants.assistants import make_assistants
from playhead.api.server.api_server import ApiServer
from playhead.api.server.api_switch import APPROVE_SWITCH, ApiSwitch, window_policy
from playhead.api.server.bridge import Bridge
from playhead.api.server.responder import Services
from playhead.api.turns.model_state import ModelState
from playhead.api.turns.turns import Turns
from playhead.domain.settings import AppSettings
from playhead.storage.history.no_history import RecordsInMemory
from playhead.ui.widgets.theme import Theme
from tests.support.ports import coded, said
from tests.support.waiting import until
from tests.support.window import Bench, opened

RESOURCES = Path(__file__).parents[2] / "resources"
SETTINGS = AppSettings(model="openai/test", api_enabled=True, api_port=0)


@pytest.fixture
def theme(qtbot: QtBot) -> Theme:
    return Theme(RESOURCES)


class Api:
    """The window's own switch with a server that listens, and a client that holds its token."""

    def __init__(self, bench: Bench, switch: ApiSwitch, client: httpx.AsyncClient) -> None:
        self.bench = bench
        self.switch = switch
        self.client = client
        self.chunks: list[dict[str, Any]] = []

    async def stream(self, *messages: dict[str, Any]) -> None:
        """Ask and keep the chunks as they come."""
        body = {"messages": messages, "stream": True}
        async with self.client.stream("POST", "/v1/chat", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    self.chunks.append(json.loads(line.removeprefix("data: ")))

    @property
    def kinds(self) -> list[str]:
        return [chunk["type"] for chunk in self.chunks]


@asynccontextmanager
async def serving(bench: Bench) -> AsyncIterator[Api]:
    ports = bench.settings, bench.ports.keys, bench.catalog
    policy = window_policy(bench.settings)
    models = ModelState(*ports)
    records = RecordsInMemory()
    turns = Turns(bench.sessions, models, policy, records)
    assistants = make_assistants(bench.sessions, turns, models, records)
    bridge = Bridge(asyncio.get_running_loop())

    def add_routes(app: Any) -> None:
        from playhead.api.routes import add_routes

        read = (RESOURCES / "api.json").read_bytes
        add_routes(
            app, Services(bridge=bridge, turns=turns, collection=read, version="1.2.3"), assistants
        )

    switch = ApiSwitch(
        bench.settings,
        bench.ports.keys,
        lambda options, token: ApiServer(options, token, add_routes),
    )
    await switch.apply()
    assert switch.status.state == "listening", switch.status
    token = (await switch.token()).reveal()
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "OpenAI/Python 2.1"}
    try:
        async with httpx.AsyncClient(
            base_url=switch.status.address, headers=headers, timeout=20, trust_env=False
        ) as client:
            yield Api(bench, switch, client)
    finally:
        await switch.close()
        await turns.close()
        assistants.runs.close()


ASKED = {"role": "user", "type": "message", "content": "What's 6 * 7?"}
CODE = {"role": "assistant", "type": "code", "format": "python", "content": "6 * 7"}
GO = {"role": "user", "type": "command", "content": "go"}


async def test_only_the_windows_click_approves_and_the_stream_stays_open(
    theme: Theme, tmp_path: Path
) -> None:
    answers = coded("6 * 7"), said("42")
    async with opened(theme, tmp_path, *answers, settings=SETTINGS) as bench, serving(bench) as api:
        stream = asyncio.create_task(api.stream(ASKED))
        banners = bench.parts.notifications
        await until(lambda: banners.banners)
        assert banners.banners[0].title == "openai-python wants to run code."
        await until(lambda: api.kinds[-1:] == ["confirmation"])

        refused = await api.client.post("/v1/chat", json={"messages": [ASKED, CODE, GO]})
        assert refused.status_code == 403
        assert refused.json()["error"]["code"] == "approval_forbidden"
        assert APPROVE_SWITCH in refused.json()["error"]["message"]
        assert (bench.ran, stream.done()) == ([], False)

        bench.click(banners.banners[0].button)
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await stream
        assert bench.ran == ["6 * 7"]
        assert api.chunks[-1] == {"role": "server", "type": "status", "content": "complete"}
        assert {"role": "assistant", "type": "message", "content": "42"} in api.chunks


async def test_with_the_switch_the_first_decision_counts(theme: Theme, tmp_path: Path) -> None:
    settings = replace(SETTINGS, api_client_approves=True)
    answers = coded("6 * 7"), said("42")
    async with opened(theme, tmp_path, *answers, settings=settings) as bench, serving(bench) as api:
        await api.stream(ASKED)
        assert api.chunks[-1]["content"] == "awaiting_approval"
        await until(lambda: bench.parts.notifications.banners)
        bench.click(bench.parts.notifications.banners[0].button)
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        await until(lambda: bench.ran == ["6 * 7"])
        await bench.rests()
        late = await api.client.post("/v1/chat", json={"messages": [ASKED, CODE, GO]})
        assert (late.status_code, late.json()["error"]["code"]) == (400, "invalid_state")
        assert bench.ran == ["6 * 7"]


async def test_the_clients_decision_takes_the_bar_away(theme: Theme, tmp_path: Path) -> None:
    settings = replace(SETTINGS, api_client_approves=True)
    answers = coded("6 * 7"), said("42")
    async with opened(theme, tmp_path, *answers, settings=settings) as bench, serving(bench) as api:
        await api.stream(ASKED)
        await until(lambda: bench.parts.notifications.banners)
        bench.click(bench.parts.notifications.banners[0].button)
        await bench.asked()
        await api.stream(ASKED, CODE, GO)
        assert bench.ran == ["6 * 7"]
        await until(lambda: bench.parts.approval.isHidden())


async def test_a_renewed_token_shuts_the_old_one_out(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, settings=SETTINGS) as bench, serving(bench) as api:
        assert (await api.client.get("/v1/models")).status_code == 200
        await api.switch.renew_token()
        assert (await api.client.get("/v1/models")).status_code == 401


async def test_switched_off_nothing_listens(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, settings=SETTINGS) as bench, serving(bench) as api:
        await bench.settings.save(replace(bench.settings.current, api_enabled=False))
        await api.switch.apply()
        assert api.switch.status.state == "off"
        with pytest.raises(httpx.ConnectError):
            await api.client.get("/v1/health")


async def test_a_taken_port_is_said_and_the_window_goes_on(theme: Theme, tmp_path: Path) -> None:
    async with opened(theme, tmp_path, settings=SETTINGS) as bench, serving(bench) as api:
        port = int(api.switch.status.address.rpartition(":")[2])
        taken = replace(bench.settings.current, api_port=port)
        await bench.settings.save(taken)
        second = ApiSwitch(
            bench.settings,
            bench.ports.keys,
            lambda options, token: ApiServer(options, token, lambda app: None),
        )
        await second.apply()
        assert second.status.state == "failed"
        assert str(port) in str(second.status.error)
        await second.close()


async def begun(api: Api, title: str = "") -> str:
    """The path of a session that a program has begun."""
    answer = await api.client.post("/v1/sessions", json={"title": title})
    return f"/v1/sessions/{answer.json()['session_id']}"


def texts(bench: Bench) -> list[str]:
    """What the timeline shows."""
    return [row.text for row in bench.parts.timeline.model.rows]


async def test_a_programs_session_is_one_of_the_window(theme: Theme, tmp_path: Path) -> None:
    answers = said("Hello"), said("Bye")
    async with opened(theme, tmp_path, *answers, settings=SETTINGS) as bench, serving(bench) as api:
        path = await begun(api, "Of a program")
        [row] = bench.sessions.summaries
        assert (row.title, row.client) == ("Of a program", "")
        bench.window.open_conversation(row.id)
        await until(lambda: bench.session.conversation.id == row.id)
        await api.client.post(f"{path}/messages", json={"messages": [ASKED]})
        await until(lambda: texts(bench) == [ASKED["content"], "Hello"])
        bench.send("And I?")
        await until(lambda: texts(bench)[-1] == "Bye")
        await bench.rests()
        told = (await api.client.get(f"{path}/messages")).json()["messages"]
        assert [message["content"] for message in told][1:] == ["Hello", "And I?", "Bye"]
        await api.client.delete(f"{path}/messages")
        await until(lambda: texts(bench) == [])


async def test_a_session_whose_code_waits_is_told_of_until_it_is_decided(
    theme: Theme, tmp_path: Path
) -> None:
    answers = coded("6 * 7"), said("42")
    async with opened(theme, tmp_path, *answers, settings=SETTINGS) as bench, serving(bench) as api:
        path = await begun(api)
        asking = asyncio.create_task(
            api.client.post(f"{path}/messages", json={"messages": [ASKED]})
        )
        banners = bench.parts.notifications
        await until(lambda: banners.banners)
        assert banners.banners[0].title == "openai-python wants to run code."
        bench.click(banners.banners[0].button)
        await bench.asked()
        bench.click(bench.parts.approval.run_button)
        assert (await asking).json()["messages"][-1]["content"] == "42"
        assert bench.session.client == ""
        assert not banners.banners


async def test_the_window_leaves_a_session_that_a_program_deletes(
    theme: Theme, tmp_path: Path
) -> None:
    async with opened(theme, tmp_path, settings=SETTINGS) as bench, serving(bench) as api:
        path = await begun(api, "Short")
        bench.window.open_conversation(bench.sessions.summaries[0].id)
        await until(lambda: bench.session.conversation.title == "Short")
        assert (await api.client.delete(path)).status_code == 204
        await until(lambda: bench.session.conversation.title == "")
        assert bench.sessions.get(bench.session.conversation.id) is bench.session
        assert bench.sessions.summaries == []
