"""/v1/responses, through a running server: who decides, what is kept, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playhead.api.turns.response_store import KEPT_S, ResponseStore
from playhead.domain.execution import Deny
from playhead.domain.history import Record
from playhead.domain.model import ModelParameters
from playhead.errors import RequestError
from playhead.storage.history.no_history import RecordsInMemory
from tests.support.http_face import Face, face
from tests.support.ports import called, coded, said
from tests.support.waiting import until

RESPONSES = "/v1/responses"
Wire = dict[str, Any]


def asked(words: Any = "go on", **more: Any) -> Wire:
    return {"model": "openai/test", "input": words, **more}


def tool(name: str) -> Wire:
    return {"type": "function", "name": name, "parameters": {"type": "object"}}


def kinds(response: Wire) -> list[str]:
    return [item["type"] for item in response["output"]]


async def test_the_parameters_reach_the_provider_and_are_reported(tmp_path: Path):
    async with face(tmp_path, said("hello")) as api:
        more = {"temperature": 0.2, "top_p": 0.5, "max_output_tokens": 9, "metadata": {"a": "b"}}
        response = await api.post(RESPONSES, asked(instructions="Be brief.", **more))
        (request,) = api.provider.requests
    expected = ModelParameters(temperature=0.2, top_p=0.5, max_tokens=9)
    assert request.model.parameters == expected
    assert {name: response[name] for name in more} == more
    assert (response["status"], response["store"]) == ("completed", True)


async def test_responses_go_on_in_one_conversation_that_has_moved_on_or_not(tmp_path: Path):
    async with face(tmp_path, said("one"), said("two"), said("other")) as api:
        first = await api.post(RESPONSES, asked())
        second = await api.post(RESPONSES, asked(previous_response_id=first["id"]))
        await api.post(RESPONSES, asked("instead", previous_response_id=first["id"]))
        ids = [request.conversation_id for request in api.provider.requests]
        items = (await api.client.get(f"{RESPONSES}/{second['id']}/input_items")).json()
    assert ids[0] == ids[1] == ids[2]
    assert [item["role"] for item in items["data"]] == ["user", "assistant", "user"]
    assert (items["first_id"], items["has_more"]) == (items["data"][0]["id"], False)


async def test_the_client_decides_only_where_programs_may(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        waiting = await api.post(RESPONSES, asked())
        assert kinds(waiting) == ["code_interpreter_call", "message"]
        assert api.ran == []
        yes = asked("yes", previous_response_id=waiting["id"])
        api.may_approve = False
        await api.fails(RESPONSES, yes, 403, "approval_forbidden")
        assert api.ran == []
        api.may_approve = True
        after = await api.post(RESPONSES, yes)
        assert api.ran == ["6 * 7"]
    assert [item["status"] for item in after["output"]] == ["completed", "completed"]


async def test_what_was_approved_never_runs_twice(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42"), said("no")) as api:
        waiting = await api.post(RESPONSES, asked())
        yes = asked("yes", previous_response_id=waiting["id"])
        await api.post(RESPONSES, yes)
        await api.post(RESPONSES, yes)
        assert api.ran == ["6 * 7"]


async def test_code_runs_unasked_only_where_that_is_allowed(tmp_path: Path):
    async with face(tmp_path, coded("6 * 7"), said("42")) as api:
        await api.fails(RESPONSES, asked(auto_run=True), 403, "auto_run_forbidden")
        api.may_auto_run = True
        response = await api.post(RESPONSES, asked(auto_run=True))
        assert api.ran == ["6 * 7"]
    assert kinds(response) == ["code_interpreter_call", "message"]


@pytest.mark.parametrize(
    ("tools", "choice", "offers_code", "functions", "must_call"),
    [
        (None, None, True, [], False),
        (None, "none", False, [], False),
        ([{"type": "code_interpreter"}], "required", True, [], True),
        ([{"type": "code_interpreter"}], {"type": "code_interpreter"}, True, [], True),
        ([tool("a"), tool("b")], None, False, ["a", "b"], False),
        ([tool("a"), {"type": "code_interpreter"}], None, True, ["a"], False),
        ([tool("a"), tool("b")], {"type": "function", "name": "b"}, False, ["b"], True),
        ([tool("a"), {"type": "code_interpreter"}], "none", False, [], False),
    ],
)
async def test_the_tools_and_their_choice(
    tmp_path: Path,
    tools: Any,
    choice: Any,
    offers_code: bool,
    functions: list[str],
    must_call: bool,
):
    async with face(tmp_path, said("hello")) as api:
        await api.post(RESPONSES, asked(tools=tools, tool_choice=choice))
        (request,) = api.provider.requests
    assert [one.name for one in request.tools] == functions
    assert (request.offers_execute, request.must_call) == (offers_code, must_call)


async def test_a_clients_call_ends_the_response_and_its_output_goes_on(tmp_path: Path):
    async with face(tmp_path, called("lookup", '{"q": 1}'), said("done")) as api:
        first = await api.post(RESPONSES, asked(tools=[tool("lookup")]))
        (call,) = first["output"]
        output = {
            "type": "function_call_output",
            "call_id": call["call_id"],
            "output": [{"type": "input_text", "text": "one"}],
        }
        items = [{"role": "user", "content": "go on"}, call, output]
        second = await api.post(RESPONSES, asked(items, tools=[tool("lookup")]))
        ids = [request.conversation_id for request in api.provider.requests]
    assert ids[0] == ids[1]
    assert kinds(second) == ["message"]


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({"input": "x"}, "invalid_model", "model"),
        (asked([]), "invalid_messages", "input"),
        (asked(7), "invalid_request", "input"),
        (asked(conversation="conv_1"), "invalid_request", "conversation"),
        (asked(session_id="1", previous_response_id="2"), "invalid_request", "session_id"),
        (asked(previous_response_id="resp_1"), "previous_response_not_found", None),
        (asked(tools=[{"type": "web_search"}]), "invalid_tools", "tools[0].type"),
        (asked(tool_choice={"type": "code_interpreter"}), "invalid_tools", "tool_choice"),
        (asked([{"type": "item_reference", "id": "msg_1_0"}]), "not_found", "input[0].id"),
    ],
)
async def test_what_cannot_be_done_is_refused_and_asks_nobody(
    tmp_path: Path, body: Wire, code: str, param: str | None
):
    async with face(tmp_path) as api:
        status = 404 if code == "not_found" else 400
        refused = await api.fails(RESPONSES, body, status, code)
        assert api.provider.requests == []
    assert param in (None, refused.json()["error"]["param"])


@pytest.mark.parametrize("is_approved", [True, False])
async def test_where_only_the_window_decides_the_response_waits_for_it(
    tmp_path: Path, is_approved: bool
):
    async with face(tmp_path, coded("6 * 7"), said("done"), may_approve=False) as api:
        begun = await api.post(RESPONSES, asked(background=True))
        await until(lambda: any(one.pending for one in api.sessions.open_sessions))
        (session,) = api.sessions.open_sessions
        assert session.pending is not None
        if is_approved:
            session.approve(session.pending.id)
        else:
            session.decide({session.pending.message_id: Deny()})
        response = await ended(api, begun)
    assert kinds(response) == ["code_interpreter_call", "message"]
    assert response["output"][0]["status"] == ("completed" if is_approved else "incomplete")
    assert response["output"][0]["code"] == "6 * 7"


async def ended(api: Face, response: Wire) -> Wire:
    """A response in the background, once it is over."""
    while response["status"] == "in_progress":
        response = (await api.client.get(f"{RESPONSES}/{response['id']}")).json()
    return response


async def test_a_response_in_the_background_is_recognised_afterwards(tmp_path: Path):
    async with face(tmp_path, said("one"), said("two")) as api:
        begun = await api.post(RESPONSES, asked(background=True))
        assert begun["background"] is True
        assert (await ended(api, begun))["status"] == "completed"
        await api.post(RESPONSES, asked("and?", previous_response_id=begun["id"]))
        ids = [request.conversation_id for request in api.provider.requests]
    assert ids[0] == ids[1]


async def test_a_response_is_deleted_and_what_goes_on_from_it_is_refused(tmp_path: Path):
    async with face(tmp_path, said("one")) as api:
        first = await api.post(RESPONSES, asked())
        gone = await api.client.delete(f"{RESPONSES}/{first['id']}")
        assert gone.json() == {"id": first["id"], "object": "response", "deleted": True}
        assert (await api.client.delete(f"{RESPONSES}/{first['id']}")).status_code == 404
        again = asked(previous_response_id=first["id"])
        await api.fails(RESPONSES, again, 400, "previous_response_not_found")


async def test_stored_responses_outlive_their_process_for_thirty_days():
    records, created = RecordsInMemory(), 1_735_000_000
    wire = {"id": "resp_1", "created_at": created, "output": []}
    ResponseStore(records).keep(wire, [])
    records.put(Record("resp_2", "response", "{damaged"))
    later = ResponseStore(records, now=lambda: created + KEPT_S - 1)
    assert (await later.get("resp_1")).wire == wire
    with pytest.raises(RequestError):
        await later.get("resp_2")
    expired = ResponseStore(records, now=lambda: created + KEPT_S + 1)
    with pytest.raises(RequestError):
        await expired.get("resp_1")
    assert await records.of("responses") == []


async def test_the_oldest_responses_make_room_for_new_ones():
    records = RecordsInMemory()
    store = ResponseStore(records, now=lambda: 5, most=1000)
    for number in range(6):
        item = {"id": "msg_1", "text": "x" * 300}
        store.keep({"id": f"resp_{number}", "created_at": number, "output": []}, [item])
        if number == 3:
            assert (await store.get("resp_3")).items == (item,)
    kept = [record.id for record in await records.of("responses")]
    assert kept == ["resp_4", "resp_5"]
