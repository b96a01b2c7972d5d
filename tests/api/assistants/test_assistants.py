"""Assistants, threads and their messages: kept, listed page by page, shown like the window's."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from playhead.api.server.server_options import ServerOptions
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import RunReport
from tests.support.assistants_face import Asked, asking, said_by
from tests.support.http_face import face
from tests.support.ports import RecordingExecutor, ScriptedProvider, coded, ports_with, said

DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
ANNOYING = {
    "": "limit",
    "0": "limit",
    "101": "limit",
    "many": "limit",
    "١": "limit",
}


async def ids(asked: Asked, path: str, **query: Any) -> tuple[list[str], dict[str, Any]]:
    response = await asked.api.client.get(path, params=query)
    assert response.status_code == 200, response.text
    page = response.json()
    return [item["id"] for item in page["data"]], page


async def test_an_assistant_is_made_changed_listed_and_deleted(tmp_path: Path):
    async with face(tmp_path) as api:
        made = await api.post("/v1/assistants", {"model": "openai/a", "name": "One"})
        path = f"/v1/assistants/{made['id']}"
        changed = await api.post(path, {"name": "Two", "metadata": {"k": "v"}})
        assert (changed["name"], changed["model"]) == ("Two", "openai/a")
        assert (await api.client.get(path)).json() == changed
        page = (await api.client.get("/v1/assistants")).json()
        assert [each["id"] for each in page["data"]] == [made["id"], "asst_interpreter"]
        gone = (await api.client.delete(path)).json()
        assert gone == {"id": made["id"], "object": "assistant.deleted", "deleted": True}
        assert (await api.client.get(path)).status_code == 404


async def test_the_built_in_assistant_has_the_model_of_the_settings_and_stays(tmp_path: Path):
    async with face(tmp_path) as api:
        path = "/v1/assistants/asst_interpreter"
        assert (await api.client.get(path)).json()["model"] == "openai/test"
        await api.fails(path, {"name": "Mine"}, 400, "invalid_request")
        assert (await api.client.delete(path)).status_code == 400


WRONG_ASSISTANTS = {
    "invalid_model": {"name": "x"},
    "invalid_request": {"model": "m", "temperature": 9},
    "invalid_tools": {"model": "m", "tools": [{"type": "function"}]},
}


@pytest.mark.parametrize("code", WRONG_ASSISTANTS)
async def test_what_is_wrong_with_an_assistant_is_said(tmp_path: Path, code: str):
    async with face(tmp_path) as api:
        failed = await api.fails("/v1/assistants", WRONG_ASSISTANTS[code], 400, code)
        assert failed.json()["error"]["type"] == "invalid_request_error"


async def test_a_thread_is_a_conversation_of_the_windows_list(tmp_path: Path):
    async with face(tmp_path, said("Hi")) as api:
        asked = await asking(api, messages=[said_by("Hello there")], metadata={"k": "v"})
        [row] = api.sessions.summaries
        assert (f"thread_{row.id}", row.title) == (asked.id, "Hello there")
        assert (await asked.get(asked.path))["metadata"] == {"k": "v"}
        changed = await api.post(asked.path, {"metadata": {"k": "w"}})
        assert changed["metadata"] == {"k": "w"}
        await asked.run()
        [session] = api.sessions.open_sessions
        assert [message.text for message in session.conversation.messages] == ["Hello there", "Hi"]


async def test_what_the_window_says_in_a_conversation_is_in_its_thread(tmp_path: Path):
    async with face(tmp_path, said("Hi")) as api:
        session = api.sessions.begin("The window's")
        session.send("from the window")
        await session.stopped()
        asked = Asked(api, {"id": f"thread_{session.conversation.id}"})
        assert (await asked.texts())[0] == ("user", "from the window")
        [told, *_] = (await asked.get(f"{asked.path}/messages?order=asc"))["data"]
        assert (told["run_id"], told["assistant_id"], told["role"]) == (None, None, "user")


async def test_a_deleted_conversation_is_no_thread_any_more(tmp_path: Path):
    async with face(tmp_path) as api:
        asked = await asking(api)
        await api.sessions.trash(asked.id.removeprefix("thread_"))
        await asked.get(asked.path, 404)
        await asked.get("/v1/threads/thread_nothing", 404)


async def test_messages_are_added_without_asking_anything(tmp_path: Path):
    async with face(tmp_path, said("Both")) as api:
        asked = await asking(api)
        first = await api.post(f"{asked.path}/messages", {**said_by("one"), "metadata": {"n": "1"}})
        await api.post(f"{asked.path}/messages", {"role": "assistant", "content": "two"})
        assert api.provider.requests == []
        assert await asked.texts() == [("user", "one"), ("assistant", "two")]
        path = f"{asked.path}/messages/{first['id']}"
        assert (await asked.get(path))["metadata"] == {"n": "1"}
        assert (await api.post(path, {"metadata": {"n": "2"}}))["metadata"] == {"n": "2"}
        assert (await api.post(path, {}))["metadata"] == {"n": "2"}
        await asked.run("three")
        told = [message.text for message in api.provider.requests[0].messages]
        assert told == ["one", "two", "three"]


async def test_parts_of_a_message_stay_together_and_come_back_as_they_are_read(tmp_path: Path):
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DOT}"}}
    async with face(tmp_path) as api:
        asked = await asking(api)
        content = [{"type": "text", "text": "See:"}, picture]
        told = await api.post(f"{asked.path}/messages", {"role": "user", "content": content})
        [text, image] = told["content"]
        assert text == {"type": "text", "text": {"value": "See:", "annotations": []}}
        file_id = image["image_file"]["file_id"]
        response = await api.client.get(f"/v1/files/{file_id}/content")
        assert response.headers["content-type"] == "image/png"
        assert response.content == base64.b64decode(DOT)
        about = await asked.get(f"/v1/files/{file_id}")
        assert (about["bytes"], about["filename"]) == (len(response.content), f"{file_id}.png")
        again = {"role": "user", "content": [text]}
        assert (await api.post(f"{asked.path}/messages", again))["content"] == [text]


WRONG_MESSAGES = [
    {"role": "user", "content": ""},
    {"role": "user", "content": []},
    {"role": "user", "content": [{"type": "text"}]},
    {"role": "user", "content": [{"type": "video", "url": "x"}]},
    {"role": "system", "content": "x"},
    {"content": "x"},
]


@pytest.mark.parametrize("message", WRONG_MESSAGES, ids=str)
async def test_messages_that_say_nothing_readable_are_refused(
    tmp_path: Path, message: dict[str, Any]
):
    async with face(tmp_path) as api:
        asked = await asking(api)
        response = await api.client.post(f"{asked.path}/messages", json=message)
        assert response.status_code == 400, response.text
        assert await asked.texts() == []


async def test_lists_go_page_by_page_in_both_orders(tmp_path: Path):
    async with face(tmp_path) as api:
        asked = await asking(api, messages=[said_by(str(number)) for number in range(5)])
        path = f"{asked.path}/messages"
        oldest, _ = await ids(asked, path, order="asc")
        newest, page = await ids(asked, path)
        assert newest == oldest[::-1]
        assert (page["first_id"], page["last_id"], page["has_more"]) == (
            newest[0],
            newest[-1],
            False,
        )
        found, page = await ids(asked, path, limit=2)
        assert (found, page["has_more"]) == (newest[:2], True)
        found, page = await ids(asked, path, limit=2, after=newest[1])
        assert (found, page["has_more"]) == (newest[2:4], True)
        found, page = await ids(asked, path, limit=2, after=newest[4])
        assert (found, page["first_id"], page["has_more"]) == ([], None, False)
        found, page = await ids(asked, path, limit=2, before=newest[3])
        assert (found, page["has_more"]) == (newest[1:3], True)
        found, _ = await ids(asked, path, order="asc", after=oldest[0], before=oldest[3])
        assert found == oldest[1:3]


async def test_cursors_that_lead_nowhere_are_refused(tmp_path: Path):
    async with face(tmp_path) as api:
        for query, param in [
            *(({"limit": limit}, param) for limit, param in ANNOYING.items()),
            ({"order": "up"}, "order"),
            ({"after": "asst_none"}, "after"),
            ({"before": "asst_none"}, "before"),
        ]:
            response = await api.client.get("/v1/assistants", params=query)
            assert response.status_code == 400, query
            assert response.json()["error"]["param"] == param


async def test_what_is_not_there_is_not_found_by_its_kind(tmp_path: Path):
    async with face(tmp_path) as api:
        asked = await asking(api)
        for path, param in [
            ("/v1/assistants/asst_none", "assistant_id"),
            ("/v1/threads/thread_none", "thread_id"),
            (f"{asked.path}/messages/msg_none", "message_id"),
            (f"{asked.path}/runs/run_none", "run_id"),
            (f"{asked.path}/runs/run_none/steps", "run_id"),
            ("/v1/files/file-none/content", "file_id"),
            ("/v1/files/file-" + asked.id.removeprefix("thread_") + "-none", "file_id"),
        ]:
            error = (await asked.get(path, 404))["error"]
            assert (error["code"], error["type"]) == ("not_found", "not_found_error")
            assert error["param"] == param
        await api.fails(f"{asked.path}/runs", {"assistant_id": "asst_none"}, 404, "not_found")


class Painter(RecordingExecutor):
    """Makes a picture."""

    async def run(self, request: Any):
        self.requests.append(request)
        yield Chunk(role="computer", type="run", content=RunReport(state="started"))
        yield Chunk(role="computer", type="image", format="base64.png", start=True)
        yield Chunk(role="computer", type="image", format="base64.png", content=DOT)
        yield Chunk(role="computer", type="image", format="base64.png", end=True)
        yield Chunk(role="computer", type="run", content=RunReport(state="finished"))


async def test_a_picture_that_code_made_can_be_fetched_by_the_id_in_its_step(tmp_path: Path):
    ports = ports_with(ScriptedProvider(coded("plot()"), said("See")), Painter())
    async with face(tmp_path, ports=ports, may_auto_run=True) as api:
        asked = await asking(api)
        await asked.run("go", auto_run=True)
        [step, _] = await asked.steps()
        [call] = step["step_details"]["tool_calls"]
        [output] = call["code_interpreter"]["outputs"]
        content = await api.client.get(f"/v1/files/{output['image']['file_id']}/content")
        assert content.content == base64.b64decode(DOT)
        step_path = f"{asked.run_path}/steps/{step['id']}"
        assert await asked.get(step_path) == step
        await asked.get(f"{asked.run_path}/steps/step_none", 404)


async def test_runs_are_listed_and_their_metadata_changed(tmp_path: Path):
    async with face(tmp_path, said("A"), said("B")) as api:
        asked = await asking(api)
        await asked.run("one", metadata={"n": "1"})
        first = asked.run_id
        await asked.run("two")
        found, _ = await ids(asked, f"{asked.path}/runs")
        assert found == [asked.run_id, first]
        changed = await api.post(f"{asked.path}/runs/{first}", {"metadata": {"n": "2"}})
        assert (changed["metadata"], changed["status"]) == ({"n": "2"}, "completed")
        mine, _ = await ids(asked, f"{asked.path}/messages", run_id=first)
        [message] = mine
        told = await asked.get(f"{asked.path}/messages/{message}")
        assert (told["run_id"], told["assistant_id"]) == (first, "asst_interpreter")


async def test_any_header_and_unknown_fields_are_fine(tmp_path: Path):
    async with face(tmp_path, said("Hi")) as api:
        for version in ("assistants=v1", "assistants=v2", "assistants=v9"):
            api.client.headers["OpenAI-Beta"] = version
            response = await api.client.post("/v1/threads")
            assert response.status_code == 200
        body = {"assistant_id": "asst_interpreter", "thread": {"messages": [said_by("go")]}}
        await api.post("/v1/threads/runs", {**body, "shape": "round", "file_ids": []})


async def test_requests_are_counted_like_all_others(tmp_path: Path):
    options = ServerOptions(port=0, rate_limit=2)
    async with face(tmp_path, options=options) as api:
        for _ in range(2):
            await api.post("/v1/threads", {})
        refused = await api.fails("/v1/threads", {}, 429, "rate_limit_exceeded")
        assert int(refused.headers["Retry-After"]) > 0


class Loud(RecordingExecutor):
    """Prints more than any event may hold."""

    async def run(self, request: Any):
        self.requests.append(request)
        yield Chunk(role="computer", type="run", content=RunReport(state="started"))
        yield Chunk(role="computer", type="console", start=True)
        for _ in range(40):
            yield Chunk(
                role="computer", type="console", format="output", content="loud\x1b " * 5000
            )
        yield Chunk(role="computer", type="console", end=True)
        yield Chunk(role="computer", type="run", content=RunReport(state="finished"))


async def test_much_output_and_a_long_answer_are_told_whole_in_pieces_alone(tmp_path: Path):
    ports = ports_with(ScriptedProvider(coded("shout()"), said("Well. " * 100_000)), Loud())
    async with face(tmp_path, ports=ports, may_auto_run=True) as api:
        asked = await asking(api)
        events = await asked.run("go", auto_run=True)
        [step, _] = await asked.steps()
        [_, (_, answer)] = await asked.texts()
    assert events[-2]["event"] == "thread.run.completed"
    pieces = [e["data"]["delta"] for e in events if e["event"] == "thread.run.step.delta"]
    outputs = [p["step_details"]["tool_calls"][0]["code_interpreter"] for p in pieces]
    printed = "".join(out["logs"] for code in outputs for out in code.get("outputs", []))
    assert printed == "loud\x1b " * 200_000
    [call] = step["step_details"]["tool_calls"]
    [logs] = [output["logs"] for output in call["code_interpreter"]["outputs"]]
    assert "characters …]" in logs
    assert len(logs) < 200_000
    assert answer == "Well. " * 100_000
