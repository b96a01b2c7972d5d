"""Threads, messages, runs and assistants are there when the server starts again."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.model_server import ModelServer
from tests.support.served import Served, served
from tests.support.waiting import LIMIT_S, until_now
from tests.support.workers import SharedWorker

APPROVE = json.dumps({"decision": "approve"})
LOOKUP = {"type": "function", "function": {"name": "lookup"}}


class Client:
    """Asks one running server for JSON."""

    def __init__(self, server: Served) -> None:
        self._http = httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str) -> Any:
        return self._http.get(path).raise_for_status().json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._http.post(path, json=body).raise_for_status().json()

    def rested(self, run: dict[str, Any]) -> dict[str, Any]:
        """The run when it has ended, or waits."""
        path = f"/v1/threads/{run['thread_id']}/runs/{run['id']}"
        seen = [run]

        def rests() -> bool:
            seen.append(self.get(path))
            return seen[-1]["status"] not in ("queued", "in_progress")

        until_now(rests)
        return seen[-1]

    def run(self, text: str, **more: Any) -> dict[str, Any]:
        """A new thread's run that has ended, or waits."""
        thread = {"messages": [{"role": "user", "content": text, "metadata": {"n": "1"}}]}
        return self.rested(self.post("/v1/threads/runs", {"thread": thread, **more}))

    def all_of(self, thread_id: str) -> dict[str, Any]:
        """All that can be read of a thread."""
        path = f"/v1/threads/{thread_id}"
        runs = self.get(f"{path}/runs")["data"]
        steps = {run["id"]: self.get(f"{path}/runs/{run['id']}/steps") for run in runs}
        messages = self.get(f"{path}/messages")
        return {"thread": self.get(path), "messages": messages, "runs": runs, "steps": steps}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def running(home: Path, model: ModelServer, worker: SharedWorker) -> AbstractContextManager[Served]:
    arguments, base = ["--no-rate-limit"], model.base_url
    return served(home, program=worker.program, api_base=base, arguments=arguments)


def test_what_was_there_is_there_again_and_goes_on(
    home: Path, model: ModelServer, model_worker: SharedWorker
):
    with running(home, model, model_worker) as server, Client(server) as client:
        assistant = client.post("/v1/assistants", {"model": "openai/test", "name": "Mine"})
        done = client.run("hello", assistant_id=assistant["id"])
        thread_id = done["thread_id"]
        client.post(f"/v1/threads/{thread_id}", {"metadata": {"topic": "greetings"}})
        waiting = client.run("What's 34/24?")
        for_client = client.run("weather in two cities", tools=[LOOKUP])
        empty = client.post("/v1/threads", {"metadata": {"k": "v"}})
        before = client.all_of(thread_id)
    assert (done["status"], waiting["status"]) == ("completed", "requires_action")

    with running(home, model, model_worker) as server, Client(server) as client:
        assert client.get(f"/v1/assistants/{assistant['id']}") == assistant
        assert client.all_of(thread_id) == before
        assert client.get(f"/v1/threads/{empty['id']}") == empty
        # What waited in the process that ended is over: nobody can decide about it any more.
        failed = client.rested(waiting)
        assert (failed["status"], failed["last_error"]["code"]) == ("failed", "server_error")
        # The results of a client's own functions are still wanted.
        calls = for_client["required_action"]["submit_tool_outputs"]["tool_calls"]
        outputs = [{"tool_call_id": call["id"], "output": "sunny"} for call in calls]
        path = f"/v1/threads/{for_client['thread_id']}/runs/{for_client['id']}"
        client.post(f"{path}/submit_tool_outputs", {"tool_outputs": outputs})
        assert client.rested(for_client)["status"] == "completed"
        again = {"additional_messages": [{"role": "user", "content": "echo again"}]}
        run = client.rested(client.post(f"/v1/threads/{thread_id}/runs", again))
        assert run["status"] == "completed"
        assert len(client.get(f"/v1/threads/{thread_id}/messages")["data"]) == 4
