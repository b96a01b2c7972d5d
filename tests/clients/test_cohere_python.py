"""The cohere SDKs, newest and 5.20, against the running server, with no warning in their log."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.clients.asking import HELLO, LOOKUP, MODEL
from tests.support.model_server import ModelServer, execute, text
from tests.support.served import Served
from tests.support.waiting import LIMIT_S, until_now

DRIVER = Path(__file__).with_name("cohere_client.py")
VERSIONS = {"newest": "7.", "5.20": "5.20."}
QUOTIENT = "1.4166666666666667"
DIVISION = {"role": "user", "content": "What's 34/24?"}


class Sdk:
    """A process with one of the SDKs; owned by its fixture."""

    def __init__(self, place: Path, version: str, server: Served) -> None:
        own = {
            "PYTHONPATH": str(place),
            "PLAYHEAD_ADDRESS": server.address,
            "PLAYHEAD_TOKEN": server.token,
        }
        self.version = version
        self.process = subprocess.Popen(
            [sys.executable, DRIVER],
            env={"PATH": os.environ["PATH"], "HOME": str(server.home), **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, is_stream: bool, request: dict[str, Any], **call: Any) -> dict[str, Any]:
        """What the SDK made of the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"model": MODEL, **request}
        line = json.dumps({"is_stream": is_stream, "request": asked, **call})
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        assert told["version"].startswith(self.version)
        assert told["warnings"] == []
        return told

    def whole(self, *messages: Any, body: dict[str, Any] | None = None, **request: Any) -> Any:
        """The whole answer; `body` is what the SDK has no argument for."""
        options = {"additional_body_parameters": body or {}}
        told = self.tell(False, {"messages": messages, **request}, options=options)
        assert "read" in told, told
        return told["read"][0]

    def events(
        self, *messages: Any, body: dict[str, Any] | None = None, leave_at: str = "", **request: Any
    ) -> list[Any]:
        """The events of a stream; those up to the one that holds `leave_at`."""
        options = {"additional_body_parameters": body or {}}
        asked = {"messages": messages, **request}
        told = self.tell(True, asked, options=options, leave_at=leave_at)
        assert "read" in told, told
        return told["read"]

    def refused(self, *messages: Any, is_stream: bool, **request: Any) -> dict[str, Any]:
        """The exception of a request that is refused, with the words that its users read."""
        call = {name: request.pop(name) for name in ("token", "options") if name in request}
        told = self.tell(is_stream, {"messages": messages, **request}, **call)
        assert told["body"]["message"] == told["body"]["error"]["message"]
        return told


@pytest.fixture(scope="module", params=sorted(VERSIONS))
def sdk(request: pytest.FixtureRequest, server: Served) -> Iterator[Sdk]:
    place = Path(sys.prefix) / f"cohere-{request.param}"
    if not place.is_dir():
        pytest.skip(f"cohere {request.param} is not installed")
    made = Sdk(place, VERSIONS[request.param], server)
    yield made
    assert made.process.stdin is not None
    assert made.process.stdout is not None
    made.process.stdin.close()
    made.process.wait(20)
    made.process.stdout.close()


def user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


def text_of(events: list[Any]) -> str:
    return "".join(
        event["delta"]["message"]["content"].get("text") or ""
        for event in events
        if event["type"] == "content-delta"
    )


def called(events: list[Any]) -> dict[str, Any]:
    """The assistant's message of a stream that ends in calls, as a client puts it together."""
    calls: list[Any] = []
    for event in events:
        if event["type"] == "tool-call-start":
            calls.append(event["delta"]["message"]["tool_calls"])
        elif event["type"] == "tool-call-delta":
            piece = event["delta"]["message"]["tool_calls"]["function"]["arguments"]
            calls[event["index"]]["function"]["arguments"] += piece
    plans = [event["delta"]["message"] for event in events if event["type"] == "tool-plan-delta"]
    plan = "".join(message["tool_plan"] for message in plans)
    return {"role": "assistant", "tool_plan": plan, "tool_calls": calls}


def sent_back(message: dict[str, Any]) -> dict[str, Any]:
    """A whole answer's message as programs send it back."""
    return {name: value for name, value in message.items() if value is not None}


