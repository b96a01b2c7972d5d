"""What an OpenAI client gets: shapes, order, how it ends, and that its SDK can read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from playhead.domain.conversation.chunk import Chunk, ChunkType, Role
from playhead.domain.conversation.payloads import (
    Citation,
    Failure,
    Proposal,
    RunEnd,
    RunReport,
    Source,
    Usage,
)
from playhead.domain.text.tokens import count_text
from playhead.formats.wire import chat_completions, native
from playhead.formats.wire.chat_completions.encode import Encoder
from playhead.formats.wire.chat_completions.projection import QUESTION
from tests.support import chunk_streams
from tests.support.chunk_streams import streams
from tests.support.whole_answers import whole

GOLDEN = Path(__file__).parents[3] / "data" / "division_dialogue.jsonl"
COMPLETE = Chunk(role="server", type="status", content="complete")
WAITING = Chunk(role="server", type="status", content="awaiting_approval")
CODE_FENCE = "```python\n34 / 24\n```"


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


def proposal(text: str = "34 / 24") -> Chunk:
    content = Proposal(id="", message_id="", language="python", code=text)
    return Chunk(role="computer", type="confirmation", format="execution", content=content)


def output(*texts: str) -> list[Chunk]:
    contents = [
        Chunk(role="computer", type="console", format="output", content=text) for text in texts
    ]
    start = Chunk(role="computer", type="console", start=True)
    return [start, *contents, Chunk(role="computer", type="console", end=True)]


def encoder(**options: Any) -> Encoder:
    return Encoder("chatcmpl-7f", 1735000000, "openai/small", **options)


def events_of(chunks: list[Chunk], **options: Any) -> list[dict[str, Any]]:
    made = encoder(**options)
    events = [event for chunk in chunks for event in made.encode(chunk)] + made.finish()
    return [json.loads(json.dumps(event)) for event in events]


def deltas_of(events: list[dict[str, Any]], name: str) -> list[Any]:
    deltas = [event["choices"][0]["delta"] for event in events if event.get("choices")]
    return [delta[name] for delta in deltas if name in delta]


def text_of(chunks: list[Chunk], **options: Any) -> str:
    return "".join(deltas_of(events_of(chunks, **options), "content"))


def reason_of(events: list[dict[str, Any]]) -> str | None:
    reasons = [event["choices"][0]["finish_reason"] for event in events if event["choices"]]
    assert reasons.count(None) == len(reasons) - 1
    return reasons[-1]


def test_the_events_of_an_answer_look_as_they_must():
    head = {
        "id": "chatcmpl-7f",
        "object": "chat.completion.chunk",
        "created": 1735000000,
        "model": "openai/small",
    }

    def event(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**head, "choices": [choice]}

    assert events_of([*said("Forty", "-two"), COMPLETE]) == [
        event({"role": "assistant", "content": ""}),
        event({"content": "Forty"}),
        event({"content": "-two"}),
        event({}, "stop"),
    ]


def test_the_division_dialogue_is_one_text():
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    decoder = native.Decoder()
    chunks = [chunk for line in lines for chunk in decoder.decode(json.loads(line))]
    assert text_of([*chunks, COMPLETE]) == (
        f"{CODE_FENCE}\n\n```output\n1.4166666666666667\n```\n\n"
        "The result of the division 34/24 is approximately 1.42."
    )
    events = events_of([*chunks, COMPLETE], is_lossless=True)
    wires = [wire for event in events for wire in event["lmc"]]
    assert wires[:-1] == [json.loads(line) for line in lines]


def test_a_proposal_without_tools_is_a_fence_and_a_question():
    chunks = [*said("Let me see."), *code("34", " / 24"), proposal(), WAITING]
    assert text_of(chunks) == f"Let me see.\n\n{CODE_FENCE}\n\n{QUESTION}"
    assert reason_of(events_of(chunks)) == "stop"


def test_code_streams_into_its_fence_as_it_is_written():
    pieces = deltas_of(events_of([*code("34", " /", " 24"), proposal(), WAITING]), "content")
    assert pieces == ["", "```python\n34", " /", " 24", "\n```", f"\n\n{QUESTION}"]


def test_code_that_runs_is_followed_by_its_output_and_no_question():
    chunks = [*code("34 / 24"), proposal(), *output("1.41", "67\n"), *said("So."), COMPLETE]
    assert text_of(chunks) == f"{CODE_FENCE}\n\n```output\n1.4167\n```\n\nSo."


def test_a_kernel_that_died_is_told_in_a_fence_of_output():
    death = RunReport(state="killed", seconds=0.3, end=RunEnd(kind="exited", exit_status=3))
    ran = [
        *code("x()"),
        proposal("x()"),
        Chunk(role="computer", type="run", content=RunReport(state="started")),
    ]
    text = text_of(
        [*ran, Chunk(role="computer", type="run", content=death), *said("It died."), COMPLETE]
    )
    told = "[The kernel ended after 0.3 s: exit status 3. Its variables were lost.]"
    assert text.endswith(f"```output\n{told}\n```\n\nIt died.")


def test_a_block_that_streamed_unsoundly_is_shown_again_before_the_question():
    chunks = [*code("x = '''", "\n```\n'''"), proposal("x = '''\n```\n'''"), WAITING]
    text = text_of(chunks)
    assert text.endswith(f"````python\nx = '''\n```\n'''\n````\n\n{QUESTION}")
    found = chat_completions.last_proposed_code(text)
    assert found == ("python", "x = '''\n```\n'''")


def test_a_proposal_to_a_client_that_offered_execute_is_a_call():
    chunks = [*said("So:"), *code('print("', 'a\\n")'), proposal('print("a\\n")'), WAITING]
    events = events_of(chunks, is_call_clients=True, has_tools=True)
    pieces = [piece for [piece] in deltas_of(events, "tool_calls")]
    first = {"name": "execute", "arguments": '{"language": "python", "code": "'}
    assert pieces[0] == {"index": 0, "id": "call_1", "type": "function", "function": first}
    assert all(set(piece) == {"index", "function"} for piece in pieces[1:])
    assert all(set(piece["function"]) == {"arguments"} for piece in pieces[1:])
    arguments = "".join(piece["function"]["arguments"] for piece in pieces)
    assert json.loads(arguments) == {"language": "python", "code": 'print("a\\n")'}
    assert reason_of(events) == "tool_calls"
    assert "".join(deltas_of(events, "content")) == "So:"


def test_parallel_calls_have_growing_indices():
    chunks = [*code("1", id_="a"), *code("2", id_="b"), proposal("1"), WAITING]
    events = events_of(chunks, is_call_clients=True, has_tools=True)
    pieces = [piece for [piece] in deltas_of(events, "tool_calls")]
    assert [(piece["index"], piece["id"]) for piece in pieces if "id" in piece] == [
        (0, "a"),
        (1, "b"),
    ]


def test_calls_of_a_clients_tools_end_the_answer():
    call = message("assistant", "tool_call", '{"q":', " 1}", format_="lookup", id_="call_9")
    events = events_of([*call, COMPLETE], has_tools=True)
    [whole] = encoder_after([*call, COMPLETE], has_tools=True).answer()["choices"]
    assert reason_of(events) == whole["finish_reason"] == "tool_calls"
    assert whole["message"]["tool_calls"] == [
        {
            "id": "call_9",
            "type": "function",
            "function": {"name": "lookup", "arguments": '{"q": 1}'},
        }
    ]
    assert whole["message"]["content"] is None


def test_a_call_without_arguments_gets_an_empty_object():
    call = message("assistant", "tool_call", format_="now", id_="call_9")
    events = events_of([*call, COMPLETE], has_tools=True)
    pieces = [piece["function"]["arguments"] for [piece] in deltas_of(events, "tool_calls")]
    assert pieces == ["", "{}"]


def test_a_call_that_the_server_answered_itself_is_none_of_the_clients():
    call = message("assistant", "tool_call", "{}", format_="nonsense", id_="call_9")
    result = message("computer", "tool_result", "No such tool.", format_="nonsense", id_="call_9")
    chunks = [*said("a"), *call, *result, *said("b"), COMPLETE]
    assert reason_of(events_of(chunks, has_tools=True)) == "stop"
    assert deltas_of(events_of(chunks), "tool_calls") == []
    assert text_of(chunks) == "a\n\nb"


def test_a_broken_call_of_execute_goes_to_nobody():
    call = message("assistant", "tool_call", "{", format_="execute", id_="call_9")
    result = message("computer", "tool_result", "No.", format_="execute", id_="call_9")
    chunks = [*call, *result, *said("b"), COMPLETE]
    events = events_of(chunks, has_tools=True, is_call_clients=True)
    assert deltas_of(events, "tool_calls") == []
    assert reason_of(events) == "stop"


def test_a_call_that_the_app_approved_needs_no_decision():
    chunks = [
        *code("1"),
        proposal("1"),
        Chunk(role="computer", type="run", content=RunReport(state="started")),
    ]
    chunks += [*output("1\n"), *said("One."), COMPLETE]
    events = events_of(chunks, is_call_clients=True, has_tools=True)
    assert reason_of(events) == "stop"
    assert "".join(deltas_of(events, "content")) == "```output\n1\n```\n\nOne."


def test_half_a_call_never_looks_whole():
    failed = Chunk(
        role="server", type="error", content=Failure(code="upstream_truncated", title="Cut.")
    )
    events = events_of([*code("rm -r a"), failed], is_call_clients=True, has_tools=True)
    pieces = [piece["function"]["arguments"] for [piece] in deltas_of(events[:-1], "tool_calls")]
    with pytest.raises(ValueError, match="Unterminated string"):
        json.loads("".join(pieces))


def test_a_failure_is_the_last_event_and_says_what_happened():
    failed = Failure(
        code="rate_limit_exceeded", title="Too many requests.", remedy="Wait.", retry_after_s=3
    )
    chunks = [*said("a"), Chunk(role="server", type="error", content=failed)]
    events = events_of(chunks, includes_usage=True)
    assert events[-1] == {
        "error": {
            "code": "rate_limit_exceeded",
            "message": "Too many requests. Wait.",
            "type": "rate_limit_error",
            "param": None,
        }
    }
    assert all(event["choices"][0]["finish_reason"] is None for event in events[:-1])


def test_a_stream_that_ends_without_its_status_failed():
    assert events_of(said("a"))[-1]["error"]["code"] == "upstream_truncated"


def test_reasoning_and_plans_are_reasoning_content():
    chunks = [*message("assistant", "reasoning", "Hm."), *message("assistant", "plan", " First …")]
    events = events_of([*chunks, *said("a"), COMPLETE])
    assert deltas_of(events, "reasoning_content") == ["Hm.", " First …"]
    answer = encoder_after([*chunks, *said("a"), COMPLETE]).answer()
    assert answer["choices"][0]["message"]["reasoning_content"] == "Hm. First …"


def test_a_citation_counts_from_the_beginning_of_the_whole_text():
    page = Source(title="Weather", url="https://example.org/")
    cited = Chunk(
        role="assistant",
        type="citation",
        content=Citation(start=6, end=11, text="19 °C", sources=(page, page)),
    )
    chunks = [*code("1"), proposal("1"), *output("1\n"), *said("It is ", "19 °C."), cited, COMPLETE]
    text, [found] = text_of(chunks), deltas_of(events_of(chunks), "annotations")
    assert len(found) == 2
    place = found[0]["url_citation"]
    assert text[place["start_index"] : place["end_index"]] == "19 °C"
    assert (place["title"], place["url"]) == ("Weather", "https://example.org/")


def test_an_image_is_a_link_or_words_and_never_data():
    linked = message("computer", "image", "/data/a plot.png", format_="path")
    data = message("computer", "image", "iVBORw0KGgo=", "AAAA", format_="base64.png")
    drawn = message("computer", "image", "<svg/>", format_="svg")
    assert text_of([*linked, *drawn, *data, COMPLETE]) == (
        "![image](file:///data/a%20plot.png)\n\n*(an image: png)*"
    )


def test_the_cost_is_told_only_to_who_asked_and_always_with_a_whole_answer():
    chunks = [
        *said("a"),
        Chunk(role="server", type="usage", content=Usage(input_tokens=12, output_tokens=5)),
        *said("b"),
        Chunk(
            role="server",
            type="usage",
            content=Usage(input_tokens=20, output_tokens=2, finish_reason="length"),
        ),
        COMPLETE,
    ]
    usage = {"prompt_tokens": 32, "completion_tokens": 7, "total_tokens": 39}
    events = events_of(chunks, includes_usage=True)
    assert (events[-1]["choices"], events[-1]["usage"]) == ([], usage)
    assert all(event["usage"] is None for event in events[:-1])
    assert not any("usage" in event for event in events_of(chunks))
    assert encoder_after(chunks).answer()["usage"] == usage
    assert reason_of(events) == "length"


def test_the_cost_is_estimated_where_no_provider_told_it():
    made = encoder_after([*said("Some words."), COMPLETE], prompt_tokens=3)
    assert made.answer()["usage"] == {
        "prompt_tokens": 3,
        "completion_tokens": count_text("Some words."),
        "total_tokens": 3 + count_text("Some words."),
    }


@pytest.mark.parametrize("letter", ["\0", "😀", "\\"])
def test_output_and_code_of_any_length_fit_into_lines(letter: str):
    long = letter * 500_000
    chunks = [*output(long), *code(long), proposal("1"), COMPLETE]
    events = events_of(chunks, is_lossless=True, is_call_clients=True, has_tools=True)
    assert max(len(json.dumps(event)) for event in events) < 1_000_000
    assert long in "".join(deltas_of(events, "content"))
    pieces = [piece["function"]["arguments"] for [piece] in deltas_of(events, "tool_calls")]
    assert json.loads("".join(pieces))["code"] == long


def test_lossless_events_carry_the_native_chunks_too():
    chunks = [*code("1"), proposal("1"), WAITING]
    wires = [wire for event in events_of(chunks, is_lossless=True) for wire in event["lmc"]]
    assert [wire["type"] for wire in wires] == ["code", "code", "code", "confirmation", "status"]


def test_a_whole_answer_chooses_its_fences_knowing_all():
    chunks = [*code("x = '''", "\n```\n'''"), proposal("x = '''\n```\n'''"), WAITING]
    made = encoder()
    content = whole(chunks, made)["choices"][0]["message"]["content"]
    assert content == f"````python\nx = '''\n```\n'''\n````\n\n{QUESTION}"


def test_an_answer_is_known_again_when_it_returns():
    made = encoder_after([*said("So:"), *code("1"), proposal("1"), WAITING], is_call_clients=True)
    returned = made.answer()["choices"][0]["message"]
    arguments = returned["tool_calls"][0]["function"]["arguments"]
    returned["tool_calls"][0]["function"]["arguments"] = json.dumps(
        dict(reversed(json.loads(arguments).items())), separators=(",", ":")
    )
    parts = {**returned, "content": [{"type": "text", "text": "So:"}]}
    for client in (returned, parts):
        entries, _ = chat_completions.read_messages([{"role": "user", "content": "?"}, client])
        assert [entries[1].key] == made.keys() != [""]


def encoder_after(chunks: list[Chunk], **options: Any) -> Encoder:
    made = encoder(**options)
    whole(chunks, made)
    return made


@given(streams(chunk_streams.plain | chunk_streams.extended))
def test_the_openai_library_can_read_every_stream_and_every_answer(chunks: list[Chunk]):
    options = {"has_tools": True, "is_call_clients": True, "includes_usage": True}
    state = ChatCompletionStreamState()
    made = encoder(**options)
    events = [event for chunk in chunks for event in made.encode(chunk)] + made.finish()
    for event in events:
        json.dumps(event, ensure_ascii=False).encode("utf-8")
    if made.failure is not None:
        assert set(events[-1]) == {"error"}
        return
    assert reason_of(events) == made.finish_reason
    for event in events:
        state.handle_chunk(ChatCompletionChunk.model_validate(event))
    streamed = state.current_completion_snapshot.choices[0].message
    whole = made.answer()
    ChatCompletion.model_validate(whole)
    assert (streamed.content or "") == (whole["choices"][0]["message"]["content"] or "")
    calls = [call.function.arguments for call in streamed.tool_calls or []]
    wires = whole["choices"][0]["message"].get("tool_calls", [])
    assert calls == [wire["function"]["arguments"] for wire in wires]
    if made.finish_reason == "tool_calls":
        assert all(isinstance(json.loads(call), dict) for call in calls)
