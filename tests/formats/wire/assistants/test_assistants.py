"""The Assistants' events: the documents' objects and order, what comes back, what clients do."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai._models import construct_type
from openai.lib.streaming._assistants import accumulate_event, accumulate_run_step
from openai.types.beta import AssistantStreamEvent
from openai.types.beta.threads import Message, Run
from openai.types.beta.threads.runs import RunStep
from pydantic import TypeAdapter

from playhead.domain.conversation.chunk import Chunk
from playhead.domain.conversation.payloads import Citation, Failure, Source, Usage
from playhead.formats.wire.assistants.decode import Decoder
from playhead.formats.wire.assistants.encode import EXPIRED, Encoder
from playhead.formats.wire.assistants.objects import RunFacts, thread_wire
from playhead.formats.wire.assistants.steps import Ids
from tests.formats.wire.cohere.test_decode import COMPLETE, WAITING, junk, recorded
from tests.formats.wire.cohere.test_encode import message, printed, proposal, said
from tests.support import chunk_streams
from tests.support.chunk_streams import essence, of_kinds, streams

KINDS = ("message", "code", "tool_call")
CANCELLED = Chunk(role="server", type="status", content="cancelled")
BROKEN = Chunk(
    role="server", type="error", content=Failure(code="upstream_error", title="It broke.")
)
marked = st.one_of(chunk_streams.says, chunk_streams.codes, chunk_streams.calls)


def ids(first: int = 1) -> Ids:
    numbers = count(first)
    return Ids(lambda kind: f"{kind}_{next(numbers)}", lambda: 1735000000)


def encoder(first_id: int = 1, **options: Any) -> Encoder:
    run = RunFacts(
        id="run_7",
        thread_id="thread_7",
        assistant_id="asst_interpreter",
        model="small",
        created_at=1735000000,
        waits_s=9,
    )
    return Encoder(run, ids(first_id), **{"has_tools": True, **options})


def events_of(chunks: list[Chunk], **options: Any) -> list[dict[str, Any]]:
    made = encoder(**options)
    return [event for chunk in chunks for event in made.encode(chunk)] + made.finish()


def decoded(events: list[Any]) -> list[Chunk]:
    decoder = Decoder()
    return [chunk for event in events for chunk in decoder.decode(event)] + decoder.finish()


def names_of(events: list[dict[str, Any]]) -> list[str]:
    return [event["event"].removeprefix("thread.") for event in events]


def last_run(events: list[dict[str, Any]]) -> dict[str, Any]:
    return events[-2]["data"]


def called(name: str, arguments: str, call_id: str) -> list[Chunk]:
    return message("tool_call", arguments, format_=name, call_id=call_id)


def coded(code: str, call_id: str = "call_a1", language: str = "python") -> list[Chunk]:
    return message("code", code, format_=language, call_id=call_id)


def code_call(event: dict[str, Any]) -> dict[str, Any]:
    return event["data"]["delta"]["step_details"]["tool_calls"][0]


def test_the_documents_text_is_a_message():
    assert essence(decoded(recorded("assistants_text.jsonl"))) == [
        ("assistant", "message", None, None, "Hello"),
        Chunk(role="server", type="usage", content=Usage(input_tokens=9, output_tokens=4)),
        COMPLETE,
    ]


def test_the_documents_code_call_is_code_and_what_it_printed():
    assert essence(decoded(recorded("assistants_code.jsonl"))) == [
        ("assistant", "code", "python", "call_123", "print(7*6)"),
        ("computer", "console", None, None, "42\n"),
        COMPLETE,
    ]


def test_a_text_goes_out_in_the_documents_order_and_shapes():
    theirs = recorded("assistants_text.jsonl")
    ours = events_of([*said("Hello"), COMPLETE], opened=thread_wire("thread_7", 1735000000))
    assert names_of(ours) == names_of(theirs)
    [delta] = [event["data"] for event in ours if event["event"] == "thread.message.delta"]
    [shown] = [event["data"] for event in theirs if event["event"] == "thread.message.delta"]
    assert {**delta, "id": "msg_123"} == shown
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert set(other["data"]) <= set(one["data"])
        assert other["data"].get("status") == one["data"].get("status") or "message" in one["event"]
    assert ours[-1] == theirs[-1]


def test_code_that_runs_here_goes_out_in_the_documents_order_and_shapes():
    chunks = [*coded("print(7*6)", "call_123"), proposal("print(7*6)"), *printed("42\n"), COMPLETE]
    theirs = recorded("assistants_code.jsonl")
    ours = events_of(chunks, is_call_clients=False)
    assert names_of(ours) == names_of(theirs)
    deltas = [code_call(event) for event in ours if event["event"].endswith("step.delta")]
    assert deltas[0]["code_interpreter"].pop("language") == "python"
    shown = [code_call(event) for event in theirs if event["event"].endswith("step.delta")]
    assert deltas == shown


def plainly(chunks: list[Chunk]) -> list[Any]:
    """Empty prose is none, no arguments an object."""
    told: list[Any] = []
    for _role, kind, format_, _id, content in essence(of_kinds(chunks, *KINDS)):  # type: ignore[misc]
        if content or kind != "message":
            told.append((kind, format_, content or ("{}" if kind == "tool_call" else "")))
    return told


@given(streams(marked, st.just([COMPLETE])))
def test_what_this_format_has_words_for_comes_back(chunks: list[Chunk]):
    again = decoded([json.loads(json.dumps(event)) for event in events_of(chunks)])
    assert not of_kinds(again, "error")
    assert plainly(again) == plainly(chunks)


codes_with_text = chunk_streams.codes.filter(lambda chunks: len(chunks) > 2)


@given(streams(chunk_streams.says | codes_with_text, st.just([COMPLETE])))
def test_code_that_runs_here_comes_back_with_its_language(chunks: list[Chunk]):
    again = decoded(events_of(chunks, is_call_clients=False))
    assert plainly(again) == plainly(chunks)


adapter: TypeAdapter[Any] = TypeAdapter(AssistantStreamEvent)


@given(streams(chunk_streams.plain | chunk_streams.extended), st.booleans())
def test_the_openai_library_can_read_every_stream(chunks: list[Chunk], is_clients: bool):
    steps: dict[str, RunStep] = {}
    current: Message | None = None
    events = events_of(chunks, is_call_clients=is_clients)
    assert names_of(events)[-1] == "done"
    for event in [json.loads(json.dumps(event)) for event in events[:-1]]:
        adapter.validate_python(event)
        read: Any = construct_type(type_=AssistantStreamEvent, value=event)
        if event["event"] == "thread.message.completed":
            assert current is not None
            streamed = [block.model_dump(exclude_unset=True) for block in current.content]
            for block in streamed:
                block.pop("index")
                for note in block["text"]["annotations"]:
                    note.pop("index", None)
            assert streamed == event["data"]["content"]
        current, _ = accumulate_event(event=read, current_message_snapshot=current)
        accumulate_run_step(event=read, run_step_snapshots=steps)
        if event["event"] == "thread.run.step.completed" and read.data.type == "tool_calls":
            snapshot: Any = steps[read.data.id]
            told = [
                call.model_dump(exclude_unset=True) for call in snapshot.step_details.tool_calls
            ]
            whole = event["data"]["step_details"]["tool_calls"]
            assert [unnumbered(call) for call in told] == whole


def unnumbered(call: dict[str, Any]) -> dict[str, Any]:
    call.pop("index")
    for output in call.get("code_interpreter", {}).get("outputs", []):
        output.pop("index")
    return call


@given(streams(chunk_streams.plain | chunk_streams.extended), st.booleans())
def test_one_terminal_event_and_no_step_left_open_but_one_that_waits(
    chunks: list[Chunk], is_clients: bool
):
    events = events_of(chunks, is_call_clients=is_clients)
    names = names_of(events)
    ends = ("requires_action", "completed", "incomplete", "failed", "cancelled", "expired")
    assert [name for name in names if name in {f"run.{end}" for end in ends}] == [names[-2]]
    Run.model_validate(last_run(events))
    begun = {e["data"]["id"] for e in events if e["event"] == "thread.run.step.created"}
    ended = {
        event["data"]["id"]
        for event in events
        if event["event"].startswith("thread.run.step.")
        and event["event"].rpartition(".")[2] in ends
    }
    assert len(begun - ended) == (names[-2] == "run.requires_action")
    assert ended <= begun


def test_a_proposal_requires_action_and_its_step_stays_open():
    events = events_of([*said("So:"), *coded("7*6"), proposal("7*6"), WAITING])
    assert names_of(events)[-3:] == ["run.step.delta", "run.requires_action", "done"]
    action = last_run(events)["required_action"]
    [call] = action["submit_tool_outputs"]["tool_calls"]
    assert (action["type"], call["id"]) == ("submit_tool_outputs", "call_a1")
    assert call["function"]["name"] == "execute"
    assert json.loads(call["function"]["arguments"]) == {"language": "python", "code": "7*6"}
    assert decoded(events)[-1] == WAITING


def test_parallel_calls_share_a_step_and_name_themselves_once():
    calls = [
        *called("f", '{"q": 1}', "a"),
        *message("tool_call", format_="g", call_id="b"),
        *coded("1", "c"),
    ]
    events = events_of([*calls, COMPLETE])
    assert names_of(events).count("run.step.created") == 1
    deltas = [code_call(event) for event in events if event["event"].endswith("step.delta")]
    assert [delta["id"] for delta in deltas if "id" in delta] == ["a", "b", "c"]
    assert sorted({delta["index"] for delta in deltas}) == [0, 1, 2]
    required = last_run(events)["required_action"]["submit_tool_outputs"]["tool_calls"]
    assert [call["function"]["arguments"] for call in required][:2] == ['{"q": 1}', "{}"]


def test_a_resumed_stream_tells_the_outputs_and_opens_a_new_step():
    first = events_of([*coded("7*6"), proposal("7*6"), WAITING])
    step = next(e["data"] for e in first if e["event"] == "thread.run.step.created")
    chunks = [proposal("7*6"), *printed("42\n"), *said("42."), COMPLETE]
    events = events_of(chunks, first_id=9, resumed=[{**step, "status": "completed"}])
    assert names_of(events)[:5] == [
        "run.step.completed",
        "run.queued",
        "run.in_progress",
        "run.step.created",
        "run.step.in_progress",
    ]
    assert events[0]["data"]["id"] == step["id"] != events[3]["data"]["id"]
    told = essence(decoded(events))
    assert told[:2] == [
        ("assistant", "code", "python", "call_10", "7*6"),
        ("computer", "console", None, None, "42\n"),
    ]


def test_outputs_of_a_clients_calls_come_back_with_the_resumed_stream():
    function = {"name": "lookup", "arguments": "{}", "output": "9"}
    call = {"id": "c", "type": "function", "function": function}
    own = {"id": "d", "type": "function", "function": {**function, "name": "execute"}}
    details = {"type": "tool_calls", "tool_calls": [call, own]}
    events = events_of([COMPLETE], resumed=[{"id": "step_0", "step_details": details}])
    assert essence(decoded(events))[0] == ("computer", "tool_result", "lookup", "c", "9")


ENDS: list[tuple[Chunk, list[str], str]] = [
    (BROKEN, ["message.incomplete", "run.step.failed", "run.failed", "done"], "run_failed"),
    (
        CANCELLED,
        ["run.cancelling", "message.incomplete", "run.step.cancelled", "run.cancelled", "done"],
        "run_cancelled",
    ),
    (
        Chunk(role="server", type="error", content=Failure(code=EXPIRED, title="Too late.")),
        ["message.incomplete", "run.step.expired", "run.expired", "done"],
        "run_expired",
    ),
]


@pytest.mark.parametrize(("end", "names", "reason"), ENDS)
def test_an_end_amid_a_message_leaves_it_incomplete(end: Chunk, names: list[str], reason: str):
    events = events_of([*said("Fort")[:2], end])
    assert names_of(events)[-len(names) :] == names
    [cut] = [event["data"] for event in events if event["event"] == "thread.message.incomplete"]
    assert cut["incomplete_details"] == {"reason": reason}
    assert cut["content"] == [{"type": "text", "text": {"value": "Fort", "annotations": []}}]


def test_a_failure_says_why_and_calls_are_never_completed_by_it():
    events = events_of([*coded("unlink(1)"), BROKEN])
    assert last_run(events)["last_error"] == {"code": "server_error", "message": "It broke."}
    arguments = "".join(
        code_call(event)["function"]["arguments"]
        for event in events
        if event["event"].endswith("step.delta")
    )
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(arguments)
    limit = Chunk(
        role="server", type="error", content=Failure(code="rate_limit_exceeded", title="Wait.")
    )
    assert last_run(events_of([limit]))["last_error"]["code"] == "rate_limit_exceeded"


def test_an_answer_at_its_limit_is_incomplete():
    cut = Chunk(
        role="server",
        type="usage",
        content=Usage(input_tokens=9, output_tokens=4, finish_reason="length"),
    )
    events = events_of([*said("Fort"), cut, COMPLETE])
    assert names_of(events)[-4:] == [
        "message.incomplete",
        "run.step.completed",
        "run.incomplete",
        "done",
    ]
    assert last_run(events)["incomplete_details"] == {"reason": "max_completion_tokens"}
    assert last_run(events)["usage"]["total_tokens"] == 13
    told = decoded(events)
    assert told[-2].content == Usage(input_tokens=9, output_tokens=4, finish_reason="length")


def test_what_a_text_cites_is_told_before_it_ends_and_comes_back():
    cited = Chunk(
        role="assistant",
        type="citation",
        content=Citation(start=0, end=2, text="It", sources=(Source(id="doc_0"),)),
    )
    events = events_of([*said("It is"), cited, COMPLETE])
    assert names_of(events)[-6:-4] == ["message.delta", "message.delta"]
    assert of_kinds(decoded(events), "citation") == [cited]


@pytest.mark.parametrize(
    ("events", "code"),
    [
        (recorded("assistants_text.jsonl")[:-3], "upstream_truncated"),
        ([{"event": "error", "data": {"message": "Gone."}}], "upstream_error"),
        ([{"event": "thread.run.expired", "data": {}}], "timeout"),
        (
            [
                {
                    "event": "thread.run.failed",
                    "data": {"last_error": {"code": "rate_limit_exceeded"}},
                }
            ],
            "rate_limit_exceeded",
        ),
    ],
)
def test_ends_that_are_none_are_errors(events: list[Any], code: str):
    last = decoded(events)[-1].content
    assert isinstance(last, Failure)
    assert last.code == code


def test_half_code_is_a_failure_though_the_run_ends():
    events = events_of([*coded("unlink(1)")[:2], BROKEN])
    whole = [event for event in events if "delta" in event["event"]]
    ended = [*whole, {"event": "thread.run.completed", "data": {}}]
    last = decoded(ended)[-1].content
    assert isinstance(last, Failure)
    assert last.code == "upstream_truncated"


def test_a_message_that_was_not_streamed_is_read_whole():
    told = decoded([e for e in recorded("assistants_text.jsonl") if "delta" not in e["event"]])
    assert essence(told)[0] == ("assistant", "message", None, None, "Hello")


def test_what_is_unknown_is_skipped_and_counted():
    decoder = Decoder()
    for event in ({"event": "thread.dance"}, {}, {"event": 3, "data": 4}, {"data": []}):
        assert decoder.decode(event) == []
    assert decoder.skipped == 4


names = st.sampled_from(
    [
        *("thread.message.created", "thread.message.delta", "thread.message.completed"),
        *("thread.run.step.delta", "thread.run.step.completed", "thread.run.requires_action"),
        *("thread.run.completed", "thread.run.failed", "error", "done"),
    ]
)
keys = st.sampled_from(
    [
        *("id", "delta", "content", "text", "value", "annotations", "step_details", "tool_calls"),
        *("index", "function", "name", "arguments", "output", "code_interpreter", "input"),
        *("outputs", "logs", "usage", "last_error", "start_index"),
    ]
)
odd: Callable[..., Any] = st.builds
odd_events = odd(
    lambda name, data: {"event": name, "data": data}, names, st.dictionaries(keys, junk)
)


@given(st.lists(odd_events, max_size=8))
def test_any_nonsense_gives_a_proper_stream(events: list[dict[str, Any]]):
    chunks = decoded(events)
    essence(chunks)
    assert (chunks[-1].role, chunks[-1].type) in {("server", "status"), ("server", "error")}
