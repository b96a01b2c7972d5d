"""The real server over real sessions, in this process, and a client that talks to it.

async with face(tmp_path, coded("6 * 7"), said("42")) as api:        # scripted provider
    answer = await api.post("/v1/chat", {"messages": [user("go on")]})
    chunks = await api.events("/v1/chat", {"messages": [user("go on")], "stream": True})
    api.ran                                                          # what code ran
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from playhead.api.assistants.assistants import Assistants, make_assistants
from playhead.api.server.api_server import ApiServer
from playhead.api.server.bridge import Bridge
from playhead.api.server.responder import Services
from playhead.api.server.server_options import ServerOptions
from playhead.api.turns.client_request import ApiPolicy
from playhead.api.turns.model_state import ModelState
from playhead.api.turns.turns import Turns
from playhead.domain.secret import Secret
from playhead.session.ports import SessionPorts
from playhead.session.sessions import Sessions
from playhead.storage.history.no_history import NoHistory
from tests.support.ports import Answer, RecordingExecutor, ScriptedProvider, ports_with
from tests.support.waiting import LIMIT_S

TOKEN = "a-token-for-tests"
COLLECTION = Path(__file__).parents[2] / "resources" / "api.json"
NO_LIMIT = ServerOptions(port=0, rate_limit=0)


class Face:
    """What a test has in its hands; the two switches may be set while it runs."""

    may_approve = True
    may_auto_run = False

    client: httpx.AsyncClient
    turns: Turns
    assistants: Assistants

    def __init__(self, ports: SessionPorts, sessions: Sessions) -> None:
        self.sessions = sessions
        self.provider: Any = ports.provider
        self.executor: Any = ports.executor

    @property
    def ran(self) -> list[str]:
        """The code that ran, of a RecordingExecutor."""
        return [request.code for request in self.executor.requests]

    async def post(self, path: str, body: Mapping[str, Any], status: int = 200) -> dict[str, Any]:
        """The JSON of an answer with this status."""
        response = await self.client.post(path, json=body)
        assert response.status_code == status, response.text
        return response.json()

    async def fails(
        self, path: str, body: Mapping[str, Any], status: int, code: str
    ) -> httpx.Response:
        """The answer, which must be this error."""
        response = await self.client.post(path, json=body)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code)
        return response

    async def data(self, path: str, body: Mapping[str, Any]) -> list[str]:
        """The data of all events of a stream."""
        async with self.client.stream("POST", path, json={**body, "stream": True}) as response:
            text = (await response.aread()).decode()
        assert response.status_code == 200, text
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = [event for event in text.split("\n\n") if event]
        assert text.endswith("\n\n")
        assert all(event.startswith("data: ") and "\n" not in event for event in events), text
        return [event.removeprefix("data: ") for event in events]

    async def events(self, path: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The events of a stream, without the end mark of the formats that have one."""
        return [json.loads(data) for data in await self.data(path, body) if data != "[DONE]"]


@asynccontextmanager
async def face(
    tmp_path: Path,
    *answers: Answer,
    ports: SessionPorts | None = None,
    may_approve: bool = True,
    may_auto_run: bool = False,
    options: ServerOptions = NO_LIMIT,
    may_choose_policy: bool = False,
) -> AsyncIterator[Face]:
    """A running server; with `ports` over these, else over a provider of these answers."""
    ports = ports or ports_with(ScriptedProvider(*answers), RecordingExecutor())
    history = NoHistory(tmp_path)
    sessions = Sessions(ports, history)
    api = Face(ports, sessions)
    api.may_approve, api.may_auto_run = may_approve, may_auto_run
    policy = ApiPolicy(
        may_approve=lambda: api.may_approve,
        may_auto_run=lambda: api.may_auto_run,
        approve_switch="“May approve”",
        auto_run_switch="“May run without asking”",
        may_choose_policy=may_choose_policy,
    )
    models = ModelState(ports.settings, ports.keys, ports.catalog)
    turns = Turns(sessions, models, policy, history.records)
    api.turns = turns
    api.assistants = make_assistants(sessions, turns, models, history.records)
    services = Services(
        bridge=Bridge(asyncio.get_running_loop()),
        turns=turns,
        collection=COLLECTION.read_bytes,
        version="1.2.3",
    )
    server = ApiServer(
        options, lambda: Secret(TOKEN), lambda app: _add_routes(app, services, api.assistants)
    )
    await server.start()
    try:
        async with httpx.AsyncClient(
            base_url=server.address,
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=LIMIT_S,
            trust_env=False,
        ) as api.client:
            yield api
    finally:
        await server.stop()
        await turns.close()
        api.assistants.runs.close()
        await sessions.close()


def _add_routes(app: Any, services: Services, assistants: Assistants) -> None:
    from playhead.api.routes import add_routes

    add_routes(app, services, assistants)
