"""The bodies of the API's sample, as they stand there, with the model that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import connect_sse

from tests.support.bedrock_server import BedrockServer, said, said_and_called
from tests.support.served import PROVIDER_KEY, Served, served
from tests.support.waiting import LIMIT_S
from tests.support.workers import SharedWorker

SAMPLE = json.loads((Path(__file__).parents[1] / "data" / "api_sample.json").read_text("utf-8"))
MODEL = "bedrock/anthropic.claude-3-sonnet"
TEXT, CODE, OUTPUT = SAMPLE["chat_answer"]["messages"]


@pytest.fixture(scope="module")
def bedrock() -> Iterator[BedrockServer]:
    with BedrockServer() as server:
        yield server


@pytest.fixture(scope="module")
def server(
    bedrock: BedrockServer, model_worker: SharedWorker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("sample")
    options = {"model": MODEL, "api_base": bedrock.base_url, "arguments": ["--allow-auto-run"]}
    with served(home, program=model_worker.program, **options) as running:
        yield running


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, headers=server.headers, timeout=LIMIT_S) as made:
        yield made


def whole(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def events(client: httpx.Client, path: str, body: dict[str, Any]) -> list[str]:
    with connect_sse(client, "POST", path, json=body) as source:
        source.response.raise_for_status()
        return [event.data for event in source.iter_sse()]


def joined(chunks: list[dict[str, Any]], kind: str, form: str | None = None) -> str:
    """The content of all chunks of a type."""
    return "".join(
        chunk["content"]
        for chunk in chunks
        if chunk["type"] == kind and chunk.get("format") == form and "content" in chunk
    )


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """Without the call's id and the output's last line break, which the sample leaves out."""
    kept = {name: value for name, value in message.items() if name != "id"}
    return {**kept, "content": message["content"].rstrip("\n")}


def test_the_chat_streams(client: httpx.Client, bedrock: BedrockServer):
    bedrock.answers = [said_and_called(TEXT["content"], CODE["content"]), said("Done.")]
    chunks = [json.loads(data) for data in events(client, "/v1/chat", SAMPLE["chat_request"])]
    assert joined(chunks, "message") == TEXT["content"] + "Done."
    assert joined(chunks, "code", "python") == CODE["content"]
    assert joined(chunks, "console", "output").rstrip("\n") == OUTPUT["content"]
    assert chunks[-1] == {"role": "server", "type": "status", "content": "complete"}
    asked = bedrock.asked[-1]
    assert (asked.body["temperature"], asked.body["max_tokens"]) == (0.7, 4096)
    assert asked.authorization == f"Bearer {PROVIDER_KEY}"
    assert "anthropic.claude-3-sonnet" in asked.path


def test_the_chat_answers_whole(client: httpx.Client, bedrock: BedrockServer):
    bedrock.answers = [said_and_called(TEXT["content"], CODE["content"]), said("Done.")]
    answer = whole(client, "/v1/chat", SAMPLE["chat_request"] | {"stream": False})
    *messages, last = answer["messages"]
    assert last == {"role": "assistant", "type": "message", "content": "Done."}
    plain = [_plain(message) for message in messages if message["type"] != "confirmation"]
    assert plain == SAMPLE["chat_answer"]["messages"]


def test_the_answers_messages_go_on_as_a_history(client: httpx.Client, bedrock: BedrockServer):
    bedrock.answers = [said("You are ", "welcome.")]
    messages = [*SAMPLE["chat_request"]["messages"], *SAMPLE["chat_answer"]["messages"]]
    thanks = {"role": "user", "type": "message", "content": "Thanks"}
    answer = whole(client, "/v1/chat", {"messages": [*messages, thanks]})
    assert [message["content"] for message in answer["messages"]] == ["You are welcome."]
    asked = json.dumps(bedrock.asked[-1].body, ensure_ascii=False)
    assert OUTPUT["content"] in asked
    assert "def fibonacci(n):" in asked


def test_the_completion_streams(client: httpx.Client, bedrock: BedrockServer):
    bedrock.answers = [said("Here ", "you are.")]
    *chunks, done = events(client, "/v1/chat/completions", SAMPLE["completion_request"])
    assert done == "[DONE]"
    deltas = [json.loads(chunk)["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content") or "" for delta in deltas) == "Here you are."
    assert {json.loads(chunk)["model"] for chunk in chunks} == {MODEL}


def test_health_has_the_sample_s_shape(server: Served):
    health = httpx.get(f"{server.address}/v1/health").json()
    assert health.pop("history") == {"status": "ok"}  # ours, beside what the sample has
    assert health.pop("instances").keys() == {"active", "max"}
    assert {**health, "version": "0.4.3"} == SAMPLE["health_answer"]


@pytest.mark.parametrize(
    "name", ["user_message", "assistant_message", "code_message", "computer_output"]
)
def test_each_type_of_message_is_understood(
    client: httpx.Client, bedrock: BedrockServer, name: str
):
    bedrock.answers = [said("Understood.")]
    messages = [SAMPLE["user_message"], SAMPLE[name], SAMPLE["user_message"]]
    answer = whole(client, "/v1/chat", {"messages": messages})
    assert answer["messages"][-1]["content"] == "Understood."


@pytest.mark.parametrize("name", ["image_message", "file_message"])
def test_files_and_images_by_their_paths_are_understood(
    client: httpx.Client, bedrock: BedrockServer, name: str
):
    bedrock.answers = [said("Understood.")]
    answer = whole(client, "/v1/chat", {"messages": [SAMPLE["user_message"], SAMPLE[name]]})
    assert answer["messages"][-1]["content"] == "Understood."
    if name == "file_message":
        assert "/path/to/file.pdf" in json.dumps(bedrock.asked[-1].body)


@pytest.mark.parametrize("recipient", ["user", "assistant"])
def test_who_a_message_is_for_decides_what_the_model_sees(
    client: httpx.Client, bedrock: BedrockServer, recipient: str
):
    bedrock.answers = [said("Understood.")]
    aside = {**SAMPLE["assistant_message"], "content": "an aside", "recipient": recipient}
    whole(client, "/v1/chat", {"messages": [SAMPLE["user_message"], aside, SAMPLE["user_message"]]})
    is_seen = "an aside" in json.dumps(bedrock.asked[-1].body)
    assert is_seen == (recipient == "assistant")


def test_an_error_has_the_sample_s_shape(client: httpx.Client):
    answer = client.post("/v1/chat", json={"messages": []})
    assert answer.status_code == 400
    error = answer.json()["error"]
    for name in SAMPLE["error_answer"]["error"]:
        assert isinstance(error[name], str)
        assert error[name]
