"""What each provider really answers when something is wrong, in words that say what to do."""

from __future__ import annotations

from typing import Any

import pytest

from playhead.errors import ProviderError
from tests.support import model_server as ms
from tests.support.asking import KEY, chunks_of, provider_of, request
from tests.support.model_server import ModelServer, Reply
from tests.support.workers import SharedWorker


def openai(status: int, message: str, kind: str, code: str | None = None) -> Reply:
    return ms.refused(
        status, {"error": {"message": message, "type": kind, "param": None, "code": code}}
    )


def anthropic(status: int, kind: str, message: str) -> Reply:
    return ms.refused(
        status,
        {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"},
    )


def gemini(status: int, state: str, message: str, *details: dict[str, Any]) -> Reply:
    return ms.refused(
        status,
        {
            "error": {
                "code": status,
                "message": message,
                "status": state,
                "details": list(details),
            }
        },
    )


def plain(status: int, message: str) -> Reply:
    return ms.refused(status, {"message": message})


GPT = "openai/gpt-4o"
CLAUDE = "anthropic/claude-sonnet-4-5"
GEMINI = "gemini/gemini-2.5-pro"
COMMAND = "cohere/command-a-03-2025"
OLLAMA = "ollama_chat/qwen3:8b"
MISTRAL = "mistral/mistral-large-latest"
ROUTER = "openrouter/maker/model"
QUOTA = "You exceeded your current quota, please check your plan and billing details."
AGAIN = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("model", "reply", "code", "words"),
    [
        (
            GPT,
            openai(401, f"Incorrect API key provided: {KEY}.", "invalid_request_error", "x"),
            *("upstream_auth_error", "refused the key"),
        ),
        (
            CLAUDE,
            anthropic(401, "authentication_error", "invalid x-api-key"),
            *("upstream_auth_error", "refused the key"),
        ),
        (
            GEMINI,
            gemini(400, "INVALID_ARGUMENT", "API key not valid.", BAD_KEY),
            *("upstream_auth_error", "refused the key"),
        ),
        (COMMAND, plain(401, "invalid api token"), "upstream_auth_error", "refused the key"),
        (
            MISTRAL,
            ms.refused(401, {"detail": "Unauthorized"}),
            *("upstream_auth_error", "refused the key"),
        ),
        (
            CLAUDE,
            anthropic(403, "permission_error", "Your API key has no access to this."),
            *("upstream_auth_error", "may not use"),
        ),
        (
            GPT,
            openai(429, QUOTA, "insufficient_quota", "insufficient_quota"),
            *("upstream_quota", "used up"),
        ),
        (
            CLAUDE,
            anthropic(400, "invalid_request_error", "Your credit balance is too low to go on."),
            *("upstream_quota", "used up"),
        ),
        (GEMINI, gemini(429, "RESOURCE_EXHAUSTED", QUOTA), "upstream_quota", "used up"),
        (COMMAND, plain(402, "Please add a payment method"), "upstream_quota", "used up"),
        (
            ROUTER,
            ms.refused(402, {"error": {"message": "Insufficient credits.", "code": 402}}),
            *("upstream_quota", "used up"),
        ),
        (
            GPT,
            openai(429, "Rate limit reached for gpt-4o.", "tokens", "rate_limit_exceeded"),
            *("rate_limit_exceeded", "asks to wait"),
        ),
        (
            GEMINI,
            gemini(429, "RESOURCE_EXHAUSTED", QUOTA, AGAIN),
            *("rate_limit_exceeded", "asks to wait"),
        ),
        (COMMAND, plain(429, "trial token rate limit"), "rate_limit_exceeded", "asks to wait"),
        (
            GPT,
            openai(404, "The model `gpt-4o` does not exist.", "x", "model_not_found"),
            *("upstream_no_model", "no model"),
        ),
        (
            CLAUDE,
            anthropic(404, "not_found_error", "model: claude-sonnet-4-5"),
            *("upstream_no_model", "no model"),
        ),
        (
            GEMINI,
            gemini(404, "NOT_FOUND", "models/gemini-2.5-pro is not found for v1beta."),
            *("upstream_no_model", "no model"),
        ),
        (COMMAND, plain(404, "model 'command-a' not found"), "upstream_no_model", "no model"),
        (
            OLLAMA,
            ms.refused(404, {"error": "model 'qwen3:8b' not found"}),
            *("upstream_no_model", "no model"),
        ),
        (
            MISTRAL,
            ms.refused(
                400, {"object": "error", "message": "Invalid model: x", "type": "invalid_model"}
            ),
            *("upstream_no_model", "no model"),
        ),
        (
            GPT,
            openai(
                400,
                "This model's maximum context length is 128000 tokens.",
                "invalid_request_error",
                "context_length_exceeded",
            ),
            *("context_too_long", "too long"),
        ),
        (
            CLAUDE,
            anthropic(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
            *("context_too_long", "too long"),
        ),
        (
            GEMINI,
            gemini(
                400,
                "INVALID_ARGUMENT",
                "The input token count (9) exceeds the maximum number of tokens allowed (8).",
            ),
            *("context_too_long", "too long"),
        ),
        (COMMAND, plain(400, "too many tokens: 9 in the prompt"), "context_too_long", "too long"),
        (
            GPT,
            openai(400, "Rejected by our safety system.", "x", "content_policy_violation"),
            *("upstream_policy", "content rules"),
        ),
        (
            "openai/from-azure",
            openai(400, "The prompt was filtered.", "x", "content_filter"),
            *("upstream_policy", "content rules"),
        ),
        (GPT, openai(500, "The server had an error.", "server_error"), "upstream_error", "failed"),
        (CLAUDE, anthropic(529, "overloaded_error", "Overloaded"), "upstream_error", "failed"),
        (GEMINI, gemini(503, "UNAVAILABLE", "Overloaded."), "upstream_error", "failed"),
        (OLLAMA, ms.refused(500, {"error": "llama runner stopped"}), "upstream_error", "failed"),
    ],
)
async def test_what_a_provider_refuses_is_said_by_its_kind(
    model_worker: SharedWorker, model: str, reply: Reply, code: str, words: str
):
    with ModelServer(reply) as server:
        base = server.base_url.removesuffix("/v1")
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server, model=model, api_base=base))
    error = caught.value
    assert (error.code, words in error.title) == (code, True), error.title
    assert error.remedy
    assert KEY not in str(error)
    assert "{" not in error.detail  # a sentence and no JSON


