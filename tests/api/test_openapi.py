"""The running server keeps to its own OpenAPI document, whatever it is asked."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.clients.answers import answer
from tests.support.driver import ROOT
from tests.support.isolation import RUNS_ALL
from tests.support.model_server import ModelServer
from tests.support.served import Served, served
from tests.support.waiting import LIMIT_S
from tests.support.workers import SharedWorker

PATHS = (
    *("/v1/chat", "/v1/chat/completions", "/v2/chat", "/v1/kernel/stream"),
    *("/v1/sessions", "/v1/sessions/{session_id}/messages"),
    *("/v1/threads", "/v1/threads/runs", "/v1/responses"),
)
UNDEMANDING = {"/v1/sessions", "/v1/threads"}
"""They need no field, and ignore those that they do not know."""
THREADS = "^/v1/(assistants|threads|files|responses)"
EXAMPLES = 10 if RUNS_ALL else 2
"""Made-up requests for each operation, besides those that the document's bounds suggest."""
FEWER = str(max(EXAMPLES // 5, 1))
"""For threads and responses, which have many operations."""


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(answer) as running:
        yield running


@pytest.fixture(scope="module")
def server(
    model: ModelServer, model_worker: SharedWorker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Nobody may have code run unasked here: much of what comes is random code."""
    home = tmp_path_factory.mktemp("fuzzed")
    with served(
        home,
        program=model_worker.program,
        api_base=model.base_url,
        arguments=["--no-rate-limit"],
    ) as running:
        yield running


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[httpx.Client]:
    """Waits no longer than a person would: what hangs fails."""
    with httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S) as made:
        yield made


@pytest.fixture(scope="module")
def session_id(client: httpx.Client) -> str:
    return client.post("/v1/sessions", json={"title": "Fuzzed"}).json()["session_id"]


PARTS = {
    # Threads and responses have many operations: fewer made-up requests for each.
    "threads": (
        "--include-path-regex",
        THREADS,
        "--phases",
        "coverage,fuzzing",
        "-n",
        str(EXAMPLES // 5 or 1),
    ),
    "all else": ("--exclude-path-regex", THREADS, "-n", str(EXAMPLES)),
}


@pytest.mark.timeout(400)  # thousands of requests; a busy machine takes its time
@pytest.mark.parametrize("part", PARTS)
def test_no_request_leads_to_a_failure_or_away_from_the_document(
    server: Served, client: httpx.Client, model: ModelServer, tmp_path: Path, part: str
):
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(with_events(client.get("/openapi.json").json())), "utf-8")
    command = [
        *(Path(sys.executable).parent / "schemathesis", "run", document),
        *("--url", server.address, "--header", f"Authorization: Bearer {server.token}"),
        *(*PARTS[part], "--generation-deterministic", "--continue-on-failure"),
        # Any text is a valid role and model by the schema, and what it means is not the schema's.
        # A session whose messages were deleted is an empty one, and no resource that has gone.
        *("--exclude-checks", "positive_data_acceptance,use_after_free"),
        *("--request-timeout", "20"),
        "--no-color",
    ]
    own = {
        "SCHEMATHESIS_HOOKS": "tests.clients.schemathesis_hooks",
        "MODEL_ADDRESS": model.base_url,
    }
    done = subprocess.run(
        command,
        env={**os.environ, **own, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Coverage" in done.stdout
    assert model.requests


def with_events(document: dict[str, Any]) -> dict[str, Any]:
    """The document in the words that schemathesis has for the events of a stream."""
    for path in document["paths"].values():
        for operation in path.values():
            content = operation["responses"].get("200", {}).get("content", {})
            if (stream := content.get("text/event-stream")) is not None:
                stream["itemSchema"] = event(stream.pop("x-item-schema"))
                del stream["schema"]
    return document


def event(item: Mapping[str, Any]) -> dict[str, Any]:
    """One event: its data is the item, an error, or the mark of the end."""
    error = {"$ref": "#/components/schemas/ErrorAnswer"}
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"anyOf": [item, error]},
    }
    is_end = {"const": "[DONE]"}
    return {
        "type": "object",
        "required": ["data"],
        "properties": {"data": {"if": is_end, "else": data}},
    }


FIELDS = (
    *("role", "type", "format", "content", "recipient", "id", "tool_calls", "tool_call_id"),
    *("call_id", "name", "arguments", "output", "outputs", "code", "status"),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
known_words = st.sampled_from(
    [
        *("user", "assistant", "computer", "system", "developer", "tool", "server"),
        *("message", "code", "console", "image", "file", "command", "confirmation", "tool_call"),
        *("python", "output", "execution", "active_line", "path", "base64.png", "go", "stop"),
        *("function_call", "function_call_output", "code_interpreter_call", "item_reference"),
        *("execute", "function", "text", "image_url", "call_0", '{"decision": "approve"}', "yes"),
    ]
)
messages = st.lists(
    st.dictionaries(
        st.sampled_from(FIELDS),
        known_words | json_values,
    ),
    max_size=5,
)
bodies = st.fixed_dictionaries(
    {"messages": messages | json_values},
    optional={
        "model": st.just("openai/test") | st.just("playhead/direct") | st.integers(),
        "stream": st.booleans() | json_values,
        "auto_run": st.booleans() | json_values,
        "tools": json_values,
        "tool_choice": known_words | json_values,
        "temperature": st.floats() | json_values,
        "max_tokens": st.integers() | json_values,
        "stop": json_values,
        "session_id": st.text() | json_values,
        "config": json_values,
        "stream_options": json_values,
        "extended": json_values,
        "lmc": json_values,
        "instructions": json_values,
        "thread": st.fixed_dictionaries({"messages": messages}) | json_values,
        "assistant_id": st.just("asst_interpreter") | json_values,
        "additional_messages": messages | json_values,
        "metadata": json_values,
        "input": messages | json_values,
        "previous_response_id": st.text() | json_values,
        "background": json_values,
        "store": json_values,
    },
)
fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def check(response: httpx.Response) -> None:
    """A status of the document, JSON or events, and nothing of our insides."""
    assert response.status_code in {200, 201, 400, 403, 404, 413, 415, 423}, response.text
    assert "Traceback" not in response.text
    assert 'File "' not in response.text
    if response.status_code >= 400:
        error = response.json()["error"]
        assert error["code"]
        assert error["message"]


@pytest.mark.parametrize("path", PATHS)
@fuzz
@given(body=bodies)
def test_bodies_of_the_right_fields_and_wrong_values(
    client: httpx.Client, session_id: str, path: str, body: dict[str, Any]
):
    raw = json.dumps(body).encode("ascii", "surrogatepass")
    path = path.format(session_id=session_id)
    check(client.post(path, content=raw, headers={"Content-Type": "application/json"}))


@pytest.mark.parametrize("path", PATHS)
@fuzz
@given(raw=st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_bodies_of_anything(client: httpx.Client, session_id: str, path: str, raw: bytes):
    path = path.format(session_id=session_id)
    response = client.post(path, content=raw, headers={"Content-Type": "application/json"})
    assert response.status_code == 400 or (path in UNDEMANDING and is_object(raw or b"{}"))
    check(response)


def is_object(raw: bytes) -> bool:
    """Whether it is a body for what needs no field."""
    try:
        return isinstance(json.loads(raw), dict)
    except ValueError:
        return False


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000,
        b'{"messages":' * 50_000,
        b'{"messages": [' + b'{"role": "user", "content": ' * 5_000,
        b'{"messages": [{"role": "user", "type": "message", "content": "\\ud83d"}], "model": "m"',
        b'{"messages": NaN}',
        b"\xff\xfe{\x00}\x00",
        b'{"messages": 1e999999}',
        b'{"max_tokens": ' + b"9" * 10_000 + b', "messages": []}',
    ],
    ids=lambda raw: raw[:20].decode("latin-1"),
)
def test_bodies_that_are_made_to_break_readers(
    client: httpx.Client, session_id: str, path: str, raw: bytes
):
    path = path.format(session_id=session_id)
    response = client.post(path, content=raw, headers={"Content-Type": "application/json"})
    assert response.status_code in ({400, 200, 201} if path in UNDEMANDING else {400})
    check(response)


@pytest.mark.parametrize(
    "raw",
    [b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"\0" * 64, b"{}\n"],
    ids=["half a request", "TLS", "zeros", "JSON alone"],
)
def test_what_is_no_http_is_answered_or_cut_off(server: Served, raw: bytes):
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=LIMIT_S) as connection:
        connection.sendall(raw + b"\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        answered = b"".join(iter(lambda: connection.recv(65536), b""))
    assert b"Traceback" not in answered
    assert not answered or answered.startswith(b"HTTP/1.0 400")


@pytest.mark.parametrize("name", ["nobody-knows-this", "a/b/c", "\ud83d", "x" * 500, "../../etc"])
def test_a_model_that_nobody_has_is_the_requests_mistake(client: httpx.Client, name: str):
    body = {"model": name, "messages": [{"role": "user", "content": "hello"}]}
    response = client.post(
        "/v1/chat/completions",
        content=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_model"


def test_after_all_of_that_it_still_answers(client: httpx.Client, server: Served):
    assert client.get("/v1/health").json()["status"] == "healthy"
    said = {"messages": [{"role": "user", "type": "message", "content": "echo still here"}]}
    answered = client.post("/v1/chat", json=said).json()["messages"]
    assert answered[-1]["content"] == "still here"
    assert "Traceback" not in server.log
