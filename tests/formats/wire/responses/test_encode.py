"""The events of a response: official names and order, and the same answer streamed and whole."""

from __future__ import annotations

import json
from typing import Any, get_args

from hypothesis import given
from msgspec.structs import replace
from openai import omit
from openai.lib.streaming.responses._responses import ResponseStreamState
from openai.types.responses import ResponseStreamEvent

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.payloads import (
    Citation,
    Failure,
    Proposal,
    RunReport,
    Source,
    Usage,
)
from playhead.formats.wire.responses import Encoder, ResponseFacts, read_input
from playhead.formats.wire.responses.objects import response_of_item
from tests.support import chunk_streams
from tests.support.chunk_streams import streams
from tests.support.whole_answers import whole

FACTS = ResponseFacts(
    id="resp_7f",
    created_at=1735000000,
    model="openai/small",
    container_id="cntr_1",
    fields={"tools": [], "tool_choice": "auto"},
)
COMPLETE = Chunk(role="server", type="status", content="complete")
WAITING = Chunk(role="server", type="status", content="awaiting_approval")
KINDS: dict[str, Any] = {
    get_args(kind.model_fields["type"].annotation)[0]: kind
    for kind in get_args(get_args(ResponseStreamEvent)[0])
}
"""The SDK's events by their names."""
Wire = dict[str, Any]


def message(
    role: Role, kind: ChunkType, *texts: str, format_: str | None = None, id_: str | None = None
) -> list[Chunk]:
    contents = [Chunk(role=role, type=kind, format=format_, content=text) for text in texts]
    start = Chunk(role=role, type=kind, format=format_, start=True, id=id_)
    return [start, *contents, Chunk(role=role, type=kind, format=format_, end=True)]


def said(*texts: str) -> list[Chunk]:
    return message("assistant", "message", *texts)


def code(*texts: str, id_: str | None = "call_1") -> list[Chunk]:
    return message("assistant", "code", *texts, format_="python", id_=id_)


def called(*arguments: str, id_: str = "call_1") -> list[Chunk]:
    return message("assistant", "tool_call", *arguments, format_="lookup", id_=id_)


def proposal(text: str = "34 / 24") -> Chunk:
    content = Proposal(id="", message_id="", language="python", code=text)
    return Chunk(role="computer", type="confirmation", format="execution", content=content)


def report(state: Any) -> Chunk:
    return Chunk(role="computer", type="run", content=RunReport(state=state))


def output(text: str) -> list[Chunk]:
    start = Chunk(role="computer", type="console", start=True)
    content = Chunk(role="computer", type="console", format="output", content=text)
    return [start, content, Chunk(role="computer", type="console", end=True)]


def ran(text: str) -> list[Chunk]:
    return [report("started"), *output(text), report("finished")]


def encoder(**options: Any) -> Encoder:
    return Encoder(FACTS, **{"has_tools": True, **options})


def events_of(chunks: list[Chunk], **options: Any) -> list[Wire]:
    """The events as they go out: each is written before the next chunk comes."""
    made = encoder(**options)
    found = [json.dumps(made.encode(chunk)) for chunk in chunks]
    found.append(json.dumps(made.finish()))
    return [event for text in found for event in json.loads(text)]


def names(events: list[Wire]) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events]


def items(events: list[Wire]) -> list[Wire]:
    return events[-1]["response"]["output"]


def test_the_events_of_a_text_are_those_of_the_format():
    events = events_of([*said("Forty", "-two"), COMPLETE])
    assert names(events) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert events[4] == {
        "type": "response.output_text.delta",
        "sequence_number": 4,
        "item_id": "msg_7f_0",
        "output_index": 0,
        "content_index": 0,
        "delta": "Forty",
        "logprobs": [],
    }
    (item,) = items(events)
    assert item["content"][0]["text"] == "Forty-two"
    assert response_of_item(item["id"]) == FACTS.id


def test_code_that_runs_is_written_interpreted_and_completed():
    chunks = [*code("34", " / 24"), proposal(), *ran("1.41\n"), *said("So."), COMPLETE]
    events = events_of(chunks)
    assert names(events)[2:-7] == [
        "output_item.added",
        "code_interpreter_call.in_progress",
        "code_interpreter_call_code.delta",
        "code_interpreter_call_code.delta",
        "code_interpreter_call_code.done",
        "code_interpreter_call.interpreting",
        "code_interpreter_call.completed",
        "output_item.done",
    ]
    call = items(events)[0]
    assert (call["code"], call["status"]) == ("34 / 24", "completed")
    assert call["outputs"] == [{"type": "logs", "logs": "1.41\n"}]


def test_code_that_waits_is_followed_by_the_question_and_runs_in_the_next_response():
    events = events_of([*code("34 / 24"), proposal(), WAITING])
    call, question = items(events)
    assert (call["status"], call["outputs"]) == ("incomplete", None)
    text = question["content"][0]["text"]
    assert text == "```python\n34 / 24\n```\n\nDo you want to run this code?"
    yes = {"role": "user", "content": "yes"}
    assert read_input([call, question], [yes]).proposed == ("python", "34 / 24")
    (again,) = items(events_of([*ran("1.41\n"), COMPLETE], approved=[("python", "34 / 24")]))
    assert (again["code"], again["status"]) == ("34 / 24", "completed")