async def test_the_servers_own_sentence_is_the_detail(model_worker: SharedWorker):
    reply = openai(400, "Temperature must be below 2.", "invalid_request_error")
    with ModelServer(reply) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server))
    assert caught.value.detail == "Temperature must be below 2."


async def test_an_address_that_nobody_knows_is_named(model_worker: SharedWorker):
    nowhere = "http://no-such-host.invalid:1/v1"
    async with provider_of(model_worker) as provider:
        with ModelServer() as server, pytest.raises(ProviderError) as caught:
            await chunks_of(provider, request(server, api_base=nowhere))
    assert caught.value.code == "upstream_network"
    assert "no-such-host.invalid" in caught.value.title


async def test_nothing_secret_of_the_parameters_is_told(model_worker: SharedWorker):
    secret = "my-other-very-own-word"
    reply = openai(400, f"What is {secret}?", "invalid_request_error")
    extra = {"aws_secret_access_key": secret}
    with ModelServer(reply) as server:
        async with provider_of(model_worker) as provider:
            with pytest.raises(ProviderError) as caught:
                await chunks_of(provider, request(server, extra=extra))
    assert secret not in str(caught.value)


@pytest.mark.parametrize("model", ["bedrock/anthropic.claude-3-sonnet", "azure/mine"])
async def test_where_credentials_are_missing_one_sentence_says_so(
    model_worker: SharedWorker, model: str
):
    async with provider_of(model_worker) as provider:
        with ModelServer() as server, pytest.raises(ProviderError) as caught:
            await chunks_of(provider, request(server, model=model, api_base=None, api_key=None))
    error = caught.value
    assert (error.code, error.detail) == ("missing_api_key", "")
    assert error.title == f"“{model}” needs a key, and there is none."