def result(call: dict[str, Any], content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


def document(data: Any) -> list[Any]:
    return [{"type": "document", "document": {"data": data}}]


def test_a_whole_answer_has_text_usage_and_an_end(sdk: Sdk, model: ModelServer):
    answer = sdk.whole(user("hello"), body={"nonsense": [1], "strict_tools": True})
    assert answer["message"]["content"] == [{"type": "text", "text": HELLO}]
    assert answer["finish_reason"] == "COMPLETE"
    assert answer["usage"]["tokens"]["input_tokens"] == 12
    assert answer["usage"]["billed_units"]["output_tokens"] == 5


def test_a_streamed_answer_comes_in_pieces(sdk: Sdk, model: ModelServer):
    model.pace_s = 0.05
    events = sdk.events(user("hello"))
    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["message-start", "content-start"]
    assert kinds[-2:] == ["content-end", "message-end"]
    assert set(kinds[2:-2]) == {"content-delta"}
    assert len(kinds) > 6
    assert text_of(events) == HELLO


def test_the_settings_of_a_request_reach_the_model(sdk: Sdk, model: ModelServer):
    settings = {"temperature": 0.3, "max_tokens": 77, "p": 0.5, "stop_sequences": ["###"]}
    sdk.whole({"role": "system", "content": "Be brief, matey."}, user("hello"), **settings)
    body = model.requests[-1].body
    assert (body["temperature"], body["max_tokens"]) == (0.3, 77)
    assert (body["top_p"], body["stop"]) == (0.5, ["###"])
    assert "Be brief, matey." in json.dumps(model.requests[-1].messages)


def test_reasoning_is_a_block_of_its_own(sdk: Sdk, model: ModelServer):
    blocks = sdk.whole(user("with reasoning, please"))["message"]["content"]
    assert [block["type"] for block in blocks] == ["thinking", "text"]
    assert blocks[0]["thinking"] == "Let me see."
    events = sdk.events(user("with reasoning, please"))
    contents = [
        event["delta"]["message"]["content"]
        for event in events
        if "content-" in event["type"] and event["type"] != "content-end"
    ]
    assert "".join(content.get("thinking") or "" for content in contents) == "Let me see."
    assert text_of(events) == "I have reasoned."


@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])
def test_a_plan_and_calls_go_out_and_their_results_are_cited(
    sdk: Sdk, model: ModelServer, is_stream: bool
):
    asked = user("weather, please")
    if is_stream:
        message = called(sdk.events(asked, tools=[LOOKUP]))
    else:
        message = sent_back(sdk.whole(asked, tools=[LOOKUP])["message"])
    assert message["tool_plan"] == "I look it up."
    (call,) = message["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    history = (asked, message, result(call, document({"temp": "19 °C"})))
    answer = sdk.whole(*history, tools=[LOOKUP])
    (citation,) = answer["message"]["citations"]
    said = answer["message"]["content"][0]["text"]
    assert said[citation["start"] : citation["end"]] == citation["text"] == "19 °C"
    assert citation["sources"][0]["tool_output"] == {"temp": "19 °C"}
    kinds = [event["type"] for event in sdk.events(*history, tools=[LOOKUP])]
    place = kinds.index("citation-start")
    assert kinds[place : place + 3] == ["citation-start", "citation-end", "content-end"]


def test_parallel_calls_are_numbered(sdk: Sdk, model: ModelServer):
    asked = user("weather in two cities")
    events = sdk.events(asked, tools=[LOOKUP])
    starts = [event["index"] for event in events if event["type"] == "tool-call-start"]
    assert starts == [0, 1]
    message = called(events)
    cities = [json.loads(call["function"]["arguments"]) for call in message["tool_calls"]]
    assert cities == [{"city": "Oslo"}, {"city": "Rome"}]
    warmths = zip(message["tool_calls"], ("10 degrees", "20 degrees"), strict=True)
    results = [result(call, document({"temp": warmth})) for call, warmth in warmths]
    answer = sdk.whole(asked, message, *results, tools=[LOOKUP])
    assert [one["text"] for one in answer["message"]["citations"]] == ["10 degrees", "20 degrees"]


def test_documents_are_cited_unless_that_is_off(sdk: Sdk, model: ModelServer):
    letter = {"id": "letter", "data": {"title": "A letter", "text": "Yours, Ada"}}
    answer = sdk.whole(user("echo Signed Yours, Ada"), documents=[letter, "nothing of it"])
    (citation,) = answer["message"]["citations"]
    assert citation["sources"][0]["type"] == "document"
    assert citation["sources"][0]["id"] == "letter"
    silent = {"documents": [letter], "citation_options": {"mode": "OFF"}}
    assert not sdk.whole(user("echo Signed Yours, Ada"), **silent)["message"].get("citations")


@pytest.mark.parametrize("is_document", [True, False], ids=["document", "text"])
@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])
def test_code_runs_once_it_is_approved(
    sdk: Sdk, model: ModelServer, is_stream: bool, is_document: bool
):
    if is_stream:
        events = sdk.events(DIVISION)
        assert events[-1]["delta"]["finish_reason"] == "TOOL_CALL"
        message = called(events)
    else:
        answer = sdk.whole(DIVISION)
        assert answer["finish_reason"] == "TOOL_CALL"
        message = sent_back(answer["message"])
    (call,) = message["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"language": "python", "code": "34 / 24"}
    decision = {"decision": "approve"}
    content = document(decision) if is_document else json.dumps(decision)
    told = text_of(sdk.events(DIVISION, message, result(call, content)))
    assert f"```output\n{QUOTIENT}\n```" in told
    assert told.endswith(f"The tool said: {QUOTIENT}.")


def test_edited_code_runs_and_denied_code_does_not(sdk: Sdk, model: ModelServer, server: Served):
    marker = server.working_folder / "cohere-marker.txt"
    marker.unlink(missing_ok=True)
    asked = user(f"write the file {marker}")
    for decision in ({"decision": "deny", "reason": "no"}, {"decision": "approve", "code": "6*7"}):
        message = sent_back(sdk.whole(asked)["message"])
        content = json.dumps(decision)
        answer = sdk.whole(asked, message, result(message["tool_calls"][0], content))
        assert not marker.exists()
    assert "```output\n42\n```" in "".join(block["text"] for block in answer["message"]["content"])


def test_code_runs_unasked_where_that_is_asked_for(sdk: Sdk, model: ModelServer):
    told = text_of(sdk.events(DIVISION, body={"auto_run": True}))
    assert "```python\n34 / 24\n```" in told
    assert f"```output\n{QUOTIENT}\n```" in told


def test_names_stay_for_the_conversation(sdk: Sdk, model: ModelServer):
    model.script = [execute("kept = 6 * 7"), text("Kept."), execute("kept + 1"), text("So.")]
    model._served = 0
    own: Any = {"body": {"auto_run": True}}
    first = sdk.whole(user("keep a number of yours"), **own)["message"]
    history = (user("keep a number of yours"), sent_back(first), user("one more"))
    assert "```output\n43\n```" in text_of(sdk.events(*history, **own))


def test_leaving_the_stream_ends_the_code_and_its_children(
    sdk: Sdk, model: ModelServer, server: Served
):
    pid_file = server.working_folder / "child.pid"
    pid_file.unlink(missing_ok=True)
    events = sdk.events(user("child process"), body={"auto_run": True}, leave_at="started\\n")
    assert text_of(events).endswith("started\n")
    pid = int(pid_file.read_text())
    until_now(lambda: pid not in server.processes())


@pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("request_", "name", "status", "code"),
    [
        ({"messages": []}, "BadRequestError", 400, "invalid_messages"),
        ({"messages": [{"role": "user"}]}, "BadRequestError", 400, "invalid_messages"),
        ({"model": ""}, "BadRequestError", 400, "invalid_model"),
        ({"documents": [{"id": "x"}]}, "BadRequestError", 400, "invalid_messages"),
        ({"token": "wrong"}, "UnauthorizedError", 401, "invalid_api_key"),
        (
            {"options": {"additional_headers": {"Origin": "https://evil.example"}}},
            *("ForbiddenError", 403, "forbidden_origin"),
        ),
        (
            {"options": {"additional_body_parameters": {"session_id": "nobody"}}},
            *("NotFoundError", 404, "not_found"),
        ),
        ({"messages": [user("too many")]}, "TooManyRequestsError", 429, "rate_limit_exceeded"),
        ({"messages": [user("out of order")]}, "InternalServerError", 500, "upstream_error"),
        ({"messages": [user("wrong key")]}, "InternalServerError", 500, "upstream_auth_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_refusal_is_the_sdks_own_exception(
    sdk: Sdk,
    model: ModelServer,
    request_: dict[str, Any],
    name: str,
    status: int,
    code: str,
    is_stream: bool,
):
    asked = {"messages": [user("hello")], **request_}
    told = sdk.refused(*asked.pop("messages"), is_stream=is_stream, **asked)
    assert (told["error"], told["status"]) == (name, status)
    assert told["body"]["error"]["code"] == code


def test_a_session_that_works_is_busy(sdk: Sdk, model: ModelServer, server: Served):
    with httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S) as client:
        session_id = client.post("/v1/sessions", json={}).json()["session_id"]
        silent = {"role": "user", "type": "message", "content": "fall silent"}
        asked = {"messages": [silent], "stream": True}
        with client.stream("POST", f"/v1/sessions/{session_id}/messages", json=asked):
            options = {"additional_body_parameters": {"session_id": session_id}}
            told = sdk.refused(user("hello"), is_stream=True, options=options)
    assert (told["status"], told["body"]["error"]["code"]) == (423, "session_busy")


def test_a_body_that_is_too_large_is_refused(sdk: Sdk, model: ModelServer):
    told = sdk.refused(user("x" * (33 << 20)), is_stream=False)
    assert (told["status"], told["body"]["error"]["code"]) == (413, "body_too_large")


def test_a_body_that_is_not_declared_as_json_is_refused(sdk: Sdk, model: ModelServer):
    plain = {"additional_headers": {"content-type": "text/plain"}}
    told = sdk.refused(user("hello"), is_stream=False, options=plain)
    assert (told["status"], told["body"]["error"]["code"]) == (415, "unsupported_media_type")


def test_an_answer_that_breaks_off_ends_in_words(sdk: Sdk, model: ModelServer):
    events = sdk.events(user("break off"))
    assert text_of(events) == "This answer breaks of"
    assert events[-1]["delta"]["finish_reason"] == "ERROR"
    assert events[-1]["delta"]["error"]


def test_an_answer_at_its_limit_says_so(sdk: Sdk, model: ModelServer):
    answer = sdk.whole(user("at length"))
    assert answer["finish_reason"] == "MAX_TOKENS"
