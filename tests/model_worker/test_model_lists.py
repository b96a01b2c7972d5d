"""Which models a provider has, and what is known of each."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from playhead.domain.model import ConnectionSettings, ModelFacts, ModelOverride, ModelSettings
from playhead.domain.secret import Secret
from playhead.errors import ProviderError
from playhead.providers.provider import Provider
from playhead.providers.worker import ModelWorker
from tests.support import model_server as ms
from tests.support.asking import KEY, canonical, provider_of
from tests.support.model_server import ModelServer, Reply
from tests.support.waiting import until
from tests.support.workers import SharedWorker


def settings(model: str, api_base: str = "", **more: Any) -> ModelSettings:
    return ModelSettings(model=model, api_base=api_base or None, api_key=Secret(KEY), **more)


def names(found: list[ModelFacts]) -> list[str]:
    return [known.model for known in found]


ANTHROPIC = {
    "data": [
        {"type": "model", "id": "claude-sonnet-4-5", "display_name": "Sonnet"},
        {"type": "model", "id": "claude-of-tomorrow", "display_name": "Tomorrow"},
    ],
    "has_more": False,
}
GEMINI = {
    "models": [
        {
            "name": "models/gemini-2.5-pro",
            "inputTokenLimit": 1000,
            "outputTokenLimit": 200,
            "supportedGenerationMethods": ["generateContent", "countTokens"],
        },
        {"name": "models/embedding-001", "supportedGenerationMethods": ["embedContent"]},
    ]
}
COHERE = {
    "models": [
        {"name": "command-a-03-2025", "endpoints": ["chat"], "context_length": 288000},
        {"name": "rerank-v3.5", "endpoints": ["rerank"]},
    ]
}
MISTRAL = {
    "object": "list",
    "data": [
        {
            "id": "some-mistral",
            "capabilities": {"completion_chat": True, "function_calling": True, "vision": False},
            "max_context_length": 32768,
        },
        {"id": "some-embedder", "capabilities": {"completion_chat": False}},
    ],
}
OPENROUTER = {
    "data": [
        {
            "id": "maker/model",
            "context_length": 131072,
            "pricing": {"prompt": "0.0000025", "completion": "0.00001"},
            "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["tools", "reasoning"],
        }
    ]
}
OLLAMA = {"models": [{"name": "qwen3:8b", "model": "qwen3:8b", "size": 5}]}
OPENAI = {"data": [{"id": "gpt-4o"}, {"id": "text-embedding-3-small"}, {"id": "whisper-1"}]}


@pytest.mark.parametrize(
    ("prefix", "base", "path", "body", "found", "header"),
    [
        ("openai", "/v1", "/v1/models", OPENAI, ["openai/gpt-4o"], "authorization"),
        (
            *("anthropic", "", "/v1/models", ANTHROPIC),
            ["anthropic/claude-sonnet-4-5", "anthropic/claude-of-tomorrow"],
            "x-api-key",
        ),
        (
            *("gemini", "/v1beta", "/v1beta/models", GEMINI),
            ["gemini/gemini-2.5-pro"],
            "x-goog-api-key",
        ),
        ("mistral", "/v1", "/v1/models", MISTRAL, ["mistral/some-mistral"], "authorization"),
        ("cohere", "/v2", "/v1/models", COHERE, ["cohere/command-a-03-2025"], "authorization"),
        (
            *("openrouter", "/api/v1", "/api/v1/models", OPENROUTER),
            ["openrouter/maker/model"],
            "authorization",
        ),
        ("ollama_chat", "", "/api/tags", OLLAMA, ["ollama_chat/qwen3:8b"], "authorization"),
        ("lm_studio", "/v1", "/v1/models", OPENAI, ["lm_studio/gpt-4o"], "authorization"),
    ],
)
async def test_each_providers_own_list_is_asked_with_the_key_in_a_header(
    model_worker: SharedWorker,
    prefix: str,
    base: str,
    path: str,
    body: dict[str, Any],
    found: list[str],
    header: str,
):
    with ModelServer() as server:
        server.lists[path] = Reply(body=body)
        address = server.base_url.removesuffix("/v1") + base
        async with provider_of(model_worker) as provider:
            assert names(await provider.models(settings(f"{prefix}/any", address))) == found
    asked = server.asked_for_lists[0]
    assert asked.headers[header].removeprefix("Bearer ") == KEY
    assert KEY not in asked.path


async def test_what_the_provider_says_of_a_model_counts_over_the_table(model_worker: SharedWorker):
    with ModelServer() as server:
        server.lists["/v1/models"] = Reply(body=OPENROUTER)
        async with provider_of(model_worker) as provider:
            (known,) = await provider.models(settings("openrouter/any", server.base_url))
    assert (known.takes_tools, known.supports_images, known.reasons) == (True, True, True)
    assert known.context_tokens == 131072
    assert (known.input_price, known.output_price) == (pytest.approx(2.5), pytest.approx(10))


@pytest.mark.parametrize("prefix", ["bedrock", "azure", "vertex_ai"])
async def test_where_there_is_no_list_the_table_answers(model_worker: SharedWorker, prefix: str):
    async with provider_of(model_worker) as provider:
        found = await provider.models(settings(f"{prefix}/any"))
    assert found
    assert all(known.model.startswith(f"{prefix}/") for known in found)


async def test_a_server_without_a_list_is_answered_for_by_the_table(model_worker: SharedWorker):
    with ModelServer() as server:
        server.lists["/v1/models"] = ms.error(404, "not here")
        async with provider_of(model_worker) as provider:
            found = await provider.models(settings("anthropic/any", server.base_url))
    assert "anthropic/claude-sonnet-4-5" in names(found)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ms.error(401, f"Bad key {KEY}"), "refused the key"),
        (ms.error(500, "oh"), "failed"),
        (Reply(body={"hello": "there"}), "not a list of models"),
    ],
)
async def test_a_list_that_cannot_be_had_is_said_in_words(
    model_worker: SharedWorker, reply: Reply, words: str
):
    with ModelServer() as server:
        server.lists["/v1/models"] = reply
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError, match=words) as caught:
                await provider.models(settings("openai/any", server.base_url))
    assert caught.value.remedy
    assert KEY not in str(caught.value)


async def test_a_key_is_not_sent_on_to_another_address(model_worker: SharedWorker):
    with ModelServer() as server, ModelServer() as elsewhere:
        there = {"Location": f"{elsewhere.base_url}/models"}
        server.lists["/v1/models"] = Reply(body={}, status=302, headers=there)
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError):
                await provider.models(settings("anthropic/any", server.base_url))
    assert not elsewhere.asked_for_lists


async def test_asking_for_a_list_can_be_cancelled(model_worker: SharedWorker):
    with ModelServer() as server:
        server.lists["/v1/models"] = Reply(body={}, ending="hang")
        async with provider_of(model_worker) as provider:
            asking = asyncio.create_task(
                provider.models(
                    settings("openai/any", server.base_url, connection=ConnectionSettings())
                )
            )
            await until(lambda: bool(server.asked_for_lists))
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
            assert await asyncio.to_thread(server.asked_for_lists[0].disconnected.wait, 20)


async def test_facts_come_from_the_table_under_the_users_word(model_worker: SharedWorker):
    async with provider_of(model_worker) as provider:
        known = await provider.facts(settings("openai/gpt-4o"))
        blind = ModelOverride(supports_images=False)
        said = await provider.facts(settings("openai/gpt-4o", override=blind))
        unknown = await provider.facts(settings("openai/nobody-knows-this"))
    assert (known.takes_tools, known.supports_images, known.takes_documents) == (True, True, True)
    assert (known.context_tokens, known.input_price) == (128000, pytest.approx(2.5))
    assert (said.supports_images, said.takes_tools) == (False, True)
    assert unknown == ModelFacts(model="openai/nobody-knows-this")


async def test_facts_are_unknown_and_no_error_where_no_worker_starts():
    provider = Provider(ModelWorker(("/no/such/program",)), canonical)
    try:
        assert await provider.facts(settings("openai/gpt-4o")) == ModelFacts(model="openai/gpt-4o")
    finally:
        await provider.close()
