"""Runs of threads: their events in their order, decisions, and how they end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from playhead.domain.conversation.payloads import Citation, Source, Usage
from playhead.errors import ProviderError
from tests.formats.wire.cohere.test_decode import recorded
from tests.support.assistants_face import (
    Asked,
    Event,
    asking,
    names_of,
    read_events,
    said_by,
)
from tests.support.http_face import Face, face
from tests.support.ports import Chunk, called, coded, said
from tests.support.waiting import until

APPROVE, DENY = {"decision": "approve"}, {"decision": "deny", "reason": "Too long."}
LOOKUP = {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
BEGUN = ["run.created", "run.queued", "run.in_progress"]
RESUMED = ["run.step.completed", "run.queued", "run.in_progress"]
STEP = ["run.step.created", "run.step.in_progress"]
MESSAGE = [*STEP, "message.created", "message.in_progress", "message.delta"]
SAID = [*MESSAGE, "message.completed", "run.step.completed"]
CALLED = [*STEP, "run.step.delta"]


def data_of(events: list[Event], name: str) -> dict[str, Any]:
    """Of the last event with this name."""
    return [event["data"] for event in events if event["event"] == f"thread.{name}"][-1]


async def test_a_text_comes_in_the_documents_order(tmp_path: Path):
    async with face(tmp_path, said("Hello")) as api:
        body = {"thread": {"messages": [said_by("hi")]}, "stream": True}
        response = await api.client.post("/v1/threads/runs", json=body)
    events = read_events(response.text)
    theirs = recorded("assistants_text.jsonl")
    assert [event["event"] for event in events] == [event["event"] for event in theirs]
    for ours, shown in zip(events[:-1], theirs[:-1], strict=True):
        assert set(shown["data"]) <= set(ours["data"])
    assert events[-1] == theirs[-1]


async def test_code_that_runs_unasked_comes_in_the_documents_order(tmp_path: Path):
    async with face(tmp_path, coded("7 * 6"), said("42"), may_auto_run=True) as api:
        asked = await asking(api)
        events = await asked.run("go", auto_run=True)
        [step, message] = await asked.steps()
    names = names_of(events)
    assert names == [*BEGUN, *CALLED, "run.step.completed", *SAID, "run.completed", "done"]
    [call] = step["step_details"]["tool_calls"]
    assert call["code_interpreter"]["input"] == "7 * 6"
    assert call["code_interpreter"]["outputs"] == [{"type": "logs", "logs": "ran 7 * 6\n"}]
    assert message["type"] == "message_creation"


async def test_approved_code_runs_in_a_new_step_of_a_new_stream(tmp_path: Path):
    async with face(tmp_path, coded("7 * 6"), said("42")) as api:
        asked = await asking(api)
        first = await asked.run("go")
        assert names_of(first) == [*BEGUN, *CALLED, "run.requires_action", "done"]
        [call] = asked.calls(data_of(first, "run.requires_action"))
        assert call["function"]["name"] == "execute"
        assert api.ran == []
        second = await asked.submit(APPROVE)
        assert api.ran == ["7 * 6"]
        steps = await asked.steps()
    names = names_of(second)
    assert names == [*RESUMED, *CALLED, "run.step.completed", *SAID, "run.completed", "done"]
    [proposed, ran, _said] = steps
    [function] = proposed["step_details"]["tool_calls"]
    assert function["function"]["output"] == '{"decision": "approve"}'
    [code] = ran["step_details"]["tool_calls"]
    assert code["code_interpreter"]["input"] == "7 * 6"
    assert [step["status"] for step in steps] == ["completed"] * 3


async def test_edited_code_runs_and_denied_code_does_not(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("So"), coded("2"), said("Well")) as api:
        asked = await asking(api)
        await asked.run("one")
        await asked.submit({"decision": "approve", "code": "3"})
        assert api.ran == ["3"]
        [_, ran, _] = await asked.steps()
        assert ran["step_details"]["tool_calls"][0]["code_interpreter"]["input"] == "3"
        await asked.run("two")
        events = await asked.submit(DENY)
        assert api.ran == ["3"]
        last = api.provider.requests[-1].messages[-1]
    assert names_of(events) == [*RESUMED, *SAID, "run.completed", "done"]
    assert "Too long." in last.text


async def test_calls_of_a_clients_function_go_there_and_their_results_to_the_model(tmp_path: Path):
    answers = called("lookup", '{"q": 1}'), said("Nineteen.")
    async with face(tmp_path, *answers) as api:
        asked = await asking(api)
        first = await asked.run("the weather", tools=[LOOKUP])
        [call] = asked.calls(data_of(first, "run.requires_action"))
        assert call["function"] == {"name": "lookup", "arguments": '{"q": 1}'}
        second = await asked.submit("19 degrees")
        assert api.provider.requests[-1].messages[-1].text == "19 degrees"
        assert [tool.name for tool in api.provider.requests[-1].tools] == ["lookup"]
    assert names_of(second) == [*RESUMED, *SAID, "run.completed", "done"]


async def test_outputs_are_for_exactly_the_calls_that_wait(tmp_path: Path):
    two = [*called("lookup", "{}", "call_1"), *called("lookup", "{}", "call_2")]
    async with face(tmp_path, two, said("Both.")) as api:
        asked = await asking(api)
        await asked.run("go", tools=[LOOKUP])
        path = f"{asked.run_path}/submit_tool_outputs"
        both = await asked.outputs("a", "b")
        for wrong in (both[:1], [*both, both[0]], [{"tool_call_id": "call_9", "output": ""}]):
            await api.fails(path, {"tool_outputs": wrong}, 400, "invalid_state")
        assert (await asked.polled())["status"] == "requires_action"
        await asked.submit("a", "b")
        await api.fails(path, {"tool_outputs": both}, 400, "invalid_state")


async def test_a_run_goes_on_without_its_client_and_is_seen_by_polling(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done")) as api:
        asked = await asking(api)
        run = await asked.begin("go")
        assert run["status"] == "queued"
        looked = await api.client.get(asked.run_path)
        assert looked.headers["openai-poll-after-ms"] == "250"
        assert (await asked.rested())["status"] == "requires_action"
        outputs = await asked.outputs(APPROVE)
        await api.post(f"{asked.run_path}/submit_tool_outputs", {"tool_outputs": outputs})
        ended = await asked.rested("completed", "failed")
        assert ended["status"] == "completed"
        assert ended["usage"]["total_tokens"] > 0
        assert [step["type"] for step in await asked.steps()] == [
            "tool_calls",
            "tool_calls",
            "message_creation",
        ]
        assert await asked.texts() == [("user", "go"), ("assistant", "Done")]


FAILURES = {
    "server_error": ProviderError("It broke"),
    "rate_limit_exceeded": ProviderError("Slower", code="rate_limit_exceeded"),
}


@pytest.mark.parametrize("code", FAILURES)
async def test_a_failure_ends_what_it_cuts_off_and_then_the_run(tmp_path: Path, code: str):
    half = [*said("Half")[:2], FAILURES[code]]
    async with face(tmp_path, half) as api:
        asked = await asking(api)
        events = await asked.run("go")
        polled = await asked.polled()
        [step] = await asked.steps()
    ends = ["message.incomplete", "run.step.failed", "run.failed", "done"]
    assert names_of(events) == [*BEGUN, *MESSAGE, *ends]
    assert polled["last_error"]["code"] == code
    assert polled == data_of(events, "run.failed")
    assert step["status"] == "failed"


async def test_a_failure_before_the_first_piece_is_in_the_stream_too(tmp_path: Path):
    async with face(tmp_path, [ProviderError("No", code="upstream_auth_error")]) as api:
        asked = await asking(api)
        events = await asked.run("go")
    assert names_of(events) == [*BEGUN, "run.failed", "done"]


async def test_a_cancelled_run_says_so_to_who_still_reads(tmp_path: Path):
    async with face(tmp_path, said("Never")) as api:
        api.provider.gate = asyncio.Semaphore(2)
        asked = await asking(api)
        reading = asyncio.create_task(asked.run("go"))
        await asked.wait_for_step()
        cancelled = await api.post(f"{asked.run_path}/cancel", {})
        assert cancelled["status"] == "cancelling"
        events = await reading
        assert (await asked.polled())["status"] == "cancelled"
        await api.fails(f"{asked.run_path}/cancel", {}, 400, "invalid_state")
    ends = ["message.incomplete", "run.step.cancelled", "run.cancelled", "done"]
    assert names_of(events) == [*BEGUN, *MESSAGE, "run.cancelling", *ends]


async def test_a_run_that_waits_is_cancelled_at_once(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        asked = await asking(api)
        await asked.run("go")
        cancelled = await api.post(f"{asked.run_path}/cancel", {})
        assert (cancelled["status"], cancelled["required_action"]) == ("cancelled", None)
        [step] = await asked.steps()
        assert step["status"] == "cancelled"
        await until(lambda: all(session.is_idle for session in api.sessions.open_sessions))
        assert api.ran == []


async def test_a_run_that_nobody_decides_about_expires(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Again")) as api:
        api.assistants.runs.waits_s = 0.2
        asked = await asking(api)
        await asked.run("go")
        run = await asked.rested("expired")
        [step] = await asked.steps()
        assert (run["required_action"], step["status"]) == (None, "expired")
        outputs = [{"tool_call_id": "call_1", "output": "{}"}]
        path = f"{asked.run_path}/submit_tool_outputs"
        await api.fails(path, {"tool_outputs": outputs}, 400, "invalid_state")
        await until(lambda: all(session.is_idle for session in api.sessions.open_sessions))
        assert names_of(await asked.run("so?"))[-2:] == ["run.completed", "done"]
    assert api.ran == []


async def test_where_only_the_window_decides_the_stream_stays_open_until_it_expires(tmp_path: Path):
    async with face(tmp_path, coded("1"), may_approve=False) as api:
        api.assistants.runs.waits_s = 0.2
        asked = await asking(api)
        events = await asked.run("go")
        assert (await asked.polled())["status"] == "expired"
    ends = ["run.step.expired", "run.expired", "done"]
    assert names_of(events) == [*BEGUN, *CALLED, *ends]


def session_of(api: Face) -> Any:
    [session] = api.sessions.open_sessions
    return session


async def test_where_only_the_window_decides_its_click_has_the_stream_go_on(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done"), may_approve=False) as api:
        asked = await asking(api)
        reading = asyncio.create_task(asked.run("go"))
        await until(lambda: api.sessions.open_sessions and session_of(api).pending)
        session_of(api).approve(session_of(api).pending.id)
        events = await reading
    assert names_of(events) == [
        *BEGUN,
        *CALLED,
        "run.step.completed",
        *SAID,
        "run.completed",
        "done",
    ]
    assert api.ran == ["1"]


async def test_the_windows_decision_counts_where_it_comes_first(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done")) as api:
        asked = await asking(api)
        await asked.run("go")
        outputs = await asked.outputs(APPROVE)
        session_of(api).approve(session_of(api).pending.id)
        assert (await asked.rested("completed", "failed"))["status"] == "completed"
        path = f"{asked.run_path}/submit_tool_outputs"
        await api.fails(path, {"tool_outputs": outputs}, 400, "invalid_state")
        steps = await asked.steps()
    assert [step["status"] for step in steps] == ["completed"] * 3
    assert api.ran == ["1"]


async def test_a_client_that_leaves_its_stream_cancels_the_run(tmp_path: Path):
    async with face(tmp_path, said("Never")) as api:
        api.provider.gate = asyncio.Semaphore(0)
        asked = await asking(api)
        body = {"additional_messages": [said_by("go")]}
        async with asked.opened(f"{asked.path}/runs", body) as response:
            lines = response.aiter_lines()
            assert await anext(lines) == "event: thread.run.created"
            await until(lambda: api.provider.requests)
        [run] = (await asked.get(f"{asked.path}/runs"))["data"]
        asked.run_id = run["id"]
        assert (await asked.rested("cancelled", "completed"))["status"] == "cancelled"
        await until(lambda: api.provider.closed_streams == 1)


async def test_a_thread_has_one_active_run_and_takes_no_messages_meanwhile(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        asked = await asking(api)
        await asked.run("go")
        refused = await api.fails(f"{asked.path}/runs", {}, 400, "invalid_state")
        told = refused.json()["error"]["message"]
        assert told.startswith(f"Thread {asked.id} already has an active run {asked.run_id}.")
        refused = await api.fails(f"{asked.path}/messages", said_by("more"), 400, "invalid_state")
        told = refused.json()["error"]["message"]
        assert told == f"Can't add messages to {asked.id} while a run {asked.run_id} is active."


async def test_a_thread_that_the_window_works_on_is_busy(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Hm")) as api:
        asked = await asking(api)
        session_of(api).send("from the window")
        await until(lambda: session_of(api).pending)
        await api.fails(f"{asked.path}/runs", {}, 423, "session_busy")
        await api.fails(f"{asked.path}/messages", said_by("more"), 423, "session_busy")
        assert (await asked.get(f"{asked.path}/runs"))["data"] == []


async def test_code_runs_unasked_only_where_that_is_allowed(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done")) as api:
        asked = await asking(api)
        body = {"additional_messages": [said_by("go")], "metadata": {"auto_run": "true"}}
        await api.fails(f"{asked.path}/runs", body, 403, "auto_run_forbidden")
        assert (await asked.texts(), await asked.get(f"{asked.path}/runs"))[0] == []
        api.may_auto_run = True
        await asked.run("go", metadata={"auto_run": "true"})
        assert api.ran == ["1"]


async def test_a_thread_that_cannot_be_run_is_not_left_behind(tmp_path: Path):
    async with face(tmp_path) as api:
        body = {"thread": {"messages": [said_by("go")]}, "auto_run": True}
        await api.fails("/v1/threads/runs", body, 403, "auto_run_forbidden")
        await api.fails("/v1/threads/runs", {"thread": {}}, 400, "invalid_messages")
        assert api.sessions.summaries == []


async def test_a_run_is_asked_with_what_its_assistant_says_unless_it_says_otherwise(tmp_path: Path):
    async with face(tmp_path, said("1"), said("2")) as api:
        fields = {"model": "openai/other", "instructions": "Be brief.", "temperature": 0.5}
        assistant = await api.post("/v1/assistants", {**fields, "tools": [LOOKUP]})
        asked = await asking(api)
        await asked.run("go", assistant_id=assistant["id"])
        more = {"model": "openai/third", "instructions": "Be long.", "tools": []}
        events = await asked.run(
            "go", assistant_id=assistant["id"], **more, additional_instructions="In French."
        )
        first, second = api.provider.requests
    assert (first.model.model, first.model.parameters.temperature) == ("openai/other", 0.5)
    assert "Be brief." in first.instructions
    assert [tool.name for tool in first.tools] == ["lookup"]
    assert (second.model.model, second.tools) == ("openai/third", ())
    assert "Be long.\n\nIn French." in second.instructions
    run = data_of(events, "run.completed")
    assert (run["model"], run["instructions"]) == ("openai/third", "Be long.\n\nIn French.")


async def test_what_a_text_cites_stands_in_its_annotations_also_later(tmp_path: Path):
    cited = Citation(start=0, end=5, text="Hello", sources=(Source(id="letter"),))
    answer = [*said("Hello"), Chunk(role="assistant", type="citation", content=cited)]
    async with face(tmp_path, answer) as api:
        asked = await asking(api)
        await asked.run("go")
        page = await asked.get(f"{asked.path}/messages?limit=1")
    [annotation] = page["data"][0]["content"][0]["text"]["annotations"]
    assert annotation["text"] == "Hello"


async def test_two_codes_of_one_answer_are_decided_together(tmp_path: Path):
    two = [*coded("1", call_id="call_1"), *coded("2", call_id="call_2")]
    async with face(tmp_path, two, said("Done")) as api:
        asked = await asking(api)
        events = await asked.run("go")
        assert len(asked.calls(data_of(events, "run.requires_action"))) == 2
        await asked.submit(APPROVE, DENY)
        assert api.ran == ["1"]
        assert (await asked.polled())["status"] == "completed"


async def test_only_the_model_that_cuts_its_answer_makes_a_run_incomplete(tmp_path: Path):
    answer = [
        *said("Half"),
        Chunk(
            role="server",
            type="usage",
            content=Usage(input_tokens=1, output_tokens=2, finish_reason="length"),
        ),
    ]
    async with face(tmp_path, answer) as api:
        asked = await asking(api)
        events = await asked.run("go")
    assert names_of(events)[-4:] == [
        "message.incomplete",
        "run.step.completed",
        "run.incomplete",
        "done",
    ]


async def test_a_run_ends_with_its_thread(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        asked = await asking(api)
        await asked.run("go")
        gone = (await api.client.delete(asked.path)).json()
        assert gone == {"id": asked.id, "object": "thread.deleted", "deleted": True}
        await asked.get(asked.run_path, 404)
        assert api.sessions.summaries == []


async def test_the_list_of_asked_is_kept_apart(tmp_path: Path):
    async with face(tmp_path, said("A"), said("B")) as api:
        one, two = await asking(api), await asking(api)
        await one.run("for one")
        await two.run("for two")
        assert await one.texts() == [("user", "for one"), ("assistant", "A")]
        assert await two.texts() == [("user", "for two"), ("assistant", "B")]
        await Asked(api, {"id": one.id}).get(two.path.replace("thread_", "thread-"), 404)


async def test_of_runs_that_are_begun_at_once_one_begins(tmp_path: Path):
    async with face(tmp_path, coded("1")) as api:
        asked = await asking(api, messages=[said_by("go")])
        begun = [api.client.post(f"{asked.path}/runs", json={}) for _ in range(5)]
        statuses = sorted(answer.status_code for answer in await asyncio.gather(*begun))
        assert statuses == [200, 400, 400, 400, 400]
        assert len((await asked.get(f"{asked.path}/runs"))["data"]) == 1


async def test_of_decisions_that_come_at_once_one_counts(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done")) as api:
        asked = await asking(api)
        await asked.run("go")
        body = {"tool_outputs": await asked.outputs(APPROVE)}
        path = f"{asked.run_path}/submit_tool_outputs"
        answers = await asyncio.gather(*(api.client.post(path, json=body) for _ in range(5)))
        assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400, 400]
        assert (await asked.rested("completed", "failed"))["status"] == "completed"
        assert api.ran == ["1"]


async def test_a_decision_that_is_none_leaves_the_run_as_it_was(tmp_path: Path):
    async with face(tmp_path, coded("1"), said("Done")) as api:
        asked = await asking(api)
        await asked.run("go")
        outputs = await asked.outputs({"decision": "approve", "code": 7})
        path = f"{asked.run_path}/submit_tool_outputs"
        await api.fails(path, {"tool_outputs": outputs}, 400, "invalid_messages")
        assert (await asked.polled())["status"] == "requires_action"
        await asked.submit("I ran it myself: 1")
        assert api.ran == []
        assert api.provider.requests[-1].messages[-1].text == "I ran it myself: 1"
        assert (await asked.polled())["status"] == "completed"


async def test_the_usage_of_a_run_is_that_of_all_its_streams(tmp_path: Path):
    first = [
        *coded("1"),
        Chunk(role="server", type="usage", content=Usage(input_tokens=5, output_tokens=1)),
    ]
    second = [
        *said("Done"),
        Chunk(role="server", type="usage", content=Usage(input_tokens=7, output_tokens=2)),
    ]
    async with face(tmp_path, first, second) as api:
        asked = await asking(api)
        await asked.run("go")
        await asked.submit(APPROVE)
        usage = (await asked.polled())["usage"]
    assert usage == {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
