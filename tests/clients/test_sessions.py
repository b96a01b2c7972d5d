"""Sessions and the kernel's messages by plain HTTP: input, pictures, lines, leaving."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.model_server import ModelServer, execute, text
from tests.support.served import PROVIDER_KEY, Served
from tests.support.waiting import LIMIT_S, until_now

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)
PICTURE = f"""\
import base64
class Dot:
    def _repr_png_(self):
        return base64.b64decode("{PNG}")
Dot()
"""


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S) as made:
        yield made


@pytest.fixture
def session(client: httpx.Client) -> str:
    """The path of a new session."""
    return "/v1/sessions/" + client.post("/v1/sessions", json={}).json()["session_id"]


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "type": "message", "content": content}


def asked(content: str, **fields: Any) -> dict[str, Any]:
    return {"messages": [user(content)], "auto_run": True, **fields}


def events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        if line.startswith("data: {"):
            yield json.loads(line.removeprefix("data: "))


def test_code_that_asks_for_a_line_gets_it_in_a_second_request(
    client: httpx.Client, session: str, model: ModelServer
):
    model.script = [execute("print(input('Who? ').upper())"), text("So.")]
    model._served = 0
    body = asked("Ask me", stream=True, extended=True)
    printed = ""
    with client.stream("POST", f"{session}/messages", json=body) as response:
        for chunk in events(response):
            if chunk["type"] == "input":
                question = chunk["content"]
                assert question["prompt"] == "Who? "
                late = answer_to("another", "nobody")
                assert client.post(f"{session}/messages", json=late).status_code == 400
                line = answer_to(question["id"], "ada")
                told = client.post(f"{session}/messages", json=line)
                assert told.json() == {"messages": []}
            printed += chunk.get("content", "") if chunk.get("format") == "output" else ""
    assert "ADA" in printed
    assert chunk["content"] == "complete"


def answer_to(input_id: str, line: str) -> dict[str, Any]:
    command = {"role": "user", "type": "command", "content": "input"}
    return {"messages": [{**command, "id": input_id, "text": line}]}


def test_without_an_extended_stream_nobody_is_asked(
    client: httpx.Client, session: str, model: ModelServer
):
    model.script = [execute("input('Who? ')"), text("So.")]
    model._served = 0
    answer = client.post(f"{session}/messages", json=asked("Ask me"))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "input_unanswered")


def test_a_session_that_works_takes_no_second_question_and_stops_on_command(
    client: httpx.Client, session: str, model: ModelServer
):
    model.script = execute("import time\nprint('on', flush=True)\ntime.sleep(600)")
    body = asked("Wait", stream=True)
    with client.stream("POST", f"{session}/messages", json=body) as response:
        for chunk in events(response):
            if chunk.get("format") == "output" and "on" in chunk["content"]:
                second = client.post(f"{session}/messages", json=asked("Me too"))
                assert second.json()["error"]["code"] == "session_busy"
                stop = {"messages": [{"role": "user", "type": "command", "content": "stop"}]}
                assert client.post(f"{session}/messages", json=stop).status_code == 200
    assert chunk["content"] == "cancelled"
    assert client.get(session).json()["busy"] is False


def test_pictures_that_code_made_are_in_the_exported_file(
    client: httpx.Client, session: str, model: ModelServer
):
    model.script = [execute(PICTURE), text("A dot.")]
    model._served = 0
    client.post(f"{session}/messages", json=asked("Draw"))
    exported = client.get(f"{session}/export?format=json").json()
    (picture,) = [message for message in exported if message["type"] == "image"]
    assert (picture["format"], picture["content"]) == ("base64.png", PNG)
    assert f"data:image/png;base64,{PNG}" in client.get(f"{session}/export?format=md").text


def test_a_session_goes_on_with_its_names_in_any_format(
    client: httpx.Client, session: str, model: ModelServer
):
    model.script = [execute("kept = 6 * 7"), text("Kept."), execute("print(kept + 1)"), text("So.")]
    model._served = 0
    client.post(f"{session}/messages", json=asked("Keep"))
    own = {"session_id": session.rpartition("/")[2], "auto_run": True, "stream": False}
    body = {"messages": [{"type": "input", "text": "More"}], **own}
    results = client.post("/v1/kernel/stream", json=body).json()["messages"][1]["results"]
    assert results[0]["value"] == "43\n"


def test_messages_of_the_kernel_come_as_lines_and_as_events(
    client: httpx.Client, model: ModelServer
):
    body = {"messages": [{"type": "input", "text": "hello"}]}
    told = client.post("/v1/kernel/stream", json=body, headers={"Accept": "application/x-ndjson"})
    lines = [json.loads(line) for line in told.text.splitlines()]
    plain = client.post("/v1/kernel/stream", json=body)
    assert plain.text.endswith("data: [DONE]\n\n")
    assert [line["type"] for line in lines] == [one["type"] for one in events(plain)]
    assert lines[-1]["text"].startswith("Hello!")


@pytest.mark.parametrize(
    ("question", "status", "code"),
    [
        ("too many", 429, "rate_limit_exceeded"),
        ("out of order", 500, "upstream_error"),
        ("wrong key", 500, "upstream_auth_error"),
    ],
)
def test_a_failure_before_the_first_message_is_an_error(
    client: httpx.Client, model: ModelServer, question: str, status: int, code: str
):
    body = {"messages": [{"type": "input", "text": question}]}
    answer = client.post("/v1/kernel/stream", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert PROVIDER_KEY not in answer.text


def test_a_failure_amid_the_messages_is_a_message(client: httpx.Client, model: ModelServer):
    body = {"messages": [{"type": "input", "text": "break off"}]}
    told = list(events(client.post("/v1/kernel/stream", json=body)))
    assert [one["type"] for one in told[-2:]] == ["reply", "error"]
    assert told[-1]["error"]["code"] == "upstream_truncated"


@pytest.mark.parametrize("path", ["/v2/chat", "/v1/kernel/stream"])
def test_who_leaves_ends_the_code_and_its_children(
    client: httpx.Client, server: Served, model: ModelServer, path: str
):
    pid_file = server.working_folder / "child.pid"
    pid_file.unlink(missing_ok=True)
    body = {"model": "openai/test", "auto_run": True, "stream": True}
    body["messages"] = [{"type": "input", "text": "child process", "role": "user"}]
    body["messages"][0]["content"] = "child process"
    with client.stream("POST", path, json=body):
        until_now(lambda: pid_file.exists() and pid_file.read_text().strip().isdigit())
        pid = int(pid_file.read_text())
        assert pid in server.processes()
    until_now(lambda: pid not in server.processes())
