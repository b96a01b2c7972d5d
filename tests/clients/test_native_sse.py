"""Native chunks by a plain event-stream reader: the dialogue, go, stop, edits, what is extended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import connect_sse

from tests.support.model_server import GOLDEN_ANSWER, ModelServer, default_script
from tests.support.model_server import text as said
from tests.support.served import Served
from tests.support.waiting import LIMIT_S

GOLDEN = Path(__file__).parents[1] / "data" / "division_dialogue.jsonl"
QUESTION = {"role": "user", "type": "message", "content": "What's 34/24?"}
GO = {"role": "user", "type": "command", "content": "go"}
STOP = {"role": "user", "type": "command", "content": "stop"}
AWAITING = {"role": "server", "type": "status", "content": "awaiting_approval"}
COMPLETE = {"role": "server", "type": "status", "content": "complete"}
OURS = {"run", "error", "input", "timing", "table", "files", "usage"}


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S) as made:
        yield made


def chunks_of(client: httpx.Client, *messages: Any, **body: Any) -> list[dict[str, Any]]:
    """The chunks of a streamed answer; call ids left out."""
    asked = {"messages": messages, "stream": True, **body}
    with connect_sse(client, "POST", "/v1/chat", json=asked) as source:
        source.response.raise_for_status()
        chunks = [json.loads(event.data) for event in source.iter_sse()]
    return [{name: chunk[name] for name in chunk if name != "id"} for chunk in chunks]


def folded(client: httpx.Client, *messages: Any, **body: Any) -> list[dict[str, Any]]:
    """The messages of a whole answer."""
    answer = client.post("/v1/chat", json={"messages": messages, **body})
    answer.raise_for_status()
    return answer.json()["messages"]


def code_in(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return next(message for message in messages if message["type"] == "code")


def output_in(messages: list[dict[str, Any]]) -> str:
    return "".join(message["content"] for message in messages if message["type"] == "console")


def golden() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]


def test_the_dialogue_comes_chunk_for_chunk_with_a_go_in_the_middle(
    client: httpx.Client, model: ModelServer
):
    model.script = default_script
    model.pace_s = 0.03
    first = chunks_of(client, QUESTION)
    assert first[-1] == AWAITING
    code = {"role": "assistant", "type": "code", "format": "python", "content": "34 / 24"}
    confirmation = first[-2]
    assert confirmation["content"] == {"type": "code", "format": "python", "content": "34 / 24"}
    second = chunks_of(client, QUESTION, code, confirmation, GO)
    assert second[-1] == COMPLETE
    assert first[:-1] + second[:-1] == golden()


def test_the_confirmation_need_not_be_sent_back(client: httpx.Client, model: ModelServer):
    messages = folded(client, QUESTION)
    assert [message["type"] for message in messages] == ["code", "confirmation"]
    after = folded(client, QUESTION, code_in(messages), GO)
    assert output_in(after).strip() == "1.4166666666666667"
    assert after[-1]["role"] == "assistant"


def test_with_auto_run_it_only_announces(client: httpx.Client, model: ModelServer):
    model.script = default_script
    model.pace_s = 0.03
    chunks = chunks_of(client, QUESTION, auto_run=True)
    assert chunks == [*golden(), COMPLETE]


def test_edited_code_runs_as_the_request_holds_it(client: httpx.Client, model: ModelServer):
    code = code_in(folded(client, QUESTION))
    edited = code | {"content": "print('edited', 6 * 7)"}
    assert output_in(folded(client, QUESTION, edited, GO)) == "edited 42\n"


def test_declined_code_does_not_run(client: httpx.Client, server: Served, model: ModelServer):
    marker = server.working_folder / "declined.txt"
    question = QUESTION | {"content": "write the file declined.txt"}
    code = code_in(folded(client, question))
    after = chunks_of(client, question, code, STOP)
    assert after[-1] == COMPLETE
    assert not [chunk for chunk in after if chunk["type"] == "console"]
    assert not marker.exists()
    assert model.requests[-1].has_result


def test_a_go_with_nothing_before_it_is_refused(client: httpx.Client, model: ModelServer):
    answer = client.post("/v1/chat", json={"messages": [QUESTION, GO], "stream": True})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "nothing_to_approve"


def test_only_who_asks_for_more_kinds_gets_them(client: httpx.Client, model: ModelServer):
    plain = chunks_of(client, QUESTION, auto_run=True)
    more = chunks_of(client, QUESTION, auto_run=True, extended=True)
    assert not {chunk["type"] for chunk in plain} & OURS
    assert {"run", "timing"} <= {chunk["type"] for chunk in more} & OURS
    assert [chunk["type"] for chunk in more if chunk["type"] not in OURS] == [
        chunk["type"] for chunk in plain
    ]


def test_the_events_are_as_every_reader_wants_them(client: httpx.Client, model: ModelServer):
    asked = {"messages": [QUESTION], "stream": True}
    with connect_sse(client, "POST", "/v1/chat", json=asked) as source:
        headers = source.response.headers
        events = list(source.iter_sse())
    assert headers["content-type"] == "text/event-stream; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert "content-encoding" not in headers
    assert {(event.event, event.id, event.retry) for event in events} == {("message", "", None)}


def test_a_failure_in_the_middle_is_the_last_chunk(client: httpx.Client, model: ModelServer):
    chunks = chunks_of(client, QUESTION | {"content": "break off"})
    *_, end, failure = chunks
    assert end == {"role": "assistant", "type": "message", "end": True}
    assert (failure["role"], failure["type"]) == ("server", "error")
    assert failure["error"]["code"] == "upstream_truncated"
    assert failure["content"]


def test_code_that_fails_shows_its_traceback(client: httpx.Client, model: ModelServer):
    messages = folded(client, QUESTION | {"content": "raise"}, auto_run=True)
    assert "ValueError: on purpose" in output_in(messages)


def test_both_settings_of_a_model_reach_it(client: httpx.Client, model: ModelServer):
    model.script = said(*GOLDEN_ANSWER)
    chosen = {"llm": {"model": "openai/test-small", "temperature": 0.2, "max_tokens": 800}}
    folded(client, QUESTION, config=chosen)
    body = model.requests[-1].body
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("test-small", 0.2, 800)
