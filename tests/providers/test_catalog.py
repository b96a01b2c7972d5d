"""Where keys belong, and which servers are found on this machine."""

from __future__ import annotations

import asyncio
import socket

import pytest

from playhead.providers.catalog import ModelCatalog, provider_of
from tests.support.model_server import ModelServer, text


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("openai/gpt-5", "openai"),
        ("gpt-5", "openai"),
        ("claude-sonnet-4-5", "anthropic"),
        ("cohere_chat/command-a", "cohere"),
        ("ollama_chat/qwen3", "ollama"),
        ("something-unheard-of", "openai"),
    ],
)
def test_a_model_string_names_its_provider(model: str, provider: str):
    assert provider_of(model) == provider


def test_a_key_is_bound_to_the_address_it_was_entered_for():
    catalog = ModelCatalog()
    own = catalog.key_name("openai/gpt-5", "")
    foreign = catalog.key_name("openai/gpt-5", "http://127.0.0.1:8000/v1")
    assert (own, foreign) == ("openai", "openai@127.0.0.1:8000")
    assert catalog.key_name("openai/x", "https://me:pw@Evil.example/v1") == "openai@evil.example"
    assert catalog.key_name("openai/x", "evil.example:9") == "openai@evil.example:9"


def test_a_running_server_is_found_with_its_models_and_gets_no_key():
    with ModelServer(text("hi")) as server:
        port = int(server.base_url.rsplit(":", 1)[1].split("/")[0])
        found = asyncio.run(ModelCatalog([("Jan", port), ("Ollama", port)]).local_servers())
        sent = [request.headers for request in server.requests]
    assert [one.name for one in found] == ["Jan", "Ollama"]
    assert found[0].api_base == f"http://127.0.0.1:{port}/v1"
    assert found[0].models
    assert found[0].models == found[1].models == ("openai/test", "openai/test-small")
    assert all("authorization" not in {name.lower() for name in headers} for headers in sent)


def test_a_port_that_is_silent_closed_or_no_model_server_is_passed_over():
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ports = [("Jan", silent.getsockname()[1]), ("Ollama", closed.getsockname()[1])]
        assert asyncio.run(ModelCatalog(ports).local_servers()) == []
