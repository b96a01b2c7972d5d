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


@pytest.mark.parametrize(
    ("model", "api_base", "page"),
    [
        ("openai/gpt-5", "", "openai"),
        ("gpt-4o", "", "openai"),
        ("openai/gpt-5", "https://api.openai.com/v1", "openai"),
        ("openai/x", "https://gateway.example/v1", "other"),
        ("openai/qwen3", "http://127.0.0.1:11434/v1", "ollama"),
        ("openai/qwen3", "http://localhost:1234/v1", "lmstudio"),
        ("anthropic/claude-x", "https://gateway.example", "anthropic"),
        ("azure/mine", "https://a.openai.azure.com", "azure"),
        ("bedrock/anthropic.x", "", "bedrock"),
        ("cohere_chat/command-a", "", "raw"),
        ("ollama_chat/llama3", "", "raw"),
        ("groq/llama", "", "raw"),
        ("", "", "openai"),
    ],
)
def test_each_model_stands_on_its_provider_s_page(model, api_base, page):
    assert ModelCatalog().page_of(model, api_base).name == page


def test_pages_have_names_of_their_own_and_secure_links():
    pages = ModelCatalog().providers()
    assert len({page.name for page in pages}) == len({page.label for page in pages}) == len(pages)
    for page in pages:
        assert page.key_url.startswith("https://") or (page.key != "needed" and not page.key_url)
        assert all(field.name.isidentifier() for field in page.fields)
