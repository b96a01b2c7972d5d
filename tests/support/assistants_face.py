"""How the tests ask in the format of OpenAI Assistants.

asked = Asked(api, await api.post("/v1/threads", {}))
events = await asked.run("How many?")            # a stream's events, each with its name
await asked.submit({"decision": "approve"})      # for all calls that wait
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.support.http_face import Face

Event = dict[str, Any]
TIMEOUT_S = 60
RESTING = {"completed", "failed", "cancelled", "expired", "incomplete", "requires_action"}


def said_by(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def names_of(events: list[Event]) -> list[str]:
    """Without what all begin with, and each row of deltas once."""
    names = [event["event"].removeprefix("thread.") for event in events]
    return [n for n, before in zip(names, ["", *names], strict=False) if n != before]


def read_events(text: str) -> list[Event]:
    """The events of a stream; comments are none."""
    found: list[Event] = []
    for told in text.split("\n\n"):
        if told and not told.startswith(":"):
            name, data = told.split("\n")
            data = data.removeprefix("data: ")
            found.append({"event": name.removeprefix("event: "), "data": data})
            if data != "[DONE]":
                found[-1]["data"] = json.loads(data)
    return found


class Asked:
    """One thread."""

    def __init__(self, api: Face, thread: dict[str, Any]) -> None:
        self.api = api
        self.id: str = thread["id"]
        self.run_id = ""

    @property
    def path(self) -> str:
        return f"/v1/threads/{self.id}"

    @property
    def run_path(self) -> str:
        """The last run's."""
        return f"{self.path}/runs/{self.run_id}"

    async def stream(self, path: str, body: dict[str, Any]) -> list[Event]:
        """All events of a stream."""
        async with self.opened(path, body) as response:
            text = (await response.aread()).decode()
        assert response.status_code == 200, text
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = read_events(text)
        self._note(events)
        return events

    @asynccontextmanager
    async def opened(self, path: str, body: dict[str, Any]) -> AsyncIterator[httpx.Response]:
        """A stream that is still to be read."""
        body = {**body, "stream": True}
        async with self.api.client.stream("POST", path, json=body) as response:
            yield response

    async def run(self, *texts: str, **more: Any) -> list[Event]:
        """The events of a new run that is asked this."""
        messages = [said_by(text) for text in texts]
        return await self.stream(
            f"{self.path}/runs", {"additional_messages": messages, "metadata": {}, **more}
        )

    async def begin(self, *texts: str, **more: Any) -> dict[str, Any]:
        """A run that goes on by itself."""
        body = {"additional_messages": [said_by(text) for text in texts], **more}
        run = await self.api.post(f"{self.path}/runs", body)
        self.run_id = run["id"]
        return run

    async def submit(self, *outputs: object, status: int = 200, **more: Any) -> list[Event]:
        """The events after these outputs of the calls that wait, in their order."""
        body = {"tool_outputs": await self.outputs(*outputs), **more}
        if status == 200:
            return await self.stream(f"{self.run_path}/submit_tool_outputs", body)
        await self.api.post(f"{self.run_path}/submit_tool_outputs", body, status)
        return []

    async def outputs(self, *outputs: object) -> list[dict[str, str]]:
        calls = self.calls(await self.polled())
        told = [each if isinstance(each, str) else json.dumps(each) for each in outputs]
        ids = [call["id"] for call in calls]
        return [
            {"tool_call_id": call_id, "output": output}
            for call_id, output in zip(ids, told, strict=True)
        ]

    @staticmethod
    def calls(run: dict[str, Any]) -> list[dict[str, Any]]:
        return run["required_action"]["submit_tool_outputs"]["tool_calls"]

    async def polled(self) -> dict[str, Any]:
        """The last run as it stands."""
        return await self.get(self.run_path)

    async def rested(self, *statuses: str) -> dict[str, Any]:
        """The last run as soon as it stands like this, or rests."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                run = await self.polled()
                if run["status"] in (statuses or RESTING):
                    return run
                await asyncio.sleep(0.02)

    async def wait_for_step(self) -> None:
        """Return when the newest run has a step; it is the last run then."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                for run in (await self.get(f"{self.path}/runs"))["data"][:1]:
                    self.run_id = run["id"]
                    if await self.steps():
                        return
                await asyncio.sleep(0.02)

    async def steps(self) -> list[dict[str, Any]]:
        """The last run's, the oldest first."""
        return (await self.get(f"{self.run_path}/steps?order=asc"))["data"]

    async def texts(self) -> list[tuple[str, str]]:
        """Who said what, the oldest first."""
        page = await self.get(f"{self.path}/messages?order=asc&limit=100")
        return [(m["role"], m["content"][0]["text"]["value"]) for m in page["data"]]

    async def get(self, path: str, status: int = 200) -> dict[str, Any]:
        response = await self.api.client.get(path)
        assert response.status_code == status, response.text
        return response.json()

    def _note(self, events: list[Event]) -> None:
        runs = [e["data"]["id"] for e in events if e["event"].startswith("thread.run.")]
        runs = [run_id for run_id in runs if run_id.startswith("run_")]
        self.run_id = runs[-1] if runs else self.run_id


async def asking(api: Face, **fields: Any) -> Asked:
    """A new thread."""
    return Asked(api, await api.post("/v1/threads", fields))