def test_pictures_are_data_urls_and_a_lost_kernel_is_a_failed_call():
    dot = message("computer", "image", "iVBO", "Rw0K", format_="base64.png")
    run = [report("started"), *output("a"), *dot, *output("b"), report("killed")]
    (call,) = items(events_of([*code("x"), proposal("x"), *run, COMPLETE]))
    assert [one["type"] for one in call["outputs"]] == ["logs", "image", "logs"]
    assert call["outputs"][1]["url"] == "data:image/png;base64,iVBORw0K"
    assert call["status"] == "failed"


def test_the_arguments_of_a_call_are_whole_only_once_that_is_certain():
    chunks = [*code("print('", "\\n')"), *called('{"a"', ": 1}", id_="call_2")]
    failure = Failure(code="upstream_error", title="It failed.")
    chunks.append(Chunk(role="server", type="error", content=failure))
    cut = events_of(chunks, is_call_clients=True)
    assert cut[-1]["response"]["status"] == "failed"
    execute, lookup = items(cut)
    assert json.loads(execute["arguments"]) == {"language": "python", "code": "print('\\n')"}
    assert (execute["status"], lookup["status"]) == ("completed", "incomplete")
    half = [*code("print("), *message("computer", "tool_result", "half", id_="call_1"), COMPLETE]
    (item,) = items(events_of(half, is_call_clients=True))
    assert item["status"] == "incomplete"
    assert not item["arguments"].endswith("}")


def test_thoughts_are_summaries_citations_annotations_and_a_limit_is_incomplete():
    source = Source(id="1", title="A", url="https://a.example")
    cited = Citation(start=0, end=2, text="So", sources=(source,))
    usage = Usage(
        input_tokens=5,
        output_tokens=7,
        finish_reason="length",
        cached_tokens=2,
        reasoning_tokens=3,
    )
    chunks = [
        *message("assistant", "reasoning", "Hm"),
        *said("So."),
        Chunk(role="assistant", type="citation", content=cited),
        Chunk(role="server", type="usage", content=usage),
        COMPLETE,
    ]
    events = events_of(chunks)
    assert "reasoning_summary_text.delta" in names(events)
    thought, text = items(events)
    assert thought["summary"] == [{"type": "summary_text", "text": "Hm"}]
    (note,) = text["content"][0]["annotations"]
    assert (note["type"], note["url"], note["end_index"]) == (
        "url_citation",
        "https://a.example",
        2,
    )
    last = events[-1]["response"]
    assert (events[-1]["type"], last["status"]) == ("response.incomplete", "incomplete")
    assert last["incomplete_details"] == {"reason": "max_output_tokens"}
    assert text["status"] == "incomplete"
    assert last["usage"] == {
        "input_tokens": 5,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 0},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 12,
    }


@given(streams(chunk_streams.plain | chunk_streams.extended))
def test_any_stream_is_in_order_and_the_sdk_adds_it_up(chunks: list[Chunk]):
    for options in ({}, {"is_call_clients": True}, {"has_tools": False}):
        events = events_of(chunks, **options)
        assert [event["sequence_number"] for event in events] == list(range(len(events)))
        last = events[-1]["response"]
        state = ResponseStreamState[Any](input_tools=[], text_format=omit)
        for event in events:
            state.handle_event(KINDS[event["type"]].model_validate(event))
        assert last["output"] == sum_of(events, is_whole=last["status"] == "completed")


def sum_of(events: list[Wire], *, is_whole: bool) -> list[Wire]:
    """The items as the events between say them; of an answer that was cut off, as it ended."""
    ended = {e["output_index"]: e["item"] for e in events if e["type"].endswith("item.done")}
    texts: dict[int, str] = {}
    for event in events:
        if event["type"].endswith(".delta"):
            place = event["output_index"]
            texts[place] = texts.get(place, "") + event["delta"]
    found = events[-1]["response"]["output"]
    assert not is_whole or len(ended) == len(found)
    for place, item in enumerate(found):
        assert text_of(item) == texts.get(place, "")
    return [ended.get(place, item) for place, item in enumerate(found)]


def text_of(item: Wire) -> str:
    match item["type"]:
        case "message":
            return "".join(part["text"] for part in item["content"])
        case "reasoning":
            return "".join(part["text"] for part in item["summary"])
        case "function_call":
            return item["arguments"]
        case _:
            return item["code"]


@given(streams(chunk_streams.plain))
def test_a_whole_answer_is_the_streamed_one_and_its_items_come_back_with_its_keys(
    chunks: list[Chunk],
):
    for options in ({"has_tools": True}, {"has_tools": True, "is_call_clients": True}):
        made = encoder(**options)
        streamed = [event for chunk in chunks for event in made.encode(chunk)] + made.finish()
        assert whole(chunks, encoder(**options)) == streamed[-1]["response"]
        asked = [{"role": "user", "content": "go on"}]
        read = read_input(made.answer()["output"], asked)
        keys = [entry.key for entry in read.entries if entry.key]
        assert keys[:-1] == [*filter(None, made.keys())]


def test_an_answer_without_an_end_has_failed():
    events = events_of([replace(chunk) for chunk in said("half")[:2]])
    assert events[-1]["type"] == "response.failed"
    assert items(events)[0]["status"] == "incomplete"
