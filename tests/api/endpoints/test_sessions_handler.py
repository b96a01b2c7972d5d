"""/v1/sessions: made, listed, asked in, steered, emptied, exported and deleted over HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from playhead.api.endpoints.operations import OPERATIONS
from playhead.api.turns.session_export import folder_reader
from playhead.api.turns.session_lifetimes import ThreadKernels
from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import FileChange
from playhead.domain.model import ModelParameters
from playhead.domain.places import Machine, key_of
from playhead.domain.secret import Secret
from playhead.domain.settings import AppSettings, ConversationConfig, SavedServer
from playhead.domain.trust import BoundaryReport
from playhead.errors import StorageError
from playhead.execution.environments.package_keeper import PackageKeeper
from tests.support.http_face import Face, face
from tests.support.package_layers import layered
from tests.support.places import LAB, KnownPlaces
from tests.support.ports import (
    HELD,
    RecordingExecutor,
    ReportedSandbox,
    ScriptedProvider,
    SettingsInMemory,
    coded,
    ports_with,
    said,
)
from tests.support.run_effects import RUN, EffectsInMemory
from tests.support.waiting import until

PATH = "/v1/sessions"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "type": "message", "content": text}


def command(word: str, **fields: str) -> dict[str, str]:
    return {"role": "user", "type": "command", "content": word, **fields}


class Room:
    """One session over HTTP."""

    def __init__(self, api: Face, session_id: str) -> None:
        self.api = api
        self.id = session_id
        self.path = f"{PATH}/{session_id}"

    async def ask(self, *messages: dict[str, str], status: int = 200) -> Any:
        body = {"messages": list(messages)}
        answer = await self.api.post(f"{self.path}/messages", body, status)
        return answer["messages"] if status == 200 else answer["error"]["code"]

    async def told(self, query: str = "") -> list[dict[str, Any]]:
        return (await self.api.client.get(f"{self.path}/messages{query}")).json()["messages"]

    async def get(self) -> dict[str, Any]:
        return (await self.api.client.get(self.path)).json()


async def begun(api: Face, **fields: Any) -> Room:
    return Room(api, (await api.post(PATH, fields, 201))["session_id"])


async def test_a_session_is_in_the_list_before_anything_is_said(tmp_path: Path):
    async with face(tmp_path) as api:
        room = await begun(api, title="Hours \n of\x07\u202e  work")
        [row] = (await api.client.get(PATH)).json()["sessions"]
        assert row == await room.get()
        assert api.sessions.summary(room.id) is not None
    assert (row["title"], row["busy"], row["message_count"]) == ("Hours of work", False, 0)
    assert row["created_at"].endswith("Z")


async def test_a_client_chooses_where_code_runs_only_if_the_owner_lets_it(tmp_path: Path):
    servers = (SavedServer("lab", LAB),)
    settings = SettingsInMemory(AppSettings(model="openai/test", servers=servers))
    known = KnownPlaces([Machine(address="gpu-box", label="gpu-box")])
    ports = ports_with(ScriptedProvider(), RecordingExecutor())
    ports = replace(ports, settings=settings, places=known)
    await ports.keys.set(key_of(LAB), Secret("right"))
    async with face(tmp_path, ports=ports) as api:
        listed = (await api.client.get("/v1/places")).json()["places"]
        assert [one["name"] for one in listed] == ["here", "lab", "gpu-box"]
        assert known.asked == []
        asked = await api.client.get("/v1/places?server=lab")
        names = [one["name"] for one in asked.json()["places"]]
        assert names[3:] == ["lab/python3", "lab/ir", "lab/9c-1"]
        assert "right" not in asked.text
        room = await begun(api)
        refused = await api.client.patch(room.path, json={"place": "gpu-box"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "policy_forbidden")
    async with face(tmp_path, ports=ports, may_choose_policy=True) as api:
        room = await begun(api, place="gpu-box:~/data")
        place = {"name": "gpu-box", "machine": "gpu-box", "folder": "~/data"}
        assert (await room.get())["place"] == place
        await api.client.patch(room.path, json={"place": "lab/9c-1"})
        assert (await room.get())["place"]["name"] == "lab: analysis.ipynb"
        for word in ("nowhere", "-oProxyCommand=x", "ssh:python:x:-oProxyCommand%3Dx:::"):
            refused = await api.client.patch(room.path, json={"place": word})
            assert refused.status_code == 404
        await api.client.patch(room.path, json={"place": "here"})
        assert "place" not in await room.get()


async def test_a_client_sees_what_code_may_do_and_changes_it_only_if_the_owner_lets_it(
    tmp_path: Path,
):
    box = ReportedSandbox()
    settings = SettingsInMemory(AppSettings(model="openai/test", folder=str(tmp_path)))
    executor = RecordingExecutor()
    ports = replace(ports_with(ScriptedProvider(), executor, box), settings=settings)
    held = {"files": "folder", "network": "off", "ask": "every"}
    wish = {"policy": {"files": "everything"}}
    async with face(tmp_path, ports=ports) as api:
        room = await begun(api)
        assert (await room.get())["policy"] == held
        refused = await api.client.patch(room.path, json=wish)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "policy_forbidden")
        await api.fails(PATH, wish, 403, "policy_forbidden")
        assert (await room.get())["policy"] == held
        assert len((await api.client.get(PATH)).json()["sessions"]) == 1
    async with face(tmp_path, ports=ports, may_choose_policy=True) as api:
        room = await begun(api, policy={"files": "look"})
        assert (await room.get())["policy"] == {**held, "files": "look"}
        await api.client.patch(room.path, json=wish)
        assert (await room.get())["policy"] == {**held, "files": "everything", "network": "on"}
        box.tell(BoundaryReport(problem="bubblewrap is not installed."))
        refused = await api.client.patch(room.path, json={"policy": {"files": "folder"}})
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "policy_impossible")
        await api.fails(PATH, {"policy": {"files": "folder"}}, 400, "policy_impossible")
        assert len((await api.client.get(PATH)).json()["sessions"]) == 1
        refused = await api.client.patch(room.path, json={"policy": {"files": "all"}})
        assert refused.status_code == 400
        health = (await api.client.get("/v1/health?detail=full")).json()["sandbox"]
        assert health == {
            "status": "none",
            "attempts": 0,
            "problem": "bubblewrap is not installed.",
        }
        box.tell(HELD)
        health = (await api.client.get("/v1/health?detail=full")).json()["sandbox"]
        assert health == {"status": "held", "tested_at": "2023-11-14T22:13:20Z", "attempts": 3}
        assert "sandbox" not in (await api.client.get("/v1/health")).json()


async def test_the_list_goes_on_after_a_session(tmp_path: Path):
    async with face(tmp_path) as api:
        rooms = [(await begun(api)).id for _ in range(3)][::-1]
        first = (await api.client.get(f"{PATH}?limit=2")).json()
        rest = (await api.client.get(f"{PATH}?limit=2&after={rooms[1]}")).json()
    assert ([row["session_id"] for row in first["sessions"]], first["has_more"]) == (
        rooms[:2],
        True,
    )
    assert ([row["session_id"] for row in rest["sessions"]], rest["has_more"]) == (rooms[2:], False)


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "limit=²", "after=nobody"])
async def test_a_wrong_page_is_refused(tmp_path: Path, query: str):
    async with face(tmp_path) as api:
        answer = await api.client.get(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request")


async def test_programs_passing_conversations_are_not_in_the_list(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        await api.post("/v1/chat", {"messages": [user("hi")]})
        [passing] = api.sessions.open_sessions
        assert (await api.client.get(PATH)).json() == {"sessions": [], "has_more": False}
        answer = await api.client.get(f"{PATH}/{passing.conversation.id}")
    assert answer.status_code == 404


async def test_only_what_is_new_is_sent_and_the_model_sees_all(tmp_path: Path):
    async with face(tmp_path, said("Hello"), said("Bye")) as api:
        room = await begun(api)
        assert (await room.ask(user("hi")))[-1]["content"] == "Hello"
        await room.ask(user("bye"))
        told = [message["content"] for message in await room.told()]
        assert told == ["hi", "Hello", "bye", "Bye"]
        asked = api.provider.requests[1].messages
        assert [message.text for message in asked] == ["hi", "Hello", "bye"]
        assert (await room.get())["title"] == "hi"


async def test_other_formats_take_the_session_too(tmp_path: Path):
    async with face(tmp_path, said("Hello"), said("Bye"), said("Again")) as api:
        room = await begun(api)
        asked = {"model": "openai/test", "messages": [{"role": "user", "content": "hi"}]}
        own = {"session_id": room.id}
        await api.post("/v1/chat/completions", {**asked, **own})
        await api.post("/v2/chat", {**asked, **own})
        body = {"messages": [{"type": "input", "text": "again"}], "stream": False}
        await api.post("/v1/kernel/stream", {**body, **own})
        assert len(await room.told()) == 6


async def test_code_waits_is_told_as_waiting_and_runs_on_go(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        assert (await room.told())[-1]["type"] == "confirmation"
        assert (await room.get())["busy"]
        assert await room.ask(user("more"), status=423) == "session_busy"
        answer = await room.ask(command("go"))
        assert [message["type"] for message in answer] == ["console", "message"]
        assert api.ran == ["6 * 7"]
        assert "confirmation" not in [message["type"] for message in await room.told()]
        assert await room.ask(command("go"), status=400) == "invalid_state"


async def test_edited_code_runs_and_stop_declines_it(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("So"), coded("2"), said("Well")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        edited = {"role": "assistant", "type": "code", "format": "python", "content": "3"}
        await room.ask(edited, command("go"))
        await room.ask(user("more"))
        assert (await room.ask(command("stop")))[-1]["content"] == "Well"
        assert api.ran == ["3"]


async def test_where_only_the_app_decides_go_is_refused(tmp_path: Path):
    async with face(tmp_path, coded("1"), may_approve=False) as api:
        room = await begun(api)
        asking = asyncio.create_task(room.ask(user("hi")))
        session = api.sessions.get(room.id)
        assert session is not None
        await until(lambda: session.pending is not None)
        assert await room.ask(command("go"), status=403) == "approval_forbidden"
        assert (await api.client.delete(f"{room.path}/messages")).status_code == 204
        await asking
        assert api.ran == []


async def test_stop_ends_what_runs(tmp_path: Path):
    async with face(tmp_path, coded("wait"), may_auto_run=True) as api:
        room = await begun(api)
        body = {"messages": [user("hi")], "stream": True, "auto_run": True}
        running = asyncio.create_task(api.events(f"{room.path}/messages", body))
        await until(lambda: api.ran == ["wait"])
        assert (await api.client.delete(room.path)).status_code == 423
        assert (await api.client.delete(f"{room.path}/messages")).status_code == 423
        assert await room.ask(command("stop")) == []
        events = await running
        assert events[-1]["content"] == "cancelled"
        assert not (await room.get())["busy"]


async def test_code_is_paused_and_goes_on_where_programs_may_approve(tmp_path: Path):
    async with face(tmp_path, coded("wait"), may_auto_run=True) as api:
        room = await begun(api)
        assert await room.ask(command("pause"), status=400) == "invalid_state"
        body = {"messages": [user("hi")], "stream": True, "auto_run": True}
        running = asyncio.create_task(api.events(f"{room.path}/messages", body))
        await until(lambda: api.ran == ["wait"])
        assert await room.ask(command("pause")) == []
        assert (await room.get())["paused_line"] == 1
        api.may_approve = False
        assert await room.ask(command("resume"), status=403) == "approval_forbidden"
        api.may_approve = True
        assert await room.ask(command("resume")) == []
        assert "paused_line" not in await room.get()
        assert await room.ask(command("stop")) == []
        await running


async def test_nothing_is_typed_where_no_code_asks(tmp_path: Path):
    async with face(tmp_path) as api:
        room = await begun(api)
        line = command("input", id="i1", text="yes")
        assert await room.ask(line, status=400) == "invalid_state"
        api.may_approve = False
        assert await room.ask(line, status=403) == "approval_forbidden"
        assert api.executor.answers == []


async def test_an_emptied_session_has_nothing_left_and_a_fresh_kernel(tmp_path: Path):
    async with face(tmp_path, said("Hello"), said("Bye")) as api:
        room = await begun(api, title="Kept")
        await room.ask(user("hi"))
        assert (await api.client.delete(f"{room.path}/messages")).status_code == 204
        assert await room.told() == []
        assert api.executor.restarts == 1
        assert (await room.get())["message_count"] == 0
        await room.ask(user("bye"))
        assert [message.text for message in api.provider.requests[1].messages] == ["bye"]
        assert (await room.get())["title"] == "Kept"


async def test_a_deleted_session_is_gone(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        assert (await api.client.delete(room.path)).status_code == 204
        for request in (api.client.get(room.path), api.client.delete(room.path)):
            assert (await request).json()["error"]["code"] == "not_found"
        assert await room.ask(user("hi"), status=404) == "not_found"
        assert await room.ask(command("stop"), status=404) == "not_found"
        assert api.sessions.open_sessions == ()


async def test_its_model_is_chosen_once_for_all_its_turns(tmp_path: Path):
    async with face(tmp_path, said("Hello"), said("Bye")) as api:
        llm = {"model": "openai/other", "temperature": 0.5, "max_tokens": 9}
        room = await begun(api, config={"llm": llm, "instructions": "Be brief."})
        await room.ask(user("hi"))
        await api.client.patch(room.path, json={"config": {"llm": {"model": None}}, "title": "New"})
        session = api.sessions.get(room.id)
        assert session is not None
        own = ConversationConfig(
            parameters=ModelParameters(temperature=0.5, max_tokens=9), instructions="Be brief."
        )
        assert session.config == own
        await room.ask(user("bye"))
        first, second = api.provider.requests
        assert (first.model.model, first.model.parameters.max_tokens) == ("openai/other", 9)
        assert second.model.model != "openai/other"
        assert (await room.get())["title"] == "New"


@pytest.mark.parametrize("body", [{"title": 3}, {"config": []}, {"config": {"llm": {"model": ""}}}])
async def test_wrong_bodies_are_refused(tmp_path: Path, body: dict[str, Any]):
    async with face(tmp_path) as api:
        for answer in (
            await api.client.post(PATH, json=body),
            await api.client.patch(f"{PATH}/x", json=body),
        ):
            assert answer.status_code == 400
            assert answer.json()["error"]["param"]


@pytest.mark.parametrize(
    ("kind", "mime", "said_by_it"),
    [
        ("md", "text/markdown", "```python\n6 * 7\n```"),
        ("ipynb", "application/x-ipynb+json", '"nbformat": 4'),
        ("json", "application/json", '"content": "6 * 7"'),
        ("py", "text/x-python", "# Not run.\n# 6 * 7"),
    ],
)
async def test_it_is_exported_as_a_file(tmp_path: Path, kind: str, mime: str, said_by_it: str):
    async with face(tmp_path, coded("6 * 7")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        answer = await api.client.get(f"{room.path}/export?format={kind}")
        wrong = await api.client.get(f"{room.path}/export?format=exe")
    assert answer.headers["content-type"].partition(";")[0] == mime
    assert said_by_it in answer.text
    assert wrong.json()["error"]["param"] == "format"


async def test_details_are_told_to_who_asks_for_them(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        await room.ask(command("go"))
        assert "run" not in [message["type"] for message in await room.told()]
        full = await room.told("?detail=full")
    assert [message["type"] for message in full].count("run") == 2


async def test_a_message_comes_back_as_it_was_meant(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        room = await begun(api)
        await room.ask({**user("a secret of ours"), "recipient": "user"}, user("hi"))
        session = api.sessions.get(room.id)
        assert session is not None
        session.add([Chunk(role="assistant", type="reasoning", content="Hm.", start=True)])
        told = await room.told()
    assert told[0]["recipient"] == "user"
    assert all("recipient" not in message for message in told[1:])


def test_files_are_read_below_their_folder_alone(tmp_path: Path):
    folder = tmp_path / "outputs" / "one"
    folder.mkdir(parents=True)
    (folder / "own.png").write_bytes(PNG)
    (tmp_path / "foreign.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "foreign.png")
    read = folder_reader(folder)
    assert read(str(folder / "own.png")) == PNG
    for name in ("foreign.png", "outputs/one/../../foreign.png", "outputs/one/link.png", "\0"):
        assert read(f"{tmp_path}/{name}") is None
    assert read(str(folder)) is None
    assert folder_reader(None)(str(folder / "own.png")) is None


async def test_half_a_character_in_what_was_said_is_no_failure(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        room = await begun(api)
        raw = json.dumps({"messages": [user("a\ud83d")]}).encode("ascii")
        headers = {"Content-Type": "application/json"}
        answer = await api.client.post(f"{room.path}/messages", content=raw, headers=headers)
        assert answer.status_code == 200
        assert (await room.told())[0]["content"] == "a\ufffd"


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "evil.example"}, 403, "forbidden_host"),
        ({"Origin": "https://evil.example"}, 403, "forbidden_origin"),
        ({"Origin": "null"}, 403, "forbidden_origin"),
        ({"Authorization": ""}, 401, "invalid_api_key"),
        ({"Authorization": "Bearer wrong"}, 401, "invalid_api_key"),
    ],
)
async def test_no_route_lets_a_stranger_in(
    tmp_path: Path, headers: dict[str, str], status: int, code: str
):
    async with face(tmp_path) as api:
        await begun(api, title="A secret")
        for operation in OPERATIONS:
            if operation.is_open and "Authorization" in headers:
                continue
            path = re.sub(r"\{\w+\}", "x", operation.path)
            answer = await api.client.request(operation.method, path, headers=headers)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (status, code), operation.name
            assert "secret" not in answer.text


async def test_the_disks_failure_is_none_of_the_clients(tmp_path: Path):
    async with face(tmp_path) as api:
        room = await begun(api)
        api.sessions._open.clear()  # as after a restart: it is read from the history
        api.sessions._history.load = refused  # type: ignore[method-assign]
        answer = await api.client.get(f"{room.path}/messages")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal_error")
    assert "/var" not in answer.text


async def refused(_session_id: str) -> Any:
    raise StorageError("The history cannot be read", detail="/var/lib/history.sqlite3")


async def test_kernels_of_many_sessions_do_not_pile_up(tmp_path: Path):
    answers = [answer for number in range(3) for answer in (coded(str(number)), said("So."))]
    async with face(tmp_path, *answers, may_auto_run=True) as api:
        api.turns._kernels = ThreadKernels(rest_s=0, most=1)
        for _ in range(3):
            room = await begun(api)
            body = {"messages": [user("hi")], "auto_run": True}
            await api.post(f"{room.path}/messages", body)
        await until(lambda: api.executor.restarts == 1)


async def test_what_a_session_approved_is_no_approval_of_another_history(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        room = await begun(api)
        await room.ask(user("hi"))
        await room.ask(command("go"))
        history = {"messages": [user("elsewhere"), command("go")]}
        await api.fails("/v1/chat", history, 400, "nothing_to_approve")


async def test_what_a_run_did_to_files_is_listed_undone_and_done_again(tmp_path: Path):
    files = EffectsInMemory(RUN)
    ports = replace(ports_with(ScriptedProvider(), RecordingExecutor()), files=files)
    async with face(tmp_path, ports=ports) as api:
        room = await begun(api)
        session = api.sessions.get(room.id)
        assert session is not None
        session.conversation.apply(Chunk(role="computer", type="files", content=RUN))
        files.changed.add("notes.md")
        [undo] = (await api.post(f"{room.path}/effects/run/undo", {}))["effects"]
        assert (undo["created"], undo["deleted"]) == (["old.csv"], ["new.txt"])
        assert undo["conflicts"] == [{"path": "notes.md", "reason": "changed"}]
        listed = (await api.client.get(f"{room.path}/effects")).json()["effects"]
        assert [(one["id"], one["undone"]) for one in listed] == [
            ("run", ["new.txt", "old.csv"]),
            (undo["id"], []),
        ]
        body = {"path": "old.csv"}
        [redo] = (await api.post(f"{room.path}/effects/run/redo", body))["effects"]
        assert (redo["action"], files.asked[-1][1:]) == ("redo", (undo["id"], ("old.csv",)))
        await api.fails(f"{room.path}/effects/run/undo", {"path": "x"}, 404, "not_found")
        await api.fails(f"{room.path}/effects/other/undo", {}, 404, "not_found")
        files.is_gone = True
        await api.fails(f"{room.path}/effects/run/undo", {}, 400, "invalid_state")
        api.may_approve = False
        count = len(files.asked)
        await api.fails(f"{room.path}/effects/run/undo", {}, 403, "approval_forbidden")
        await api.fails(f"{room.path}/effects/run/redo", {}, 403, "approval_forbidden")
        assert len(files.asked) == count


async def test_what_was_set_aside_is_kept_or_deleted_once(tmp_path: Path):
    aside = tuple(FileChange(path=path) for path in (".envrc", ".vscode/tasks.json"))
    ports = replace(ports_with(ScriptedProvider(), RecordingExecutor()), files=EffectsInMemory(RUN))
    async with face(tmp_path, ports=ports) as api:
        room = await begun(api)
        session = api.sessions.get(room.id)
        assert session is not None
        effect = replace(RUN, set_aside=aside)
        session.conversation.apply(Chunk(role="computer", type="files", content=effect))
        [listed] = (await api.client.get(f"{room.path}/effects")).json()["effects"]
        assert listed["waiting"] == [one.path for one in aside]
        body = {"path": ".envrc"}
        [kept] = (await api.post(f"{room.path}/effects/run/keep", body))["effects"]
        assert (kept["action"], kept["of"], kept["created"]) == ("keep", "run", [".envrc"])
        await api.fails(f"{room.path}/effects/run/delete", body, 404, "not_found")
        [gone] = (await api.post(f"{room.path}/effects/run/delete", {}))["effects"]
        assert (gone["action"], gone["of"]) == ("delete", "run")
        await api.fails(f"{room.path}/effects/run/keep", {}, 404, "not_found")
        api.may_approve = False
        await api.fails(f"{room.path}/effects/run/keep", {}, 403, "approval_forbidden")


async def test_grants_are_listed_for_all_and_made_where_the_owner_lets_clients(tmp_path: Path):
    ports = ports_with(ScriptedProvider(), RecordingExecutor(), ReportedSandbox())
    wanted = {"kind": "host", "target": "API.example.com"}
    async with face(tmp_path, ports=ports) as api:
        room = await begun(api)
        path = f"{room.path}/grants"
        assert (await api.client.get(path)).json() == {"grants": []}
        await api.fails(path, wanted, 403, "policy_forbidden")
        session = api.sessions.get(room.id)
        assert session is not None
        grant = session.grants.give("variable", "MY_TOKEN", "conversation")
        refused = await api.client.delete(f"{path}/{grant.id}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "policy_forbidden")
        [listed] = (await api.client.get(path)).json()["grants"]
        assert (listed["text"], listed["deny"]) == ("May see the variable MY_TOKEN", False)
    async with face(tmp_path, ports=ports, may_choose_policy=True) as api:
        policy = {"files": "folder", "network": "listed", "hosts": ["example.org"]}
        room = await begun(api, policy=policy)
        path = f"{room.path}/grants"
        assert (await room.get())["policy"] == {**policy, "ask": "every"}
        [made] = (await api.post(path, wanted, 201))["grants"]
        assert (made["target"], made["scope"]) == ("api.example.com", "conversation")
        await api.fails(path, {"kind": "host", "target": "localhost"}, 400, "invalid_request")
        await api.fails(path, {"kind": "all", "target": "x"}, 400, "invalid_request")
        assert (await api.client.delete(f"{path}/{made['id']}")).json() == {"grants": [made]}
        assert (await api.client.delete(f"{path}/{made['id']}")).status_code == 404


async def test_packages_are_listed_for_all_and_installed_where_the_owner_lets_clients(
    tmp_path: Path,
):
    (tmp_path / "work").mkdir()
    packages = PackageKeeper(layered(tmp_path, tmp_path / "work", "tiny 1.0").packages)
    settings = SettingsInMemory(AppSettings(folder=str(tmp_path / "work")))
    ports = ports_with(ScriptedProvider(), RecordingExecutor(), ReportedSandbox())
    ports = replace(ports, packages=packages, settings=settings)
    for may_choose in (False, True):
        async with face(tmp_path, ports=ports, may_choose_policy=may_choose) as api:
            path = f"{(await begun(api)).path}/packages"
            assert (await api.client.get(path)).json()["packages"] == [
                {"name": "tiny", "version": "1.0", "there": ""}
            ]
            refused = (404, "not_found") if may_choose else (403, "policy_forbidden")
            await api.fails(path, {"packages": ["tiny 2.0"]}, *refused)


@pytest.mark.parametrize(
    ("body", "added"),
    [
        ({"role": "user", "content": "hello"}, ("user", "message", "hello")),
        ({"role": "user", "type": "message", "content": "hi"}, ("user", "message", "hi")),
        (
            {"role": "user", "content": [{"type": "text", "text": "hey"}]},
            ("user", "message", "hey"),
        ),
        (
            {"role": "user", "type": "code", "format": "python", "content": "6 * 7"},
            ("assistant", "code", "6 * 7"),
        ),
        (
            {"role": "assistant", "type": "code", "format": "python", "content": "6 * 8"},
            ("assistant", "code", "6 * 8"),
        ),
    ],
)
async def test_a_body_may_be_one_message_and_code_in_it_is_proposed(
    tmp_path: Path, body: dict[str, Any], added: tuple[str, ...]
):
    async with face(tmp_path, said("Good day.")) as api:
        room = await begun(api)
        answer = await api.post(f"{room.path}/messages", body)
        last = answer["messages"][-1]
        is_code = added[1] == "code"
        assert (last["type"], last["content"]) == (
            ("confirmation", {"type": "code", "format": "python", "content": added[2]})
            if is_code
            else ("message", "Good day.")
        )
        first = (await room.told())[0]
        assert (first["role"], first["type"], first["content"]) == added
        if is_code:
            ran = await room.ask(command("go"))
            assert [message["type"] for message in ran][:1] == ["console"]
        for wrong in ({}, {"role": "user"}, {"content": "x"}, {"role": "user", "content": [{}]}):
            await api.fails(f"{room.path}/messages", wrong, 400, "invalid_messages")


async def test_a_session_keeps_the_name_and_the_metadata_that_it_was_given(tmp_path: Path):
    async with face(tmp_path) as api:
        room = await begun(api, name="Hours", metadata={"project": {"n": [1, None]}})
        other = await begun(api, title="Days")
        seen = await room.get()
        assert (seen["name"], seen["title"]) == ("Hours", "Hours")
        assert seen["metadata"] == {"project": {"n": [1, None]}}
        assert (await other.get())["metadata"] == {}
        changed = await api.client.patch(room.path, json={"metadata": {"done": True}})
        assert changed.json()["metadata"] == {"done": True}
        listed = (await api.client.get(PATH)).json()["sessions"]
        assert {row["name"]: row["metadata"] for row in listed} == {
            "Hours": {"done": True},
            "Days": {},
        }
        too_large = {"metadata": {"text": "x" * 20_000}}
        await api.fails(PATH, too_large, 400, "invalid_request")
        assert len((await api.client.get(PATH)).json()["sessions"]) == 2
